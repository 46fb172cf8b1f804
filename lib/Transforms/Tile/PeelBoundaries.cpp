#include "Axes.h"
#include "SinkConstants.h"
#include "adze/Transforms/Tile/Passes.h"

#include "adze/Support/Mutant.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace adze::tile {
#define GEN_PASS_DEF_TILEPEELBOUNDARIESPASS
#include "adze/Transforms/Tile/Passes.h.inc"

namespace {

/// A rest of a run-time extent runs in tiles of this size before it runs by 1: a batch of eight tokens must not pay for
/// sixteen rows, nor eight times for one.
constexpr int64_t kRestTile = 4;

std::optional<int64_t> constantOf(Value value) {
  IntegerAttr attribute;
  if (matchPattern(value, m_Constant(&attribute)))
    return attribute.getInt();
  return std::nullopt;
}

/// Whether a run-time extent was made as a multiple of the tile.
bool isMultiple(Value extent, int64_t size) {
  auto product = extent.getDefiningOp<arith::MulIOp>();
  if (!product)
    return false;
  for (Value factor : product->getOperands())
    if (std::optional<int64_t> fixed = constantOf(factor); fixed && *fixed % size == 0)
      return true;
  return false;
}

/// origin, or origin + something.
bool startsAt(Value offset, Value origin) {
  // Sums share parts: each is looked at once.
  llvm::SmallDenseSet<Value> seen;
  SmallVector<Value> work{offset};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (value == origin)
      return true;
    if (auto sum = value.getDefiningOp<arith::AddIOp>(); sum && seen.insert(value).second)
      work.append({sum.getLhs(), sum.getRhs()});
  }
  return false;
}

/// A load or store, by its parts.
struct MemoryOp {
  Operation *op;
  ViewOp view;
  Value tile;
  OperandRange offsets;
  SmallVector<int64_t> dims; ///< view dimension of each tile dimension

  template <class Op> static MemoryOp make(Op op, Value tile) {
    int64_t rank = cast<RankedTensorType>(tile.getType()).getRank(), lead = op.getOffsets().size() - rank;
    SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(lead, lead + rank));
    if (op.getDims())
      dims.assign(op.getDims()->begin(), op.getDims()->end());
    return {op, op.getView().template getDefiningOp<ViewOp>(), tile, op.getOffsets(), dims};
  }
};

void forEachMemoryOp(GridOp grid, llvm::function_ref<void(MemoryOp)> body) {
  grid.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      body(MemoryOp::make(load, load.getResult()));
    else if (auto store = dyn_cast<StoreOp>(op))
      body(MemoryOp::make(store, store.getValue()));
  });
}

/// Axes of the grid that follow dimension `dim`; empty when a tile along it has another size than the grid's.
std::optional<llvm::DenseSet<unsigned>> axesOf(GridOp grid, unsigned dim, Axes &axes) {
  Value origin = grid.getBody().getArgument(dim);
  int64_t size = grid.getTile()[dim];
  llvm::DenseSet<unsigned> found;
  bool whole = true;
  forEachMemoryOp(grid, [&](MemoryOp access) {
    for (auto [tileDim, viewDim] : llvm::enumerate(access.dims))
      if (startsAt(access.offsets[viewDim], origin))
        found.insert(axes.of(access.tile, tileDim));
  });
  for (Value tile : axes.tiles())
    for (auto [d, extent] : llvm::enumerate(cast<RankedTensorType>(tile.getType()).getShape()))
      whole &= !found.contains(axes.of(tile, d)) || extent == size;
  // A sum over the dimension itself does not care for its size; a piece of it does, and so does another shape.
  grid.walk([&](ReshapeOp reshape) {
    for (Value tile : {Value(reshape.getValue()), Value(reshape.getResult())})
      for (int64_t d = 0; d < cast<RankedTensorType>(tile.getType()).getRank(); ++d)
        whole &= !found.contains(axes.of(tile, d));
  });
  grid.walk([&](ExtractOp piece) {
    for (auto [d, extent] : llvm::enumerate(piece.getValue().getType().getShape()))
      whole &= !found.contains(axes.of(piece.getValue(), d)) || extent == piece.getResult().getType().getDimSize(d);
  });
  if (!whole)
    return std::nullopt;
  return found;
}

void markInBounds(GridOp grid, unsigned dim) {
  Value origin = grid.getBody().getArgument(dim), extent = grid.getExtents()[dim];
  forEachMemoryOp(grid, [&](MemoryOp access) {
    if (!access.view)
      return;
    for (auto [d, offset] : llvm::enumerate(access.offsets)) {
      Value limit = access.view.getExtents()[d];
      std::optional<int64_t> fixed = constantOf(limit), own = constantOf(extent);
      if (offset != origin || !(limit == extent || (fixed && own && *own <= *fixed)))
        continue;
      // The tile along this dimension must be the grid's, or one row of it.
      const auto *place = llvm::find(access.dims, int64_t(d));
      if (place != access.dims.end()) {
        auto type = cast<RankedTensorType>(access.tile.getType());
        if (type.getDimSize(place - access.dims.begin()) > grid.getTile()[dim])
          continue;
      }
      auto old = access.op->getAttrOfType<DenseI64ArrayAttr>("in_bounds");
      SmallVector<int64_t> list(old ? old.asArrayRef() : ArrayRef<int64_t>());
      if (!llvm::is_contained(list, int64_t(d)))
        list.push_back(d);
      access.op->setAttr("in_bounds", DenseI64ArrayAttr::get(grid.getContext(), list));
    }
  });
}

