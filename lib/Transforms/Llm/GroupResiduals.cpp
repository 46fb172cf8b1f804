// A residual is added by the kernel of the product that it is added to, before the sum leaves the registers.
#include "GroupPlan.h"
#include "adze/Dialect/Llm/IR/Products.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::llm;

void adze::llm::groupResiduals(GroupPlan &plan) {
  llvm::SmallVector<Operation *> ops(plan.ops());
  for (Operation *op : ops) {
    auto add = mlir::dyn_cast<AddOp>(op);
    if (!add)
      continue;
    Product left = Product::of(add.getLhs()), right = Product::of(add.getRhs());
    if (left && right) {
      // Both sides are products: the later one takes the add, for it ends last.
      (left.operation()->isBeforeInBlock(right.operation()) ? left : right) = Product(nullptr);
    }
    Product product = left ? left : right;
    if (!product)
      continue;
    if (!product.result().hasOneUse() && !ADZE_MUTANT("fuse-product-with-two-readers")) {
      plan.leave(add, "residual", "the product has other readers");
      continue;
    }
    plan.merge(product.operation(), add, "residual");
  }
}
