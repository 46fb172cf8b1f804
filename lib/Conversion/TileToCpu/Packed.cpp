//===- Packed.cpp - registers out of packed memory
//---------------------------------------------------------------------===//
//
// The order is linear, so an element's address is (run-time part) + (static part). Run-time: which block, and those
// bits of the place inside a block that the offset does not fix (a single row of a table, say). Static: everything that
// the coordinate inside the tile adds. A register's lanes then have static addresses relative to each other, and one
// rule serves every order:
//
//   * lanes one word of 8, 16, 32 or 64 bits apart: one vector load of words, shifted right to the element;
//     (4-bit codes with lanes along n: 32-bit words, k % 4 picks the byte, the code's half the nibble)
//   * otherwise: the words that hold the lanes, each lane shifted by its own amount.
//     (the same codes with lanes along k, for the rows of an embedding: eight codes are one word)
//
//===----------------------------------------------------------------------------------------------------------------===//
#include "KernelEmitter.h"
#include "adze/Dialect/Tile/IR/KnownDivisor.h"

#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::tile;

bool KernelEmitter::makePackedAccess(Operation *op, const ViewState &view, ValueRange offsets, Access &access) {
  const PackedOrder &order = *access.order;
  unsigned bits = view.element.getIntOrFloatBitWidth();
  size_t rank = view.extents.size();
  access.blockStride.resize(rank);
  access.free.assign(rank, 1);
  Value stride = index(order.blockElements());
  for (int d = int(rank) - 1; d >= 0; --d) {
    access.blockStride[d] = stride;
    int64_t block = order.block()[d];
    stride = mul(stride, b.createOrFold<arith::DivUIOp>(loc, add(view.extents[d], index(block - 1)), index(block)));
  }
  Value elements = index(0);
  for (size_t d = 0; d < rank; ++d) {
    int64_t block = order.block()[d], known = std::min(block, knownDivisor(offsets[d]));
    Value offset = scalars.lookup(offsets[d]);
    access.free[d] = known;
    elements = add(elements, mul(b.createOrFold<arith::DivUIOp>(loc, offset, index(block)), access.blockStride[d]));
    if (known == block || ADZE_MUTANT("ignore-row-inside-block"))
      continue;
    const auto *place = llvm::find(access.dims, d);
    if (place != access.dims.end() && access.shape[place - access.dims.begin()] > known) {
      refuse(op, "the offset along dimension " + Twine(d) + " of packed memory is a multiple of " + Twine(known) +
                     " alone; the tile needs a multiple of its block, " + Twine(block));
      return false;
    }
    for (auto [bit, basis] : llvm::enumerate(order.map().reg)) {
      if (!basis[d] || basis[d] < known)
        continue;
      Coord unit{};
      unit[d] = basis[d];
      if (unit != basis || (basis[d] & -basis[d]) != basis[d] || (bits == 4 && bit == 0)) {
        refuse(op, "the offset along dimension " + Twine(d) + " of packed memory must be a multiple of its block");
        return false;
      }
      Value set =
          b.createOrFold<arith::AndIOp>(loc, b.createOrFold<arith::DivUIOp>(loc, offset, index(basis[d])), index(1));
      elements = add(elements, mul(set, index(int64_t(1) << bit)));
    }
  }
  Value bytes = bits == 4 ? b.createOrFold<arith::DivUIOp>(loc, elements, index(2)) : mul(elements, index(bits / 8));
  access.pointer = gep(view.pointer, bytes);
  return true;
}

std::pair<Value, int64_t> KernelEmitter::packedAddress(const Access &access, ArrayRef<At> at) {
  unsigned bits = access.element.getIntOrFloatBitWidth();
  Value pointer = access.pointer;
  int64_t elements = 0;
  Coord inside{};
  auto bytesOf = [&](Value blocks, Value stride) { // blocks hold whole bytes
    return mul(blocks, b.createOrFold<arith::DivUIOp>(loc, mul(stride, index(bits)), index(8)));
  };
  for (auto [tileDim, coordinate] : llvm::enumerate(at)) {
    unsigned d = access.dims[tileDim];
    int64_t block = access.order->block()[d];
    inside[d] = coordinate.fixed % block;
    Value stride = access.blockStride[d];
    if (coordinate.dyn) {
      if (coordinate.multiple % block)
        refuse(kernel, "a loop over packed memory in steps that are no multiple of its block");
      pointer = gep(pointer, bytesOf(b.createOrFold<arith::DivUIOp>(loc, coordinate.dyn, index(block)), stride));
    }
    if (int64_t blocks = coordinate.fixed / block) {
      if (std::optional<int64_t> fixed = constantOf(stride))
        elements += blocks * *fixed;
      else
        pointer = gep(pointer, bytesOf(index(blocks), stride));
    }
  }
  return {pointer, elements + access.order->map().find(inside)};
}

