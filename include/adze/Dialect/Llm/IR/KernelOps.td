// Groups of ops that become one kernel.
#ifndef ADZE_DIALECT_LLM_IR_KERNELOPS_TD
#define ADZE_DIALECT_LLM_IR_KERNELOPS_TD

include "adze/Dialect/Llm/IR/LlmBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Llm_KernelOp : Llm_Op<"kernel", [IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock,
                                     DeclareOpInterfaceMethods<Llm_CostModel>]> {
  let summary = "A group of ops that becomes one kernel.";
  let description = [{
    One root op with its prologue and epilogue, the plain ops inside. The region is isolated: what it uses are its
    arguments, one for each operand. Inlining the region gives the unfused form, which says what the group computes.
    Operands stand in this order: activations, weights, tables, the batch, the cache, the layer. Weights come in as
    operands; `llm.get_weight` stays outside. `family` is set when groups are formed and names the kernel's family. `schedule` is the row of the target's table that
    the kernel is built by; llm-choose-schedules sets it where nobody has.

    ```mlir
    %0 = llm.kernel family "linear" (%x as %a, %w as %b : tensor<?x576xf32>, tensor<192x576xbf16>)
        -> (tensor<?x192xf32>) {
      %y = llm.linear %a, %b : (tensor<?x576xf32>, tensor<192x576xbf16>) -> tensor<?x192xf32>
      llm.yield %y : tensor<?x192xf32>
    }
    ```

    Constraints:
    * c1: the region has one argument for each operand, of its type.
    * c2: `llm.yield` gives one value for each result, of its type.
    * c3: `family`, where given, is not empty.
    * c4: there is no kernel inside a kernel.
    * c5: at most one operand each is a batch, a cache and a layer.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, OptionalAttr<StrAttr>:$family, OptionalAttr<Llm_ScheduleAttr>:$schedule);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let hasVerifier = 0;
}

def Llm_YieldOp : Llm_Op<"yield", [Pure, ReturnLike, Terminator, ParentOneOf<["KernelOp", "WeightOp"]>]> {
  let summary = "Ends a group or a weight's expression with its values.";
  let description = [{
    ```mlir
    llm.yield %y : tensor<?x192xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 0;
}

#endif // ADZE_DIALECT_LLM_IR_KERNELOPS_TD
