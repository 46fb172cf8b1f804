// Verifiers and costs of the elementwise ops.
#include "Verify.h"
#include "adze/Dialect/Llm/IR/CostForms.h"

using namespace mlir;
using namespace adze::llm;

static LogicalResult verifyElementwise(Operation *op) {
  if (tensorOf(op->getResult(0)).isDynamicDim(1))
    return violates(op, /*c1*/ 1) << "the columns are static, found " << op->getResult(0).getType();
  return success();
}

static Cost costOfElementwise(Operation *op, int64_t operations) {
  Value result = op->getResult(0);
  return {bytesMovedBy(op), leadingExtent(result) * (operations * tensorOf(result).getDimSize(1))};
}

LogicalResult SiluOp::verify() { return verifyElementwise(*this); }
LogicalResult MulOp::verify() { return verifyElementwise(*this); }
LogicalResult AddOp::verify() { return verifyElementwise(*this); }

Cost SiluOp::getCost() { return costOfElementwise(*this, 3); } // exponential, add, divide
Cost MulOp::getCost() { return costOfElementwise(*this, 1); }
Cost AddOp::getCost() { return costOfElementwise(*this, 1); }
