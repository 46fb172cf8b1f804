// Seeds.h: the valid modules that fuzz-mlir starts from.
//
// Their texts are modules that tests have anyway (CMakeLists.txt names the files; a file split by `// -----` is several
// modules). Each is taken through as many phases as it can go, so that there are valid modules of every phase, and the
// kernels of each are modules of their own.
#ifndef ADZE_TEST_FUZZ_MODULE_SEEDS_H
#define ADZE_TEST_FUZZ_MODULE_SEEDS_H

#include "ModuleMutator.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include <array>
#include <map>
#include <string>

namespace adze::fuzz {

enum class Device { Cpu, Gpu };

/// Where a module stands, by the pipeline that is next; from Peel on it is one kernel. On a GPU nothing is peeled. Plan
/// is what the exec phase does to programs that are there already.
enum Stage { Llm, Kernels, Exec, Native, Peel, Layouts, Code, Lowering, Plan, StageCount };

/// A context with the compiler's dialects, the pipelines of the stages and the seeds. Failures of passes are no faults;
/// `diagnostics` counts what they said.
class Workshop {
public:
  Workshop();

  /// The seed: part `part` of file `file` (any number is taken modulo their count), ready for `stage`; from Peel on
  /// only its kernel `kernel`. Null where the module does not get that far.
  mlir::ModuleOp seed(size_t file, size_t part, Device device, Stage stage, size_t kernel);
  /// Runs the stage's pipeline. Aborts where it fails and says nothing.
  bool run(Device device, Stage stage, mlir::ModuleOp module);
  /// The kernel functions of a module, each in a module of its own.
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> kernels(mlir::ModuleOp module);
  /// True where the verifier has nothing against it. Aborts where it has and says nothing.
  bool valid(mlir::ModuleOp module);

  const Ingredients &ingredients() const { return everything; }

private:
  mlir::MLIRContext context;
  unsigned diagnostics = 0;
  std::array<std::array<std::unique_ptr<mlir::PassManager>, StageCount>, 2> pipelines; // by device
  std::vector<std::vector<mlir::OwningOpRef<mlir::ModuleOp>>> files;
  std::map<std::tuple<size_t, size_t, Device, Stage, size_t>, mlir::OwningOpRef<mlir::ModuleOp>> made;
  Ingredients everything;
};

} // namespace adze::fuzz

#endif
