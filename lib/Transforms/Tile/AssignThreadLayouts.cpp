#include "MemoryOrders.h"
#include "SinkConstants.h"
#include "TileClasses.h"
#include "adze/Layout/ConversionPlan.h"
#include "adze/Layout/MmaLayouts.h"
#include "adze/Support/Mutant.h"
#include "adze/Target/TargetInfo.h"
#include "adze/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <bit>

using namespace mlir;

namespace adze::tile {
#define GEN_PASS_DEF_TILEASSIGNTHREADLAYOUTSPASS
#include "adze/Transforms/Tile/Passes.h.inc"

namespace {

constexpr int64_t kDefaultWarps = 4;
/// Clocks of a multiprocessor for a sector of 32 bytes from global memory, on the scale of ConversionPlan.h.
constexpr double kSectorCost = 4;

RankedTensorType typeOf(Value tile) { return cast<RankedTensorType>(tile.getType()); }
unsigned bitsOf(Type element) { return std::max(8u, element.getIntOrFloatBitWidth()); }

RankedTensorType withLayout(RankedTensorType type, const LinearMap &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), RegsAttr::get(type.getContext(), layout.str()));
}

/// What a matrix instruction calls the type of an operand; empty where none multiplies it as tile.dot defines it.
std::string_view instructionElement(Type type, bool isUnsigned) {
  if (type.isBF16())
    return "bf16";
  if (type.isInteger(8))
    return isUnsigned ? "u8" : "s8";
  return "";
}

class KernelLayouts {
public:
  KernelLayouts(func::FuncOp kernel, const GpuFacts &gpu, int64_t warps, bool copiesAhead)
      : kernel(kernel), gpu(gpu), warps(warps), copiesAhead(copiesAhead), warpBits(std::countr_zero(uint64_t(warps))) {}
  LogicalResult assign();
  unsigned tileCount = 0, conversionCount = 0;

private:
  LogicalResult checkShapes();
  bool chainsProducts();
  LogicalResult chooseDots();
  int64_t warpsAlongN(const MmaInstruction &row, int64_t m, int64_t n) const;
  void chooseOperand(Value operand, const std::optional<LinearMap> &wanted);
  bool isChangedBehindCopies(Value operand);
  void chooseRest();
  bool derive();
  void set(Value tile, const LinearMap &layout) { layouts.try_emplace(classes->of(tile), layout); }
  const LinearMap *find(Value tile) {
    auto found = layouts.find(classes->of(tile));
    return found == layouts.end() ? nullptr : &found->second;
  }
  void apply();
  void convertOperand(OpOperand &operand, RankedTensorType wanted);
  void convertResult(OpResult result, const LinearMap &made);

  func::FuncOp kernel;
  const GpuFacts &gpu;
  int64_t warps;
  bool copiesAhead; ///< loads of loops will come from shared memory
  unsigned warpBits;
  std::optional<TileClasses> classes;
  llvm::MapVector<Value, LinearMap> layouts;             ///< by class
  llvm::DenseMap<Value, SmallVector<LoadOp>> loads;      ///< by class
  llvm::MapVector<Operation *, MmaLayouts> instructions; ///< of dots that have one
};

LogicalResult KernelLayouts::checkShapes() {
  for (Value tile : classes->tiles()) {
    if (typeOf(tile).getRank() > int64_t(kMaxDims))
      return emitError(tile.getLoc(), "a tile of rank ") << typeOf(tile).getRank() << "; layouts have four dimensions";
    for (int64_t extent : typeOf(tile).getShape())
      if (!std::has_single_bit(uint64_t(extent)))
        return emitError(tile.getLoc(), "the tile ")
               << typeOf(tile) << " has an extent of " << extent
               << "; threads of a GPU share tiles whose extents are powers of two";
  }
  return success();
}

/// Whether a product's result, changed element by element, is the first operand of another one.
bool KernelLayouts::chainsProducts() {
  llvm::DenseSet<Value> results;
  kernel.walk([&](DotOp dot) { results.insert(classes->of(dot.getResult())); });
  bool chained = false;
  kernel.walk([&](DotOp dot) { chained |= results.contains(classes->of(dot.getA())); });
  return chained;
}

