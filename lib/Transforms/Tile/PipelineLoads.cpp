#include "MemoryOrders.h"
#include "TileValues.h"
#include "adze/Dialect/Tile/IR/KnownDivisor.h"
#include "adze/Layout/SharedSwizzle.h"
#include "adze/Support/Mutant.h"
#include "adze/Target/TargetInfo.h"
#include "adze/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <bit>

using namespace mlir;

namespace adze::tile {
#define GEN_PASS_DEF_TILEPIPELINELOADSPASS
#include "adze/Transforms/Tile/Passes.h.inc"

namespace {

constexpr unsigned kLeastCopied = 32; ///< bits that one thread copies at least: cp.async moves 4, 8 or 16 bytes

RankedTensorType typeOf(Value tile) { return cast<RankedTensorType>(tile.getType()); }
std::optional<LinearMap> regsOf(Type type) {
  auto regs = dyn_cast_or_null<RegsAttr>(cast<RankedTensorType>(type).getEncoding());
  return regs ? LinearMap::parse(regs.getMap()) : std::nullopt;
}

/// How many of the order's lowest bits stay together wherever the tile lies: their addresses are neighbours, a thread's
/// first one is a multiple of them, and all of them exist or none does. At most 16 bytes.
unsigned bitsTogether(LoadOp load, const MemoryOrder &order) {
  auto view = load.getView().getDefiningOp<ViewOp>();
  RankedTensorType type = typeOf(load.getResult());
  unsigned rank = load.getOffsets().size(), bits = type.getElementTypeBitWidth();
  int64_t aligned = 128 / bits;
  if (int64_t offset = view.getOffset())
    aligned = std::min(aligned, std::max<int64_t>(1, lowestBit(offset) * 8 / bits));
  auto dimOf = [&](int64_t t) { return load.getDims() ? (*load.getDims())[t] : rank - type.getRank() + t; };
  if (!view.getStorage()) {
    SmallVector<int64_t> strides(rank, 1);
    for (unsigned d = rank; d-- > 0;)
      if (view.getStrides())
        strides[d] = lowestBit((*view.getStrides())[d]);
      else if (d + 1 < rank)
        strides[d] = strides[d + 1] * knownDivisor(view.getExtents()[d + 1]);
    for (unsigned d = 0; d < rank; ++d)
      aligned = std::min(aligned, knownDivisor(load.getOffsets()[d]) * strides[d]);
    for (int64_t t = 0; t < type.getRank(); ++t)
      if (type.getDimSize(t) > 1 && (order.run == 0 || !order.bits[0][t]))
        aligned = std::min(aligned, strides[dimOf(t)]);
  }
  unsigned together = std::min<unsigned>(order.run, std::bit_width(uint64_t(aligned)) - 1);
  for (unsigned bit = 0; bit < together; ++bit)
    for (int64_t t = 0; t < type.getRank(); ++t) {
      unsigned d = dimOf(t);
      if (!order.bits[bit][t] || view.getOverread() ||
          (load.getInBounds() && llvm::is_contained(*load.getInBounds(), int64_t(d))))
        continue;
      if (std::min(knownDivisor(view.getExtents()[d]), knownDivisor(load.getOffsets()[d])) < int64_t(2) << bit)
        return bit;
    }
  return together;
}

/// One load of a loop that may become a copy.
struct Copied {
  LoadOp load;
  LinearMap threads, order; ///< who copies what; where it lies in the slot
  int64_t bytes;            ///< of a slot's field
};

class LoopPipeline {
public:
  LoopPipeline(scf::ForOp loop, unsigned stages, const GpuFacts &gpu, unsigned warpBits)
      : loop(loop), stages(stages), gpu(gpu), warpBits(warpBits) {}

  /// Finds what can be copied ahead. False: nothing, or nothing to be copied ahead of.
  bool find(const llvm::DenseSet<Value> &written);
  LogicalResult checkMemory(StringRef target);
  void rewrite();
  SmallVector<Copied> copied;
  unsigned kept = 0;

private:
  bool isKnownAhead(LoadOp load, const llvm::DenseSet<Value> &written);
  LinearMap slotOrder(LoadOp load, const MemoryOrder &order, const LinearMap &threads);
  void put(OpBuilder &b, Value counter, Value slot);
  void putIf(OpBuilder &b, Value counter, Value slot);

  scf::ForOp loop;
  unsigned stages;
  const GpuFacts &gpu;
  unsigned warpBits;
  RingOp ring;
  llvm::SetVector<Operation *> addresses; ///< of the loads, in order
};

/// Its offsets follow from the counter by arithmetic on scalars and by tables that the kernel does not write.
bool LoopPipeline::isKnownAhead(LoadOp load, const llvm::DenseSet<Value> &written) {
  auto isTable = [&](Operation *op) {
    auto lookup = dyn_cast<LookupOp>(op);
    auto view = lookup ? lookup.getView().getDefiningOp<ViewOp>() : ViewOp();
    return view && (!written.contains(view.getBase()) || ADZE_MUTANT("look-ahead-where-the-kernel-writes"));
  };
  llvm::SetVector<Operation *> needed;
  SmallVector<Value> work(load.getOffsets());
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!loop.getRegion().isAncestor(value.getParentRegion()) || value == loop.getInductionVar())
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || op->getNumRegions() || !(isPure(op) || isTable(op)) ||
        llvm::any_of(op->getResultTypes(), [](Type type) { return !type.isIntOrIndex(); }))
      return false;
    needed.insert(op);
    work.append(op->operand_begin(), op->operand_end());
  }
  addresses.insert(needed.begin(), needed.end());
  return true;
}

