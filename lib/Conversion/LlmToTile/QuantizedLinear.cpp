//===- QuantizedLinear.cpp - products with group-quantized weights ------------------------------------------------===//
//
// One step of the loop over k is one group of the weight. With int8 activations the inner sum is an exact int32 and the
// groups are added as llm.quantized_linear fixes it, bit for bit. With float activations the weight's numbers are
// formed in f32 in the kernel, unrounded also where the activations are bf16, and multiplied as a plain weight's.
//
// Matrix instructions of a GPU take bf16 alone, and a weight's number rounded to it would be another number. But its
// code is a small integer, which bf16 holds exactly: so activations are multiplied by codes, and the sum of a group by
// its scale; offsets take the sum of the group's activations, a product by ones. All that is rounded are sums in f32.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;

namespace {
constexpr int64_t kLeastMatrixDepth = 16; ///< k of the smallest matrix instruction in bf16

struct Context {
  KernelBuilder &k;
  llm::QuantizedLinearOp op;
  QuantizedWeight weight;
  Place place;    // of the result
  Value firstRow; // of the weight
};

Value floatStep(Context &c, const Place &at, Value number, Value sum) {
  KernelBuilder &k = c.k;
  Value a = k.widen(k.pull(c.op.getInput(), at));
  Value b = dequantize(k, c.weight, c.firstRow, c.place.width, c.place.columnsInside, number);
  return k.dot(a, b, sum);
}

/// Whether the target multiplies bf16 by matrix instructions that a group's depth fills.
bool hasMatrixStep(Context &c) {
  const GpuFacts *gpu = c.k.target.gpu();
  return gpu && gpu->matrix("mma", "bf16") && c.weight.group >= kLeastMatrixDepth &&
         KernelBuilder::elementOf(c.op.getInput()).isBF16();
}

Value matrixStep(Context &c, const Place &at, Value number, Value sum) {
  KernelBuilder &k = c.k;
  int64_t rows = c.place.rows, columns = c.place.width, group = c.weight.group;
  Type narrow = k.builder.getBF16Type();
  Value a = k.pull(c.op.getInput(), at);
  Value codes = codesOf(k, c.weight, c.firstRow, columns, c.place.columnsInside, number);
  auto type = k.tile({columns, group}, k.f32());
  Value numbers = c.weight.scheme == llm::Scheme::Symmetric
                      ? Value(arith::SIToFPOp::create(k.builder, k.location, type, codes))
                      : Value(arith::UIToFPOp::create(k.builder, k.location, type, codes));
  if (c.weight.scheme == llm::Scheme::ZeroPoint)
    numbers = k.binary<arith::SubFOp>(numbers, k.constant({columns, group}, 8.0));
  auto over = [&](Value weights) { return k.dot(a, weights, k.constant({rows, columns}, 0.0)); };
  Value scale = groupScale(k, c.weight, c.firstRow, columns, c.place.columnsInside, number);
  sum = k.fma(k.broadcast(scale, 0, rows), over(k.round(numbers, narrow)), sum);
  if (c.weight.scheme != llm::Scheme::Affine)
    return sum;
  Value offset = groupOffset(k, c.weight, c.firstRow, columns, c.place.columnsInside, number);
  double one = ADZE_MUTANT("gpu-offset-of-no-activation") ? 0.0 : 1.0;
  Value ones = arith::ConstantOp::create(
      k.builder, k.location,
      DenseElementsAttr::get(k.tile({columns, group}, narrow), k.builder.getFloatAttr(narrow, one).getValue()));
  return k.fma(k.broadcast(offset, 0, rows), over(ones), sum);
}

/// The vector of a group of the activations, one number for each row: tile [rows].
Value ofInput(Context &c, Value operand, Value number) {
  int64_t groups = KernelBuilder::columns(operand);
  int64_t weightGroups = c.op.getCodes().getType().getDimSize(1) / c.weight.group;
  Value position = groups == 1 ? c.k.index(0) : c.k.divIndex(number, weightGroups / groups);
  llvm::SmallVector<int64_t> inside{1};
  if (c.place.allRowsInside())
    inside.push_back(0);
  auto view = c.k.viewOf(mlir::cast<BlockArgument>(operand));
  return c.k.load(view, {c.place.row, position}, {c.place.rows}, {0}, inside);
}

Value integerStep(Context &c, const Place &at, Value number, Value sum) {
  KernelBuilder &k = c.k;
  int64_t rows = c.place.rows, columns = c.place.width;
  llvm::SmallVector<int64_t> inside{1};
  if (c.place.columnsInside)
    inside.push_back(0);
  Value a = k.pull(c.op.getInput(), at);
  Value b = k.load(k.viewOf(mlir::cast<BlockArgument>(c.weight.codes)), {c.firstRow, k.columnOf(at)},
                   {columns, c.weight.group}, {0, 1}, inside);
  bool isUnsigned = c.weight.scheme != llm::Scheme::Symmetric;
  if (k.target.gpu() && KernelBuilder::elementOf(b).isInteger(4)) {
    // Matrix instructions take bytes; 0 .. 15 are the same numbers with a sign.
    auto bytes = k.tile({columns, c.weight.group}, k.builder.getI8Type());
    b = isUnsigned ? Value(arith::ExtUIOp::create(k.builder, k.location, bytes, b))
                   : Value(arith::ExtSIOp::create(k.builder, k.location, bytes, b));
    isUnsigned = false;
  }
  Value dot = k.dot(a, b, k.constantI32({rows, columns}, 0), isUnsigned);
  auto type = k.tile({rows, columns}, k.f32());
  Value products = arith::SIToFPOp::create(k.builder, k.location, type, dot);
  Value scale = groupScale(k, c.weight, c.firstRow, columns, c.place.columnsInside, number);
  Value tokenScale = k.broadcast(ofInput(c, c.op.getInputScale(), number), 1, columns);
  sum = k.fma(k.binary<arith::MulFOp>(k.broadcast(scale, 0, rows), tokenScale), products, sum);
  if (c.weight.scheme == llm::Scheme::Symmetric)
    return sum;
  Value shift = c.weight.scheme == llm::Scheme::Affine
                    ? groupOffset(k, c.weight, c.firstRow, columns, c.place.columnsInside, number)
                    : k.binary<arith::MulFOp>(k.constant({columns}, -8.0), scale);
  // Converted as a vector: a broadcast from memory costs nothing, one to a vector from a converted scalar does.
  Value codeSums = k.broadcast(ofInput(c, c.op.getInputSum(), number), 1, columns);
  codeSums = arith::SIToFPOp::create(k.builder, k.location, type, codeSums);
  return k.fma(k.binary<arith::MulFOp>(k.broadcast(shift, 0, rows), tokenScale), codeSums, sum);
}
} // namespace