/// Gives every tile along `dim` the size `size`, and the grid too.
void resize(GridOp grid, unsigned dim, int64_t size) {
  Axes axes(grid.getBody(), /*tieDepth=*/true);
  llvm::DenseSet<unsigned> found = *axesOf(grid, dim, axes);
  for (Value tile : axes.tiles()) {
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [d, extent] : llvm::enumerate(shape))
      if (found.contains(axes.of(tile, d)))
        extent = size;
    auto sized = RankedTensorType::get(shape, type.getElementType(), type.getEncoding());
    if (sized == type)
      continue;
    tile.setType(sized);
    if (auto constant = tile.getDefiningOp<arith::ConstantOp>())
      constant.setValueAttr(
          DenseElementsAttr::get(sized, cast<DenseElementsAttr>(constant.getValue()).getSplatValue<Attribute>()));
  }
  SmallVector<int64_t> tile(grid.getTile());
  tile[dim] = size;
  grid.setTile(tile);
}

struct PeelBoundaries : impl::TilePeelBoundariesPassBase<PeelBoundaries> {
  void runOnOperation() override {
    SmallVector<GridOp> grids;
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(kKernelAttr))
        for (auto grid : kernel.getOps<GridOp>())
          grids.push_back(grid);
    for (GridOp grid : grids) {
      sinkConstants(grid.getBody());
      peel(grid, 0);
    }
  }

  bool mayResize(GridOp grid, unsigned dim) {
    bool splats = true;
    grid.walk([&](arith::ConstantOp constant) {
      if (auto dense = dyn_cast<DenseElementsAttr>(constant.getValue()))
        splats &= dense.isSplat();
    });
    Axes axes(grid.getBody(), true);
    return splats && axesOf(grid, dim, axes).has_value();
  }

  /// A dimension of one tile: its origin is known, whatever divides its size.
  void startAtZero(GridOp grid, unsigned dim) {
    OpBuilder builder = OpBuilder::atBlockBegin(&grid.getBody().front());
    grid.getBody().getArgument(dim).replaceAllUsesWith(
        arith::ConstantIndexOp::create(builder, grid.getLoc(), 0).getResult());
  }

  void peel(GridOp grid, unsigned dim) {
    if (dim == grid.getTile().size())
      return;
    Value extent = grid.getExtents()[dim];
    int64_t size = grid.getTile()[dim];
    std::optional<int64_t> fixed = constantOf(extent);
    if (size == 1 || (fixed && *fixed % size == 0) || isMultiple(extent, size)) {
      markInBounds(grid, dim);
      if (fixed == size)
        startAtZero(grid, dim);
      return peel(grid, dim + 1);
    }
    if (!mayResize(grid, dim)) {
      ++keptCount;
      return peel(grid, dim + 1);
    }
    markInBounds(grid, dim);
    if (fixed && *fixed < size) {
      resize(grid, dim, *fixed);
      startAtZero(grid, dim);
      return peel(grid, dim + 1);
    }
    ++peeledCount;
    OpBuilder builder(grid);
    Location loc = grid.getLoc();
    Value step = arith::ConstantIndexOp::create(builder, loc, size);
    Value left = fixed ? Value(arith::ConstantIndexOp::create(builder, loc, *fixed % size))
                       : Value(arith::RemUIOp::create(builder, loc, extent, step));
    Value whole = fixed ? Value(arith::ConstantIndexOp::create(builder, loc, *fixed - *fixed % size))
                        : Value(arith::SubIOp::create(builder, loc, extent, left));
    builder.setInsertionPointAfter(grid);
    auto rest = cast<GridOp>(builder.clone(*grid));
    grid.getExtentsMutable()[dim].set(whole);
    rest.getExtentsMutable()[dim].set(left);
    int64_t restSize = fixed ? *fixed % size : size > kRestTile ? kRestTile : 1;
    resize(rest, dim, restSize);
    if (ADZE_MUTANT("start-rest-at-zero"))
      whole = arith::ConstantIndexOp::create(builder, loc, 0);
    BlockArgument origin = rest.getBody().getArgument(dim);
    builder.setInsertionPointToStart(&rest.getBody().front());
    if (fixed) { // a single tile
      origin.replaceAllUsesWith(whole);
    } else {
      auto moved = arith::AddIOp::create(builder, loc, origin, whole);
      origin.replaceAllUsesExcept(moved, moved);
    }
    peel(grid, dim + 1);
    peel(rest, !fixed && restSize > 1 ? dim : dim + 1);
  }
};

} // namespace
} // namespace adze::tile
