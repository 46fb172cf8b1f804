//===- FuseQkv.cpp - one product for queries, keys and values -----------------------------------------------------===//

#include "WeightExpressions.h"
#include "adze/Support/Mutant.h"
#include "adze/Transforms/Llm/Passes.h"

namespace adze::llm {
#define GEN_PASS_DEF_FUSEQKVPASS
#include "adze/Transforms/Llm/Passes.h.inc"
} // namespace adze::llm

#define DEBUG_TYPE "llm-fuse-qkv"

using namespace mlir;
using namespace adze::llm;

namespace {
/// The product behind casts, rotations and norms, or null.
Operation *productBehind(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (Product(op))
      return op;
    StringRef name = op->getName().getStringRef();
    if (name != "arith.truncf" && name != "llm.rope" && name != "llm.rms_norm")
      return nullptr;
    value = op->getOperand(0);
  }
  return nullptr;
}

struct FuseQkv : adze::llm::impl::FuseQkvPassBase<FuseQkv> {
  using FuseQkvPassBase::FuseQkvPassBase;

  void runOnOperation() override {
    WeightExpressions weights(getOperation());
    llvm::SmallVector<KvAppendOp> appends;
    getOperation().walk([&](KvAppendOp append) { appends.push_back(append); });
    for (KvAppendOp append : appends) {
      PagedAttentionOp attention;
      for (Operation *reader : append.getResult().getUsers())
        if (auto found = mlir::dyn_cast<PagedAttentionOp>(reader))
          attention = found;
      if (!attention)
        continue;
      Operation *products[] = {productBehind(attention.getQuery()), productBehind(append.getKey()),
                               productBehind(append.getValue())};
      std::string why =
          llvm::is_contained(products, nullptr) ? "one of them is made by no product" : whyNotFused(products, weights);
      if (!why.empty() && !ADZE_MUTANT("fuse-unlike-products")) {
        noteUnfused(append, "qkv: " + why);
        ++left;
        continue;
      }
      fuseProducts(products, ".qkv", weights);
      ++fused;
    }
    weights.eraseUnused();
  }
};
} // namespace
