// States of tiles: what is emitted at once, where it lives, and walking over registers.
#include "KernelEmitter.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::tile;

/// Registers up to this number stay SSA values; above, a tile has a buffer.
static constexpr int64_t kMaxRegisters = 64;
/// Registers up to this number are written out; above, there is a loop.
static constexpr int64_t kUnroll = 16;
/// Ops of a chain that is evaluated where it is asked for; above, its value is kept.
static constexpr unsigned kMaxLazyCost = 500;

int KernelEmitter::laneDim(Type type) {
  auto tile = cast<RankedTensorType>(type);
  auto regs = dyn_cast_or_null<RegsAttr>(tile.getEncoding());
  if (!regs)
    return tile.getRank() - 1;
  std::optional<LinearMap> map = LinearMap::parse(regs.getMap());
  if (map)
    for (const Coord &basis : map->lane)
      for (unsigned d = 0; d < kMaxDims; ++d)
        if (basis[d])
          return d;
  return -1;
}

int64_t KernelEmitter::registersOf(Type type) {
  int lane = laneDim(type);
  int64_t count = 1;
  for (auto [d, size] : llvm::enumerate(cast<RankedTensorType>(type).getShape()))
    count *= int(d) == lane ? llvm::divideCeil(size, lanes) : size;
  return count;
}

Type KernelEmitter::registerType(Type type, bool scalar) {
  Type element = getElementTypeOrSelf(type);
  return scalar || laneDim(type) < 0 ? element : Type(vectorOf(element));
}

/// Ops that move or repeat elements and compute nothing.
static bool isMovement(Operation *op) {
  return isa<BroadcastOp>(op) || isa<SplatOp>(op) || isa<IotaOp>(op) || isa<TransposeOp>(op) || isa<ExtractOp>(op) ||
         isa<ReshapeOp>(op) || isa<ConvertLayoutOp>(op) || isa<arith::ConstantOp>(op);
}

static bool isExpensive(Operation *op) {
  return isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(op) ||
         (op->getDialect()->getNamespace() == "math" && !isa<math::FmaOp>(op) && !isa<math::AbsFOp>(op));
}

/// Ops behind one register of a lazy tile; what already lives in registers or memory is free. A tile that is used twice
/// is counted twice, so counting stops above `limit`: else a chain of x + x would take for ever.
unsigned KernelEmitter::recomputeCost(Value value, unsigned limit) {
  Operation *op = value.getDefiningOp();
  auto state = tiles.find(value);
  if (!op || (state != tiles.end() && state->second.kind != TileState::Lazy))
    return 0;
  if (isa<LoadOp>(op))
    return 1;
  unsigned cost = isMovement(op) ? 0 : isExpensive(op) ? 10 : 1;
  for (Value operand : op->getOperands())
    if (isTile(operand) && cost <= limit)
      cost += recomputeCost(operand, limit - cost);
  return cost;
}

bool KernelEmitter::keepLazy(Value value) {
  Operation *op = value.getDefiningOp();
  for (OpOperand &use : value.getUses())
    if (auto dot = dyn_cast<DotOp>(use.getOwner()); dot && use.get() == dot.getA())
      return false;
  if (isMovement(op)) // behind a transpose or a piece, the whole chain would be emitted several times
    return isa<BroadcastOp>(op) || isa<SplatOp>(op) || isa<IotaOp>(op) || isa<arith::ConstantOp>(op) ||
           recomputeCost(value, 2) <= 2;
  if (recomputeCost(value, 2) <= 2)
    return true;
  // A lazy chain is evaluated by recursion.
  if (!value.hasOneUse() || recomputeCost(value, kMaxLazyCost) > kMaxLazyCost)
    return false;
  Operation *user = *value.getUsers().begin();
  return user->getBlock() == op->getBlock() && !isMovement(user);
}

void KernelEmitter::define(Value value) {
  if (keepLazy(value)) {
    tiles[value] = TileState();
    return;
  }
  bool scalarAccess = llvm::any_of(value.getUses(), [&](OpOperand &use) {
    auto dot = dyn_cast<DotOp>(use.getOwner());
    return dot && use.get() == dot.getA();
  });
  if (scalarAccess || registersOf(value.getType()) > kMaxRegisters)
    toBuffer(value);
  else
    toRegisters(value);
}

