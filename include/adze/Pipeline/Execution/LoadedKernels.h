// LoadedKernels.h: the kernels of a module as native code in this process.
#ifndef ADZE_PIPELINE_EXECUTION_LOADEDKERNELS_H
#define ADZE_PIPELINE_EXECUTION_LOADEDKERNELS_H

#include "adze/Abi/Program.h"
#include "adze/Pipeline/KernelCache.h"
#include "adze/Support/Status.h"
#include "adze/Target/GpuCode.h"
#include "adze/Target/TargetInfo.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace adze::execution {

/// Which passes stand between the kernels of a module and native code.
enum class Lowering {
  Product, ///< those of a compile: for a CPU boundaries peeled and layouts assigned, for a GPU layouts of threads
  Plain    ///< as few as there can be, so that what a pass on kernels did is what runs: layouts, where there are none
};

/// Makes the object file that is loaded of the lowered kernels, which export `names`.
using ObjectMaker =
    llvm::function_ref<adze::Expected<std::string>(llvm::Module &code, const std::vector<std::string> &names)>;

class LoadedKernels {
public:
  /// Compiles every tile kernel of the module (which stays as it is) for the target and loads the result. The passes of
  /// adze/Transforms/Tile/Passes.h get registered. Without `makeObject` the objects are compileToObject's for the
  /// target, one for each kernel, and those that the cache holds are taken from there.
  /// Kernels for a GPU, and with Lowering::Plain those that have layouts of threads already, run thread by thread on
  /// the model of one (GpuModel.h).
  static adze::Expected<std::unique_ptr<LoadedKernels>> compile(mlir::ModuleOp module, const adze::TargetInfo &target,
                                                                Lowering lowering = Lowering::Product,
                                                                const adze::KernelCache &cache = {},
                                                                ObjectMaker makeObject = nullptr);
  ~LoadedKernels();

  /// Runs all blocks of a kernel, cut into several ranges and not in order: no block may depend on another.
  adze::Status run(llvm::StringRef kernel, const uint64_t *arguments) const;

private:
  void *handle = nullptr;
  std::string file;
  std::vector<GpuKernel> threads; ///< of kernels whose code is that of one thread
};

} // namespace adze::execution

#endif // ADZE_PIPELINE_EXECUTION_LOADEDKERNELS_H
