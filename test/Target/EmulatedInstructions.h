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

namespace llvm {
class Module;
}

namespace adze::test {

/// Whether this machine runs that level's kernels as they are.
bool machineRuns(const TargetInfo &target);

/// Replaces the target's intrinsics; afterwards the module is to be compiled for emulationTarget(). The code refers to
/// this process and is not to be kept. Fails for an intrinsic that has no model here.
Status emulateInstructions(llvm::Module &module);

/// The lowest level, which every machine has that runs tests.
const TargetInfo &emulationTarget();

} // namespace adze::test

#endif // ADZE_TEST_TARGET_EMULATEDINSTRUCTIONS_H
