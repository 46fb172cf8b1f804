#include "AttentionFold.h"
#include "adze/Support/Mutant.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace adze;

namespace {
constexpr int64_t kTile = 64, kPiece = 16, kPieces = kTile / kPiece;
/// Columns of the product that sums probabilities: the least that a matrix instruction has. All are the same number.
constexpr int64_t kSums = 8;
/// Depth of a matrix instruction: a piece of a head is no smaller.
constexpr int64_t kDepth = 16;
/// Columns of a head that are one tile in a product by matrix instructions, at most.
constexpr int64_t kColumns = 64;
} // namespace

llvm::SmallVector<AttentionFold::Piece> AttentionFold::piecesOf(const KernelBuilder &k, int64_t dim, bool matrix) {
  llvm::SmallVector<Piece> pieces;
  int64_t offset = 0;
  for (int64_t rest : k.piecesOf(dim, matrix ? kDepth : 1))
    while (rest > 0) {
      int64_t width = matrix ? std::min(rest, kColumns) : rest;
      pieces.push_back({offset, width, offset + width <= dim});
      offset += width;
      rest -= width;
    }
  return pieces;
}

/// Offsets into the pool of a piece of a tile, without the last two.
llvm::SmallVector<Value> AttentionFold::place(Value tile, int64_t piece, bool masked) {
  int64_t page = cache.getPage(), first = piece * kPiece;
  if (ADZE_MUTANT("page-off-by-one") && piece + 1 == kPieces)
    first -= kPiece;
  Value entry = k.addIndex(firstPage, k.addIndex(k.mulIndex(tile, kTile / page), first / page));
  if (masked) {
    // The last tile may reach beyond the request's pages: it reads the last one again, unseen.
    Value last = arith::SubIOp::create(k.builder, k.location, endPage, k.index(1));
    entry = arith::MinUIOp::create(k.builder, k.location, entry, last);
  }
  Value number = tile::LookupOp::create(k.builder, k.location, k.builder.getIndexType(), pages.value, entry);
  return {number, k.layer(), head, k.index(first % page), k.index(0)};
}

llvm::SmallVector<int64_t> AttentionFold::insideOf(const Piece &piece) const {
  llvm::SmallVector<int64_t> inside{0, 1, 2, 3};
  if (piece.inside)
    inside.push_back(4);
  return inside;
}

/// Which positions of a piece are visible, i1: to each row of the scores [rows, 16], or to any row (values, [width,
/// 16]).
Value AttentionFold::visible(Value position, int64_t extent, bool toEachRow) {
  auto type = k.tile({extent, kPiece}, k.i32());
  Value at = tile::IotaOp::create(k.builder, k.location, type, position, 1);
  auto compare = [&](arith::CmpIPredicate predicate, Value bound, Value bounds) -> Value {
    Value limit = toEachRow && bounds ? row(bounds, kPiece) : k.splat({extent, kPiece}, k.toI32(bound));
    return arith::CmpIOp::create(k.builder, k.location, predicate, at, limit);
  };
  Value below = ADZE_MUTANT("drop-causal-mask") ? compare(arith::CmpIPredicate::slt, k.index(1 << 20), Value())
                                                : compare(arith::CmpIPredicate::slt, seen.lastEnd, seen.ends);
  if (op.getWindow() == 0 || ADZE_MUTANT("forget-window"))
    return below;
  return k.binary<arith::AndIOp>(below, compare(arith::CmpIPredicate::sge, seen.firstStart, seen.starts));
}

/// Zeros in place of values that no row sees.
Value AttentionFold::hidden(llvm::ArrayRef<int64_t> shape) {
  return matrix ? k.constantBf16(shape, 0.0) : k.constant(shape, 0.0);
}