/// How many warps lie along n: so that each has the fewest rows of a and b to read for its outputs; of equals the most,
/// so that no weight is read twice.
int64_t KernelLayouts::warpsAlongN(const MmaInstruction &row, int64_t m, int64_t n) const {
  int64_t best = std::min(warps, n / row.n);
  for (int64_t alongN = best; alongN >= 1; alongN /= 2) {
    int64_t alongM = warps / alongN;
    if (alongM * row.m > m)
      break;
    if (m / alongM + n / alongN < m / (warps / best) + n / best)
      best = alongN;
  }
  return best;
}

/// A dot's result has the layout of its instruction. Where products are chained the warps lie along the rows: each then
/// has whole rows, from one product to the next.
LogicalResult KernelLayouts::chooseDots() {
  bool chained = chainsProducts();
  auto walk = kernel.walk([&](DotOp dot) -> WalkResult {
    RankedTensorType a = typeOf(dot.getA()), b = typeOf(dot.getB());
    int64_t m = a.getDimSize(0), n = b.getDimSize(0), k = a.getDimSize(1);
    std::string_view element = instructionElement(a.getElementType(), dot.getAUnsigned());
    const MatrixInstruction *has = element.empty() ? nullptr : gpu.matrix("mma", element);
    const MmaInstruction *row = has ? findMma("mma", element) : nullptr;
    if (row && a.getElementType() == b.getElementType() && dot.getAUnsigned() == dot.getBUnsigned() && m >= row->m &&
        n >= row->n && k >= row->k) {
      int64_t alongM = chained ? std::min(warps, m / row->m) : warps / warpsAlongN(*row, m, n);
      int64_t alongN = std::min(warps / alongM, n / row->n);
      std::string reason;
      auto all = mmaLayouts(*row, m, n, k, alongM, alongN, &reason);
      if (!all) {
        dot.emitOpError() << reason;
        return WalkResult::interrupt();
      }
      // Warps that neither dimension has room for do what others do.
      for (LinearMap *map : {&all->a, &*all->b, &all->d})
        map->warp.resize(warpBits);
      instructions[dot] = *all;
      set(dot.getResult(), all->d);
      return WalkResult::advance();
    }
    for (RankedTensorType type : {a, b})
      if (type.getElementType().isInteger(4)) {
        dot.emitOpError() << "of " << a << " and " << b
                          << " has no form for threads: codes of 4 bits are widened to bytes before";
        return WalkResult::interrupt();
      }
    set(dot.getResult(), squaresOver(m, n, warpBits));
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// Whether the operand's tiles, which loops load, are what shared memory holds with something done to them.
bool KernelLayouts::isChangedBehindCopies(Value operand) {
  Value all = classes->of(operand);
  if (!copiesAhead || llvm::any_of(loads[all], [](LoadOp load) { return !load->getParentOfType<scf::ForOp>(); }))
    return false;
  return llvm::any_of(classes->tiles(), [&](Value tile) {
    return classes->of(tile) == all && !isa_and_nonnull<LoadOp>(tile.getDefiningOp());
  });
}

/// An operand whose tiles come from memory is loaded as the instruction wants it where that costs no more than loading
/// it as it lies and converting.
void KernelLayouts::chooseOperand(Value operand, const std::optional<LinearMap> &wanted) {
  if (!wanted || find(operand))
    return;
  if (isa_and_nonnull<arith::ConstantOp>(operand.getDefiningOp())) // one value lies anywhere
    return set(operand, *wanted);
  const auto &sources = loads[classes->of(operand)];
  if (sources.empty())
    return;
  if (isChangedBehindCopies(operand))
    return set(operand, *wanted);
  double direct = 0, converted = 0;
  for (LoadOp load : sources) {
    unsigned bits = bitsOf(load.getResult().getType().getElementType());
    MemoryOrder order = memoryOrderOf(load);
    LinearMap asItLies = spreadOver(order, bits, warpBits);
    direct += kSectorCost * double(sectorsOf(*wanted, order, bits));
    converted += kSectorCost * double(sectorsOf(asItLies, order, bits));
    if (auto plan = planConversion(asItLies, *wanted, bits, {.shared = {true, gpu.storeMatrix}}))
      converted += plan->cost * double(warps);
  }
  if (direct <= converted)
    set(operand, *wanted);
}

/// Layouts that follow from a neighbour's through broadcasts, reductions, transposes and other shapes. True when one
/// was found.
bool KernelLayouts::derive() {
  bool found = false;
  auto follow = [&](Value tile, const LinearMap &layout) {
    if (find(tile))
      return;
    set(tile, layout);
    found = true;
  };
  kernel.walk([&](Operation *op) {
    if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      if (const LinearMap *layout = find(broadcast.getResult()))
        follow(broadcast.getValue(), reducedLayout(*layout, broadcast.getDim()));
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (const LinearMap *layout = find(reduce.getValue()))
        follow(reduce.getResult(), reducedLayout(*layout, reduce.getDim()));
    } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
      if (const LinearMap *layout = find(transpose.getValue()))
        follow(transpose.getResult(), layout->transposed());
      else if (const LinearMap *layout = find(transpose.getResult()))
        follow(transpose.getValue(), layout->transposed());
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      RankedTensorType from = typeOf(reshape.getValue()), to = typeOf(reshape.getResult());
      if (const LinearMap *layout = find(reshape.getResult()))
        follow(reshape.getValue(), *layout->reshaped(to.getShape(), from.getShape()));
      else if (const LinearMap *layout = find(reshape.getValue()))
        follow(reshape.getResult(), *layout->reshaped(from.getShape(), to.getShape()));
    }
  });
  return found;
}

/// Largest tiles first, as memory holds them; then what follows from them.
void KernelLayouts::chooseRest() {
  SmallVector<Value> order(classes->tiles());
  auto size = [](Value tile) { return typeOf(tile).getNumElements(); };
  llvm::stable_sort(order, [&](Value a, Value b) { return size(a) > size(b); });
  auto widest = [&](Value tile) {
    LoadOp best;
    for (LoadOp load : loads[classes->of(tile)])
      if (!best ||
          bitsOf(load.getResult().getType().getElementType()) > bitsOf(best.getResult().getType().getElementType()))
        best = load;
    return best;
  };
  for (bool fromMemory : {true, false})
    for (Value tile : order) {
      while (derive())
        ;
      if (find(tile))
        continue;
      LoadOp load = widest(tile);
      if (fromMemory && load) {
        set(tile, spreadOver(memoryOrderOf(load), bitsOf(load.getResult().getType().getElementType()), warpBits));
      } else if (!fromMemory) {
        SmallVector<unsigned> inner = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, typeOf(tile).getRank())));
        set(tile, spreadOver(plainOrder(typeOf(tile).getShape(), inner, true), bitsOf(typeOf(tile).getElementType()),
                             warpBits));
      }
    }
}