Value KernelEmitter::packedLoad(const Access &access, ArrayRef<At> at, int lane, bool scalar, int64_t valid) {
  unsigned bits = access.element.getIntOrFloatBitWidth();
  auto [pointer, first] = packedAddress(access, at);
  Type code = b.getIntegerType(bits);
  auto finish = [&](Value words, Type type) {
    Type integers = isa<VectorType>(type) ? Type(vectorOf(code)) : code;
    if (words.getType() != integers)
      words = arith::TruncIOp::create(b, loc, integers, words);
    return bitcast(words, type);
  };
  if (scalar) {
    if (bits >= 8)
      return loadRaw(access.element, gep(pointer, first * (bits / 8)));
    Value byte = loadRaw(b.getI8Type(), gep(pointer, first / 2));
    return finish(arith::ShRUIOp::create(b, loc, byte, constant(b.getI8Type(), first % 2 * 4)), access.element);
  }
  // Static addresses of the lanes; blocks along the lanes must have a static stride.
  unsigned d = access.dims[lane];
  int64_t block = access.order->block()[d];
  SmallVector<int64_t> addresses;
  Coord inside{};
  for (auto [tileDim, coordinate] : llvm::enumerate(at))
    inside[access.dims[tileDim]] = coordinate.fixed % access.order->block()[access.dims[tileDim]];
  std::optional<int64_t> stride = constantOf(access.blockStride[d]);
  int64_t start = access.order->map().find(inside), place = inside[d];
  for (int64_t i = 0; i < lanes; ++i) {
    Coord moved = inside;
    moved[d] = (place + i) % block;
    int64_t blocks = (place + i) / block;
    if (blocks && (!stride || i >= valid)) { // beyond the tile, or never asked for
      if (i < valid)
        refuse(kernel, "a register over several packed blocks of run-time distance");
      addresses.push_back(addresses.back());
      continue;
    }
    addresses.push_back(first + blocks * stride.value_or(0) + access.order->map().find(moved) - start);
  }
  VectorType type = vectorOf(access.element);
  int64_t step = addresses[1] - addresses[0];
  bool regular = step > 0 && (step & -step) == step && step * bits >= 8 && step * bits <= 64;
  for (int64_t i = 1; i < lanes && regular; ++i)
    regular = addresses[i] == addresses[0] + i * step;
  if (regular) {
    Type word = b.getIntegerType(step * bits);
    int64_t within = addresses[0] % step;
    Value words = loadRaw(vectorOf(word), gep(pointer, (addresses[0] - within) * bits / 8));
    if (within)
      words = arith::ShRUIOp::create(b, loc, words, constant(words.getType(), within * bits));
    return finish(words, type);
  }
  int64_t wordBits = std::max(32u, bits), perWord = wordBits / bits;
  Type word = b.getIntegerType(wordBits);
  llvm::DenseMap<int64_t, Value> loaded;
  SmallVector<Attribute> shifts;
  Value words;
  bool single = llvm::all_of(addresses, [&](int64_t a) { return a / perWord == addresses[0] / perWord; });
  for (auto [i, address] : llvm::enumerate(addresses)) {
    Value &value = loaded[address / perWord];
    if (!value)
      value = loadRaw(word, gep(pointer, address / perWord * wordBits / 8));
    shifts.push_back(b.getIntegerAttr(word, address % perWord * bits));
    if (i == 0)
      words = splat(value, vectorOf(word));
    else if (!single)
      words = vector::InsertOp::create(b, loc, value, words, ArrayRef<int64_t>{int64_t(i)});
  }
  VectorType wide = vectorOf(word);
  words = arith::ShRUIOp::create(b, loc, words,
                                 arith::ConstantOp::create(b, loc, wide, DenseElementsAttr::get(wide, shifts)));
  return finish(words, type);
}
