//===- MatrixDots.cpp - products through the tile registers of AMX ------------------------------------------------===//
//
// A tile register holds up to 16 rows of 64 bytes. c[m, n] += a[m, k] b[k, n] takes rows of activations as they lie
// in memory as `a` and, as `b`, rows of 16 outputs with two (bf16) or four (int8) neighbouring k in each 32-bit lane:
// the packs of docs/Rationale/Tile.md are made of such rows, so `b` is read where the weights lie. Only 4-bit codes are
// unpacked to bytes first, into 1 KB of this call's memory.
//
//   bf16   every product of two bf16 operands whose weights are packed in pairs, whatever the number of rows, so that a
//          row has the same bits alone and among others. One instruction takes 32 k, in ascending order; the last one
//          takes what is left.
//   int8   exact, so rows of any number may mix with vpdpbusd: for blocks of kMatrixRows rows.
//
// Registers are named by hand, one for each role and shape, and a grid's shapes are configured before its blocks run.
//
//===----------------------------------------------------------------------------------------------------------------===//
#include "KernelEmitter.h"

#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::tile;

namespace {
constexpr int64_t kMatrixRows = 16; ///< fewer rows of integers are faster as vectors
constexpr int64_t kTileRows = 16;   ///< rows of a register
constexpr int64_t kTileBytes = 64;  ///< bytes of a row
constexpr int64_t kTileColumns = 4; ///< accumulators at once
constexpr int64_t kTileRegisters = 8;
constexpr int64_t kConfigBytes = 64;

bool isZero(Value tile) {
  auto constant = tile.getDefiningOp<arith::ConstantOp>();
  auto dense = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!dense || !dense.isSplat())
    return false;
  if (isa<FloatType>(dense.getElementType()))
    return dense.getSplatValue<APFloat>().isPosZero();
  return dense.getSplatValue<APInt>().isZero();
}
} // namespace

// ---------------------------------------------------------------- configuration
void KernelEmitter::beginTileRegisters(Value from, Value to) {
  tileShapes.clear();
  tileConfig = Value();
  if (!target.has("amx-tile"))
    return;
  tileConfig = allocateBytes(kConfigBytes);
  auto any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, from, to);
  tileConfigured = scf::IfOp::create(b, loc, any, false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(tileConfigured.thenBlock());
  instruction("llvm.x86.ldtilecfg", {tileConfig});
}

