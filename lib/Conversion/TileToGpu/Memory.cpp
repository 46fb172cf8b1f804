// Loads, stores and look-ups: which registers move together, where they lie, and which of them exist.
//
// Everything that a register bit adds to an address is a constant but for strides that are known at run time only. Bits
// that add 1, 2, 4, .. elements move as one vector of up to 16 bytes, as far as every other part of the address keeps
// the alignment. What lies outside the extents is read from the view's first element instead, and replaced by zero: no
// branch, and no address outside the memory.
#include "ThreadEmitter.h"
#include "adze/Dialect/Tile/IR/KnownDivisor.h"

#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;
using namespace adze::tile;

static constexpr int64_t kAligned = 64; ///< bytes, of every pointer argument

/// Numbers of a module may be any: this wraps around and does not overflow.
static int64_t product(int64_t x, int64_t y) { return int64_t(uint64_t(x) * uint64_t(y)); }

void ThreadEmitter::defineView(ViewOp op) {
  ViewState state;
  state.element = op.getResult().getType().getElementType();
  if (int64_t offset = op.getOffset())
    state.aligned = std::min(kAligned, lowestBit(offset));
  state.overread = op.getOverread();
  state.readOnly = !storedPointers.contains(op.getBase());
  state.pointer = gep(scalars.lookup(op.getBase()), i64(int64_t(op.getOffset())));
  for (Value extent : op.getExtents())
    state.extents.push_back(scalars.lookup(extent));
  unsigned rank = state.extents.size();
  if (auto storage = op.getStorage()) {
    state.order = PackedOrder::make(storage->getBlock(), storage->getMap().str());
  } else if (auto strides = op.getStrides()) {
    for (int64_t stride : *strides)
      state.strides.push_back(index(stride));
  } else {
    state.strides.resize(rank);
    Value stride = index(1);
    for (unsigned d = rank; d-- > 0; stride = mul(stride, state.extents[d]))
      state.strides[d] = stride;
  }
  views[op.getResult()] = state;
}

/// A packed view: an offset's blocks, its place in the block, and what the tile's own bits add.
bool ThreadEmitter::addPacked(Operation *op, const ViewState &view, ValueRange offsets, ArrayRef<unsigned> dims,
                              RankedTensorType tile, const LinearMap &layout, Access &access, int64_t &alignment) {
  const PackedOrder &order = *view.order;
  unsigned rank = offsets.size();
  SmallVector<Value> blockStride(rank);
  Value stride = i64(order.blockElements());
  for (unsigned d = rank; d-- > 0;) {
    blockStride[d] = stride;
    Value blocks = b.createOrFold<arith::DivUIOp>(loc, add(toI64(view.extents[d]), i64(order.block()[d] - 1)),
                                                  i64(order.block()[d]));
    stride = mul(stride, blocks);
  }
  auto sizeAlong = [&](unsigned d) {
    const auto *place = llvm::find(dims, d);
    return place == dims.end() ? 1 : tile.getDimSize(place - dims.begin());
  };
  alignment = std::min(alignment, order.blockElements());
  for (unsigned d = 0; d < rank; ++d) {
    int64_t block = order.block()[d], known = std::min(block, knownDivisor(offsets[d]));
    Value offset = toI64(scalars.lookup(offsets[d]));
    Value number = b.createOrFold<arith::DivUIOp>(loc, offset, i64(block));
    access.elements = add(access.elements, mul(number, blockStride[d]));
    if (known == block)
      continue;
    if (sizeAlong(d) > known) {
      refuse(op, "the offset along dimension " + Twine(d) + " of packed memory is a multiple of " + Twine(known) +
                     " alone; the tile needs a multiple of " + Twine(std::min(block, sizeAlong(d))));
      return false;
    }
    for (auto [bit, basis] : llvm::enumerate(order.map().reg)) {
      if (basis[d] < known)
        continue;
      Value set =
          b.createOrFold<arith::AndIOp>(loc, b.createOrFold<arith::DivUIOp>(loc, offset, i64(basis[d])), i64(1));
      access.elements = add(access.elements, mul(set, i64(int64_t(1) << bit)));
      alignment = std::min(alignment, int64_t(1) << bit);
    }
  }
  // What one bit of the tile's coordinate adds: a bit of the address inside a block, or whole blocks.
  auto ofBasis = [&](const Coord &basis) -> std::pair<int64_t, Value> {
    for (auto [dim, step] : llvm::enumerate(basis)) {
      if (!step)
        continue;
      unsigned along = dims[dim];
      if (step >= order.block()[along]) {
        Value blocks = mul(i64(step / order.block()[along]), blockStride[along]);
        if (std::optional<int64_t> fixed = constantOf(blocks))
          return {*fixed, Value()};
        return {0, blocks};
      }
      for (auto [bit, packed] : llvm::enumerate(order.map().reg))
        if (packed[along] == step)
          return {int64_t(1) << bit, Value()};
    }
    return {0, Value()};
  };
  unsigned bit = 0;
  for (const std::vector<Coord> *group : {&layout.lane, &layout.warp})
    for (const Coord &basis : *group) {
      auto [fixed, more] = ofBasis(basis);
      if (fixed || more)
        access.elements = add(access.elements, mul(toI64(threadBit(bit)), more ? more : i64(fixed)));
      if (fixed)
        alignment = std::min(alignment, lowestBit(fixed));
      ++bit;
    }
  for (const Coord &basis : layout.reg) {
    auto [fixed, more] = ofBasis(basis);
    access.ofRegister.push_back(fixed);
    access.more.push_back(more);
  }
  return true;
}

