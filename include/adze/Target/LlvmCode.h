// LlvmCode.h: what every target asks of LLVM alike, to make code of one module, and of the tools behind it.
#ifndef ADZE_TARGET_LLVMCODE_H
#define ADZE_TARGET_LLVMCODE_H

#include "adze/Support/Status.h"
#include "adze/Target/TargetInfo.h"

#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Support/CodeGen.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace adze {

/// The target's features as LLVM spells them: "+avx,+avx2".
std::string featureText(const TargetInfo &target);

/// Verifies, optimises and emits `module`, which names the machine's triple and data layout. Loops stay as vectorised
/// and unrolled as the schedule says: the optimiser cleans up, it does not choose. `what` ends the message where LLVM
/// cannot emit it: "an object file for x86_64-unknown-linux-gnu". All errors are internal ones.
Expected<std::string> optimiseAndEmit(llvm::Module &module, llvm::TargetMachine &machine, llvm::OptimizationLevel level,
                                      llvm::CodeGenFileType type, const std::string &what);

/// How a tool ended.
struct FinishedTool {
  int code = 0;
  std::string output; ///< of both streams, behind why it did not start
};

/// Runs the tool `command[0]` to its end. Its output goes through the file `log`, which is removed.
FinishedTool runTool(const std::vector<std::string> &command, const std::string &log);

} // namespace adze
#endif
