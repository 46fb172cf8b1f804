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
/// The widest group of a quantization: a block makes whole groups of many columns at once.
constexpr int64_t kMaxGroup = 1024;
/// The widest stretch of a row that a block compares at once.
constexpr int64_t kMaxStretch = 8192;

/// Which builder makes the group; each knows other ops.
enum class Skeleton { Product, Attention, Heads, Rows };

class GroupCheck {
public:
  GroupCheck(llm::KernelOp group, const TargetInfo &target) : group(group), target(target) {}

  LogicalResult run() {
    if (!group.getFamily())
      return group.emitOpError("has no family; run llm-form-kernels");
    unsigned products = 0, attentions = 0;
    for (Operation &op : body()) {
      products += static_cast<bool>(llm::Product(&op));
      attentions += mlir::isa<llm::PagedAttentionOp>(op);
    }
    if (products + attentions > 1 && !ADZE_MUTANT("accept-two-products"))
      return refuse(group) << "a kernel has one product or attention, found " << products + attentions;
    skeleton = products              ? Skeleton::Product
               : attentions          ? Skeleton::Attention
               : worksByHeads(group) ? Skeleton::Heads
                                     : Skeleton::Rows;
    for (Operation &op : body())
      if (failed(checkOp(&op)))
        return failure();
    if (failed(checkResults()))
      return failure();
    if (failed(skeleton == Skeleton::Rows ? checkRows() : skeleton == Skeleton::Heads ? checkHeads() : success()))
      return failure();
    if (!group.getScheduleAttr())
      return group.emitOpError("has no schedule to be built by; run llm-choose-schedules");
    return checkSchedule(group.getScheduleAttr());
  }

private:
  Block &body() { return group.getBody().front(); }
  llm::YieldOp yield() { return mlir::cast<llm::YieldOp>(body().getTerminator()); }
  InFlightDiagnostic refuse(Operation *op) {
    return op->emitOpError("cannot become a kernel for ") << target.name() << ": ";
  }

  /// Every tile that the builders make of a schedule stays within the limit.
  LogicalResult checkSchedule(llm::ScheduleAttr row) {
    int64_t most = body().getOps<llm::BestTokenOp>().empty() ? kMaxGroup : kMaxStretch;
    for (int64_t size : {row.getTokens(), row.getColumns(), row.getDepth()})
      if (size < 0 || size > most)
        return refuse(group) << "a schedule of " << row << "; sizes up to " << most << " are accepted";
    if (skeleton != Skeleton::Attention && skeleton != Skeleton::Heads && row.getColumns() < 1)
      return refuse(group) << "a schedule of " << row << " has no columns";
    if (skeleton == Skeleton::Product && (row.getTokens() < 1 || row.getDepth() < 1))
      return refuse(group) << "a schedule of " << row << " has no tokens or no depth";
    return success();
  }

  /// Weights, tables and tokens are read from memory.
  LogicalResult needOperands(Operation *op, ArrayRef<Value> values) {
    for (Value value : values)
      if (value && !mlir::isa<BlockArgument>(value))
        return refuse(op) << "it reads a weight, a table or tokens that the same kernel makes";
    return success();
  }

  LogicalResult needGroup(Operation *op, int64_t size) {
    if (size > kMaxGroup)
      return refuse(op) << "groups of " << size << " columns; up to " << kMaxGroup << " are accepted";
    return success();
  }

  LogicalResult belongs(Operation *op, std::initializer_list<Skeleton> skeletons) {
    if (llvm::is_contained(skeletons, skeleton))
      return success();
    return refuse(op) << "a kernel of this family has no builder for it; give it a kernel of its own";
  }

  /// Activations are rows of a static number of f32, f16, bf16 or integer columns.
  LogicalResult checkActivations(Operation *op) {
    for (Value value : op->getResults()) {
      auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
      if (type && (type.getRank() != 2 || type.isDynamicDim(1) || type.getDimSize(1) < 1))
        return refuse(op) << "an activation has rows and a static number of columns, found " << type;
    }
    return success();
  }

  LogicalResult checkCast(Operation *op) {
    for (Type type : {op->getOperand(0).getType(), op->getResult(0).getType()}) {
      auto tensor = mlir::dyn_cast<RankedTensorType>(type);
      Type element = mlir::getElementTypeOrSelf(type);
      if (!tensor || tensor.getRank() != 2 || tensor.getEncoding() ||
          !(element.isF32() || element.isF16() || element.isBF16()))
        return refuse(op) << "casts are between activations of f32, f16 and bf16, found " << type;
    }
    return success();
  }

  LogicalResult checkSlice(llm::SliceColumnsOp slice) {
    // Columns of what the kernel makes are known to products alone, whose tiles are the same anywhere.
    Value source = slice.getInput();
    while (auto inner = source.getDefiningOp<llm::SliceColumnsOp>())
      source = inner.getInput();
    if (skeleton != Skeleton::Product && !mlir::isa<BlockArgument>(source))
      return refuse(slice) << "its input is made by the same kernel";
    return success();
  }

