// Verifiers and costs of the products with weights.
#include "Verify.h"
#include "adze/Dialect/Llm/IR/CostForms.h"

using namespace mlir;
using namespace adze::llm;

static LogicalResult verifyProduct(Operation *op, Value input, Value result, int64_t rows, int constraint) {
  RankedTensorType in = tensorOf(input), out = tensorOf(result);
  if (!agree(in.getDimSize(0), out.getDimSize(0)) || out.getDimSize(1) != rows)
    return violates(op, constraint) << "the result has the input's rows and " << rows << " columns, found " << out;
  return success();
}

static LogicalResult verifyBias(Operation *op, Value bias, int64_t rows, int constraint) {
  if (bias && tensorOf(bias).getDimSize(0) != rows)
    return violates(op, constraint) << "the bias has " << rows << " elements, found " << tensorOf(bias);
  return success();
}

LogicalResult LinearOp::verify() {
  RankedTensorType weight = tensorOf(getWeight());
  if (!weight.hasStaticShape())
    return violates(*this, /*c1*/ 1) << "the weight's shape is static, found " << weight;
  if (tensorOf(getInput()).getDimSize(1) != weight.getDimSize(1))
    return violates(*this, /*c2*/ 2) << "the input has the weight's " << weight.getDimSize(1) << " columns, found "
                                     << tensorOf(getInput());
  if (failed(verifyProduct(*this, getInput(), getResult(), weight.getDimSize(0), /*c3*/ 3)))
    return failure();
  return verifyBias(*this, getBias(), weight.getDimSize(0), /*c4*/ 4);
}

Cost LinearOp::getCost() {
  RankedTensorType weight = tensorOf(getWeight());
  SizeForm rows = leadingExtent(getInput());
  return {bytesMovedBy(getOperation()), rows * (2 * weight.getNumElements() + (getBias() ? weight.getDimSize(0) : 0))};
}

LogicalResult adze::llm::verifyQuantizedWeight(Operation *op, Value codes, Value scales, Value offsets, Value outer,
                                               int64_t group, Scheme scheme) {
  RankedTensorType q = tensorOf(codes), s = tensorOf(scales);
  if (!q.hasStaticShape() || group < 1 || q.getDimSize(1) % group != 0)
    return violates(op, /*c1*/ 1) << "codes are static and the group " << group << " divides their columns, found "
                                  << q;
  int64_t rows = q.getDimSize(0), columns = q.getDimSize(1);
  if (s.getDimSize(0) != rows || s.getDimSize(1) != columns / group)
    return violates(op, /*c2*/ 2) << "scales are " << rows << " by " << columns / group << ", found " << s;
  if (s.getElementType().isInteger(8) != bool(outer))
    return violates(op, /*c2*/ 2) << "scales are i8 exactly when outer scales are given, found " << s;
  if (bool(offsets) != (scheme == Scheme::Affine))
    return violates(op, /*c3*/ 3) << "offsets are given exactly for the scheme affine, found "
                                  << stringifyScheme(scheme);
  if (offsets && tensorOf(offsets).getShape() != s.getShape())
    return violates(op, /*c3*/ 3) << "offsets have the scales' shape, found " << tensorOf(offsets);
  if (outer) {
    RankedTensorType o = tensorOf(outer);
    if (columns % 256 != 0 || 256 % group != 0 || o.getDimSize(0) != rows || o.getDimSize(1) != columns / 256)
      return violates(op, /*c4*/ 4) << "outer scales are one for each row and 256 columns, which hold whole groups; "
                                    << "found " << o << " for codes " << q;
  }
  if (scheme != Scheme::Symmetric && !q.getElementType().isInteger(4))
    return violates(op, /*c5*/ 5) << stringifyScheme(scheme) << " has i4 codes, found " << q;
  return success();
}

LogicalResult QuantizedLinearOp::verify() {
  if (failed(verifyQuantizedWeight(*this, getCodes(), getScales(), getOffsets(), getOuter(), getGroup(), getScheme())))
    return failure();
  RankedTensorType codes = tensorOf(getCodes()), input = tensorOf(getInput());
  if (input.getDimSize(1) != codes.getDimSize(1))
    return violates(*this, /*c6*/ 6) << "the input has the codes' " << codes.getDimSize(1) << " columns, found "
                                     << input;
  bool isCodes = input.getElementType().isInteger(8);
  if (isCodes != bool(getInputScale()) || isCodes != bool(getInputSum()))
    return violates(*this, /*c7*/ 7) << "an i8 input comes with scale and sum, a float input with neither; found "
                                     << input;
  if (isCodes) {
    RankedTensorType scale = tensorOf(getInputScale()), sum = tensorOf(getInputSum());
    int64_t groups = codes.getDimSize(1) / int64_t(getGroup()), n = scale.getDimSize(1);
    if (!agree(scale.getDimSize(0), input.getDimSize(0)) || !agree(sum.getDimSize(0), input.getDimSize(0)) || n < 1 ||
        n != sum.getDimSize(1) || groups % n != 0 || (getScheme() != Scheme::Symmetric && n != groups))
      return violates(*this, /*c8*/ 8) << "scale and sum have the input's rows and columns that divide the weight's "
                                       << groups << " groups (all of them for " << "zero_point and affine); found "
                                       << scale << " and " << sum;
  }
  if (failed(verifyProduct(*this, getInput(), getResult(), codes.getDimSize(0), /*c9*/ 9)))
    return failure();
  return verifyBias(*this, getBias(), codes.getDimSize(0), /*c10*/ 10);
}

Cost QuantizedLinearOp::getCost() {
  RankedTensorType codes = tensorOf(getCodes());
  SizeForm rows = leadingExtent(getInput());
  return {bytesMovedBy(getOperation()), rows * (2 * codes.getNumElements() + (getBias() ? codes.getDimSize(0) : 0))};
}
