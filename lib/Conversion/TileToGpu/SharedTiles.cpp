// Tiles in shared memory, and products that no matrix instruction makes.
//
// A tile lies in rows, each 16 bytes longer than its elements: 16-byte reads of eight neighbouring rows then meet in no
// bank. Each thread of a product owns a square of outputs and reads the rows of a and b that make it, 16 bytes of k at
// a time; every output is one chain of fused multiply-adds in ascending k, the chain of a CPU.
#include "ThreadEmitter.h"

#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;
using namespace adze::tile;

static constexpr int64_t kPadding = 16;  ///< bytes behind a row
static constexpr int64_t kUnrolled = 32; ///< k written out; more is a loop over such pieces

void ThreadEmitter::writeShared(ConvertLayoutOp op) {
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  std::optional<LinearMap> layout = layoutOf(op, tile);
  if (!layout)
    return;
  Type element = registerType(tile.getElementType());
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  if (cast<SharedAttr>(op.getResult().getType().getEncoding()).getSwizzle() != 0 ||
      tile.getElementType().isInteger(1)) {
    refuse(op, "tiles are written to shared memory in plain rows of whole bytes");
    return;
  }
  SharedTile place{0, int64_t(llvm::alignTo(tile.getDimSize(1) * bytes, kPadding)) + kPadding, element};
  Operation *last = nullptr;
  for (Operation *user : op.getResult().getUsers()) {
    if (user->getBlock() != op->getBlock()) {
      last = nullptr; // a loop's body may read it again
      break;
    }
    if (!last || last->isBeforeInBlock(user))
      last = user;
  }
  place.offset = allocateShared(place.rowBytes * tile.getDimSize(0), last);
  sharedTiles[op.getResult()] = place;
  beginShared();
  // Registers that are neighbours in a row move together.
  SmallVector<unsigned> vector;
  for (bool more = true; more;) {
    more = false;
    for (auto [bit, basis] : llvm::enumerate(layout->reg))
      if (basis == Coord{0, int64_t(1) << vector.size(), 0, 0} && (bytes << (vector.size() + 1)) <= 16 && !more) {
        vector.push_back(bit);
        more = true;
      }
  }
  uint64_t mask = 0;
  for (unsigned bit : vector)
    mask |= uint64_t(1) << bit;
  Value start = i32(place.offset);
  for (auto [dim, stride] : {std::pair<unsigned, int64_t>{0, place.rowBytes}, {1, bytes}})
    if (Value coord = threadCoord(*layout, dim))
      start = add(start, mul(coord, i32(stride)));
  const Registers &registers = tiles[op.getValue()];
  for (uint64_t reg = 0; reg < registers.size(); ++reg) {
    if (reg & mask)
      continue;
    SmallVector<Value> values;
    for (unsigned i = 0; i < 1u << vector.size(); ++i) {
      uint64_t member = reg;
      for (auto [j, bit] : llvm::enumerate(vector))
        member |= uint64_t(i >> j & 1) << bit;
      values.push_back(registers[member]);
    }
    Coord coord = coordOf(*layout, reg);
    Value pointer = sharedPointer(add(start, i32(coord[0] * place.rowBytes + coord[1] * bytes)));
    Value moved = values.size() > 1 ? vectorOf(values) : bitcast(values[0], movedType(values[0].getType()));
    storeRaw(moved, pointer, bytes << vector.size());
  }
}

void ThreadEmitter::readShared(ConvertLayoutOp op) {
  RankedTensorType tile = op.getResult().getType();
  std::optional<LinearMap> layout = layoutOf(op, tile);
  auto found = sharedTiles.find(op.getValue());
  if (!layout || found == sharedTiles.end()) {
    if (layout)
      refuse(op, "the tile was not written to shared memory by this kernel's grid");
    return;
  }
  const SharedTile &place = found->second;
  int64_t bytes = place.element.getIntOrFloatBitWidth() / 8;
  barrier();
  sharedIsRead = true;
  Value start = i32(place.offset);
  for (auto [dim, stride] : {std::pair<unsigned, int64_t>{0, place.rowBytes}, {1, bytes}})
    if (Value coord = threadCoord(*layout, dim))
      start = add(start, mul(coord, i32(stride)));
  Registers made;
  for (uint64_t reg = 0; reg < uint64_t(1) << layout->reg.size(); ++reg) {
    Coord coord = coordOf(*layout, reg);
    Value pointer = sharedPointer(add(start, i32(coord[0] * place.rowBytes + coord[1] * bytes)));
    made.push_back(bitcast(loadRaw(movedType(place.element), pointer, bytes), place.element));
  }
  tiles[op.getResult()] = made;
}