  LogicalResult checkAttention(llm::PagedAttentionOp attention) {
    auto cache = attention.getKv().getType();
    int64_t rows = numberBeside(group, "matrix_rows"), split = numberBeside(group, "kv_split");
    bool isBf16 = KernelBuilder::elementOf(attention.getQuery()).isBF16() && cache.getElement().isBF16();
    if (rows && (rows < 16 || rows > 128 || !llvm::isPowerOf2_64(rows) || !isBf16))
      return refuse(attention) << "matrix_rows = " << rows << " of " << attention.getQuery().getType() << " and "
                               << cache << "; powers of two from 16 to 128 are accepted, of bf16";
    if (split && (!rows || split < 0 || split % 64 || split > 65536))
      return refuse(attention) << "kv_split = " << split << " with matrix_rows = " << rows
                               << "; multiples of 64 up to 65536 are accepted, beside matrix_rows";
    if (cache.getPage() != 16 && cache.getPage() != 32 && cache.getPage() != 64)
      return refuse(attention) << "pages of " << cache.getPage() << " tokens; 16, 32 and 64 are accepted";
    if (cache.getDim() % 2 || cache.getDim() > 256)
      return refuse(attention) << "heads of " << cache.getDim() << " columns; even numbers up to 256 are accepted";
    if (int64_t ratio = int64_t(attention.getHeads()) / cache.getHeads();
        ratio * cache.getDim() > tile::kMaxTileElements)
      return refuse(attention) << ratio << " query heads of " << cache.getDim()
                               << " columns read one head of the cache; up to "
                               << tile::kMaxTileElements / cache.getDim() << " are accepted";
    if (int64_t(attention.getWindow()) > std::numeric_limits<int32_t>::max())
      return refuse(attention) << "a window of " << int64_t(attention.getWindow()) << "; positions have 31 bits";
    Value source = attention.getQuery();
    while (auto slice = source.getDefiningOp<llm::SliceColumnsOp>())
      source = slice.getInput();
    if (!mlir::isa<BlockArgument>(source))
      return refuse(attention) << "its query is made by the same kernel";
    return needOperands(attention, {attention.getKv(), attention.getLayer()});
  }