llvm::SmallVector<Value> AttentionFold::step(Value tile, llvm::ArrayRef<Value> state, bool masked) {
  Value largest = state[0], sum = state[1];
  llvm::SmallVector<Value> result(state.drop_front(2)), scores, positions;
  llvm::SmallVector<llvm::SmallVector<Value>> places;
  Value base = k.mulIndex(tile, kTile);
  for (int64_t piece = 0; piece < kPieces; ++piece) {
    places.push_back(place(tile, piece, masked));
    positions.push_back(k.addIndex(base, piece * kPiece));
    Value score = k.constant({rows, kPiece}, 0.0);
    for (auto [columns, part] : llvm::zip(pieces, query)) {
      places[piece].back() = k.index(columns.offset);
      Value key = operand(k.load(keys, places[piece], {kPiece, columns.width}, {3, 4}, insideOf(columns)));
      score = k.dot(part, key, score);
    }
    score = k.binary<arith::MulFOp>(score, k.constant({rows, kPiece}, scale()));
    if (masked)
      score = arith::SelectOp::create(k.builder, k.location, visible(positions.back(), rows, true), score,
                                      k.constant({rows, kPiece}, -std::numeric_limits<double>::infinity()));
    scores.push_back(score);
  }
  auto fold = [&](llvm::ArrayRef<Value> parts, auto join) {
    return join(join(parts[0], parts[1]), join(parts[2], parts[3]));
  };
  Value high = fold(scores, [&](Value a, Value b) { return k.binary<arith::MaximumFOp>(a, b); });
  Value next = k.binary<arith::MaximumFOp>(largest, k.reduce("max", high, 1));
  Value shift = row(next, kPiece);
  llvm::SmallVector<Value> weights;
  for (Value score : scores)
    weights.push_back(power(k.binary<arith::SubFOp>(score, shift)));
  Value correction = power(k.binary<arith::SubFOp>(largest, next));
  // What each piece multiplies values by: by matrix instructions a probability is the sum of two numbers of bf16.
  llvm::SmallVector<llvm::SmallVector<Value, 2>> parts;
  if (matrix) {
    Type narrow = k.builder.getBF16Type();
    sum = k.binary<arith::MulFOp>(sum, row(correction, kSums));
    for (Value weight : weights) {
      Value high = upperHalf(weight), first = k.round(high, narrow);
      Value low = k.round(k.binary<arith::SubFOp>(weight, high), narrow);
      parts.push_back({first, low});
      if (ADZE_MUTANT("round-probabilities"))
        parts.back() = {k.round(weight, narrow)};
      for (Value part : parts.back())
        sum = k.dot(part, k.constantBf16({kSums, kPiece}, 1.0), sum);
    }
  } else {
    for (Value weight : weights)
      parts.push_back({weight});
    Value added = k.reduce("add", fold(weights, [&](Value a, Value b) { return k.binary<arith::AddFOp>(a, b); }), 1);
    sum = k.binary<arith::AddFOp>(k.binary<arith::MulFOp>(sum, correction), added);
  }
  for (auto [columns, mean] : llvm::zip(folded, result))
    mean = k.binary<arith::MulFOp>(mean, row(correction, columns.width));
  for (int64_t piece = 0; piece < kPieces; ++piece)
    for (auto [columns, mean] : llvm::zip(folded, result)) {
      places[piece].back() = columnOf(columns);
      Value value = k.load(values, places[piece], {columns.width, kPiece}, {4, 3}, insideOf(columns));
      if (!matrix)
        value = k.widen(value);
      if (masked)
        value = arith::SelectOp::create(k.builder, k.location, visible(positions[piece], columns.width, false), value,
                                        hidden({columns.width, kPiece}));
      for (Value part : parts[piece])
        mean = k.dot(part, value, mean);
    }
  llvm::SmallVector<Value> carried{next, sum};
  carried.append(result);
  return carried;
}

/// The number with the lower half of its bits cleared: one of bf16, and what is left is an f32 of 16 bits at most.
Value AttentionFold::upperHalf(Value value) {
  auto shape = mlir::cast<RankedTensorType>(value.getType()).getShape();
  Value bits = arith::BitcastOp::create(k.builder, k.location, k.tile(shape, k.i32()), value);
  Value kept = k.binary<arith::AndIOp>(bits, k.constantI32(shape, int32_t(0xFFFF0000)));
  return arith::BitcastOp::create(k.builder, k.location, value.getType(), kept);
}

/// By matrix instructions scores are in units of ln 2, for a GPU has an instruction for powers of two.
double AttentionFold::scale() {
  double scale = op.getScale().convertToFloat();
  return powersOfTwo ? scale * std::numbers::log2e : scale;
}

Value AttentionFold::power(Value exponent) {
  if (powersOfTwo)
    return math::Exp2Op::create(k.builder, k.location, exponent, arith::FastMathFlags::afn);
  return math::ExpOp::create(k.builder, k.location, exponent);
}

Value AttentionFold::operand(Value value) {
  bool pairs =
      k.target.has("avx512bf16") && KernelBuilder::elementOf(op.getQuery()).isBF16() && cache.getElement().isBF16();
  return pairs || matrix ? value : k.widen(value);
}

