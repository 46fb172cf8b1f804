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
/// Beside the row of a GPU: warps of a block, slots that copies fill, and rows for steps of fewer tokens.
constexpr llvm::StringLiteral kWarps = "warps", kStages = "stages", kSmallSteps = "small_steps";
constexpr int64_t kMostStages = 8;
/// Rows of attention by matrix instructions, and positions of one run of it, beside the row too: nothing else has them.
constexpr llvm::StringLiteral kRows = "matrix_rows", kSplit = "kv_split";
/// Rows of one instruction, and of as many as a block may have warps for; positions that the order of sums fixes.
constexpr int64_t kLeastRows = 16, kMostRows = 128, kTile = 64, kMostSplit = 65536;

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

PagedAttentionOp attentionOf(KernelOp kernel) {
  auto attentions = kernel.getBody().front().getOps<PagedAttentionOp>();
  return attentions.empty() ? PagedAttentionOp() : *attentions.begin();
}

/// Whether queries, keys and values are all in bf16.
bool isBf16(PagedAttentionOp attention) {
  return getElementTypeOrSelf(attention.getQuery().getType()).isBF16() &&
         attention.getKv().getType().getElement().isBF16();
}

adze::ScheduleKey keyOf(KernelOp kernel) {
  Product product = productOf(kernel);
  if (product)
    return scheduleKeyOf(product);
  adze::ScheduleKey key{*kernel.getFamily()};
  if (PagedAttentionOp attention = attentionOf(kernel); attention && isBf16(attention)) {
    key.numerics = adze::Numerics::Bf16;
    key.outputs = attention.getHeads() / attention.getKv().getType().getHeads();
    key.inputs = attention.getKv().getType().getDim();
  }
  return key;
}

ScheduleAttr rowOf(KernelOp kernel, const adze::ScheduleRow &row) {
  MLIRContext *context = kernel.getContext();
  Product product = productOf(kernel);
  if (!product)
    return ScheduleAttr::get(context, row.tokens, row.columns, row.depth, SumOrder::Invariant, PackedAttr());
  return ScheduleAttr::get(context, row.tokens, row.columns, groupOf(product).value_or(row.depth), SumOrder::Invariant,
                           packOf(product));
}

/// The row's slots are as many as its depth wants; where a step is a deeper group, fewer of them hold as much.
int64_t stagesOf(KernelOp kernel, const adze::ScheduleRow &row) {
  Product product = productOf(kernel);
  int64_t depth = product ? groupOf(product).value_or(row.depth) : row.depth;
  return std::clamp<int64_t>(row.stages * row.depth / depth, 2, row.stages);
}

InFlightDiagnostic refuse(KernelOp kernel, ScheduleAttr row) {
  return kernel.emitOpError("of family \"") << *kernel.getFamily() << "\" cannot have the schedule " << row << ": ";
}

LogicalResult checkProduct(KernelOp kernel, Product product, ScheduleAttr row) {
  PackedAttr stored = packOf(product);
  if (row.getPack() != stored) {
    auto name = [](PackedAttr pack) {
      std::string text = "plain rows";
      if (pack)
        llvm::raw_string_ostream(text = "") << pack;
      return text;
    };
    return refuse(kernel, row) << "it is made for a weight in " << name(row.getPack())
                               << ", and the weight is stored in " << name(stored)
                               << "; a row that needs another storage order is not legal for this weight";
  }
  if (auto group = groupOf(product); group && row.getDepth() != *group && !ADZE_MUTANT("accept-steps-that-cut-groups"))
    return refuse(kernel, row) << "its depth is " << row.getDepth() << "; a step over k is one group of the weight, "
                               << *group;
  if (stored)
    for (auto [what, size, block] :
         {std::tuple<const char *, int64_t, int64_t>{"columns", row.getColumns(), 0}, {"depth", row.getDepth(), 1}}) {
      int64_t extent = stored.getBlock()[block];
      // A group smaller than a block is read from inside it.
      bool inside = block == 1 && groupOf(product) && extent % size == 0;
      if (size % extent && !inside)
        return refuse(kernel, row) << "its " << what << " = " << size << "; multiples of " << extent
                                   << ", the extent of a block of the packed weight, are accepted";
    }
  // A block owns the same columns of every slice.
  for (Operation *user : product.result().getUsers())
    if (auto slice = mlir::dyn_cast<SliceColumnsOp>(user))
      if (slice.getOffset() % row.getColumns() || slice.getSize() % row.getColumns())
        return refuse(kernel, row) << "its columns are " << row.getColumns() << "; the kernel's columns from "
                                   << slice.getOffset() << " on, " << slice.getSize()
                                   << " of them, must be whole tiles";
  return success();
}