std::optional<ThreadEmitter::Access> ThreadEmitter::makeAccess(Operation *op, Value viewValue, ValueRange offsets,
                                                               RankedTensorType tile,
                                                               std::optional<ArrayRef<int64_t>> dimsAttr,
                                                               std::optional<ArrayRef<int64_t>> inBounds,
                                                               bool mayOverread) {
  auto found = views.find(viewValue);
  std::optional<LinearMap> layout = layoutOf(op, tile);
  if (found == views.end() || !layout) {
    if (layout)
      refuse(op, "its view is made somewhere else");
    return std::nullopt;
  }
  const ViewState &view = found->second;
  unsigned rank = offsets.size(), tileRank = tile.getRank();
  SmallVector<unsigned> dims;
  for (unsigned d = 0; d < tileRank; ++d)
    dims.push_back(dimsAttr ? (*dimsAttr)[d] : rank - tileRank + d);

  Access access;
  access.pointer = view.pointer;
  access.element = tile.getElementType();
  access.bits = access.element.getIntOrFloatBitWidth();
  access.readOnly = view.readOnly;
  access.elements = i64(0);
  int64_t alignment = view.aligned * 8 / access.bits; // elements
  if (view.order) {
    if (!addPacked(op, view, offsets, dims, tile, *layout, access, alignment))
      return std::nullopt;
  } else {
    for (unsigned d = 0; d < rank; ++d) {
      access.elements = add(access.elements, toI64(mul(scalars.lookup(offsets[d]), view.strides[d])));
      int64_t stride = constantOf(view.strides[d]).value_or(1);
      alignment = std::min(alignment, lowestBit(knownDivisor(offsets[d]) * lowestBit(stride)));
    }
    for (unsigned d = 0; d < tileRank; ++d)
      if (Value place = threadCoord(*layout, d)) {
        access.elements = add(access.elements, mul(toI64(place), toI64(view.strides[dims[d]])));
        int64_t stride = constantOf(view.strides[dims[d]]).value_or(1);
        for (const std::vector<Coord> *group : {&layout->lane, &layout->warp})
          for (const Coord &basis : *group)
            if (basis[d])
              alignment = std::min(alignment, lowestBit(product(basis[d], stride)));
      }
    for (const Coord &basis : layout->reg) {
      int64_t fixed = 0;
      Value more;
      for (unsigned d = 0; d < tileRank; ++d)
        if (basis[d]) {
          std::optional<int64_t> stride = constantOf(view.strides[dims[d]]);
          fixed = stride ? product(basis[d], *stride) : 0;
          more = stride ? Value() : mul(i64(basis[d]), toI64(view.strides[dims[d]]));
        }
      access.ofRegister.push_back(fixed);
      access.more.push_back(more);
    }
  }

  // Dimensions along which something may lie outside.
  SmallVector<unsigned> masked;
  for (unsigned d = 0; d < tileRank; ++d) {
    unsigned along = dims[d];
    if ((inBounds && llvm::is_contained(*inBounds, int64_t(along))) || (view.overread && mayOverread))
      continue;
    std::optional<int64_t> extent = constantOf(view.extents[along]), offset = constantOf(offsets[along]);
    if (int64_t size = tile.getDimSize(d); extent && offset && *extent >= size && *offset <= *extent - size)
      continue;
    if (ADZE_MUTANT("gpu-drop-mask"))
      continue;
    masked.push_back(d);
    Value left = b.createOrFold<arith::SubIOp>(loc, toI64(view.extents[along]), toI64(scalars.lookup(offsets[along])));
    Value place = threadCoord(*layout, d);
    access.bounds.push_back({d, b.createOrFold<arith::SubIOp>(loc, place ? toI64(place) : i64(0), left)});
  }
  // Registers that move together.
  auto mayJoin = [&](unsigned bit) {
    int64_t elements = int64_t(2) << access.vectorBits;
    if (elements * access.bits > 128 || access.more[bit] || access.ofRegister[bit] != elements / 2)
      return false;
    // All of a vector exists or nothing of it.
    for (unsigned d : masked)
      if (layout->reg[bit][d] &&
          std::min(knownDivisor(view.extents[dims[d]]), knownDivisor(offsets[dims[d]])) < elements)
        return false;
    return true;
  };
  for (bool more = true; more;) {
    more = false;
    for (unsigned bit = 0; bit < layout->reg.size() && !more; ++bit)
      if (mayJoin(bit)) {
        access.vector.push_back(bit);
        ++access.vectorBits;
        more = true;
      }
  }
  // The rest of the address must keep the vector whole.
  for (unsigned bit = 0; bit < layout->reg.size(); ++bit)
    if (!llvm::is_contained(access.vector, bit)) {
      if (access.more[bit])
        alignment = 1;
      else if (access.ofRegister[bit])
        alignment = std::min(alignment, lowestBit(access.ofRegister[bit]));
    }
  while (access.vectorBits && int64_t(1) << access.vectorBits > alignment) {
    access.vector.pop_back();
    --access.vectorBits;
  }
  return access;
}