AttentionFold::State AttentionFold::identity() {
  State state{k.constant({rows}, std::numeric_limits<float>::lowest()),
              matrix ? k.constant({rows, kSums}, 0.0) : k.constant({rows}, 0.0)};
  for (const Piece &columns : folded)
    state.push_back(k.constant({rows, columns.width}, 0.0));
  return state;
}

AttentionFold::State AttentionFold::fold(Value run, int64_t split, bool small) {
  State state = identity();
  auto least = [&](Value a, Value b) -> Value { return arith::MinUIOp::create(k.builder, k.location, a, b); };
  auto greatest = [&](Value a, Value b) -> Value { return arith::MaxUIOp::create(k.builder, k.location, a, b); };
  auto tiles = [&](Value from, Value to, bool masked) {
    state = k.loop(from, to, 1, state,
                   [&](Value tile, llvm::ArrayRef<Value> carried) { return step(tile, carried, masked); });
  };
  auto up = [&](Value position) { return k.divIndex(k.addIndex(position, kTile - 1), kTile); };
  Value low = run ? k.mulIndex(run, split / kTile) : Value(), high = run ? k.addIndex(low, split / kTile) : Value();
  auto inRun = [&](Value tile) { return run ? least(greatest(tile, low), high) : tile; };
  Value first = inRun(k.divIndex(seen.firstStart, kTile)), whole = inRun(k.divIndex(seen.firstEnd, kTile)),
        last = inRun(up(seen.lastEnd));
  if (small) {
    tiles(first, last, true);
    return state;
  }
  if (op.getWindow()) {
    // Whole tiles start where the window does not cut; all of it may lie in one tile.
    Value inner = least(inRun(up(seen.lastStart)), last);
    tiles(first, inner, true);
    whole = greatest(inner, whole);
    first = inner;
  }
  tiles(first, whole, false);
  tiles(whole, last, true);
  return state;
}

std::pair<Value, Value> AttentionFold::runs(int64_t split) {
  return {k.divIndex(seen.firstStart, split), k.divIndex(k.addIndex(seen.lastEnd, split - 1), split)};
}

AttentionFold::State AttentionFold::foldRuns(int64_t split) {
  auto [first, end] = runs(split);
  return k.loop(first, end, 1, identity(), [&](Value run, llvm::ArrayRef<Value> carried) {
    return join(carried, fold(run, split, /*small=*/true));
  });
}

AttentionFold::State AttentionFold::join(llvm::ArrayRef<Value> state, llvm::ArrayRef<Value> part) {
  Value next = k.binary<arith::MaximumFOp>(state[0], part[0]);
  auto factorOf = [&](Value largest) -> Value { return power(k.binary<arith::SubFOp>(largest, next)); };
  Value ofState = factorOf(state[0]), ofPart = factorOf(ADZE_MUTANT("join-runs-as-they-are") ? next : part[0]);
  Value seenSums = sums(part[1]);
  State joined{next};
  for (auto [old, more] : llvm::zip(state.drop_front(), part.drop_front())) {
    auto shape = mlir::cast<RankedTensorType>(old.getType()).getShape();
    auto wide = [&](Value value) { return shape.size() > 1 ? row(value, shape[1]) : value; };
    Value sum = k.binary<arith::AddFOp>(k.binary<arith::MulFOp>(old, wide(ofState)),
                                        k.binary<arith::MulFOp>(more, wide(ofPart)));
    Value unseen =
        arith::CmpFOp::create(k.builder, k.location, arith::CmpFPredicate::OEQ, wide(seenSums), k.constant(shape, 0.0));
    joined.push_back(arith::SelectOp::create(k.builder, k.location, unseen, old, sum));
  }
  return joined;
}

Value AttentionFold::sums(Value sum) {
  return mlir::cast<RankedTensorType>(sum.getType()).getRank() > 1 ? k.reduce("max", sum, 1) : sum;
}

llvm::SmallVector<Value> AttentionFold::means(llvm::ArrayRef<Value> state) {
  // A row that sees no key has l = 0 and gives 0.
  Value all = sums(state[1]);
  llvm::SmallVector<Value> means;
  for (auto [columns, weighted] : llvm::zip(folded, state.drop_front(2))) {
    Value zero = k.constant({rows, columns.width}, 0.0);
    Value sum = row(all, columns.width);
    Value empty = arith::CmpFOp::create(k.builder, k.location, arith::CmpFPredicate::OEQ, sum, zero);
    Value mean = k.binary<arith::DivFOp>(weighted, sum);
    means.push_back(arith::SelectOp::create(k.builder, k.location, empty, zero, mean));
  }
  return means;
}
