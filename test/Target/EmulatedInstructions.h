// EmulatedInstructions.h: kernels of a CPU level that this machine lacks, run in this process all the same.
//
// Every target intrinsic of a module becomes a call of a function of this program, which does what the instruction's
// manual says; all else in a kernel is plain IR that LLVM lowers for any machine. So the packs, shapes, tails and
// configurations that a level's kernels use are executed wherever tests run. What only the machine itself shows is its
// speed, and the last bits of instructions whose inner order a manual leaves open.
//
// A wrong use that would be a fault of the machine (a tile register that is not configured, shapes that do not fit)
// ends the test with a message.
#ifndef ADZE_TEST_TARGET_EMULATEDINSTRUCTIONS_H
#define ADZE_TEST_TARGET_EMULATEDINSTRUCTIONS_H

#include "adze/Support/Status.h"
#include "adze/Target/TargetInfo.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace adze::test {

/// Whether this machine runs that level's kernels as they are.
bool machineRuns(const TargetInfo &target);

/// An object file of one module for a level, and one that this process can run.
struct TestObjects {
  std::string own;  ///< the level's own instructions, as the product makes it
  std::string runs; ///< the same where the machine has the level; else with the target's intrinsics replaced and
                    ///< compiled for the lowest level. That code refers to this process and is not to be kept.
};

/// compileToObject for both. Fails for an intrinsic that has no model here.
Expected<TestObjects> compileForTest(llvm::Module &module, const TargetInfo &target,
                                     const std::vector<std::string> &exported);

} // namespace adze::test

#endif // ADZE_TEST_TARGET_EMULATEDINSTRUCTIONS_H
