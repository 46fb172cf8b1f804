// Program.h: the kernels of a module as native code in this process.
#ifndef ADZE_TEST_NUMERICS_KERNELCHECK_PROGRAM_H
#define ADZE_TEST_NUMERICS_KERNELCHECK_PROGRAM_H

#include "adze/Abi/Program.h"
#include "adze/Support/Status.h"
#include "adze/Target/TargetInfo.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace kernelcheck {

class Program {
public:
  /// Compiles every tile kernel of the module (which stays as it is) for the target and loads the result; instructions
  /// that this machine lacks are emulated.
  static adze::Expected<std::unique_ptr<Program>> compile(mlir::ModuleOp module, const adze::TargetInfo &target);
  ~Program();

  /// Runs all blocks of a kernel, cut into several ranges and not in order: no block may depend on another.
  adze::Status run(llvm::StringRef kernel, const uint64_t *arguments) const;

  /// The object file for the target itself, without emulation.
  std::string object;

private:
  void *handle = nullptr;
  std::string file;
};

} // namespace kernelcheck

#endif // ADZE_TEST_NUMERICS_KERNELCHECK_PROGRAM_H
