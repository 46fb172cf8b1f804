// Verifiers and folds of weights and their expressions.
#include "Verify.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace adze::llm;

static bool sameButRows(RankedTensorType a, RankedTensorType b) {
  return a.hasStaticShape() && b.hasStaticShape() && a.getRank() == b.getRank() && a.getRank() > 0 &&
         a.getElementType() == b.getElementType() && a.getShape().drop_front() == b.getShape().drop_front();
}

static RankedTensorType withRows(RankedTensorType type, int64_t rows) {
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = rows;
  return RankedTensorType::get(shape, type.getElementType());
}

LogicalResult FileOp::verify() {
  if (getPath().empty())
    return violates(*this, /*c1*/ 1) << "the path is not empty";
  if (int64_t(getSize()) < 0)
    return violates(*this, /*c2*/ 2) << "the size is not negative, found " << int64_t(getSize());
  return success();
}

void WeightOp::build(OpBuilder &builder, OperationState &state, StringRef name, RankedTensorType type) {
  state.addAttribute(getSymNameAttrName(state.name), builder.getStringAttr(name));
  state.addAttribute(getTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion()->emplaceBlock();
}

Value WeightOp::getYielded() { return getBody().front().getTerminator()->getOperand(0); }

LogicalResult WeightOp::verifyRegions() {
  auto type = cast<RankedTensorType>(getType());
  if (!type.hasStaticShape())
    return violates(*this, /*c1*/ 1) << "a weight has a static shape, found " << type;
  Block &block = getBody().front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValues().size() != 1 || yield.getValues()[0].getType() != type)
    return violates(*this, /*c2*/ 2) << "the body ends in llm.yield of one value of type " << type;
  for (Operation &op : block.without_terminator()) {
    bool isExpression = op.hasTrait<OpTrait::ConstantLike>() || isa<SourceTensorOp>(op) || isa<PermuteRowsOp>(op) ||
                        isa<ConcatRowsOp>(op) || isa<SliceRowsOp>(op) || isa<ConvertOp>(op) || isa<RepackOp>(op);
    if (!isExpression)
      return violates(*this, /*c3*/ 3) << "the body has only weight ops and constants, found '" << op.getName() << "'";
  }
  return success();
}

LogicalResult GetWeightOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto weight = tables.lookupNearestSymbolFrom<WeightOp>(*this, getWeightAttr());
  if (!weight)
    return violates(*this, /*c1*/ 1) << "there is no llm.weight " << getWeightAttr();
  if (weight.getType() != getResult().getType())
    return violates(*this, /*c2*/ 2) << "the weight " << getWeightAttr() << " is " << weight.getType() << ", found "
                                     << getResult().getType();
  return success();
}

LogicalResult SourceTensorOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto file = tables.lookupNearestSymbolFrom<FileOp>(*this, getFileAttr());
  if (!file)
    return violates(*this, /*c1*/ 1) << "there is no llm.file " << getFileAttr();
  if (getOffset() > file.getSize())
    return violates(*this, /*c5*/ 5) << "the offset " << getOffset() << " lies in the file of " << file.getSize()
                                     << " bytes";
  return success();
}

/// The width of a part's elements with 'f' for floats, or "" where the encoding has no such part.
static StringRef elementOfPart(StringRef encoding, StringRef part) {
  return llvm::StringSwitch<StringRef>((encoding + "." + part).str())
      .Case("f32.data", "f32")
      .Cases({"f16.data", "q8_0.scales", "q4_0.scales", "q4_1.scales", "q4_1.offsets", "q6_k.outer"}, "f16")
      .Case("bf16.data", "bf16")
      .Cases({"q8_0.codes", "q6_k.codes", "q6_k.scales"}, "i8")
      .Cases({"q4_0.codes", "q4_1.codes"}, "i4")
      .Default("");
}

LogicalResult SourceTensorOp::verify() {
  static constexpr StringRef encodings[] = {"f32", "f16", "bf16", "q8_0", "q4_0", "q4_1", "q6_k"};
  if (!llvm::is_contained(encodings, getEncoding()))
    return violates(*this, /*c2*/ 2) << "the encoding is one of " << llvm::join(ArrayRef<StringRef>(encodings), ", ")
                                     << "; found '" << getEncoding() << "'";
  StringRef element = elementOfPart(getEncoding(), getPart());
  if (element.empty())
    return violates(*this, /*c3*/ 3) << "the encoding " << getEncoding() << " has no part '" << getPart() << "'";
  RankedTensorType type = tensorOf(getResult());
  std::string found;
  llvm::raw_string_ostream(found) << type.getElementType();
  if (!type.hasStaticShape() || found != element)
    return violates(*this, /*c4*/ 4) << "the part has static shape and elements " << element << ", found " << type;
  if (int64_t(getOffset()) < 0)
    return violates(*this, /*c5*/ 5) << "the offset is not negative, found " << int64_t(getOffset());
  return success();
}

