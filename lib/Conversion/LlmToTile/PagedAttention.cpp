//===- PagedAttention.cpp - causal attention over the paged cache -------------------------------------------------===//
//
// A block takes one token and the query heads of one KV head. It folds the keys in tiles of 64 absolute positions from
// 0, left to right (docs/Numerics.md), each tile as four pieces of 16 positions, so that pages of 16, 32 and 64 tokens
// give the same bits: the sums run over the same positions in the same order wherever these lie. The softmax is the
// online one: (largest score m, sum l, weighted values a); m starts at the lowest float, so that a tile in which
// nothing is visible changes no bit of the state.
//
// Only the tiles at the ends of what a token sees are masked: a hidden score is minus infinity, and the value behind it
// is replaced by 0, for memory that nothing has written may hold NaN.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Cache.h"
#include "adze/Support/Mutant.h"

#include <limits>

using namespace mlir;
using namespace adze;

namespace {
constexpr int64_t kTile = 64, kPiece = 16, kPieces = kTile / kPiece;

struct Attention {
  KernelBuilder &k;
  llm::PagedAttentionOp op;
  llm::KvType cache;
  int64_t ratio, dim;
  KernelBuilder::View keys, values, pages;
  Value head{}, query{}, firstPage{}, endPage{}; // entries of the page list
  Value start{}, end{};                          // visible positions [start, end)

  Value row(Value value, int64_t extent) { return k.broadcast(value, 1, extent); }

