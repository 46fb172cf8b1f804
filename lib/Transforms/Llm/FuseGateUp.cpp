//===- FuseGateUp.cpp - one product for the gate and the up projection --------------------------------------------===//

#include "WeightExpressions.h"
#include "adze/Transforms/Llm/Passes.h"

namespace adze::llm {
#define GEN_PASS_DEF_FUSEGATEUPPASS
#include "adze/Transforms/Llm/Passes.h.inc"
} // namespace adze::llm

#define DEBUG_TYPE "llm-fuse-gate-up"

using namespace mlir;
using namespace adze::llm;

namespace {
struct FuseGateUp : adze::llm::impl::FuseGateUpPassBase<FuseGateUp> {
  using FuseGateUpPassBase::FuseGateUpPassBase;

  void runOnOperation() override {
    WeightExpressions weights(getOperation());
    llvm::SmallVector<MulOp> muls;
    getOperation().walk([&](MulOp mul) { muls.push_back(mul); });
    for (MulOp mul : muls) {
      for (auto [gated, other] : {std::pair(mul.getLhs(), mul.getRhs()), std::pair(mul.getRhs(), mul.getLhs())}) {
        auto activation = gated.getDefiningOp<Activation>();
        if (!activation || !Product::of(activation.getInput()) || !Product::of(other))
          continue;
        Operation *products[] = {activation.getInput().getDefiningOp(), other.getDefiningOp()};
        std::string why = whyNotFused(products, weights);
        if (why.empty()) {
          fuseProducts(products, ".gate_up", weights);
          ++fused;
        } else {
          noteUnfused(mul, "gate_up: " + why);
          ++left;
        }
        break;
      }
    }
    weights.eraseUnused();
  }
};
} // namespace
