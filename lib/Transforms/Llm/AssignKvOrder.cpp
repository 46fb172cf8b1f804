// AssignKvOrder.cpp: page size and key order of the cache, in every type that mentions it.
#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Support/Mutant.h"
#include "adze/Target/TargetInfo.h"
#include "adze/Transforms/Llm/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

namespace adze::llm {
#define GEN_PASS_DEF_ASSIGNKVORDERPASS
#include "adze/Transforms/Llm/Passes.h.inc"
} // namespace adze::llm

#define DEBUG_TYPE "llm-assign-kv-order"

using namespace mlir;
using namespace adze::llm;

namespace {

struct AssignKvOrderPass : adze::llm::impl::AssignKvOrderPassBase<AssignKvOrderPass> {
  using AssignKvOrderPassBase::AssignKvOrderPassBase;

  void runOnOperation() override {
    const adze::TargetInfo *info = adze::findTarget(target.getValue());
    if (!info) {
      getOperation().emitError() << "there is no target named '" << target << "'";
      return signalPassFailure();
    }
    if (page != 16 && page != 32 && page != 64) {
      getOperation().emitError() << "a page of the cache holds 16, 32 or 64 tokens, found page=" << page.getValue();
      return signalPassFailure();
    }
    auto order = info->keyOrder() == adze::KeyOrder::DimToken && !ADZE_MUTANT("keep-key-order")
                     ? adze::llm::KeyOrder::DimToken
                     : adze::llm::KeyOrder::TokenDim;
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](KvType type) -> std::optional<Type> {
      if (type.getPage() == page && type.getKeys() == order)
        return std::nullopt;
      ++types;
      return KvType::get(type.getContext(), type.getLayers(), type.getHeads(), type.getDim(), type.getElement(), page,
                         order);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};

} // namespace