/// What stays the same in a loop (the queries of an attention) is converted once, before it.
void KernelLayouts::convertOperand(OpOperand &operand, RankedTensorType wanted) {
  Value value = operand.get();
  if (value.getType() == wanted)
    return;
  Operation *place = operand.getOwner();
  for (auto loop = place->getParentOfType<scf::ForOp>();
       loop && !loop.getRegion().isAncestor(value.getParentRegion()) && !ADZE_MUTANT("convert-in-each-iteration");
       loop = place->getParentOfType<scf::ForOp>())
    place = loop;
  if (place != operand.getOwner())
    for (Operation *user : value.getUsers())
      if (auto known = dyn_cast<ConvertLayoutOp>(user); known && known.getResult().getType() == wanted &&
                                                        known->getBlock() == place->getBlock() &&
                                                        known->isBeforeInBlock(place))
        return operand.set(known.getResult());
  OpBuilder builder(place);
  operand.set(ConvertLayoutOp::create(builder, operand.getOwner()->getLoc(), wanted, value));
  ++conversionCount;
}

/// The op gives `made`; whoever reads the result wants the layout of its class.
void KernelLayouts::convertResult(OpResult result, const LinearMap &made) {
  auto wanted = cast<RankedTensorType>(result.getType()), type = withLayout(wanted, made);
  if (type == wanted)
    return;
  result.setType(type);
  OpBuilder builder(result.getOwner()->getContext());
  builder.setInsertionPointAfter(result.getOwner());
  auto convert = ConvertLayoutOp::create(builder, result.getOwner()->getLoc(), wanted, result);
  result.replaceAllUsesExcept(convert.getResult(), convert);
  ++conversionCount;
}