/// Rows, and columns that are rows in memory (values of a cache), get the swizzle under which those who copy and those
/// who read them meet in the fewest banks; a pack stays as it is.
LinearMap LoopPipeline::slotOrder(LoadOp load, const MemoryOrder &order, const LinearMap &threads) {
  RankedTensorType type = typeOf(load.getResult());
  auto view = load.getView().getDefiningOp<ViewOp>();
  LinearMap asInMemory;
  asInMemory.reg = order.bits;
  if (type.getRank() != 2 || view.getStorage() || order.bits.empty())
    return asInMemory;
  bool columns = order.bits[0] == Coord{1, 0, 0, 0};
  if (!columns && order.bits[0] != Coord{0, 1, 0, 0})
    return asInMemory;
  auto turned = [&](const LinearMap &map) { return columns ? map.transposed() : map; };
  SmallVector<LinearMap> readers;
  for (Operation *user : load->getUsers()) {
    Type wanted = isa<ConvertLayoutOp>(user) ? user->getResult(0).getType() : Type(type);
    if (std::optional<LinearMap> layout = regsOf(wanted))
      readers.push_back(turned(*layout));
  }
  auto choice = chooseSwizzle(type.getDimSize(columns), type.getDimSize(!columns), type.getElementTypeBitWidth(),
                              ArrayRef(turned(threads)), readers, {.loadMatrix = true, .storeMatrix = false});
  return choice ? turned(choice->storage) : asInMemory;
}

bool LoopPipeline::find(const llvm::DenseSet<Value> &written) {
  auto dots = loop.getBody()->getOps<DotOp>();
  // A product without matrix instructions reads rows of its own in shared memory.
  if (dots.empty() || llvm::any_of(dots, [](DotOp dot) { return !regsOf(dot.getA().getType()); }))
    return false;
  if (std::optional<llvm::APInt> trips = loop.getStaticTripCount())
    stages = unsigned(std::min<uint64_t>(stages, trips->getZExtValue()));
  if (stages < 2)
    return false;
  for (LoadOp load : loop.getBody()->getOps<LoadOp>()) {
    auto view = load.getView().getDefiningOp<ViewOp>();
    RankedTensorType type = typeOf(load.getResult());
    unsigned bits = type.getElementTypeBitWidth();
    if (!view || written.contains(view.getBase()) || bits < 4 || !isKnownAhead(load, written)) {
      ++kept;
      continue;
    }
    MemoryOrder order = memoryOrderOf(load);
    unsigned together = bitsTogether(load, order);
    if (bits << together < kLeastCopied) {
      ++kept;
      continue;
    }
    // Whole pieces even where that leaves threads without one: few threads copy much rather than all of them little.
    LinearMap threads = piecesOver(order, together, warpBits);
    int64_t bytes = type.getNumElements() * bits / 8;
    copied.push_back({load, threads, slotOrder(load, order, threads), bytes});
  }
  return !copied.empty();
}

LogicalResult LoopPipeline::checkMemory(StringRef target) {
  int64_t slot = 0;
  for (const Copied &copy : copied)
    slot += int64_t(llvm::alignTo(copy.bytes, kSharedAlignment));
  if (slot * stages > gpu.sharedBytes)
    return loop.emitOpError("copies into ")
           << stages << " slots of " << slot << " bytes each, " << slot * stages
           << " bytes of shared memory; a block of " << target << " has " << gpu.sharedBytes
           << "; fewer stages or smaller tiles in its schedule need less";
  return success();
}

/// The copies of the iteration whose counter is given.
void LoopPipeline::put(OpBuilder &b, Value counter, Value slot) {
  IRMapping ahead;
  ahead.map(loop.getInductionVar(), counter);
  for (Operation &op : *loop.getBody())
    if (addresses.contains(&op))
      b.clone(op, ahead);
  for (auto [field, copy] : llvm::enumerate(copied)) {
    SmallVector<Value> offsets;
    for (Value offset : copy.load.getOffsets())
      offsets.push_back(ahead.lookupOrDefault(offset));
    PutOp::create(b, copy.load.getLoc(), ring, slot, field, copy.load.getView(), offsets, copy.load.getDimsAttr(),
                  copy.load.getInBoundsAttr(), RegsAttr::get(b.getContext(), copy.threads.str()));
  }
}

void LoopPipeline::putIf(OpBuilder &b, Value counter, Value slot) {
  Location loc = loop.getLoc();
  Value more = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, counter, loop.getUpperBound());
  if (matchPattern(more, m_One()))
    return put(b, counter, slot);
  auto branch = scf::IfOp::create(b, loc, more);
  OpBuilder inside(branch.thenBlock()->getTerminator());
  put(inside, counter, slot);
}