void KernelEmitter::endTileRegisters() {
  if (!tileConfig)
    return;
  if (tileShapes.empty()) {
    tileConfigured.erase();
    return;
  }
  usesTileRegisters = true;
  // Palette 1: bytes a row from byte 16, rows from byte 48.
  SmallVector<uint8_t> bytes(kConfigBytes, 0);
  bytes[0] = 1;
  for (auto [number, tile] : llvm::enumerate(tileShapes)) {
    bytes[16 + 2 * number] = uint8_t(tile.bytes);
    bytes[48 + number] = uint8_t(tile.rows);
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(tileConfig);
  for (int64_t word = 0; word < kConfigBytes / 8; ++word) {
    uint64_t value = 0;
    for (int64_t i = 0; i < 8; ++i)
      value |= uint64_t(bytes[8 * word + i]) << 8 * i;
    storeRaw(constant(b.getI64Type(), int64_t(value)), gep(tileConfig, 8 * word));
  }
}

Value KernelEmitter::tileRegister(char role, int64_t number, int64_t rows, int64_t bytes) {
  TileShape wanted{role, number, rows, bytes};
  auto *found = llvm::find(tileShapes, wanted);
  if (found == tileShapes.end()) {
    if (int64_t(tileShapes.size()) == kTileRegisters) {
      refuse(kernel, "products of more shapes than there are tile registers");
      return constant(b.getI8Type(), 0);
    }
    tileShapes.push_back(wanted);
    found = &tileShapes.back();
  }
  return constant(b.getI8Type(), found - tileShapes.begin());
}

// ---------------------------------------------------------------- operands
/// Whether 16 neighbouring n make a row of 64 bytes and such rows follow each other along k.
bool KernelEmitter::packedInRows(Value tile) {
  auto state = tiles.find(tile);
  if (lanes != 16 || state == tiles.end() || state->second.kind != TileState::Lazy || !state->second.access)
    return false;
  const Access &access = *state->second.access;
  if (!access.order || access.dims.size() != 2 || access.inside || !access.bounds.empty())
    return false;
  int64_t unit = 32 / access.element.getIntOrFloatBitWidth();
  if (access.element.isInteger(4))
    return codesInWords(tile); // unpacked row by row
  unsigned n = access.dims[0], k = access.dims[1];
  int64_t depth = access.order->block()[k];
  if (access.order->block()[n] != lanes || access.free[n] < lanes || access.free[k] < unit || depth < unit ||
      constantOf(access.blockStride[k]) != access.order->blockElements())
    return false;
  for (int64_t row = 0; row < lanes; ++row)
    for (int64_t at = 0; at < depth; ++at) {
      Coord place{};
      place[n] = row;
      place[k] = at;
      if (access.order->map().find(place) != at / unit * lanes * unit + row * unit + at % unit)
        return false;
    }
  return true;
}

/// First byte of rows of activations and the distance of rows in bytes.
std::pair<Value, Value> KernelEmitter::activationRows(Value tile, At row, At k) {
  int64_t width = getElementTypeOrSelf(tile.getType()).getIntOrFloatBitWidth() / 8;
  TileState &state = tiles[tile];
  if (state.kind == TileState::Lazy) {
    const Access *access = state.access.get();
    if (access && !access->order && access->bounds.empty() && !access->inside &&
        constantOf(access->strides[1]) == width)
      return {pointerAt(*access, {row, k}), toI64(access->strides[0])};
    toBuffer(tile);
  } else if (state.kind == TileState::Registers) {
    spill(tile);
  }
  int64_t columns = cast<RankedTensorType>(tile.getType()).getDimSize(1);
  if (laneDim(tile.getType()) == 1)
    columns = llvm::divideCeil(columns, lanes) * lanes;
  return {bufferPointer(tile.getType(), tiles[tile].buffer, {row, k}), constant(b.getI64Type(), columns * width)};
}

/// Rows `k` .. of `b` as bytes in memory.
Value KernelEmitter::weightRows(Value tile, At n, At k, int64_t depth, Value scratch) {
  const Access &access = *tiles[tile].access;
  if (!access.element.isInteger(4)) {
    auto [pointer, address] = packedAddress(access, {n, k});
    return gep(pointer, address * access.element.getIntOrFloatBitWidth() / 8);
  }
  VectorType bytes = vectorOf(b.getI8Type(), kTileBytes), halves = vectorOf(b.getIntegerType(16), kTileBytes / 2);
  Value low = constant(bytes, 15);
  for (int64_t i = 0; i < depth; i += 8) {
    Value word = codeWords(tile, {n, plus(k, i)});
    Value shifted = bitcast(arith::ShRUIOp::create(b, loc, bitcast(word, halves), constant(halves, 4)), bytes);
    storeRaw(arith::AndIOp::create(b, loc, word, low), gep(scratch, i / 4 * kTileBytes));
    storeRaw(arith::AndIOp::create(b, loc, shifted, low), gep(scratch, (i / 4 + 1) * kTileBytes));
  }
  return scratch;
}

// ---------------------------------------------------------------- products
bool KernelEmitter::matrixDot(DotOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Type left = getElementTypeOrSelf(op.getA().getType()), right = getElementTypeOrSelf(op.getB().getType());
  int64_t m = type.getDimSize(0), n = type.getDimSize(1), depth = op.getA().getType().getDimSize(1);
  bool floats = left.isBF16() && right.isBF16();
  bool codes = right.isInteger(4);
  if (laneDim(op.getA().getType()) == 0 && m > 1)
    return false;
  if (floats) {
    if (!target.has("amx-bf16"))
      return false;
  } else if (!target.has("amx-int8") || m < kMatrixRows || !left.isInteger(8) || op.getAUnsigned() ||
             codes != op.getBUnsigned() || (!codes && !right.isInteger(8)) || depth % (codes ? 8 : 4)) {
    return false;
  }
  if (!packedInRows(op.getB()))
    return false;

  int64_t vectors = llvm::divideCeil(n, lanes), width = floats ? 2 : 1, step = kTileBytes / width;
  StringRef multiply = floats ? "llvm.x86.tdpbf16ps" : codes ? "llvm.x86.tdpbsud" : "llvm.x86.tdpbssd";
  Value result = allocate(type), scratch = codes ? allocateBytes(kTileRows * kTileBytes) : Value();
  Value resultStride = constant(b.getI64Type(), vectors * kTileBytes), rowStride = constant(b.getI64Type(), kTileBytes);
  bool fresh = isZero(op.getAcc());
  if (!fresh)
    forEachRegister(type, [&](ArrayRef<At> at) { writeBuffer(type, result, at, get(op.getAcc(), at)); });

  auto multiplyStep = [&](int64_t row, int64_t rows, int64_t first, int64_t count, At k, int64_t length) {
    // An odd number of k leaves half a pair: the pack holds a zero there, and the row must not bring its neighbour in.
    Value pointer, stride;
    int64_t whole = floats ? llvm::alignTo(length, 2) : length;
    if (whole == length) {
      std::tie(pointer, stride) = activationRows(op.getA(), {Value(), row, 1}, k);
    } else {
      pointer = allocateBytes(kTileRows * kTileBytes);
      stride = rowStride;
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t i = 0; i < whole; ++i) {
          Value element = i < length ? get(op.getA(), {At{Value(), row + r, 1}, plus(k, i)}, true) : constant(left, 0);
          storeRaw(element, gep(pointer, r * kTileBytes + i * width));
        }
    }
    Value a = tileRegister('a', 0, rows, whole * width);
    instruction("llvm.x86.tileloadd64", {a, pointer, stride});
    for (int64_t c = 0; c < count; ++c) {
      Value memory = weightRows(op.getB(), {Value(), (first + c) * lanes, 1}, k, length, scratch);
      Value weights = tileRegister('b', count > 2 ? 0 : c, whole * width / 4, kTileBytes);
      instruction("llvm.x86.tileloadd64", {weights, memory, rowStride});
      instruction(multiply, {tileRegister('c', c, rows, kTileBytes), a, weights});
    }
  };
  for (int64_t row = 0; row < m; row += kTileRows)
    for (int64_t first = 0; first < vectors; first += kTileColumns) {
      int64_t rows = std::min(kTileRows, m - row), count = std::min(kTileColumns, vectors - first);
      auto place = [&](int64_t c) {
        return bufferPointer(type, result, {At{Value(), row, 1}, At{Value(), (first + c) * lanes, 1}});
      };
      for (int64_t c = 0; c < count; ++c) {
        Value sum = tileRegister('c', c, rows, kTileBytes);
        if (fresh)
          instruction("llvm.x86.tilezero", {sum});
        else
          instruction("llvm.x86.tileloadd64", {sum, place(c), resultStride});
      }
      int64_t whole = depth / step * step;
      if (whole > 2 * step) {
        loop(index(0), index(whole), index(step), {}, [&](Value counter, ValueRange) {
          multiplyStep(row, rows, first, count, {counter, 0, step}, step);
          return SmallVector<Value>();
        });
      } else {
        for (int64_t k = 0; k < whole; k += step)
          multiplyStep(row, rows, first, count, {Value(), k, 1}, step);
      }
      if (whole < depth && !ADZE_MUTANT("drop-tail-of-depth"))
        multiplyStep(row, rows, first, count, {Value(), whole, 1}, depth - whole);
      for (int64_t c = 0; c < count; ++c)
        instruction("llvm.x86.tilestored64", {tileRegister('c', c, rows, kTileBytes), place(c), resultStride});
    }
  setBuffer(op.getResult(), result);
  return true;
}
