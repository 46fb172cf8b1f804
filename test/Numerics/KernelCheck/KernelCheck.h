// KernelCheck.h: compiled kernels of one function beside the reference evaluator.
#ifndef ADZE_TEST_NUMERICS_KERNELCHECK_KERNELCHECK_H
#define ADZE_TEST_NUMERICS_KERNELCHECK_KERNELCHECK_H

#include "adze/Conversion/KernelAbi.h"
#include "adze/Dialect/Llm/Reference/Evaluator.h"
#include "adze/Pipeline/Execution/KernelMemory.h"
#include "adze/Pipeline/Execution/LoadedKernels.h"

#include <map>

namespace adze::test {

namespace reference = llm::reference;

/// One --batch: the requests, and the seed of all numbers.
struct Inputs {
  llvm::StringRef requests;
  uint64_t seed = 1;
};

/// What all inputs of a run have in common.
struct Settings {
  std::string numerics; ///< f32, bf16, a8 or none
  double tolerance;     ///< of a row's largest number, for a kernel alone
  bool edges;           ///< numbers and codes at the ends of int8
  bool eachAlone;       ///< attention once more for each token in a step of its own
};

/// What a value is while kernels run: bytes, and the arrays of a batch.
struct Bytes {
  execution::BufferRef buffer;
  std::vector<execution::BufferRef> arrays;
};

/// The functions of one module with one batch. Says on standard output what each kernel gave.
class Check {
public:
  /// All but the inputs must outlive the check.
  Check(mlir::ModuleOp module, const execution::LoadedKernels &program, const Settings &settings, const Inputs &inputs)
      : module(module), program(program), settings(settings), given(inputs), random(inputs.seed) {}
  int failures = 0;

  /// Adds to `failures`; writes the bits of the chained results to `dump` where there is one.
  void run(mlir::func::FuncOp function, llvm::raw_ostream *dump);

private:
  reference::Value inputFor(mlir::Type type, int64_t page);
  Expected<execution::Tensor> weightFor(llm::WeightOp weight);
  Bytes bytesFor(const reference::Value &value, mlir::Type type);
  bool launch(llm::KernelOp kernel, llvm::ArrayRef<Bytes> operands, std::vector<Bytes> &results);
  bool runKernel(llvm::StringRef name, const KernelAbi &abi, llvm::ArrayRef<Bytes> operands,
                 llvm::ArrayRef<Bytes> results, const execution::BufferRef &scratch, int64_t layer);
  void compareAlone(llm::KernelOp kernel, const std::vector<Bytes> &operands, llvm::ArrayRef<Bytes> whole);
  void compare(llvm::Twine where, const reference::Value &expected, const Bytes &found, mlir::Type type, bool exact,
               double bound);
  bool exactly(llm::KernelOp kernel);
  int64_t rowsOf(llm::KernelOp kernel) {
    return resultRows(kernel) == Rows::OutputRows ? batch.outputRow.size() : batch.tokens();
  }

  mlir::ModuleOp module;
  const execution::LoadedKernels &program;
  const Settings &settings;
  Inputs given;
  execution::Random random;
  reference::Batch batch;
  int64_t pages = 1, vocabulary = 1;
  std::map<std::string, execution::Tensor> weights;
};

} // namespace adze::test

#endif // ADZE_TEST_NUMERICS_KERNELCHECK_KERNELCHECK_H