void ThreadEmitter::sharedDot(DotOp op) {
  std::optional<LinearMap> layout = layoutOf(op, op.getResult().getType());
  auto inA = sharedTiles.find(op.getA()), inB = sharedTiles.find(op.getB());
  if (!layout)
    return;
  if (inA == sharedTiles.end() || inB == sharedTiles.end() || inA->second.element != inB->second.element) {
    refuse(op, "both operands are of one type and lie in shared memory, or both in registers");
    return;
  }
  const SharedTile a = inA->second, bTile = inB->second;
  int64_t depth = cast<RankedTensorType>(op.getA().getType()).getDimSize(1);
  int64_t bytes = a.element.getIntOrFloatBitWidth() / 8, each = std::min<int64_t>(16 / bytes, depth);
  barrier();
  sharedIsRead = true;

  // Rows of a and of b that the thread's registers need, by their static part.
  llvm::MapVector<int64_t, SmallVector<Value>> rowsA, rowsB;
  SmallVector<std::pair<int64_t, int64_t>> outputs;
  for (uint64_t reg = 0; reg < uint64_t(1) << layout->reg.size(); ++reg) {
    Coord coord = coordOf(*layout, reg);
    outputs.push_back({coord[0], coord[1]});
    rowsA.try_emplace(coord[0]);
    rowsB.try_emplace(coord[1]);
  }
  auto startOf = [&](const SharedTile &tile, unsigned dim) {
    Value start = i32(tile.offset);
    if (Value row = threadCoord(*layout, dim))
      start = add(start, mul(row, i32(tile.rowBytes)));
    return start;
  };
  Value startA = startOf(a, 0), startB = startOf(bTile, 1);
  Type sumType = getElementTypeOrSelf(op.getAcc().getType());
  auto wide = [&](Value value, bool isUnsigned) -> Value {
    if (value.getType() == sumType)
      return value;
    if (isa<FloatType>(sumType))
      return arith::ExtFOp::create(b, loc, sumType, value);
    return isUnsigned ? Value(arith::ExtUIOp::create(b, loc, sumType, value))
                      : Value(arith::ExtSIOp::create(b, loc, sumType, value));
  };
  auto multiply = [&](Value x, Value y, Value sum) -> Value {
    if (isa<FloatType>(sumType))
      return math::FmaOp::create(b, loc, x, y, sum);
    return arith::AddIOp::create(b, loc, sum, arith::MulIOp::create(b, loc, x, y));
  };
  auto piece = [&](Value byteOfK, int64_t from, int64_t to, Registers sums) {
    for (int64_t k = from; k < to; k += each) {
      auto fetch = [&](auto &rows, Value start, const SharedTile &tile, bool isUnsigned) {
        for (auto &[row, values] : rows) {
          Value address = add(start, i32(row * tile.rowBytes + k * bytes));
          if (byteOfK)
            address = add(address, byteOfK);
          Type moved = movedType(tile.element);
          Value loaded =
              loadRaw(each > 1 ? Type(VectorType::get({each}, moved)) : moved, sharedPointer(address), each * bytes);
          values.clear();
          for (int64_t i = 0; i < each; ++i)
            values.push_back(wide(bitcast(each > 1 ? extract(loaded, i) : loaded, tile.element), isUnsigned));
        }
      };
      fetch(rowsA, startA, a, op.getAUnsigned());
      fetch(rowsB, startB, bTile, op.getBUnsigned());
      for (int64_t i = 0; i < each; ++i)
        for (auto [sum, output] : llvm::zip(sums, outputs))
          sum = multiply(rowsA[output.first][i], rowsB[output.second][i], sum);
    }
    return sums;
  };
  Registers sums = tiles.lookup(op.getAcc());
  if (depth <= kUnrolled) {
    tiles[op.getResult()] = piece(Value(), 0, ADZE_MUTANT("gpu-skip-the-end-of-depth") ? depth - each : depth, sums);
    return;
  }
  auto loop = scf::ForOp::create(b, loc, i32(0), i32(depth * bytes), i32(kUnrolled * bytes), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    if (!loop.getBody()->empty())
      loop.getBody()->back().erase();
    b.setInsertionPointToEnd(loop.getBody());
    Registers carried(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
    scf::YieldOp::create(b, loc, piece(loop.getInductionVar(), 0, kUnrolled, carried));
  }
  tiles[op.getResult()] = Registers(loop.getResults().begin(), loop.getResults().end());
}