void LoopPipeline::rewrite() {
  Location loc = loop.getLoc();
  IRRewriter b(loop);
  auto index = [&](OpBuilder &at, int64_t value) -> Value { return arith::ConstantIndexOp::create(at, loc, value); };
  auto after = [&](OpBuilder &at, Value counter, int64_t iterations) -> Value {
    Value distance = at.createOrFold<arith::MulIOp>(loc, loop.getStep(), index(at, iterations));
    return at.createOrFold<arith::AddIOp>(loc, counter, distance);
  };
  SmallVector<Type> fields;
  for (Copied &copy : copied) {
    RankedTensorType type = typeOf(copy.load.getResult());
    fields.push_back(RankedTensorType::get(type.getShape(), type.getElementType(),
                                           SharedOrderAttr::get(b.getContext(), copy.order.str())));
  }
  ring = RingOp::create(b, loc, RingType::get(b.getContext(), stages, fields));
  for (unsigned i = 0; i + 1 < stages; ++i) {
    putIf(b, after(b, loop.getLowerBound(), i), index(b, i));
    CommitOp::create(b, loc);
  }

  // Two numbers go round with the loop: this iteration's slot, and the one before, which is free now.
  SmallVector<Value> first{index(b, 0), index(b, stages - 1)};
  auto next = [&](OpBuilder &at, Location, ArrayRef<BlockArgument> carried) -> SmallVector<Value> {
    Value slot = arith::AddIOp::create(at, loc, carried[0], index(at, 1));
    Value last = arith::CmpIOp::create(at, loc, arith::CmpIPredicate::eq, slot, index(at, stages));
    return {arith::SelectOp::create(at, loc, last, index(at, 0), slot), carried[0]};
  };
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(b, first, /*replaceInitOperandUsesInLoop=*/false, next));
  Value slot = loop.getRegionIterArgs().drop_back().back(), free = loop.getRegionIterArgs().back();

  b.setInsertionPointToStart(loop.getBody());
  WaitOp::create(b, loc, stages - 2);
  Value counter = after(b, loop.getInductionVar(), stages - 1);
  putIf(b, counter, ADZE_MUTANT("copy-into-the-slot-in-use") ? slot : free);
  CommitOp::create(b, loc);
  for (auto [field, copy] : llvm::enumerate(copied)) {
    b.setInsertionPoint(copy.load);
    Location at = copy.load.getLoc();
    Value tile = GetOp::create(b, at, fields[field], ring, slot, field);
    for (Operation *user : llvm::make_early_inc_range(copy.load->getUsers()))
      if (auto convert = dyn_cast<ConvertLayoutOp>(user); convert && regsOf(convert.getResult().getType()))
        convert.getValueMutable().set(tile);
    if (!copy.load->use_empty())
      copy.load.getResult().replaceAllUsesWith(
          ConvertLayoutOp::create(b, at, copy.load.getResult().getType(), tile).getResult());
    copy.load.erase();
  }
}

struct PipelineLoads : impl::TilePipelineLoadsPassBase<PipelineLoads> {
  using TilePipelineLoadsPassBase::TilePipelineLoadsPassBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(kKernelAttr) && failed(pipeline(kernel)))
        return signalPassFailure();
  }

  LogicalResult pipeline(func::FuncOp kernel) {
    auto threads = kernel->getAttrOfType<IntegerAttr>(kThreadsAttr);
    auto made = kernel->getAttrOfType<StringAttr>(kTargetAttr);
    auto schedule = kernel->getAttrOfType<DictionaryAttr>(kScheduleAttr);
    auto stages = schedule ? schedule.getAs<IntegerAttr>("stages") : IntegerAttr();
    const TargetInfo *info = made ? findTarget(made.getValue()) : nullptr;
    if (!threads || !info || !info->gpu() || !stages || stages.getInt() < 2)
      return success();
    if (stages.getInt() > int64_t(kMostStages))
      return kernel.emitOpError("asks for ")
             << stages.getInt() << " stages of copies in its schedule; 1 to " << kMostStages << " are accepted";
    llvm::DenseSet<Value> written;
    kernel.walk([&](StoreOp store) {
      if (auto view = store.getView().getDefiningOp<ViewOp>())
        written.insert(view.getBase());
    });
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    unsigned warpBits = std::countr_zero(uint64_t(threads.getInt() / info->gpu()->warpLanes));
    for (scf::ForOp loop : loops) {
      LoopPipeline pipeline(loop, unsigned(stages.getInt()), *info->gpu(), warpBits);
      bool fires = pipeline.find(written);
      keptCount += pipeline.kept;
      if (!fires)
        continue;
      if (failed(pipeline.checkMemory(made.getValue())))
        return failure();
      copiedCount += pipeline.copied.size();
      ++loopCount;
      pipeline.rewrite();
    }
    return success();
  }
};

} // namespace
} // namespace adze::tile