void KernelLayouts::apply() {
  for (Value tile : classes->tiles()) {
    auto type = withLayout(typeOf(tile), *find(tile));
    tile.setType(type);
    ++tileCount;
    if (auto constant = tile.getDefiningOp<arith::ConstantOp>())
      if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(dense.reshape(type));
  }
  auto layoutOf = [](Value tile) { return *LinearMap::parse(cast<RegsAttr>(typeOf(tile).getEncoding()).getMap()); };
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    if (auto dot = dyn_cast<DotOp>(op)) {
      if (auto found = instructions.find(op); found != instructions.end()) {
        if (ADZE_MUTANT("leave-operands-as-they-lie"))
          continue;
        convertOperand(dot.getAMutable(), withLayout(typeOf(dot.getA()), found->second.a));
        convertOperand(dot.getBMutable(), withLayout(typeOf(dot.getB()), *found->second.b));
        continue;
      }
      for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()}) {
        RankedTensorType type = typeOf(operand->get());
        convertOperand(*operand, RankedTensorType::get(type.getShape(), type.getElementType(),
                                                       SharedAttr::get(type.getContext(), 0)));
      }
    } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
      convertOperand(
          broadcast.getValueMutable(),
          withLayout(typeOf(broadcast.getValue()), reducedLayout(layoutOf(broadcast.getResult()), broadcast.getDim())));
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      convertResult(cast<OpResult>(reduce.getResult()), reducedLayout(layoutOf(reduce.getValue()), reduce.getDim()));
    } else if (auto transpose = dyn_cast<TransposeOp>(op)) {
      convertResult(cast<OpResult>(transpose.getResult()), layoutOf(transpose.getValue()).transposed());
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      RankedTensorType from = typeOf(reshape.getValue()), to = typeOf(reshape.getResult());
      convertResult(cast<OpResult>(reshape.getResult()),
                    *layoutOf(reshape.getValue()).reshaped(from.getShape(), to.getShape()));
    }
  }
}

LogicalResult KernelLayouts::assign() {
  sinkConstants(kernel.getBody());
  classes.emplace(kernel.getBody());
  if (failed(checkShapes()))
    return failure();
  kernel.walk([&](LoadOp load) { loads[classes->of(load.getResult())].push_back(load); });
  if (failed(chooseDots()))
    return failure();
  for (auto &[op, layout] : instructions) {
    chooseOperand(cast<DotOp>(op).getA(), layout.a);
    chooseOperand(cast<DotOp>(op).getB(), layout.b);
  }
  chooseRest();
  apply();
  Builder builder(kernel.getContext());
  kernel->setAttr(kThreadsAttr, builder.getI64IntegerAttr(warps * gpu.warpLanes));
  return success();
}

struct AssignThreadLayouts : impl::TileAssignThreadLayoutsPassBase<AssignThreadLayouts> {
  using TileAssignThreadLayoutsPassBase::TileAssignThreadLayoutsPassBase;

  void runOnOperation() override {
    const TargetInfo *info = findTarget(target);
    if (!info || !info->gpu()) {
      getOperation().emitError("\"") << target << "\" is no GPU that kernels are made for: " << listOf(gpuTargetNames())
                                     << " are";
      return signalPassFailure();
    }
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(kKernelAttr) || kernel->hasAttr(kThreadsAttr))
        continue;
      int64_t warps = kDefaultWarps, stages = 1;
      if (auto schedule = kernel->getAttrOfType<DictionaryAttr>(kScheduleAttr))
        for (auto [name, number] : {std::pair("warps", &warps), std::pair("stages", &stages)})
          if (auto wanted = schedule.getAs<IntegerAttr>(name))
            *number = wanted.getInt();
      if (int64_t most = info->gpu()->threads / info->gpu()->warpLanes;
          warps < 1 || warps > most || !llvm::isPowerOf2_64(uint64_t(warps))) {
        kernel.emitOpError("has a schedule of ") << warps << " warps; a power of two up to " << most << " is accepted";
        return signalPassFailure();
      }
      KernelLayouts layouts(kernel, *info->gpu(), warps, stages > 1);
      if (failed(layouts.assign()))
        return signalPassFailure();
      kernel->setAttr(kTargetAttr, StringAttr::get(&getContext(), target));
      tileCount += layouts.tileCount;
      conversionCount += layouts.conversionCount;
    }
  }
};

} // namespace
} // namespace adze::tile
