// The evaluation of each op, one file for each family. A failure has been emitted as an error of the op.
#ifndef ADZE_LIB_DIALECT_LLM_REFERENCE_OPERATIONS_H
#define ADZE_LIB_DIALECT_LLM_REFERENCE_OPERATIONS_H

#include "adze/Dialect/Llm/Reference/Evaluator.h"

namespace adze::llm::reference {

using Operands = llvm::MutableArrayRef<Value>; // an op may move its operands away
using Results = llvm::SmallVectorImpl<Value>;

// Embedding.cpp
mlir::LogicalResult evaluate(EmbeddingOp op, Operands operands, Results &results, Machine &machine);
mlir::LogicalResult evaluate(QuantizedEmbeddingOp op, Operands operands, Results &results, Machine &machine);
// Linear.cpp
mlir::LogicalResult evaluate(LinearOp op, Operands operands, Results &results, Machine &machine);
mlir::LogicalResult evaluate(QuantizedLinearOp op, Operands operands, Results &results, Machine &machine);
// Norm.cpp
mlir::LogicalResult evaluate(RmsNormOp op, Operands operands, Results &results, Machine &machine);
// Rope.cpp
mlir::LogicalResult evaluate(RopeOp op, Operands operands, Results &results, Machine &machine);
// Attention.cpp
mlir::LogicalResult evaluate(KvAppendOp op, Operands operands, Results &results, Machine &machine);
mlir::LogicalResult evaluate(PagedAttentionOp op, Operands operands, Results &results, Machine &machine);
// Batch.cpp
mlir::LogicalResult evaluate(MakeBatchOp op, Operands operands, Results &results, Machine &machine);
// Row.cpp
mlir::LogicalResult evaluate(GatherRowsOp op, Operands operands, Results &results, Machine &machine);
mlir::LogicalResult evaluate(SliceColumnsOp op, Operands operands, Results &results, Machine &machine);
// Choice.cpp
mlir::LogicalResult evaluate(BestTokenOp op, Operands operands, Results &results, Machine &machine);
// Elementwise.cpp
mlir::LogicalResult evaluate(SiluOp op, Operands operands, Results &results, Machine &machine);
mlir::LogicalResult evaluate(MulOp op, Operands operands, Results &results, Machine &machine);
mlir::LogicalResult evaluate(AddOp op, Operands operands, Results &results, Machine &machine);
// Quantize.cpp
mlir::LogicalResult evaluate(QuantizeOp op, Operands operands, Results &results, Machine &machine);
// Kernel.cpp
mlir::LogicalResult evaluate(KernelOp op, Operands operands, Results &results, Machine &machine);
// Weight.cpp
mlir::LogicalResult evaluate(GetWeightOp op, Operands operands, Results &results, Machine &machine);
mlir::LogicalResult evaluate(SourceTensorOp op, Operands operands, Results &results, Machine &machine);
mlir::LogicalResult evaluate(PermuteRowsOp op, Operands operands, Results &results, Machine &machine);
mlir::LogicalResult evaluate(ConcatRowsOp op, Operands operands, Results &results, Machine &machine);
mlir::LogicalResult evaluate(SliceRowsOp op, Operands operands, Results &results, Machine &machine);
mlir::LogicalResult evaluate(ConvertOp op, Operands operands, Results &results, Machine &machine);
mlir::LogicalResult evaluate(RepackOp op, Operands operands, Results &results, Machine &machine);

// Arith.cpp and Math.cpp attach their own.
void attachArith(mlir::MLIRContext &context);
void attachMath(mlir::MLIRContext &context);

/// The element type of a result. Result types have been verified.
Element resultElement(mlir::Value result);

/// The numbers that a quantized weight stands for, each formed in f32 with the roundings of `#llm.scheme`.
class QuantizedWeight {
public:
  /// `offsets` and `outer` may be null.
  QuantizedWeight(const Tensor &codes, const Tensor &scales, const Tensor *offsets, const Tensor *outer, int64_t group,
                  Scheme scheme)
      : codes(codes), scales(scales), offsets(offsets), outer(outer), group(group), scheme(scheme) {}

  int64_t rows() const { return codes.rows(); }
  int64_t columns() const { return codes.columns(); }
  /// The code as the scheme reads it, without the zero point.
  int64_t code(int64_t n, int64_t k) const;
  float scale(int64_t n, int64_t groupIndex) const;
  /// What one code adds beside scale * code: -8 * scale, the offset, or 0.
  float shift(int64_t n, int64_t groupIndex) const;
  float number(int64_t n, int64_t k) const;

private:
  const Tensor &codes, &scales;
  const Tensor *offsets, *outer;
  int64_t group;
  Scheme scheme;
};

/// An operand that may be missing, by its first operand index and its number of operands (0 or 1).
inline const Tensor *optionalTensor(Operands operands, std::pair<unsigned, unsigned> place) {
  return place.second == 0 ? nullptr : &operands[place.first].tensor();
}

} // namespace adze::llm::reference

#endif // ADZE_LIB_DIALECT_LLM_REFERENCE_OPERATIONS_H