void KernelEmitter::toRegisters(Value value) {
  SmallVector<Value> registers;
  forEachStatic(value.getType(), [&](ArrayRef<At> at) { registers.push_back(get(value, at)); });
  setRegisters(value, registers);
}

void KernelEmitter::setRegisters(Value value, ArrayRef<Value> registers) {
  TileState state;
  state.kind = TileState::Registers;
  state.registers.assign(registers.begin(), registers.end());
  state.block = b.getInsertionBlock();
  state.after = b.getInsertionPoint() == state.block->begin() ? nullptr : &*std::prev(b.getInsertionPoint());
  tiles[value] = state;
}

Value KernelEmitter::toBuffer(Value value) {
  Type type = value.getType();
  Value buffer = allocate(type);
  tiles.try_emplace(value);
  forEachRegister(type, [&](ArrayRef<At> at) { writeBuffer(type, buffer, at, get(value, at)); });
  setBuffer(value, buffer);
  return buffer;
}

void KernelEmitter::setBuffer(Value value, Value buffer) {
  TileState state;
  state.kind = TileState::Buffer;
  state.buffer = buffer;
  tiles[value] = state;
}

void KernelEmitter::copyBuffer(Type tile, Value from, Value to) {
  forEachRegister(tile, [&](ArrayRef<At> at) { writeBuffer(tile, to, at, readBuffer(tile, from, at, false)); });
}

Value KernelEmitter::spill(Value value) {
  TileState &state = tiles[value];
  if (state.buffer)
    return state.buffer;
  Type type = value.getType();
  Value buffer = state.buffer = allocate(type);
  OpBuilder::InsertionGuard guard(b);
  if (state.after)
    b.setInsertionPointAfter(state.after);
  else
    b.setInsertionPointToStart(state.block);
  size_t number = 0;
  SmallVector<Value> registers = state.registers;
  forEachStatic(type, [&](ArrayRef<At> at) { writeBuffer(type, buffer, at, registers[number++]); });
  return buffer;
}

// ---------------------------------------------------------------- buffers
// Row-major with the lane dimension innermost and padded to whole registers.
static SmallVector<int64_t> bufferStrides(RankedTensorType tile, int lane, int64_t lanes, int64_t &total) {
  SmallVector<int64_t> strides(tile.getRank(), 1);
  total = 1;
  if (lane >= 0)
    total = ADZE_MUTANT("overlap-rows-of-buffers") ? lanes : llvm::divideCeil(tile.getDimSize(lane), lanes) * lanes;
  for (int d = tile.getRank() - 1; d >= 0; --d)
    if (d != lane) {
      strides[d] = total;
      total *= tile.getDimSize(d);
    }
  return strides;
}

Value KernelEmitter::allocate(Type type) {
  auto tile = cast<RankedTensorType>(type);
  int64_t total;
  bufferStrides(tile, laneDim(type), lanes, total);
  int64_t width = std::max<int64_t>(1, tile.getElementTypeBitWidth() / 8);
  // One register more than the tile: an unaligned piece at its end may be read as a whole register.
  return allocateBytes((total + lanes) * width);
}