  LogicalResult checkOp(Operation *op) {
    using S = Skeleton;
    if (failed(checkActivations(op)))
      return failure();
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](llm::PagedAttentionOp attention) { return checkAttention(attention); })
        .Case([&](llm::EmbeddingOp embedding) {
          return success(succeeded(belongs(op, {S::Rows})) &&
                         succeeded(needOperands(op, {embedding.getTokens(), embedding.getTable()})));
        })
        .Case([&](llm::QuantizedEmbeddingOp e) {
          return success(
              succeeded(belongs(op, {S::Rows})) && succeeded(needGroup(op, e.getGroup())) &&
              succeeded(needOperands(op, {e.getTokens(), e.getCodes(), e.getScales(), e.getOffsets(), e.getOuter()})));
        })
        .Case([&](llm::LinearOp linear) { return needOperands(op, {linear.getWeight(), linear.getBias()}); })
        .Case([&](llm::QuantizedLinearOp linear) -> LogicalResult {
          if (linear.getInputScale() &&
              (!mlir::isa<BlockArgument>(linear.getInputScale()) || !mlir::isa<BlockArgument>(linear.getInputSum())))
            return refuse(op) << "its input is quantized by the same kernel";
          return success(succeeded(needGroup(op, linear.getGroup())) &&
                         succeeded(needOperands(op, {linear.getCodes(), linear.getScales(), linear.getOffsets(),
                                                     linear.getOuter(), linear.getBias()})));
        })
        .Case([&](llm::RmsNormOp norm) {
          return success(succeeded(belongs(op, {S::Rows, S::Heads})) &&
                         succeeded(needOperands(op, {norm.getWeight()})));
        })
        .Case([&](llm::RopeOp rope) { return needOperandsIn(op, {S::Heads}, {rope.getInverseFrequency()}); })
        .Case(
            [&](llm::KvAppendOp append) { return needOperandsIn(op, {S::Heads}, {append.getKv(), append.getLayer()}); })
        .Case([&](llm::QuantizeOp quantize) -> LogicalResult {
          for (Value value : {quantize.getScale(), quantize.getSum()})
            for (Operation *user : value.getUsers())
              if (!mlir::isa<llm::YieldOp>(user))
                return refuse(user) << "it reads the scale or sum of a quantization of the same kernel";
          return success(succeeded(belongs(op, {S::Rows})) && succeeded(needGroup(op, groupOf(quantize))));
        })
        .Case([&](llm::GatherRowsOp) { return belongs(op, {S::Rows, S::Heads}); })
        .Case([&](llm::BestTokenOp best) -> LogicalResult {
          if (!mlir::isa<BlockArgument>(best.getLogits()))
            return refuse(op) << "its logits are made by the same kernel";
          return belongs(op, {S::Rows});
        })
        .Case([&](llm::SliceColumnsOp slice) { return checkSlice(slice); })
        .Case<llm::SiluOp, llm::MulOp, llm::AddOp>([&](auto) { return belongs(op, {S::Product, S::Heads, S::Rows}); })
        .Case<arith::TruncFOp, arith::ExtFOp>([&](auto) { return checkCast(op); })
        .Case([&](llm::YieldOp) { return success(); })
        .Default([&](Operation *) -> LogicalResult { return refuse(op) << "there is no builder for it"; });
  }

  LogicalResult needOperandsIn(Operation *op, std::initializer_list<Skeleton> skeletons, ArrayRef<Value> values) {
    return failed(belongs(op, skeletons)) ? failure() : needOperands(op, values);
  }

  /// Columns of a group of a quantization; 0 where it is the whole row.
  static int64_t groupOf(llm::QuantizeOp quantize) {
    int64_t size = quantize.getGroup();
    return size == KernelBuilder::columns(quantize.getInput()) ? 0 : size;
  }

  LogicalResult checkResults() {
    if (yield().getValues().empty())
      return refuse(group) << "it has no result";
    for (Value value : yield().getValues()) {
      if (mlir::isa<llm::KvType>(value.getType())) {
        if (!value.getDefiningOp<llm::KvAppendOp>())
          return refuse(group) << "a cache that it gives is one that it appends to";
        continue;
      }
      auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
      if (!type || type.getRank() != 2 || type.isDynamicDim(1) || type.getDimSize(1) < 1 || type.getEncoding())
        return refuse(group) << "results are activations with a static number of columns, found " << value.getType();
      if (skeleton == Skeleton::Product &&
          KernelBuilder::columns(value) != KernelBuilder::columns(yield().getValues()[0]))
        return refuse(group) << "results of a product have one width";
      if (skeleton == Skeleton::Attention && !isAttention(value))
        return refuse(group) << "results of attention are its own, rounded or not";
    }
    return success();
  }

  static bool isAttention(Value value) {
    while (mlir::isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    return value.getDefiningOp<llm::PagedAttentionOp>() != nullptr;
  }

  /// One loop over the columns makes all results, one group of a quantization at a time.
  LogicalResult checkRows() {
    int64_t size = 0, width = 0;
    for (Operation &op : body()) {
      auto embedding = mlir::dyn_cast<llm::QuantizedEmbeddingOp>(op);
      auto quantize = mlir::dyn_cast<llm::QuantizeOp>(op);
      int64_t own = embedding ? int64_t(embedding.getGroup()) : quantize ? groupOf(quantize) : 0;
      if (own && size && own != size)
        return refuse(&op) << "groups of " << own << " and of " << size << " columns in one kernel";
      size = own ? own : size;
    }
    for (Value value : yield().getValues()) {
      if (value.getDefiningOp<llm::BestTokenOp>()) // one number, whatever else the kernel makes of the row
        continue;
      auto quantize = value.getDefiningOp<llm::QuantizeOp>();
      int64_t own = KernelBuilder::columns(quantize ? quantize.getInput() : value);
      if (width && own != width)
        return refuse(group) << "results of " << width << " and of " << own << " columns in one kernel";
      width = own;
    }
    return success();
  }

  /// Everything is made head by head.
  LogicalResult checkHeads() {
    int64_t dim = 0;
    auto agree = [&](Operation *op, int64_t own) -> LogicalResult {
      if (dim && own != dim)
        return refuse(op) << "heads of " << own << " and of " << dim << " columns in one kernel";
      dim = own;
      return success();
    };
    for (Operation &op : body()) {
      LogicalResult same = success();
      if (auto rope = mlir::dyn_cast<llm::RopeOp>(op))
        same = agree(&op, rope.getHeadDim());
      else if (auto append = mlir::dyn_cast<llm::KvAppendOp>(op))
        same = agree(&op, append.getKv().getType().getDim());
      else if (auto norm = mlir::dyn_cast<llm::RmsNormOp>(op); norm && isOfHeads(norm))
        same = agree(&op, mlir::cast<RankedTensorType>(norm.getWeight().getType()).getDimSize(0));
      if (failed(same))
        return failure();
    }
    for (Value value : yield().getValues())
      if (mlir::isa<RankedTensorType>(value.getType()) && KernelBuilder::columns(value) % dim)
        return refuse(group) << "a result of " << KernelBuilder::columns(value) << " columns is not whole heads of "
                             << dim;
    return success();
  }

  llm::KernelOp group;
  const TargetInfo &target;
  Skeleton skeleton = Skeleton::Rows;
};
} // namespace

bool adze::isOfHeads(llm::RmsNormOp norm) {
  return mlir::cast<RankedTensorType>(norm.getWeight().getType()).getDimSize(0) !=
         KernelBuilder::columns(norm.getInput());
}

bool adze::worksByHeads(llm::KernelOp group) {
  return llvm::any_of(group.getBody().front(), [](Operation &op) {
    auto norm = mlir::dyn_cast<llm::RmsNormOp>(op);
    return mlir::isa<llm::RopeOp, llm::KvAppendOp>(op) || (norm && isOfHeads(norm));
  });
}

LogicalResult adze::checkGroup(llm::KernelOp group, const TargetInfo &target) {
  return GroupCheck(group, target).run();
}
