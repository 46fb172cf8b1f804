//===- ChooseSchedules.cpp - the row of the target's table for each group -----------------------------------------===//
//
// What a row may not do is checked for rows of the table and for rows that a person or a tuner wrote alike: a table can
// be wrong, too. A row is legal when the kernel that is built by it computes what every other legal row computes, to
// the bit, and when the builder would do what the row says; a number that nothing reads is refused, not ignored.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "ScheduleKey.h"
#include "adze/Support/Mutant.h"
#include "adze/Transforms/Llm/Passes.h"

namespace adze::llm {
#define GEN_PASS_DEF_CHOOSESCHEDULESPASS
#include "adze/Transforms/Llm/Passes.h.inc"
} // namespace adze::llm

#define DEBUG_TYPE "llm-choose-schedules"

using namespace mlir;
using namespace adze::llm;

namespace {
/// Warps of a GPU's block, beside the row.
constexpr llvm::StringLiteral kWarps = "warps";

Product productOf(KernelOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (Product product(&op); product)
      return product;
  return Product(nullptr);
}

PackedAttr packOf(Product product) { return mlir::dyn_cast_or_null<PackedAttr>(product.weightType().getEncoding()); }

/// Codes of a group are added up before the group's scale is applied: a step over k is one group.
std::optional<int64_t> groupOf(Product product) {
  auto quantized = mlir::dyn_cast<QuantizedLinearOp>(product.operation());
  return quantized ? std::optional<int64_t>(quantized.getGroup()) : std::nullopt;
}

adze::ScheduleRow tableRow(KernelOp kernel, const adze::TargetInfo &target) {
  Product product = productOf(kernel);
  return target.scheduleRow(product ? scheduleKeyOf(product) : adze::ScheduleKey{*kernel.getFamily()});
}

ScheduleAttr rowOf(KernelOp kernel, const adze::TargetInfo &target) {
  MLIRContext *context = kernel.getContext();
  Product product = productOf(kernel);
  adze::ScheduleRow row = tableRow(kernel, target);
  if (!product)
    return ScheduleAttr::get(context, row.tokens, row.columns, row.depth, SumOrder::Invariant, PackedAttr());
  return ScheduleAttr::get(context, row.tokens, row.columns, groupOf(product).value_or(row.depth), SumOrder::Invariant,
                           packOf(product));
}

InFlightDiagnostic refuse(KernelOp kernel) {
  return kernel.emitOpError("of family \"")
         << *kernel.getFamily() << "\" cannot have the schedule " << kernel.getScheduleAttr() << ": ";
}

LogicalResult checkProduct(KernelOp kernel, Product product) {
  ScheduleAttr row = kernel.getScheduleAttr();
  PackedAttr stored = packOf(product);
  if (row.getPack() != stored) {
    auto name = [](PackedAttr pack) {
      std::string text = "plain rows";
      if (pack)
        llvm::raw_string_ostream(text = "") << pack;
      return text;
    };
    return refuse(kernel) << "it is made for a weight in " << name(row.getPack()) << ", and the weight is stored in "
                          << name(stored) << "; a row that needs another storage order is not legal for this weight";
  }
  if (auto group = groupOf(product); group && row.getDepth() != *group && !ADZE_MUTANT("accept-steps-that-cut-groups"))
    return refuse(kernel) << "its depth is " << row.getDepth() << "; a step over k is one group of the weight, "
                          << *group;
  if (stored)
    for (auto [what, size, block] :
         {std::tuple<const char *, int64_t, int64_t>{"columns", row.getColumns(), 0}, {"depth", row.getDepth(), 1}}) {
      int64_t extent = stored.getBlock()[block];
      // A group smaller than a block is read from inside it.
      bool inside = block == 1 && groupOf(product) && extent % size == 0;
      if (size % extent && !inside)
        return refuse(kernel) << "its " << what << " = " << size << "; multiples of " << extent
                              << ", the extent of a block of the packed weight, are accepted";
    }
  // A block owns the same columns of every slice.
  for (Operation *user : product.result().getUsers())
    if (auto slice = mlir::dyn_cast<SliceColumnsOp>(user))
      if (slice.getOffset() % row.getColumns() || slice.getSize() % row.getColumns())
        return refuse(kernel) << "its columns are " << row.getColumns() << "; the kernel's columns from "
                              << slice.getOffset() << " on, " << slice.getSize() << " of them, must be whole tiles";
  return success();
}

LogicalResult check(KernelOp kernel, const adze::TargetInfo &target) {
  ScheduleAttr row = kernel.getScheduleAttr();
  if (row.getSums() != SumOrder::Invariant)
    return refuse(kernel) << "its sums are \"" << stringifySumOrder(row.getSums()) << "\"; the order that "
                          << target.name() << " builds is \"invariant\"";
  if (auto warps = kernel->getAttrOfType<IntegerAttr>(kWarps)) {
    int64_t most = target.gpu() ? target.gpu()->threads / target.gpu()->warpLanes : 0;
    if (warps.getInt() < 1 || warps.getInt() > most || !llvm::isPowerOf2_64(warps.getInt())) {
      auto error = refuse(kernel) << "its block has " << warps.getInt() << " warps; ";
      return most ? error << "a power of two up to " << most << " is accepted"
                  : error << "blocks of " << target.name() << " have none, leave `" << kWarps << "` out";
    }
  }
  if (Product product = productOf(kernel))
    return checkProduct(kernel, product);
  if (ScheduleAttr only = rowOf(kernel, target); row != only)
    return refuse(kernel) << "kernels without a product are built in one way for " << target.name() << ", " << only;
  return success();
}

struct ChooseSchedules : adze::llm::impl::ChooseSchedulesPassBase<ChooseSchedules> {
  using ChooseSchedulesPassBase::ChooseSchedulesPassBase;

  void runOnOperation() override {
    const adze::TargetInfo *info = adze::findTarget(target.getValue());
    if (!info) {
      getOperation().emitError() << "there is no target named '" << target << "'";
      return signalPassFailure();
    }
    WalkResult result = getOperation().walk([&](KernelOp kernel) {
      if (!kernel.getFamily()) {
        kernel.emitOpError("has no family, which its schedule is chosen by; llm-form-kernels sets it");
        return WalkResult::interrupt();
      }
      if (info->gpu() && !kernel->hasAttr(kWarps))
        kernel->setAttr(kWarps, Builder(kernel).getI64IntegerAttr(tableRow(kernel, *info).warps));
      if (kernel.getScheduleAttr()) {
        ++kept;
      } else {
        kernel.setScheduleAttr(rowOf(kernel, *info));
        ++chosen;
      }
      return failed(check(kernel, *info)) ? WalkResult::interrupt() : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
