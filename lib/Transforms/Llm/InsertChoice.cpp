// InsertChoice.cpp: a device that is not the host's memory chooses tokens where the logits lie.
#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Support/Mutant.h"
#include "adze/Target/TargetInfo.h"
#include "adze/Transforms/Llm/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace adze::llm {
#define GEN_PASS_DEF_INSERTCHOICEPASS
#include "adze/Transforms/Llm/Passes.h.inc"
} // namespace adze::llm

#define DEBUG_TYPE "llm-insert-choice"

using namespace mlir;
using namespace adze::llm;

namespace {

struct InsertChoicePass : adze::llm::impl::InsertChoicePassBase<InsertChoicePass> {
  using InsertChoicePassBase::InsertChoicePassBase;

  void runOnOperation() override {
    const adze::TargetInfo *info = adze::findTarget(target.getValue());
    if (!info) {
      getOperation().emitError() << "there is no target named '" << target << "'";
      return signalPassFailure();
    }
    auto step = getOperation().lookupSymbol<func::FuncOp>("step");
    if ((!info->gpu() && !ADZE_MUTANT("choose-tokens-on-a-cpu")) || !step || !step.getBody().hasOneBlock())
      return;
    auto result = mlir::dyn_cast<func::ReturnOp>(step.getBody().front().getTerminator());
    if (!result || !returnsLogitsAlone(result))
      return;
    RankedTensorType logits = mlir::cast<RankedTensorType>(result.getOperand(0).getType());
    std::optional<int64_t> legal = legalTokens(logits.getDimSize(1));
    if (!legal)
      return signalPassFailure();
    OpBuilder builder(result);
    auto best = BestTokenOp::create(builder, result.getLoc(), result.getOperand(0), *legal);
    if (failed(step.insertResult(step.getNumResults(), best.getType(), DictionaryAttr())))
      return signalPassFailure();
    result.getOperandsMutable().append(best.getResult());
    ++inserted;
  }

private:
  /// Logits in f32, and no tokens chosen from them.
  static bool returnsLogitsAlone(func::ReturnOp result) {
    auto rows = [](Value value) {
      auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
      return type && type.getRank() == 2 && !type.isDynamicDim(1) && type.getDimSize(1) > 0 ? type : RankedTensorType();
    };
    if (result.getNumOperands() == 0)
      return false;
    RankedTensorType logits = rows(result.getOperand(0));
    return logits && logits.getElementType().isF32() && llvm::none_of(result.getOperands(), [&](Value value) {
             RankedTensorType type = rows(value);
             return type && type.getElementType().isInteger(32);
           });
  }

  /// Ids that may be chosen, as the module says, or all; nothing after an error.
  std::optional<int64_t> legalTokens(int64_t columns) {
    auto model = getOperation()->getAttrOfType<DictionaryAttr>("llm.model");
    Attribute said = model ? model.get("legal_tokens") : Attribute();
    if (!said)
      return columns;
    auto number = mlir::dyn_cast<IntegerAttr>(said);
    if (number && number.getValue().getSignificantBits() <= 64 && number.getValue().getSExtValue() >= 1 &&
        number.getValue().getSExtValue() <= columns)
      return number.getValue().getSExtValue();
    getOperation().emitError() << "the module's attribute 'llm.model' says legal_tokens = " << said << "; 1 to "
                               << columns << ", the columns of the logits, are accepted";
    return std::nullopt;
  }
};

} // namespace
