//===- CheckGroup.cpp - what can be built -------------------------------------------------------------------------===//
//
// The builders assume what is checked here. What a rule of llm-form-kernels would never make is still an error and not
// an assertion: a person may write groups by hand (--start-from).
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace adze;

namespace {
InFlightDiagnostic refuse(Operation *op, const TargetInfo &target) {
  return op->emitOpError("cannot become a kernel for ") << target.name() << ": ";
}

LogicalResult checkOp(Operation *op, const TargetInfo &target) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](llm::PagedAttentionOp attention) -> LogicalResult {
        auto cache = attention.getKv().getType();
        if (target.kvSplit() != 0)
          return refuse(op, target) << "split attention is not built";
        if (cache.getPage() != 16 && cache.getPage() != 32 && cache.getPage() != 64)
          return refuse(op, target) << "pages of " << cache.getPage() << " tokens; 16, 32 and 64 are accepted";
        if (cache.getDim() % 2 || cache.getDim() > 256)
          return refuse(op, target) << "heads of " << cache.getDim() << " columns; even numbers up to 256 are accepted";
        Value source = attention.getQuery();
        while (auto slice = source.getDefiningOp<llm::SliceColumnsOp>())
          source = slice.getInput();
        if (!mlir::isa<BlockArgument>(source))
          return refuse(op, target) << "its query is made by the same kernel";
        return success();
      })
      .Case([&](llm::EmbeddingOp) { return success(); })
      .Case([&](llm::QuantizedEmbeddingOp) { return success(); })
      .Case([&](llm::LinearOp) { return success(); })
      .Case([&](llm::QuantizedLinearOp linear) -> LogicalResult {
        if (linear.getInputScale() &&
            (!mlir::isa<BlockArgument>(linear.getInputScale()) || !mlir::isa<BlockArgument>(linear.getInputSum())))
          return refuse(op, target) << "its input is quantized by the same kernel";
        return success();
      })
      .Case([&](llm::RmsNormOp) { return success(); })
      .Case([&](llm::RopeOp) { return success(); })
      .Case([&](llm::KvAppendOp) { return success(); })
      .Case([&](llm::QuantizeOp) { return success(); })
      .Case([&](llm::GatherRowsOp) { return success(); })
      .Case([&](llm::SliceColumnsOp) { return success(); })
      .Case([&](llm::SiluOp) { return success(); })
      .Case([&](llm::MulOp) { return success(); })
      .Case([&](llm::AddOp) { return success(); })
      .Case([&](arith::TruncFOp) { return success(); })
      .Case([&](arith::ExtFOp) { return success(); })
      .Case([&](llm::YieldOp) { return success(); })
      .Default([&](Operation *) -> LogicalResult { return refuse(op, target) << "there is no builder for it"; });
}
} // namespace

LogicalResult adze::checkGroup(llm::KernelOp group, const TargetInfo &target) {
  if (!group.getFamily())
    return group.emitOpError("has no family; run llm-form-kernels");
  if (!group.getScheduleAttr())
    return group.emitOpError("has no schedule to be built by; run llm-choose-schedules");
  unsigned products = 0, attentions = 0;
  for (Operation &op : group.getBody().front()) {
    if (failed(checkOp(&op, target)))
      return failure();
    products += static_cast<bool>(llm::Product(&op));
    attentions += mlir::isa<llm::PagedAttentionOp>(op);
  }
  if (products + attentions > 1 && !ADZE_MUTANT("accept-two-products"))
    return refuse(group, target) << "a kernel has one product or attention, found " << products + attentions;
  auto yield = mlir::cast<llm::YieldOp>(group.getBody().front().getTerminator());
  if (yield.getValues().empty())
    return refuse(group, target) << "it has no result";
  if (products)
    for (Value value : yield.getValues())
      if (KernelBuilder::columns(value) != KernelBuilder::columns(yield.getValues()[0]))
        return refuse(group, target) << "results of a product have one width";
  return success();
}
