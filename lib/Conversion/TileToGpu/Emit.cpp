// Small pieces of IR.
#include "ThreadEmitter.h"

using namespace mlir;
using namespace adze;
using namespace adze::tile;

static constexpr unsigned kLaneBits = 5;

std::optional<int64_t> ThreadEmitter::constantOf(Value value) {
  IntegerAttr attribute;
  if (value && matchPattern(value, m_Constant(&attribute)))
    return attribute.getValue().getSExtValue();
  return std::nullopt;
}

Value ThreadEmitter::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
Value ThreadEmitter::i32(int64_t value) { return constant(b.getI32Type(), value); }
Value ThreadEmitter::i64(int64_t value) { return constant(b.getI64Type(), value); }

Value ThreadEmitter::constant(Type type, int64_t value) {
  TypedAttr attribute =
      isa<FloatType>(type) ? TypedAttr(b.getFloatAttr(type, double(value))) : TypedAttr(b.getIntegerAttr(type, value));
  return arith::ConstantOp::create(b, loc, type, attribute);
}

Value ThreadEmitter::add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
Value ThreadEmitter::mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }

Value ThreadEmitter::toI64(Value value) {
  if (value.getType().isInteger(64))
    return value;
  if (value.getType().isIndex())
    return b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), value);
  return b.createOrFold<arith::ExtUIOp>(loc, b.getI64Type(), value);
}

Value ThreadEmitter::bitcast(Value value, Type type) {
  return value.getType() == type ? value : Value(LLVM::BitcastOp::create(b, loc, type, value));
}

Value ThreadEmitter::gep(Value pointer, Value bytes) {
  if (std::optional<int64_t> fixed = constantOf(bytes); fixed && *fixed == 0)
    return pointer;
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, ValueRange{bytes});
}

Value ThreadEmitter::loadRaw(Type type, Value pointer, unsigned alignment, bool readOnly) {
  auto load = LLVM::LoadOp::create(b, loc, type, pointer, alignment);
  load.setInvariant(readOnly);
  return load;
}

void ThreadEmitter::storeRaw(Value value, Value pointer, unsigned alignment) {
  LLVM::StoreOp::create(b, loc, value, pointer, alignment);
}

Value ThreadEmitter::intrinsic(StringRef name, Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name), operands).getResult(0);
}

void ThreadEmitter::instruction(StringRef name, ValueRange operands) {
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(name), operands);
}

Value ThreadEmitter::extract(Value vector, unsigned place) {
  return LLVM::ExtractElementOp::create(b, loc, vector, i32(place));
}

Value ThreadEmitter::vectorOf(ArrayRef<Value> elements) {
  Type moved = movedType(elements.front().getType());
  auto type = VectorType::get({int64_t(elements.size())}, moved);
  Value vector = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, element] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(b, loc, type, vector, bitcast(element, moved), i32(int64_t(i)));
  return vector;
}

// ---------------------------------------------------------------- layouts and threads
std::optional<LinearMap> ThreadEmitter::layoutOf(Operation *op, Type type) {
  auto regs = dyn_cast_or_null<RegsAttr>(cast<RankedTensorType>(type).getEncoding());
  std::optional<LinearMap> map = regs ? LinearMap::parse(regs.getMap()) : std::nullopt;
  unsigned warpBits = llvm::Log2_64(threads / gpu.warpLanes);
  auto plain = [](const Coord &basis) {
    unsigned moved = 0;
    for (int64_t step : basis)
      moved += step ? llvm::popcount(uint64_t(step)) : 0;
    return moved <= 1;
  };
  if (!map || map->lane.size() != kLaneBits || map->warp.size() != warpBits || !map->block.empty() ||
      !map->covers(cast<RankedTensorType>(type).getShape()) || !llvm::all_of(map->all(), plain)) {
    refuse(op, "the layout of ") << type << " does not spread it over " << threads
                                 << " threads (run tile-assign-thread-layouts)";
    return std::nullopt;
  }
  return map;
}

