//===- PagedAttention.cpp - causal attention over the paged cache -------------------------------------------------===//
//
// A block takes either one token and the query heads of one KV head, or some neighbouring tokens of one request and one
// query head after the other of that KV head, so that a key is read and widened once for several rows. It folds the
// keys in tiles of 64 absolute positions from 0, left to right (docs/Numerics.md), each tile as four pieces of 16
// positions, so that pages of 16, 32 and 64 tokens give the same bits: the sums run over the same positions in the same
// order wherever these lie. The softmax is the online one: (largest score m, sum l, weighted values a); m starts at the
// lowest float, so that a tile in which nothing is visible changes no bit of the state.
//
// Only the tiles at the ends of what a token sees are masked: a hidden score is minus infinity, and the value behind it
// is replaced by 0, for memory that nothing has written may hold NaN. Rows of several tokens see different positions;
// what the last of them sees is written, so that a value hidden from some rows alone is finite and times 0 adds
// nothing. A row therefore has the same bits whichever rows share its block.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Cache.h"
#include "adze/Support/Mutant.h"

#include <bit>
#include <limits>

using namespace mlir;
using namespace adze;

namespace {
constexpr int64_t kTile = 64, kPiece = 16, kPieces = kTile / kPiece;

/// Positions [start, end) that rows see: the least and the greatest bounds, and each row's own (tiles [rows] of i32)
/// where rows are of several tokens.
struct Visible {
  Value firstStart, lastStart, firstEnd, lastEnd;
  Value starts, ends;
};

struct Attention {
  KernelBuilder &k;
  llm::PagedAttentionOp op;
  llm::KvType cache;
  int64_t dim;
  KernelBuilder::View keys, values, pages;
  Value head{}, query{}, firstPage{}, endPage{}; // entries of the page list
  int64_t rows = 0;                              // of the query
  Visible seen{};

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