  /// Offsets into the pool of a piece of a tile, without the last two.
  llvm::SmallVector<Value> place(Value tile, int64_t piece, bool masked) {
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

  /// Which positions of a piece are visible: i1 [rows, 16] or [16, rows] transposed.
  Value visible(Value position, int64_t rows) {
    auto type = k.tile({rows, kPiece}, k.i32());
    Value at = tile::IotaOp::create(k.builder, k.location, type, position, 1);
    auto compare = [&](arith::CmpIPredicate predicate, Value bound) -> Value {
      return arith::CmpIOp::create(k.builder, k.location, predicate, at, k.splat({rows, kPiece}, k.toI32(bound)));
    };
    Value below = compare(arith::CmpIPredicate::slt, ADZE_MUTANT("drop-causal-mask") ? k.index(1 << 20) : end);
    if (op.getWindow() == 0)
      return below;
    return k.binary<arith::AndIOp>(below, compare(arith::CmpIPredicate::sge, start));
  }

  llvm::SmallVector<Value> step(Value tile, llvm::ArrayRef<Value> state, bool masked) {
    Value largest = state[0], sum = state[1], result = state[2];
    llvm::SmallVector<Value> scores, positions;
    llvm::SmallVector<llvm::SmallVector<Value>> places;
    Value base = k.mulIndex(tile, kTile);
    for (int64_t piece = 0; piece < kPieces; ++piece) {
      places.push_back(place(tile, piece, masked));
      positions.push_back(k.addIndex(base, piece * kPiece));
      Value key = k.widen(k.load(keys, places.back(), {kPiece, dim}, {3, 4}, {0, 1, 2, 3, 4}));
      Value score = k.dot(query, key, k.constant({ratio, kPiece}, 0.0));
      score = k.binary<arith::MulFOp>(score, k.constant({ratio, kPiece}, op.getScale().convertToFloat()));
      if (masked)
        score = arith::SelectOp::create(k.builder, k.location, visible(positions.back(), ratio), score,
                                        k.constant({ratio, kPiece}, -std::numeric_limits<double>::infinity()));
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
      weights.push_back(math::ExpOp::create(k.builder, k.location, k.binary<arith::SubFOp>(score, shift)).getResult());
    Value added = k.reduce("add", fold(weights, [&](Value a, Value b) { return k.binary<arith::AddFOp>(a, b); }), 1);
    Value correction = math::ExpOp::create(k.builder, k.location, k.binary<arith::SubFOp>(largest, next));
    sum = k.binary<arith::AddFOp>(k.binary<arith::MulFOp>(sum, correction), added);
    result = k.binary<arith::MulFOp>(result, row(correction, dim));
    for (int64_t piece = 0; piece < kPieces; ++piece) {
      Value value = k.widen(k.load(values, places[piece], {dim, kPiece}, {4, 3}, {0, 1, 2, 3, 4}));
      if (masked)
        value = arith::SelectOp::create(k.builder, k.location, visible(positions[piece], dim), value,
                                        k.constant({dim, kPiece}, 0.0));
      result = k.dot(weights[piece], value, result);
    }
    return {next, sum, result};
  }
};

/// An activation as [rows, kv head, query head of it, dim], columns of a wider one included.
KernelBuilder::View headView(KernelBuilder &k, Value pointer, Value rows, Type element, int64_t heads, int64_t ratio,
                             int64_t dim, int64_t width, int64_t offset) {
  return k.makeView(pointer, {rows, k.index(heads), k.index(ratio), k.index(dim)}, element,
                    {width, ratio * dim, dim, 1}, false, offset * (element.getIntOrFloatBitWidth() / 8));
}
} // namespace

void adze::buildAttention(KernelBuilder &k) {
  auto op = *k.group.getBody().front().getOps<llm::PagedAttentionOp>().begin();
  auto cache = op.getKv().getType();
  int64_t dim = cache.getDim(), heads = cache.getHeads(), ratio = op.getHeads() / heads, width = op.getHeads() * dim;
  Type element = KernelBuilder::elementOf(op.getQuery());

  // A query that is columns of a wider activation is read where it lies.
  Value source = op.getQuery();
  int64_t offset = 0;
  while (auto slice = source.getDefiningOp<llm::SliceColumnsOp>()) {
    offset += slice.getOffset();
    source = slice.getInput();
  }
  auto queries = headView(k, k.pointerOfOperand(mlir::cast<BlockArgument>(source).getArgNumber()), k.tokens(), element,
                          heads, ratio, dim, KernelBuilder::columns(source), offset);
  Attention attention{.k = k,
                      .op = op,
                      .cache = cache,
                      .ratio = ratio,
                      .dim = dim,
                      .keys = cacheView(k, op.getKv(), false),
                      .values = cacheView(k, op.getKv(), true),
                      .pages = k.viewOf(BatchArray::Pages)};
  auto origins = k.startGrid({k.tokens(), k.index(heads)}, {1, 1});
  Value token = origins[0];
  attention.head = origins[1];

  Value request = k.rowLookup(BatchArray::Request, token), position = k.rowLookup(BatchArray::Position, token);
  Value length = k.lookup(BatchArray::KvLength, request);
  attention.firstPage = k.lookup(BatchArray::PageStart, request);
  attention.endPage = k.lookup(BatchArray::PageStart, k.addIndex(request, 1));
  Value seen = k.addIndex(position, 1);
  attention.end = arith::MinUIOp::create(k.builder, k.location, seen, length);
  attention.start = k.index(0);
  if (int64_t window = op.getWindow()) {
    Value reach = arith::MaxUIOp::create(k.builder, k.location, seen, k.index(window));
    attention.start = arith::SubIOp::create(k.builder, k.location, reach, k.index(window));
  }
  llvm::SmallVector<Value> queryAt{token, attention.head, k.index(0), k.index(0)};
  attention.query = k.widen(k.load(queries, queryAt, {ratio, dim}, {2, 3}, {0, 1, 2, 3}));

  llvm::SmallVector<Value> state{k.constant({ratio}, std::numeric_limits<float>::lowest()), k.constant({ratio}, 0.0),
                                 k.constant({ratio, dim}, 0.0)};
  auto fold = [&](Value from, Value to, bool masked) {
    state = k.loop(from, to, 1, state,
                   [&](Value tile, llvm::ArrayRef<Value> carried) { return attention.step(tile, carried, masked); });
  };
  Value first = k.divIndex(attention.start, kTile), whole = k.divIndex(attention.end, kTile);
  Value last = k.divIndex(k.addIndex(attention.end, kTile - 1), kTile);
  if (op.getWindow()) {
    // Whole tiles start where the window does not cut; all of it may lie in one tile.
    Value inner = k.divIndex(k.addIndex(attention.start, kTile - 1), kTile);
    inner = arith::MinUIOp::create(k.builder, k.location, inner, last);
    fold(first, inner, true);
    whole = arith::MaxUIOp::create(k.builder, k.location, inner, whole);
    first = inner;
  }
  fold(first, whole, false);
  fold(whole, last, true);

  // A row that sees no key has l = 0 and gives 0.
  Value zero = k.constant({ratio, dim}, 0.0);
  Value sum = attention.row(state[1], dim);
  Value empty = arith::CmpFOp::create(k.builder, k.location, arith::CmpFPredicate::OEQ, sum, zero);
  Value mean = k.binary<arith::DivFOp>(state[2], sum);
  mean = arith::SelectOp::create(k.builder, k.location, empty, zero, mean);
  k.bind(op.getResult(), k.round(mean, element));

  Place place;
  place.row = token;
  place.rows = ratio;
  place.column = attention.head;
  place.width = dim;
  auto yield = mlir::cast<llm::YieldOp>(k.group.getBody().front().getTerminator());
  for (auto [number, value] : llvm::enumerate(yield.getValues())) {
    auto view = headView(k, k.pointerOfResult(number), k.tokens(), KernelBuilder::elementOf(value), heads, ratio, dim,
                         width, 0);
    k.store(k.pull(value, place), view, queryAt, {2, 3}, {0, 1, 2, 3});
  }
}