/// Warps, stages and rows of small steps: all of a GPU.
LogicalResult checkBeside(KernelOp kernel, const adze::TargetInfo &target) {
  ScheduleAttr row = kernel.getScheduleAttr();
  int64_t mostWarps = target.gpu() ? target.gpu()->threads / target.gpu()->warpLanes : 0;
  for (auto [name, what, most, powers] :
       {std::tuple{kWarps, "warps", mostWarps, true}, {kStages, "stages", target.gpu() ? kMostStages : 0, false}})
    if (auto number = kernel->getAttrOfType<IntegerAttr>(name))
      if (number.getInt() < 1 || number.getInt() > most || (powers && !llvm::isPowerOf2_64(number.getInt()))) {
        auto error = refuse(kernel, row) << "its block has " << number.getInt() << " " << what << "; ";
        return most ? error << (powers ? "a power of two up to " : "1 to ") << most << (powers ? " is" : " are")
                            << " accepted"
                    : error << "blocks of " << target.name() << " have none, leave `" << name << "` out";
      }
  auto small = kernel->getAttrOfType<ArrayAttr>(kSmallSteps);
  Product product = productOf(kernel);
  if (small && (!target.gpu() || !product))
    return refuse(kernel, row) << "it has rows for small steps; products of a GPU alone do, leave `" << kSmallSteps
                               << "` out";
  int64_t before = 0;
  for (Attribute entry : small ? small.getValue() : ArrayRef<Attribute>()) {
    auto smaller = mlir::dyn_cast<ScheduleAttr>(entry);
    if (!smaller)
      return refuse(kernel, row) << "`" << kSmallSteps << "` holds " << entry << "; schedules are accepted";
    if (smaller.getTokens() <= before || smaller.getTokens() >= row.getTokens())
      return refuse(kernel, smaller) << "rows for small steps have ascending `tokens`, less than the "
                                     << row.getTokens() << " of the row for all other steps";
    before = smaller.getTokens();
    if (smaller.getSums() != row.getSums())
      return refuse(kernel, smaller) << "its sums are \"" << stringifySumOrder(smaller.getSums())
                                     << "\" and those of other steps \"" << stringifySumOrder(row.getSums()) << "\"";
    if (failed(checkProduct(kernel, product, smaller)))
      return failure();
  }
  return success();
}

int64_t numberOf(KernelOp kernel, llvm::StringRef name) {
  auto number = kernel->getAttrOfType<IntegerAttr>(name);
  return number ? number.getInt() : 0;
}

/// Products in bf16 are another rounding and runs another order of sums, so a person may ask for them on any target
/// where the types are right.
LogicalResult checkRows(KernelOp kernel) {
  int64_t rows = numberOf(kernel, kRows), split = numberOf(kernel, kSplit);
  if (!rows && !split)
    return success();
  auto refuse = [&] { return kernel.emitOpError("of family \"") << *kernel.getFamily() << "\" has "; };
  PagedAttentionOp attention = attentionOf(kernel);
  if (!attention)
    return refuse() << "`" << (rows ? kRows : kSplit) << "`, which attention alone has; leave it out";
  if (!isBf16(attention) && !ADZE_MUTANT("accept-rows-of-f32"))
    return refuse() << "rows of products in bf16, and its query is " << attention.getQuery().getType() << ", its cache "
                    << attention.getKv().getType() << "; leave `" << kRows << "` and `" << kSplit << "` out";
  if (rows < kLeastRows || rows > kMostRows || !llvm::isPowerOf2_64(rows))
    return refuse() << kRows << " = " << rows << "; powers of two from " << kLeastRows
                    << ", those of a matrix instruction, to " << kMostRows << " are accepted";
  if (split < 0 || split > kMostSplit || split % kTile)
    return refuse() << kSplit << " = " << split << "; multiples of " << kTile << " from 0 to " << kMostSplit
                    << " are accepted";
  return success();
}

LogicalResult check(KernelOp kernel, const adze::TargetInfo &target) {
  ScheduleAttr row = kernel.getScheduleAttr();
  if (row.getSums() != SumOrder::Invariant)
    return refuse(kernel, row) << "its sums are \"" << stringifySumOrder(row.getSums()) << "\"; the order that "
                               << target.name() << " builds is \"invariant\"";
  if (failed(checkBeside(kernel, target)) || failed(checkRows(kernel)))
    return failure();
  if (Product product = productOf(kernel))
    return checkProduct(kernel, product, row);
  if (ScheduleAttr only = rowOf(kernel, target.scheduleRow(keyOf(kernel))); row != only)
    return refuse(kernel, row) << "kernels without a product are built in one way for " << target.name() << ", "
                               << only;
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
      Builder builder(kernel);
      adze::ScheduleRow row = info->scheduleRow(keyOf(kernel));
      if (info->gpu() && !kernel->hasAttr(kWarps))
        kernel->setAttr(kWarps, builder.getI64IntegerAttr(row.warps));
      if (kernel.getScheduleAttr()) {
        ++kept;
      } else {
        // What stands beside the table's row belongs to it.
        kernel.setScheduleAttr(rowOf(kernel, row));
        if (row.stages > 1 && !kernel->hasAttr(kStages))
          kernel->setAttr(kStages, builder.getI64IntegerAttr(stagesOf(kernel, row)));
        SmallVector<Attribute> small;
        for (const adze::ScheduleRow &smaller : info->smallSteps(keyOf(kernel)))
          small.push_back(rowOf(kernel, smaller));
        if (!small.empty() && !kernel->hasAttr(kSmallSteps))
          kernel->setAttr(kSmallSteps, builder.getArrayAttr(small));
        for (auto [name, number] : {std::pair(kRows, row.rows), std::pair(kSplit, row.split)})
          if (number && !kernel->hasAttr(name))
            kernel->setAttr(name, builder.getI64IntegerAttr(number));
        ++chosen;
      }
      return failed(check(kernel, *info)) ? WalkResult::interrupt() : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
