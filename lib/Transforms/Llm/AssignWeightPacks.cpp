//===- AssignWeightPacks.cpp - storage order of weights -----------------------------------------------------------===//

#include "ScheduleKey.h"
#include "WeightExpressions.h"
#include "adze/Support/Mutant.h"
#include "adze/Transforms/Llm/Passes.h"

namespace adze::llm {
#define GEN_PASS_DEF_ASSIGNWEIGHTPACKSPASS
#include "adze/Transforms/Llm/Passes.h.inc"
} // namespace adze::llm

#define DEBUG_TYPE "llm-assign-weight-packs"

using namespace mlir;
using namespace adze::llm;

namespace {
struct AssignWeightPacks : adze::llm::impl::AssignWeightPacksPassBase<AssignWeightPacks> {
  using AssignWeightPacksPassBase::AssignWeightPacksPassBase;

  void runOnOperation() override {
    const adze::TargetInfo *info = adze::findTarget(target.getValue());
    if (!info) {
      getOperation().emitError() << "there is no target named '" << target << "'";
      return signalPassFailure();
    }
    WeightExpressions weights(getOperation());
    WalkResult result = getOperation().walk([&](Operation *op) {
      Product product(op);
      if (!product)
        return WalkResult::advance();
      for (const WeightPart &part : product.parts())
        if (failed(pack(product, part, *info, weights)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    // Codes of less than a byte have no order of their own: a table that no product reads takes its encoding's.
    getOperation().walk([&](QuantizedEmbeddingOp embedding) { packTable(embedding, *info, weights); });
  }

  LogicalResult pack(Product product, const WeightPart &part, const adze::TargetInfo &info,
                     WeightExpressions &weights) {
    WeightOp weight = weights.weightOf(part.operand->get());
    auto wanted = info.weightPack(product.encoding(), part.name, numericsOf(product));
    if (!weight || !wanted)
      return success();
    auto type = mlir::cast<RankedTensorType>(weight.getType());
    auto encoding = PackedAttr::get(&getContext(), wanted->block, wanted->order);
    if (type.getEncoding() && type.getEncoding() != encoding)
      return product.operation()->emitOpError("wants the weight @")
             << weight.getSymName() << " as " << encoding << ", but it is stored as " << type.getEncoding()
             << " already; two products that share a weight need one storage order";
    repack(weight, encoding, weights);
    return success();
  }

  void packTable(QuantizedEmbeddingOp embedding, const adze::TargetInfo &info, WeightExpressions &weights) {
    WeightOp weight = weights.weightOf(embedding.getCodes());
    if (!weight || !mlir::getElementTypeOrSelf(weight.getType()).isInteger(4))
      return;
    auto wanted =
        info.weightPack(embedding.getScheme() == Scheme::Affine ? "q4_1" : "q4_0", "codes", adze::Numerics::F32);
    if (wanted && !mlir::cast<RankedTensorType>(weight.getType()).getEncoding() &&
        !ADZE_MUTANT("leave-lone-tables-unpacked"))
      repack(weight, PackedAttr::get(&getContext(), wanted->block, wanted->order), weights);
  }

  void repack(WeightOp weight, PackedAttr encoding, WeightExpressions &weights) {
    auto type = mlir::cast<RankedTensorType>(weight.getType());
    if (type.getEncoding())
      return;
    auto packedType = RankedTensorType::get(type.getShape(), type.getElementType(), encoding);
    weights.append(weight, packedType, [&](OpBuilder &builder, Location location, Value value) -> Value {
      return RepackOp::create(builder, location, packedType, value);
    });
    ++packed;
  }
};
} // namespace
