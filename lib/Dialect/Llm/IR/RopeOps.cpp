// Verifier and cost of the rotary positions.
#include "Verify.h"
#include "adze/Dialect/Llm/IR/CostForms.h"

using namespace mlir;
using namespace adze::llm;

LogicalResult RopeOp::verify() {
  RankedTensorType input = tensorOf(getInput());
  int64_t dim = getHeadDim();
  if (input.isDynamicDim(1) || dim < 2 || dim % 2 != 0 || input.getDimSize(1) % dim != 0)
    return violates(*this, /*c1*/ 1) << "head_dim is even and divides the input's columns, found " << dim << " and "
                                     << input;
  if (tensorOf(getInverseFrequency()).getDimSize(0) != dim / 2)
    return violates(*this, /*c2*/ 2) << "inverse_frequency has " << dim / 2 << " elements, found "
                                     << tensorOf(getInverseFrequency());
  return success();
}

Cost RopeOp::getCost() { // two multiplies and an add for each element; angles are shared by the heads
  SizeForm rows = leadingExtent(getInput());
  return {bytesMovedBy(getOperation()),
          rows * (3 * tensorOf(getInput()).getDimSize(1) + 3 * (int64_t(getHeadDim()) / 2))};
}
