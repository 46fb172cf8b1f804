// Passes.td: passes from exec to exec.
#ifndef ADZE_TRANSFORMS_EXEC_PASSES_TD
#define ADZE_TRANSFORMS_EXEC_PASSES_TD

include "adze/Transforms/NumericEffect.td"

def VerifyLaunchesPass : Adze_Pass<"exec-verify-launches", "Exact"> {
  let summary = "check that a program is a sound line of launches";
  let description = [{
    States what `convert-llm-to-exec` owes the passes after it, and refuses by launch and operand:

    * there is exactly one `exec.program`;
    * every buffer is written by exactly one launch, before every launch that reads it; the logits are written;
    * segments do not overlap, each is used, and each names a weight of the module;
    * no op of the llm dialect is left but files and weights.

    It changes nothing.
  }];
  let statistics = [Statistic<"launchCount", "launches", "launches checked">];
}

def PlanMemoryPass : Adze_Pass<"exec-plan-memory", "Exact"> {
  let summary = "give each buffer a slot of the arena";
  let description = [{
    A buffer is alive from the launch that writes it to the last launch that reads it, both included: blocks of one
    kernel run in any order, so what a launch reads and what it writes never share memory. Going through the launches in
    order, each new buffer takes, among the slots that are free, the one that it wastes or enlarges least at the limits
    of the options; with none free it opens a slot. The logits keep their slot to the end of the program.

    Slots get sizes at run time: each the largest of its buffers' forms. The limits here only decide who shares, never
    whether a plan is right. It must not touch a buffer that has a slot already.

    Before:
    ```mlir
    %x = exec.buffer #exec.form<256 T>
    ```
    After:
    ```mlir
    %x = exec.buffer #exec.form<256 T> in 0
    ```
  }];
  let options = [
    Option<"tokens", "tokens", "int64_t", "512", "tokens of a step that the choice of slots assumes">,
    Option<"requests", "requests", "int64_t", "8", "requests of a step that the choice of slots assumes">,
    Option<"rows", "rows", "int64_t", "8", "rows of logits that the choice of slots assumes">,
    Option<"pages", "pages", "int64_t", "64", "pages of a request that the choice of slots assumes">];
  let statistics = [Statistic<"bufferCount", "buffers", "buffers placed">,
                    Statistic<"slotCount", "slots", "slots made">];
}

def VerifyMemoryPass : Adze_Pass<"exec-verify-memory", "Exact"> {
  let summary = "check the memory plan: the end of the exec phase";
  let description = [{
    States what the exec phase owes native code, without believing the planner: every buffer has a slot; walking the
    launches and keeping who lies in each slot, every read finds the buffer that it names (no later buffer was put over
    it), no launch reads and writes one slot, and the logits are in their slot at the end.

    It changes nothing.
  }];
  let statistics = [Statistic<"slotCount", "slots", "slots checked">];
}

#endif