Value adze::makeQuantizedLinear(KernelBuilder &k, llm::QuantizedLinearOp op, const Place &place) {
  Context c{k,
            op,
            {op.getCodes(), op.getScales(), op.getOffsets(), op.getOuter(), static_cast<int64_t>(op.getGroup()),
             op.getScheme()},
            place,
            k.columnOf(place)};
  int64_t depth = op.getCodes().getType().getDimSize(1);
  bool integers = op.getInputScale() != nullptr;
  Place start = place;
  start.column = nullptr;
  start.offset = 0;
  start.columnsInside = true;
  Value zero = k.constant({place.rows, place.width}, 0.0);
  auto step = integers ? integerStep : hasMatrixStep(c) ? matrixStep : floatStep;
  Value sum = k.chunks(start, depth, c.weight.group, {zero}, [&](const Place &at, llvm::ArrayRef<Value> carried) {
    Value number = k.divIndex(k.columnOf(at), c.weight.group * (ADZE_MUTANT("wrong-weight-group") ? 2 : 1));
    return llvm::SmallVector<Value>{step(c, at, number, carried[0])};
  })[0];
  if (op.getBias())
    sum = k.binary<arith::AddFOp>(sum, k.broadcast(k.vectorAt(op.getBias(), place), 0, place.rows));
  return k.round(sum, KernelBuilder::elementOf(op.getResult()));
}
