// activation(gate) * up is the epilogue of the product that makes gate and up side by side. A block owns the same
// columns of both halves, so each half must be whole blocks of the packed weight and whole tiles of the schedule.
#include "GroupPlan.h"
#include "ScheduleKey.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::llm;

void adze::llm::groupGates(GroupPlan &plan) {
  llvm::SmallVector<Operation *> ops(plan.ops());
  for (Operation *op : ops) {
    auto mul = mlir::dyn_cast<MulOp>(op);
    if (!mul)
      continue;
    auto activation = mul.getLhs().getDefiningOp<Activation>();
    Value other = mul.getRhs();
    if (!activation) {
      activation = mul.getRhs().getDefiningOp<Activation>();
      other = mul.getLhs();
    }
    if (!activation)
      continue;
    auto gate = activation.getInput().getDefiningOp<SliceColumnsOp>(), up = other.getDefiningOp<SliceColumnsOp>();
    if (!gate || !up || gate.getInput() != up.getInput()) {
      plan.leave(mul, "gate", "gate and up are not columns of one product");
      continue;
    }
    Product product = Product::of(gate.getInput());
    if (!product) {
      plan.leave(mul, "gate", "gate and up are not made by a product");
      continue;
    }
    if (!llvm::all_of(product.result().getUsers(), [&](Operation *user) { return user == gate || user == up; }) ||
        !gate.getResult().hasOneUse() || !up.getResult().hasOneUse() || !activation->hasOneUse()) {
      plan.leave(mul, "gate", "gate, up or their product has other readers");
      continue;
    }
    RankedTensorType weight = product.weightType();
    int64_t tile = plan.target().scheduleRow(scheduleKeyOf(product)).columns;
    if (auto packed = mlir::dyn_cast_or_null<PackedAttr>(weight.getEncoding()))
      tile = std::max(tile, packed.getBlock()[0]);
    int64_t width = gate.getSize();
    if (ADZE_MUTANT("gate-over-cut-tiles"))
      tile = 1;
    if (width % tile || gate.getOffset() % tile || up.getOffset() % tile) {
      plan.leave(mul, "gate",
                 "halves of " + llvm::Twine(width) + " columns are not whole tiles of " + llvm::Twine(tile));
      continue;
    }
    for (Operation *member : {activation.getOperation(), gate.getOperation(), up.getOperation(), product.operation()})
      if (!plan.merge(member, mul, "gate"))
        break;
  }
}
