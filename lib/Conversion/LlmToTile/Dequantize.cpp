//===- Dequantize.cpp - numbers out of codes and scales -----------------------------------------------------------===//
//
// All in f32 and rounded at each step, as #llm.scheme says, so that a kernel's weight is the number that the encoding
// defines and not one like it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;

namespace {
constexpr int64_t kOuterBlock = 256;

Value column(KernelBuilder &k, Value part, Value row, int64_t rows, bool rowsInside, Value number) {
  llvm::SmallVector<int64_t> inside{1};
  if (rowsInside)
    inside.push_back(0);
  return k.load(k.viewOf(mlir::cast<BlockArgument>(part)), {row, number}, {rows}, {0}, inside);
}
} // namespace

Value adze::groupScale(KernelBuilder &k, const QuantizedWeight &weight, Value row, int64_t rows, bool rowsInside,
                       Value number) {
  Value scale = column(k, weight.scales, row, rows, rowsInside, number);
  if (!weight.outer)
    return k.widen(scale);
  Value inner = arith::SIToFPOp::create(k.builder, k.location, k.tile({rows}, k.f32()), scale);
  Value outer = k.widen(column(k, weight.outer, row, rows, rowsInside, k.divIndex(number, kOuterBlock / weight.group)));
  return k.binary<arith::MulFOp>(outer, inner);
}

Value adze::groupOffset(KernelBuilder &k, const QuantizedWeight &weight, Value row, int64_t rows, bool rowsInside,
                        Value number) {
  return k.widen(column(k, weight.offsets, row, rows, rowsInside, number));
}

Value adze::codesOf(KernelBuilder &k, const QuantizedWeight &weight, Value row, int64_t rows, bool rowsInside,
                    Value number) {
  auto view = k.viewOf(mlir::cast<BlockArgument>(weight.codes));
  llvm::SmallVector<int64_t> inside{1};
  if (rowsInside)
    inside.push_back(0);
  return k.load(view, {row, k.mulIndex(number, weight.group)}, {rows, weight.group}, {0, 1}, inside);
}

Value adze::dequantize(KernelBuilder &k, const QuantizedWeight &weight, Value row, int64_t rows, bool rowsInside,
                       Value number) {
  Value codes = codesOf(k, weight, row, rows, rowsInside, number);
  auto type = k.tile({rows, weight.group}, k.f32());
  Value numbers;
  if (weight.scheme == llm::Scheme::Symmetric)
    numbers = arith::SIToFPOp::create(k.builder, k.location, type, codes);
  else
    numbers = arith::UIToFPOp::create(k.builder, k.location, type, codes);
  if (weight.scheme == llm::Scheme::ZeroPoint && !ADZE_MUTANT("forget-zero-point"))
    numbers = k.binary<arith::SubFOp>(numbers, k.constant({rows, weight.group}, 8.0));
  Value scale = k.broadcast(groupScale(k, weight, row, rows, rowsInside, number), 1, weight.group);
  numbers = k.binary<arith::MulFOp>(scale, numbers);
  if (weight.scheme == llm::Scheme::Affine) {
    Value offset = k.broadcast(groupOffset(k, weight, row, rows, rowsInside, number), 1, weight.group);
    numbers = k.binary<arith::AddFOp>(numbers, offset);
  }
  return numbers;
}