Coord ThreadEmitter::coordOf(const LinearMap &layout, uint64_t reg) {
  Coord coord{};
  for (auto [i, basis] : llvm::enumerate(layout.reg))
    for (unsigned d = 0; d < kMaxDims; ++d)
      coord[d] ^= reg >> i & 1 ? basis[d] : 0;
  return coord;
}

Value ThreadEmitter::threadBit(unsigned bit) {
  Value shifted = bit ? Value(arith::ShRUIOp::create(b, loc, thread, i32(bit))) : thread;
  return arith::AndIOp::create(b, loc, shifted, i32(1));
}

Value ThreadEmitter::threadCoord(const LinearMap &layout, unsigned dim) {
  SmallVector<int64_t> steps;
  for (const std::vector<Coord> *group : {&layout.lane, &layout.warp})
    for (const Coord &basis : *group)
      steps.push_back(basis[dim]);
  Value sum;
  // Bits that follow each other in the thread's number and in the coordinate move together.
  for (size_t i = 0; i < steps.size();) {
    size_t run = 1;
    while (steps[i] && i + run < steps.size() && steps[i + run] == steps[i] << run)
      ++run;
    if (steps[i]) {
      Value part = i ? Value(arith::ShRUIOp::create(b, loc, thread, i32(i))) : thread;
      part = arith::AndIOp::create(b, loc, part, i32((int64_t(1) << run) - 1));
      if (steps[i] > 1)
        part = arith::MulIOp::create(b, loc, part, i32(steps[i]));
      sum = sum ? Value(arith::AddIOp::create(b, loc, sum, part)) : part;
    }
    i += run;
  }
  return sum;
}

Value ThreadEmitter::threadXor(ArrayRef<uint32_t> ofLane, ArrayRef<uint32_t> ofThread) {
  Value sum;
  auto take = [&](ArrayRef<uint32_t> constants, unsigned first) {
    for (auto [i, value] : llvm::enumerate(constants))
      if (value) {
        Value part = arith::MulIOp::create(b, loc, threadBit(first + i), i32(value));
        sum = sum ? Value(arith::XOrIOp::create(b, loc, sum, part)) : part;
      }
  };
  take(ofLane, 0);
  take(ofThread, kLaneBits);
  return sum;
}

/// A 4-bit code is kept as the byte 0 .. 15.
Type ThreadEmitter::registerType(Type element) { return element.isInteger(4) ? b.getI8Type() : element; }

/// Numbers of 16 bits move as integers: a CPU that runs this code has no registers for them, and would round.
Type ThreadEmitter::movedType(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 16 ? Type(b.getI16Type()) : element;
}

// ---------------------------------------------------------------- shared memory
Value ThreadEmitter::sharedPointer(Value bytes) { return gep(shared, bytes); }

void ThreadEmitter::barrier() { instruction("llvm.nvvm.barrier.cta.sync.aligned.all", {i32(0)}); }

void ThreadEmitter::beginShared() {
  if (sharedIsRead)
    barrier();
  sharedIsRead = false;
}

int64_t ThreadEmitter::freeShared(int64_t bytes) {
  llvm::sort(sharedPieces);
  int64_t offset = 0;
  for (auto [begin, end] : sharedPieces)
    if (begin < offset + bytes)
      offset = std::max(offset, end);
  sharedBytes = std::max(sharedBytes, offset + bytes);
  return offset;
}

int64_t ThreadEmitter::allocateShared(int64_t bytes, Operation *lastUse) {
  int64_t offset = freeShared(bytes);
  sharedPieces.push_back({offset, offset + int64_t(llvm::alignTo(bytes, kSharedAlignment))});
  if (lastUse)
    freeAfter[lastUse].push_back(offset);
  return offset;
}

InFlightDiagnostic ThreadEmitter::refuse(Operation *op, const Twine &what) {
  failed = true;
  return op->emitOpError("has no form for threads: ") << what;
}