Value KernelEmitter::allocateBytes(int64_t bytes) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&entryFunction.front());
  Value count = constant(b.getI64Type(), bytes);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value memory = LLVM::AllocaOp::create(b, loc, pointer, b.getI8Type(), count, 64);
  // A buffer is meant to be memory: a scalar is then one broadcasting load. Seen through, the optimiser would turn it
  // back into vectors and take each scalar out by shuffles.
  return LLVM::InlineAsmOp::create(b, loc, pointer, memory, "", "=r,0", /*has_side_effects=*/false,
                                   /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

Value KernelEmitter::bufferPointer(Type type, Value buffer, ArrayRef<At> at) {
  auto tile = cast<RankedTensorType>(type);
  int64_t total, width = std::max<int64_t>(1, tile.getElementTypeBitWidth() / 8), fixed = 0;
  SmallVector<int64_t> strides = bufferStrides(tile, laneDim(type), lanes, total);
  Value pointer = buffer;
  for (auto [coordinate, stride] : llvm::zip(at, strides)) {
    fixed += coordinate.fixed * stride * width;
    if (coordinate.dyn)
      pointer = gep(pointer, mul(coordinate.dyn, index(stride * width)));
  }
  return gep(pointer, fixed);
}

Value KernelEmitter::readBuffer(Type type, Value buffer, ArrayRef<At> at, bool scalar, int64_t width) {
  Type element = getElementTypeOrSelf(type), stored = element.isInteger(1) ? b.getI8Type() : element;
  bool vector = !scalar && laneDim(type) >= 0;
  Value value = loadRaw(vector ? Type(vectorOf(stored, width)) : stored, bufferPointer(type, buffer, at));
  if (stored != element)
    value = arith::TruncIOp::create(b, loc, vector ? Type(vectorOf(element, width)) : element, value);
  return value;
}

void KernelEmitter::writeBuffer(Type type, Value buffer, ArrayRef<At> at, Value value) {
  if (getElementTypeOrSelf(type).isInteger(1))
    value = arith::ExtUIOp::create(
        b, loc, isa<VectorType>(value.getType()) ? Type(vectorOf(b.getI8Type())) : b.getI8Type(), value);
  storeRaw(value, bufferPointer(type, buffer, at));
}

// ---------------------------------------------------------------- walking over registers
int64_t KernelEmitter::flatRegister(Type type, ArrayRef<At> at) {
  auto tile = cast<RankedTensorType>(type);
  int lane = laneDim(type);
  int64_t flat = 0;
  for (auto [d, coordinate] : llvm::enumerate(at)) {
    bool isLane = int(d) == lane;
    flat = flat * (isLane ? llvm::divideCeil(tile.getDimSize(d), lanes) : tile.getDimSize(d)) +
           (isLane ? coordinate.fixed / lanes : coordinate.fixed);
  }
  return flat;
}

void KernelEmitter::forEachStatic(Type type, llvm::function_ref<void(ArrayRef<At>)> body) {
  auto tile = cast<RankedTensorType>(type);
  int lane = laneDim(type);
  Ats at(tile.getRank());
  for (;;) {
    body(at);
    int d = tile.getRank() - 1;
    for (; d >= 0; --d) {
      at[d].fixed += d == lane ? lanes : 1;
      if (at[d].fixed < tile.getDimSize(d))
        break;
      at[d].fixed = 0;
    }
    if (d < 0)
      return;
  }
}

void KernelEmitter::forEachRegister(Type type, llvm::function_ref<void(ArrayRef<At>)> body) {
  if (registersOf(type) <= kUnroll)
    return forEachStatic(type, body);
  Ats at(cast<RankedTensorType>(type).getRank());
  forEachDim(type, 0, at, body);
}

void KernelEmitter::forEachDim(Type type, unsigned dim, Ats &at, llvm::function_ref<void(ArrayRef<At>)> body) {
  auto tile = cast<RankedTensorType>(type);
  if (dim == tile.getRank())
    return body(at);
  int lane = laneDim(type);
  int64_t unit = int(dim) == lane ? lanes : 1, size = tile.getDimSize(dim), whole = size / unit, inner = 1;
  for (int64_t d = dim + 1; d < tile.getRank(); ++d)
    inner *= d == lane ? llvm::divideCeil(tile.getDimSize(d), lanes) : tile.getDimSize(d);
  int64_t group = std::max<int64_t>(1, kUnroll / 2 / inner), from = 0;
  if (whole * inner > kUnroll && whole >= 2 * group) {
    from = whole / group * group;
    loop(index(0), index(from * unit), index(group * unit), {}, [&](Value counter, ValueRange) {
      for (int64_t i = 0; i < group; ++i) {
        at[dim] = {counter, i * unit, group * unit};
        forEachDim(type, dim + 1, at, body);
      }
      return SmallVector<Value>();
    });
  }
  for (int64_t i = from * unit; i < size; i += unit) {
    at[dim] = {Value(), i, 1};
    forEachDim(type, dim + 1, at, body);
  }
}