LogicalResult PermuteRowsOp::verify() {
  RankedTensorType type = tensorOf(getInput());
  if (!type.hasStaticShape() || type.getRank() == 0)
    return violates(*this, /*c3*/ 3) << "the shape is static, found " << type;
  int64_t heads = getHeads(), rows = type.getDimSize(0);
  if (heads < 1 || rows % heads != 0)
    return violates(*this, /*c1*/ 1) << "heads divide the " << rows << " rows, found " << heads;
  if (rows / heads % 2 != 0)
    return violates(*this, /*c2*/ 2) << "a head has an even number of rows, found " << rows / heads;
  return success();
}

OpFoldResult PermuteRowsOp::fold(FoldAdaptor) { // heads of two rows keep their order
  return tensorOf(getInput()).getDimSize(0) == 2 * int64_t(getHeads()) ? OpFoldResult(getInput()) : OpFoldResult();
}

void ConcatRowsOp::build(OpBuilder &builder, OperationState &state, ValueRange inputs) {
  int64_t rows = 0;
  for (Value input : inputs)
    rows += tensorOf(input).getDimSize(0);
  build(builder, state, withRows(tensorOf(inputs.front()), rows), inputs);
}

LogicalResult ConcatRowsOp::verify() {
  if (getInputs().empty())
    return violates(*this, /*c1*/ 1) << "there is at least one input";
  RankedTensorType out = tensorOf(getResult());
  int64_t rows = 0;
  for (Value input : getInputs()) {
    if (!sameButRows(tensorOf(input), out))
      return violates(*this, /*c2*/ 2) << "inputs and result differ in their rows alone, found " << tensorOf(input)
                                       << " and " << out;
    rows += tensorOf(input).getDimSize(0);
  }
  if (rows != out.getDimSize(0))
    return violates(*this, /*c3*/ 3) << "the inputs have " << rows << " rows in all, the result " << out.getDimSize(0);
  return success();
}

OpFoldResult ConcatRowsOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 && getInputs()[0].getType() == getType() ? OpFoldResult(getInputs()[0])
                                                                          : OpFoldResult();
}

void SliceRowsOp::build(OpBuilder &builder, OperationState &state, Value input, int64_t offset, int64_t size) {
  build(builder, state, withRows(tensorOf(input), size), input, offset, size);
}

LogicalResult SliceRowsOp::verify() {
  RankedTensorType in = tensorOf(getInput()), out = tensorOf(getResult());
  if (!sameButRows(in, out))
    return violates(*this, /*c1*/ 1) << "input and result differ in their rows alone, found " << in << " and " << out;
  int64_t offset = getOffset(), size = getSize(), rows = in.getDimSize(0);
  if (offset < 0 || size < 1 || size > rows || offset > rows - size)
    return violates(*this, /*c2*/ 2) << "the rows " << offset << " + " << size << " lie inside the input's " << rows;
  if (out.getDimSize(0) != size)
    return violates(*this, /*c3*/ 3) << "the result has " << size << " rows, found " << out;
  return success();
}

OpFoldResult SliceRowsOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<SliceRowsOp>()) {
    setOffset(getOffset() + inner.getOffset());
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return {};
}

LogicalResult ConvertOp::verify() {
  RankedTensorType in = tensorOf(getInput()), out = tensorOf(getResult());
  if (in.getShape() != out.getShape() || in.getEncoding() != out.getEncoding())
    return violates(*this, /*c1*/ 1) << "input and result have one shape and encoding, found " << in << " and " << out;
  if (!isa<FloatType>(in.getElementType()) || !isa<FloatType>(out.getElementType()))
    return violates(*this, /*c2*/ 2) << "input and result are of float elements, found " << in << " and " << out;
  return success();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput()) : OpFoldResult();
}

LogicalResult RepackOp::verify() {
  RankedTensorType in = tensorOf(getInput()), out = tensorOf(getResult());
  if (in.getShape() != out.getShape() || in.getElementType() != out.getElementType())
    return violates(*this, /*c1*/ 1) << "input and result differ in their encoding alone, found " << in << " and "
                                     << out;
  return success();
}

OpFoldResult RepackOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  if (auto inner = getInput().getDefiningOp<RepackOp>()) { // only the last order counts
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return {};
}
