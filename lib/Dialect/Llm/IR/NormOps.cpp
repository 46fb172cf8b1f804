// Verifier and cost of the norms.
#include "Verify.h"
#include "adze/Dialect/Llm/IR/CostForms.h"

#include <cmath>

using namespace mlir;
using namespace adze::llm;

LogicalResult RmsNormOp::verify() {
  RankedTensorType input = tensorOf(getInput()), weight = tensorOf(getWeight());
  if (input.isDynamicDim(1) || !weight.hasStaticShape() || weight.getDimSize(0) < 1 ||
      input.getDimSize(1) % weight.getDimSize(0) != 0)
    return violates(*this, /*c1*/ 1) << "the weight's extent divides the input's columns, found " << weight << " and "
                                     << input;
  float epsilon = getEpsilon().convertToFloat();
  if (!std::isfinite(epsilon) || epsilon < 0)
    return violates(*this, /*c2*/ 2) << "epsilon is finite and not negative";
  return success();
}

Cost RmsNormOp::getCost() { // square and add, scale, weight; a root for each group is left out
  return {bytesMovedBy(getOperation()), leadingExtent(getInput()) * (4 * tensorOf(getInput()).getDimSize(1))};
}