/// i1 for a register; null where it always exists.
Value ThreadEmitter::condition(const Access &access, const Coord &coord) {
  Value all;
  for (const Access::Bound &bound : access.bounds) {
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, bound.place, i64(-coord[bound.dim]));
    all = all ? Value(arith::AndIOp::create(b, loc, all, inside)) : inside;
  }
  return all;
}

/// Elements from the view's start to a register, i64.
Value ThreadEmitter::addressOf(const Access &access, uint64_t reg) {
  int64_t fixed = 0;
  Value elements = access.elements;
  for (size_t i = 0; i < access.ofRegister.size(); ++i)
    if (reg >> i & 1) {
      fixed = int64_t(uint64_t(fixed) + uint64_t(access.ofRegister[i]));
      if (access.more[i])
        elements = add(elements, access.more[i]);
    }
  return fixed ? add(elements, i64(fixed)) : elements;
}

/// The registers of a vector, by place: bits of `place` go to the access's vector bits.
static uint64_t registerAt(ArrayRef<unsigned> vector, uint64_t first, unsigned place) {
  for (auto [i, bit] : llvm::enumerate(vector))
    first |= uint64_t(place >> i & 1) << bit;
  return first;
}

static uint64_t maskOf(ArrayRef<unsigned> vector) {
  uint64_t mask = 0;
  for (unsigned bit : vector)
    mask |= uint64_t(1) << bit;
  return mask;
}

