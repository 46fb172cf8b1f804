// Verifier and cost of the quantization of activations.
#include "Verify.h"
#include "adze/Dialect/Llm/IR/CostForms.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace adze::llm;

void QuantizeOp::build(OpBuilder &builder, OperationState &state, Value input, int64_t group) {
  RankedTensorType in = tensorOf(input);
  int64_t groups = group == 0 ? 1 : in.getDimSize(1) / group;
  auto grouped = [&](Type element) { return RankedTensorType::get({in.getDimSize(0), groups}, element); };
  build(builder, state, RankedTensorType::get(in.getShape(), builder.getI8Type()), grouped(builder.getF32Type()),
        grouped(builder.getI32Type()), input, group);
}

LogicalResult QuantizeOp::verify() {
  RankedTensorType in = tensorOf(getInput()), codes = tensorOf(getCodes());
  int64_t columns = in.getDimSize(1), group = getGroup();
  if (ShapedType::isDynamic(columns) || columns < 1)
    return violates(*this, /*c1*/ 1) << "the input's columns are static and positive, found " << in;
  if (group < 0 || (group > 0 && columns % group != 0))
    return violates(*this, /*c2*/ 2) << "the group is 0 (a whole row) or divides the " << columns << " columns, found "
                                     << group;
  if (!agree(in.getDimSize(0), codes.getDimSize(0)) || codes.getDimSize(1) != columns)
    return violates(*this, /*c3*/ 3) << "codes have the input's shape, found " << codes;
  int64_t groups = group == 0 ? 1 : columns / group;
  for (RankedTensorType type : {tensorOf(getScale()), tensorOf(getSum())})
    if (!agree(in.getDimSize(0), type.getDimSize(0)) || type.getDimSize(1) != groups)
      return violates(*this, /*c4*/ 4) << "scale and sum have the input's rows and " << groups << " columns, found "
                                       << type;
  return success();
}

Cost QuantizeOp::getCost() { // maximum, scaling, rounding, sum
  return {bytesMovedBy(getOperation()), leadingExtent(getInput()) * (4 * tensorOf(getInput()).getDimSize(1))};
}
