// ModuleRunner.h: runs what a module holds, at whatever level it is.
//
//   llm functions      on the reference evaluator;
//   with tile kernels  the same, but a group that names a compiled kernel runs as native code;
//   exec programs      launch by launch in one arena, with the memory plan that the program has;
//   tile kernels that nothing names   alone, on generated memory.
//
// An entry is a public function or program. It keeps its name through all levels, so that executions compare.
#ifndef ADZE_PIPELINE_EXECUTION_MODULERUNNER_H
#define ADZE_PIPELINE_EXECUTION_MODULERUNNER_H

#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Pipeline/Execution/KernelMemory.h"
#include "adze/Pipeline/Execution/LoadedKernels.h"
#include "adze/Pipeline/Execution/Scenario.h"

#include <map>

namespace adze::execution {

/// One value on the way, by the op that made it.
struct TraceEntry {
  mlir::Operation *op;
  unsigned result;
  llm::reference::Value value; ///< empty where only bytes are known
  BufferRef bytes;             ///< what a kernel wrote
};

struct Execution {
  Inputs inputs;
  llm::reference::Values results;
  std::vector<TraceEntry> trace; ///< only where asked for
};

/// The function that a program was made of, as it was last seen: it says what inputs there are and how a program's
/// memory is read.
struct StepForm {
  std::shared_ptr<mlir::OwningOpRef<mlir::ModuleOp>> holder;
  mlir::func::FuncOp function;

  static StepForm of(mlir::func::FuncOp function);
};
using StepForms = std::map<std::string, StepForm>;

/// An entry of the module.
struct Entry {
  enum class Kind { Function, Program, Kernel } kind;
  mlir::Operation *op;
  std::string name;
};

/// Kernels that were compiled before.
struct KnownKernels {
  const adze::KernelCache &objects;                             ///< one by one, by other processes too
  std::map<std::string, std::shared_ptr<LoadedKernels>> loaded; ///< all of a module by their text
};

class ModuleRunner {
public:
  /// The module stays as it is while the runner lives. `cpu` is the target that kernels are compiled for.
  ModuleRunner(mlir::ModuleOp module, const TargetInfo &cpu, KnownKernels &known)
      : module(module), cpu(cpu), known(known) {}

  std::vector<Entry> entries();
  /// Compiles the kernels of the module where there are any; done by the first run that needs them.
  Status prepare();
  bool hasKernels();
  /// True where the module computes with less than f32 somewhere.
  bool rounds();

  /// Fails with the reason where the entry cannot be run; Unsupported where that is no fault of the module.
  Expected<Execution> run(const Entry &entry, const Scenario &scenario, uint64_t seed, const StepForms &forms,
                          bool traced = false);

private:
  Expected<Execution> runFunction(mlir::func::FuncOp function, const Scenario &scenario, uint64_t seed, bool traced);
  Expected<Execution> runProgram(exec::ProgramOp program, mlir::func::FuncOp form, const Scenario &scenario,
                                 uint64_t seed, bool traced);
  Expected<Execution> runKernel(mlir::func::FuncOp kernel, const Scenario &scenario, uint64_t seed);
  /// One group as native code.
  Status launch(llm::KernelOp kernel, const Inputs &inputs, llvm::ArrayRef<llm::reference::Value> operands,
                llvm::SmallVectorImpl<llm::reference::Value> &results, std::vector<BufferRef> *bytes);

  mlir::ModuleOp module;
  const TargetInfo &cpu;
  KnownKernels &known;
  std::shared_ptr<LoadedKernels> kernels;
};

/// The nine arrays of a batch as a kernel reads them, in the order of BatchArray.
std::vector<BufferRef> batchBytes(const llm::reference::Batch &batch);

} // namespace adze::execution

#endif // ADZE_PIPELINE_EXECUTION_MODULERUNNER_H