void ThreadEmitter::load(LoadOp op) {
  RankedTensorType tile = op.getResult().getType();
  std::optional<Access> access =
      makeAccess(op, op.getView(), op.getOffsets(), tile, op.getDims(), op.getInBounds(), /*mayOverread=*/true);
  if (!access)
    return;
  LinearMap layout = *layoutOf(op, tile);
  unsigned count = 1u << access->vectorBits, bits = access->bits;
  bool codes = bits == 4;
  Type element = registerType(access->element);
  Type raw = movedType(element);
  Registers made(size_t(1) << layout.reg.size());
  for (uint64_t reg = 0; reg < made.size(); ++reg) {
    if (reg & maskOf(access->vector))
      continue;
    Value exists = condition(*access, coordOf(layout, reg));
    Value place = addressOf(*access, reg);
    Value bytes = codes ? Value(arith::ShRUIOp::create(b, loc, place, i64(1))) : mul(place, i64(bits / 8));
    Value pointer = gep(access->pointer, bytes);
    if (exists)
      pointer = arith::SelectOp::create(b, loc, exists, pointer, access->pointer);
    SmallVector<Value> values;
    if (codes) {
      // Two codes in a byte; a word of up to eight, or several words.
      unsigned wordBits = std::clamp(4 * count, 8u, 32u), words = std::max(1u, count / 8);
      Type word = b.getIntegerType(wordBits);
      Value loaded = words > 1 ? loadRaw(VectorType::get({words}, word), pointer, 4 * words, access->readOnly)
                               : loadRaw(word, pointer, wordBits / 8, access->readOnly);
      for (unsigned i = 0; i < count; ++i) {
        Value bitsOf = words > 1 ? extract(loaded, i / 8) : loaded;
        Value shift = constant(word, 4 * (i % 8));
        if (count == 1) {
          Value odd = arith::TruncIOp::create(b, loc, word, arith::AndIOp::create(b, loc, place, i64(1)));
          shift = arith::ShLIOp::create(b, loc, odd, constant(word, 2));
        }
        Value code = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, bitsOf, shift), constant(word, 15));
        values.push_back(wordBits > 8 ? Value(arith::TruncIOp::create(b, loc, element, code)) : code);
      }
    } else if (count > 1) {
      Value loaded = loadRaw(VectorType::get({count}, raw), pointer, count * bits / 8, access->readOnly);
      for (unsigned i = 0; i < count; ++i)
        values.push_back(extract(loaded, i));
    } else {
      values.push_back(loadRaw(raw, pointer, std::max(1u, bits / 8), access->readOnly));
    }
    for (unsigned i = 0; i < count; ++i) {
      Value value = values[i];
      if (exists)
        value = arith::SelectOp::create(b, loc, exists, value, constant(raw, 0));
      value = bitcast(value, element);
      made[registerAt(access->vector, reg, i)] = value;
    }
  }
  tiles[op.getResult()] = made;
}

void ThreadEmitter::store(StoreOp op) {
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  std::optional<Access> access =
      makeAccess(op, op.getView(), op.getOffsets(), tile, op.getDims(), op.getInBounds(), /*mayOverread=*/false);
  if (!access)
    return;
  if (access->bits < 8) {
    refuse(op, "elements of fewer than 8 bits are read only");
    return;
  }
  LinearMap layout = *layoutOf(op, tile);
  const Registers &registers = tiles[op.getValue()];
  // Of threads that hold the same elements the first writes them.
  uint32_t copies = 0;
  unsigned bit = 0;
  for (const std::vector<Coord> *group : {&layout.lane, &layout.warp})
    for (const Coord &basis : *group)
      copies |= uint32_t(basis == Coord{}) << bit++;
  Value first;
  if (copies)
    first = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, arith::AndIOp::create(b, loc, thread, i32(copies)),
                                  i32(0));
  unsigned count = 1u << access->vectorBits;
  for (uint64_t reg = 0; reg < registers.size(); ++reg) {
    if (reg & maskOf(access->vector))
      continue;
    Value when = condition(*access, coordOf(layout, reg));
    if (first)
      when = when ? Value(arith::AndIOp::create(b, loc, when, first)) : first;
    OpBuilder::InsertionGuard guard(b);
    if (when) {
      auto branch = scf::IfOp::create(b, loc, when);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    Value pointer = gep(access->pointer, mul(addressOf(*access, reg), i64(access->bits / 8)));
    SmallVector<Value> values;
    for (unsigned i = 0; i < count; ++i)
      values.push_back(registers[registerAt(access->vector, reg, i)]);
    Value moved = count > 1 ? vectorOf(values) : bitcast(values[0], movedType(values[0].getType()));
    storeRaw(moved, pointer, count * access->bits / 8);
  }
}

Value ThreadEmitter::lookup(LookupOp op) {
  const ViewState &view = views[op.getView()];
  if (view.order || !view.pointer) {
    refuse(op, "tables lie in rows");
    return index(0);
  }
  Value elements = i64(0);
  for (auto [offset, stride] : llvm::zip(op.getOffsets(), view.strides))
    elements = add(elements, toI64(mul(scalars.lookup(offset), stride)));
  unsigned bytes = view.element.getIntOrFloatBitWidth() / 8;
  Value number = loadRaw(view.element, gep(view.pointer, mul(elements, i64(bytes))), bytes, view.readOnly);
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
}
