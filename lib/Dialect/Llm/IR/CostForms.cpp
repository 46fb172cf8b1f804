// Sizes of values as forms in the sizes of a step.
#include "adze/Dialect/Llm/IR/CostForms.h"
#include "Verify.h"

using namespace mlir;
using namespace adze::llm;

int64_t adze::llm::bitsOf(Value value) { return tensorOf(value).getElementTypeBitWidth(); }

/// Follows a value back to the op that gave its rows: a gather makes R, anything else leaves T. Block arguments of a
/// group stand for the group's operands.
static bool rowsAreChosen(Value value) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto kernel = dyn_cast_or_null<KernelOp>(argument.getOwner()->getParentOp());
      if (!kernel || argument.getArgNumber() >= kernel.getInputs().size())
        return false;
      value = kernel.getInputs()[argument.getArgNumber()];
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (isa<GatherRowsOp>(op))
      return true;
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      value = kernel.getBody().front().getTerminator()->getOperand(cast<OpResult>(value).getResultNumber());
      continue;
    }
    Value rows; // the first operand with a dynamic leading extent has the same rows as the result
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.getType());
          type && type.getRank() > 0 && type.isDynamicDim(0)) {
        rows = operand;
        break;
      }
    if (!rows)
      return false;
    value = rows;
  }
}

SizeForm adze::llm::leadingExtent(Value value) {
  RankedTensorType type = tensorOf(value);
  SizeForm form;
  if (type.getRank() == 0)
    form.constant = 1;
  else if (!type.isDynamicDim(0))
    form.constant = type.getDimSize(0);
  else if (rowsAreChosen(value))
    form.rows = 1;
  else
    form.tokens = 1;
  return form;
}

SizeForm adze::llm::bytesOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  // An operand of a group may be of any type; what has no size costs nothing.
  if (!type || !type.getElementType().isIntOrFloat())
    return {};
  int64_t inner = 1;
  for (int64_t extent : type.getShape().drop_front(type.getRank() > 0))
    inner *= ShapedType::isDynamic(extent) ? 1 : extent;
  if (!type.getRank() || !type.isDynamicDim(0)) { // whole bytes of the whole tensor: i4 rows may be odd
    SizeForm form;
    int64_t elements = type.getRank() ? type.getDimSize(0) * inner : 1;
    form.constant = (elements * int64_t(type.getElementTypeBitWidth()) + 7) / 8;
    return form;
  }
  return leadingExtent(value) * ((inner * int64_t(type.getElementTypeBitWidth()) + 7) / 8);
}

static SizeForm bytesOfResults(Operation *op) {
  SizeForm form;
  for (Value result : op->getResults())
    form += bytesOf(result);
  return form;
}

/// Ops without a cost model (arith, math) read their operands whole.
static SizeForm bytesOfUse(OpOperand &use) {
  auto model = dyn_cast<CostModel>(use.getOwner());
  return model ? model.getBytesMoved(use) : bytesOf(use.get());
}

SizeForm adze::llm::bytesMovedBy(Operation *op) {
  SizeForm form = bytesOfResults(op);
  for (OpOperand &operand : op->getOpOperands())
    form += bytesOfUse(operand);
  return form;
}

SizeForm adze::llm::bytesMovedBy(KernelOp kernel) {
  SizeForm form = bytesOfResults(kernel);
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    bool isCache = isa<KvType>(argument.getType());
    for (OpOperand &use : argument.getUses()) {
      form += bytesOfUse(use);
      if (!isCache)
        break; // read once for all its uses
    }
  }
  // A cache that an op inside makes and another reads is moved by that one too.
  kernel.getBody().walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<KvType>(operand.get().getType()) && operand.get().getDefiningOp())
        form += bytesOfUse(operand);
  });
  return form;
}