  /// Which positions of a piece are visible, i1: to each row of the scores [rows, 16], or to any row (values, [dim,
  /// 16]).
  Value visible(Value position, int64_t extent, bool toEachRow) {
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

  llvm::SmallVector<Value> step(Value tile, llvm::ArrayRef<Value> state, bool masked) {
    Value largest = state[0], sum = state[1], result = state[2];
    llvm::SmallVector<Value> scores, positions;
    llvm::SmallVector<llvm::SmallVector<Value>> places;
    Value base = k.mulIndex(tile, kTile);
    for (int64_t piece = 0; piece < kPieces; ++piece) {
      places.push_back(place(tile, piece, masked));
      positions.push_back(k.addIndex(base, piece * kPiece));
      Value key = operand(k.load(keys, places.back(), {kPiece, dim}, {3, 4}, {0, 1, 2, 3, 4}));
      Value score = k.dot(query, key, k.constant({rows, kPiece}, 0.0));
      score = k.binary<arith::MulFOp>(score, k.constant({rows, kPiece}, op.getScale().convertToFloat()));
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
      weights.push_back(math::ExpOp::create(k.builder, k.location, k.binary<arith::SubFOp>(score, shift)).getResult());
    Value added = k.reduce("add", fold(weights, [&](Value a, Value b) { return k.binary<arith::AddFOp>(a, b); }), 1);
    Value correction = math::ExpOp::create(k.builder, k.location, k.binary<arith::SubFOp>(largest, next));
    sum = k.binary<arith::AddFOp>(k.binary<arith::MulFOp>(sum, correction), added);
    result = k.binary<arith::MulFOp>(result, row(correction, dim));
    for (int64_t piece = 0; piece < kPieces; ++piece) {
      Value value = k.widen(k.load(values, places[piece], {dim, kPiece}, {4, 3}, {0, 1, 2, 3, 4}));
      if (masked)
        value = arith::SelectOp::create(k.builder, k.location, visible(positions[piece], dim, false), value,
                                        k.constant({dim, kPiece}, 0.0));
      result = k.dot(weights[piece], value, result);
    }
    return {next, sum, result};
  }

  /// An operand of the scores. Queries and keys in bf16 stay so where the level multiplies pairs of them.
  Value operand(Value value) {
    bool pairs =
        k.target.has("avx512bf16") && KernelBuilder::elementOf(op.getQuery()).isBF16() && cache.getElement().isBF16();
    return pairs ? value : k.widen(value);
  }

  /// Folds everything that the rows see; the result is [rows, dim].
  Value fold() {
    llvm::SmallVector<Value> state{k.constant({rows}, std::numeric_limits<float>::lowest()), k.constant({rows}, 0.0),
                                   k.constant({rows, dim}, 0.0)};
    auto tiles = [&](Value from, Value to, bool masked) {
      state = k.loop(from, to, 1, state,
                     [&](Value tile, llvm::ArrayRef<Value> carried) { return step(tile, carried, masked); });
    };
    auto up = [&](Value position) { return k.divIndex(k.addIndex(position, kTile - 1), kTile); };
    Value first = k.divIndex(seen.firstStart, kTile), whole = k.divIndex(seen.firstEnd, kTile), last = up(seen.lastEnd);
    if (op.getWindow()) {
      // Whole tiles start where the window does not cut; all of it may lie in one tile.
      Value inner = arith::MinUIOp::create(k.builder, k.location, up(seen.lastStart), last);
      tiles(first, inner, true);
      whole = arith::MaxUIOp::create(k.builder, k.location, inner, whole);
      first = inner;
    }
    tiles(first, whole, false);
    tiles(whole, last, true);

    // A row that sees no key has l = 0 and gives 0.
    Value zero = k.constant({rows, dim}, 0.0);
    Value sum = row(state[1], dim);
    Value empty = arith::CmpFOp::create(k.builder, k.location, arith::CmpFPredicate::OEQ, sum, zero);
    Value mean = k.binary<arith::DivFOp>(state[2], sum);
    return arith::SelectOp::create(k.builder, k.location, empty, zero, mean);
  }
};

/// An activation as [rows, kv head, query head of it, dim], columns of a wider one included.
KernelBuilder::View headView(KernelBuilder &k, Value pointer, Value rows, Type element, int64_t heads, int64_t ratio,
                             int64_t dim, int64_t width, int64_t offset) {
  return k.makeView(pointer, {rows, k.index(heads), k.index(ratio), k.index(dim)}, element,
                    {width, ratio * dim, dim, 1}, false, offset * (element.getIntOrFloatBitWidth() / 8));
}

/// The whole kernel: its views, and the two kinds of blocks.
struct AttentionKernel {
  KernelBuilder &k;
  llm::PagedAttentionOp op;
  int64_t dim, heads, ratio;
  KernelBuilder::View queries{}, keys{}, values{}, pages{}, positions{};
  llvm::SmallVector<KernelBuilder::View> results;

  explicit AttentionKernel(KernelBuilder &k)
      : k(k), op(*k.group.getBody().front().getOps<llm::PagedAttentionOp>().begin()),
        dim(op.getKv().getType().getDim()), heads(op.getKv().getType().getHeads()), ratio(op.getHeads() / heads) {
    // A query that is columns of a wider activation is read where it lies.
    Value source = op.getQuery();
    int64_t offset = 0;
    while (auto slice = source.getDefiningOp<llm::SliceColumnsOp>()) {
      offset += slice.getOffset();
      source = slice.getInput();
    }
    queries =
        headView(k, k.pointerOfOperand(mlir::cast<BlockArgument>(source).getArgNumber()), k.tokens(),
                 KernelBuilder::elementOf(op.getQuery()), heads, ratio, dim, KernelBuilder::columns(source), offset);
    keys = cacheView(k, op.getKv(), false);
    values = cacheView(k, op.getKv(), true);
    pages = k.viewOf(BatchArray::Pages);
    positions = k.viewOf(BatchArray::Position);
    for (Value value : yielded())
      results.push_back(headView(k, k.pointerOfResult(results.size()), k.tokens(), KernelBuilder::elementOf(value),
                                 heads, ratio, dim, op.getHeads() * dim, 0));
  }

  ValueRange yielded() { return mlir::cast<llm::YieldOp>(k.group.getBody().front().getTerminator()).getValues(); }

  Value least(Value a, Value b) { return arith::MinUIOp::create(k.builder, k.location, a, b); }
  Value greatest(Value a, Value b) { return arith::MaxUIOp::create(k.builder, k.location, a, b); }

  /// What tokens of one request attend to. `count` tokens from `token` on.
  Attention attentionOf(Value token, Value head, int64_t count) {
    Attention attention{
        .k = k, .op = op, .cache = op.getKv().getType(), .dim = dim, .keys = keys, .values = values, .pages = pages};
    attention.head = head;
    Value request = k.rowLookup(BatchArray::Request, token);
    Value length = k.lookup(BatchArray::KvLength, request);
    attention.firstPage = k.lookup(BatchArray::PageStart, request);
    attention.endPage = k.lookup(BatchArray::PageStart, k.addIndex(request, 1));
    Visible &seen = attention.seen;
    int64_t window = op.getWindow();
    for (int64_t i = 0; i < count; ++i) {
      Value after = k.addIndex(k.rowLookup(BatchArray::Position, k.addIndex(token, i)), 1);
      Value end = least(after, length), start = k.index(0);
      if (window)
        start = arith::SubIOp::create(k.builder, k.location, greatest(after, k.index(window)), k.index(window));
      seen.firstStart = i ? least(seen.firstStart, start) : start;
      seen.lastStart = i ? greatest(seen.lastStart, start) : start;
      seen.firstEnd = i ? least(seen.firstEnd, end) : end;
      seen.lastEnd = i ? greatest(seen.lastEnd, end) : end;
    }
    if (count > 1) {
      auto type = k.tile({count}, k.i32());
      auto all = [&](int32_t value) { return k.constantI32({count}, value); };
      Value after = k.binary<arith::AddIOp>(k.load(positions, {token}, {count}, {0}, {0}), all(1));
      seen.ends = k.binary<arith::MinSIOp>(after, k.splat({count}, k.toI32(length)));
      if (window)
        seen.starts = k.binary<arith::SubIOp>(k.binary<arith::MaxSIOp>(after, all(window)), all(window));
      assert(seen.ends.getType() == type && "one bound for each row");
    }
    return attention;
  }

  /// Rows of the query at `at` that span dimension `dimension` of the views: all of an attention, from load to store.
  void attend(Attention attention, llvm::ArrayRef<Value> at, int64_t rows, int64_t dimension) {
    llvm::SmallVector<int64_t> inside{0, 1, 2, 3};
    if (k.target.gpu() && !std::has_single_bit(uint64_t(rows))) {
      // Threads share powers of two: rows beyond the last one read zeros and are not written.
      rows = int64_t(std::bit_ceil(uint64_t(rows)));
      llvm::erase(inside, dimension);
    }
    attention.rows = rows;
    attention.query = attention.operand(k.load(queries, at, {rows, dim}, {dimension, 3}, inside));
    Value mean = attention.fold();
    k.bind(op.getResult(), k.round(mean, KernelBuilder::elementOf(op.getQuery())));
    Place place;
    place.row = at[0];
    place.rows = rows;
    place.column = at[2];
    place.width = dim;
    KernelBuilder::Scope scope(k);
    for (auto [number, value] : llvm::enumerate(yielded()))
      k.store(k.pull(value, place), results[number], at, {dimension, 3}, inside);
  }

  void oneToken(Value token, Value head) {
    attend(attentionOf(token, head, 1), {token, head, k.index(0), k.index(0)}, ratio, 2);
  }

  void neighbours(Value token, Value head, int64_t count) {
    Attention attention = attentionOf(token, head, count);
    k.loop(k.index(0), k.index(ratio), 1, {}, [&](Value query, llvm::ArrayRef<Value>) {
      attend(attention, {token, head, query, k.index(0)}, count, 0);
      return llvm::SmallVector<Value>();
    });
  }
};
} // namespace

void adze::buildAttention(KernelBuilder &k) {
  AttentionKernel kernel(k);
  int64_t count = k.schedule.tokens;
  Value one = k.index(1), share = one;
  if (count > 1) {
    // Where there is no prompt, neighbours are of different requests, and a block for each token shares the work
    // better.
    Value few = k.mulIndex(k.requests(), 2);
    Value prompts = arith::CmpIOp::create(k.builder, k.location, arith::CmpIPredicate::ugt, k.tokens(), few);
    share = arith::SelectOp::create(k.builder, k.location, prompts, k.index(count), one);
  }
  Value above = arith::SubIOp::create(k.builder, k.location, share, one);
  Value blocks = arith::DivUIOp::create(k.builder, k.location,
                                        arith::AddIOp::create(k.builder, k.location, k.tokens(), above), share);
  auto origins = k.startGrid({blocks, k.index(kernel.heads)}, {1, 1});
  if (count == 1)
    return kernel.oneToken(origins[0], origins[1]);
  Value token = arith::MulIOp::create(k.builder, k.location, origins[0], share);
  Value end = kernel.least(arith::AddIOp::create(k.builder, k.location, token, share), k.tokens());
  Value last = arith::SubIOp::create(k.builder, k.location, end, one);
  auto equal = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(k.builder, k.location, arith::CmpIPredicate::eq, a, b);
  };
  Value same = equal(k.rowLookup(BatchArray::Request, token), k.rowLookup(BatchArray::Request, last));
  Value full = equal(arith::SubIOp::create(k.builder, k.location, end, token), k.index(count));
  k.branch(
      arith::AndIOp::create(k.builder, k.location, same, full), [&] { kernel.neighbours(token, origins[1], count); },
      [&] {
        k.loop(token, end, 1, {}, [&](Value each, llvm::ArrayRef<Value>) {
          kernel.oneToken(each, origins[1]);
          return llvm::SmallVector<Value>();
        });
      });
}
