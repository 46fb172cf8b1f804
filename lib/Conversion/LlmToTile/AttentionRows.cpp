//===- AttentionRows.cpp - attention by matrix instructions -------------------------------------------------------===//
//
// The rows of a product are some tokens of one request times the query heads of one KV head, heads innermost, so that
// keys and values come once for all of them. A lone token's heads fill the rows as far as they go; the rest is padding,
// which reads zeros or a neighbour's queries and is not written. A block takes neighbouring tokens; those of several
// requests go one request after the other.
//
// In runs (a schedule with a split) there are two kernels. A request whose step has one token after its prompt, as
// decode has, is cut: the first kernel folds its runs in blocks of their own and leaves what each gave in scratch
// memory, the second joins them, left to right. What else stands after a prompt (tokens that are computed again) is
// folded run by run and joined inside a block of the second kernel, with the same operations in the same order.
// Positions of a request's tokens follow each other, so that the first one says which stand after the prompt.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "adze/Support/Mutant.h"

#include <bit>

using namespace mlir;
using namespace adze;

namespace {
/// Blocks that share the runs of a request and a KV head: at least so many, and more where requests are few, until
/// there are enough for a GPU. Which block folds a run changes no bit.
constexpr int64_t kLeastRunBlocks = 4, kBlocksOfGpu = 1024;
/// Query heads of a token whose runs are partial results: rows of one instruction.
constexpr int64_t kHeadsOfRun = 16;
/// Runs whose partial results are under way at once.
constexpr int64_t kJoined = 4;
/// Columns of values that a fold carries at most, where a warp has 16 rows: half of these numbers are registers of each
/// thread, beside queries and scores. A wider head is folded once for each part, as is one whose runs are joined in the
/// same block, which carries both states.
constexpr int64_t kFolded = 128, kFoldedOfRuns = 64;

struct RowBlocks {
  AttentionKernel &kernel;
  KernelBuilder &k = kernel.k;
  int64_t split = k.schedule.split;
  /// Partial results: weighted values [place, kv head, query head, dim], largest scores and sums [place, kv head, query
  /// head].
  KernelBuilder::View weighted{}, largest{}, sums{};

  explicit RowBlocks(AttentionKernel &kernel) : kernel(kernel) {
    if (!split)
      return;
    int64_t heads = kernel.op.getHeads(), place = partialFloats(heads, kernel.dim), ratio = kernel.ratio;
    Value memory = k.entry->getArgument(k.abi.pointerOfScratch());
    Value many = k.index(int64_t(1) << 40), groups = k.index(kernel.heads), each = k.index(ratio);
    weighted = k.makeView(memory, {many, groups, each, k.index(kernel.dim)}, k.f32(),
                          {place, ratio * kernel.dim, kernel.dim, 1});
    largest = k.makeView(memory, {many, groups, each}, k.f32(), {place, ratio, 1}, false, heads * kernel.dim * 4);
    sums = k.makeView(memory, {many, groups, each}, k.f32(), {place, ratio, 1}, false, heads * (kernel.dim + 1) * 4);
  }

  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(k.builder, k.location, predicate, a, b);
  }
  Value below(Value a, Value b) { return compare(arith::CmpIPredicate::ult, a, b); }

  /// Query heads of a KV head that are neighbouring rows of a product, a power of two, padding included.
  int64_t headsOfRows() const { return std::min(k.schedule.rows, int64_t(std::bit_ceil(uint64_t(kernel.ratio)))); }
  int64_t tokensOfRows() const { return k.schedule.rows / headsOfRows(); }
  /// Extent of a grid over KV heads and the query heads of each, `each` at a time.
  int64_t headBlocks(int64_t each) const { return kernel.heads * ((kernel.ratio + each - 1) / each); }
  /// KV head and first query head of it.
  std::pair<Value, Value> headsAt(Value origin, int64_t each) {
    int64_t groups = (kernel.ratio + each - 1) / each;
    return {k.divIndex(origin, groups), k.mulIndex(k.remIndex(origin, groups), each)};
  }

  /// Dimensions of a view of heads along which tiles need no mask.
  llvm::SmallVector<int64_t> insideOf(bool tokens, int64_t each, const AttentionFold::Piece *columns) {
    llvm::SmallVector<int64_t> inside{1};
    if (tokens)
      inside.push_back(0);
    if (kernel.ratio % each == 0)
      inside.push_back(2);
    if (columns && columns->inside)
      inside.push_back(3);
    return inside;
  }

  /// The fold of tokens [token, end) of one request, at most `count`, times `each` query heads from `query` on.
  AttentionFold foldOf(Value token, Value end, int64_t count, int64_t each, Value head, Value query) {
    bool lone = count == 1;
    AttentionFold fold = kernel.foldOf(token, head, count, lone ? Value() : kernel.less(end, 1), each);
    fold.rows = count * each;
    for (const AttentionFold::Piece &columns : kernel.pieces) {
      Value part = k.load(kernel.queries, {token, head, query, k.index(columns.offset)}, {count, each, columns.width},
                          {0, 2, 3}, insideOf(lone, each, &columns));
      fold.query.push_back(fold.operand(k.reshape(part, {fold.rows, columns.width})));
    }
    return fold;
  }

  /// Calls `body` for some of a head's columns at a time, at most so many, which are those that are folded meanwhile.
  void forParts(AttentionFold &fold, int64_t columns, llvm::function_ref<void()> body) {
    llvm::ArrayRef<AttentionFold::Piece> rest = kernel.pieces;
    while (!rest.empty()) {
      size_t count = 1, alike = 1;
      int64_t width = rest[0].width;
      for (; count < rest.size() && width + rest[count].width <= columns; ++count)
        width += rest[count].width;
      fold.folded = rest.take_front(count);
      // Parts of the same pieces are one piece of code.
      auto isAlike = [&](llvm::ArrayRef<AttentionFold::Piece> next) {
        return llvm::equal(fold.folded, next,
                           [](auto &a, auto &b) { return a.width == b.width && a.inside == b.inside; });
      };
      while (rest.size() >= (alike + 1) * count && isAlike(rest.slice(alike * count, count)))
        ++alike;
      if (alike == 1) {
        body();
      } else {
        k.loop(k.index(0), k.index(int64_t(alike) * width), width, {}, [&](Value base, llvm::ArrayRef<Value>) {
          fold.base = base;
          body();
          return llvm::SmallVector<Value>();
        });
        fold.base = Value();
      }
      rest = rest.drop_front(alike * count);
    }
  }

  void write(AttentionFold &fold, llvm::ArrayRef<Value> state, Value token, Value end, int64_t count, int64_t each,
             Value head, Value query) {
    auto results = kernel.resultViews(ADZE_MUTANT("write-neighbours-rows") ? k.tokens() : end);
    llvm::SmallVector<Value> at{token, head, query, k.index(0)};
    kernel.finish(fold.folded, fold.means(state), count * each, at,
                  [&](unsigned number, Value tile, const AttentionFold::Piece &columns) {
                    at[3] = fold.columnOf(columns);
                    k.store(k.reshape(tile, {count, each, columns.width}), results[number], at, {0, 2, 3},
                            insideOf(count == 1, each, &columns));
                  });
  }

  void rowsOfOneRequest(Value token, Value end, Value head, Value query, bool inRuns) {
    AttentionFold fold = foldOf(token, end, tokensOfRows(), headsOfRows(), head, query);
    forParts(fold, inRuns ? kFoldedOfRuns : kFolded, [&] {
      auto state = inRuns ? fold.foldRuns(split) : fold.fold();
      write(fold, state, token, end, tokensOfRows(), headsOfRows(), head, query);
    });
  }

  // ---- runs
  /// The tokens of a request in this step.
  std::pair<Value, Value> tokensOf(Value request) {
    return {k.lookup(BatchArray::QueryStart, request), k.lookup(BatchArray::QueryStart, k.addIndex(request, 1))};
  }
  /// The first of a request's tokens [start, end), of which there are some, that stands after its prompt.
  Value afterPrompt(Value request, Value start, Value end) {
    Value position = k.lookup(BatchArray::Position, start), prompt = k.lookup(BatchArray::PromptLength, request);
    Value left = arith::SubIOp::create(k.builder, k.location, kernel.greatest(prompt, position), position);
    return kernel.least(arith::AddIOp::create(k.builder, k.location, start, left), end);
  }
  /// Calls `body` with a request's one token after its prompt and the token behind it, where it has just one: then its
  /// runs are partial results.
  void whereCut(Value request, llvm::function_ref<void(Value, Value)> body) {
    auto [start, end] = tokensOf(request);
    k.branch(
        below(start, end),
        [&, start = start, end = end] {
          Value after = afterPrompt(request, start, end);
          Value one = compare(arith::CmpIPredicate::eq, k.addIndex(after, 1), end);
          k.branch(one, [&] { body(after, end); }, [] {});
        },
        [] {});
  }

  /// Where a run's partial results lie (KernelAbi.cpp says why no two meet).
  Value placeOf(Value request, Value run) {
    int64_t pages = split / kernel.op.getKv().getType().getPage();
    Value before = k.divIndex(k.lookup(BatchArray::PageStart, request), pages);
    return k.addIndex(k.addIndex(before, request), run);
  }

  /// The block `number` of `blocks` folds every so-many-th run of a request's one token after its prompt.
  void partials(Value request, Value head, Value query, Value number, Value blocks) {
    int64_t each = kHeadsOfRun;
    whereCut(request, [&](Value token, Value end) {
      AttentionFold fold = foldOf(token, end, 1, each, head, query);
      auto [first, last] = fold.runs(split);
      auto op = scf::ForOp::create(k.builder, k.location, k.addIndex(first, number), last, blocks);
      OpBuilder::InsertionGuard guard(k.builder);
      k.builder.setInsertionPoint(op.getBody()->getTerminator());
      KernelBuilder::Scope scope(k);
      Value place = placeOf(request, op.getInductionVar());
      forParts(fold, kFolded, [&] {
        AttentionFold::State state = fold.fold(op.getInductionVar(), split);
        llvm::SmallVector<Value> at{place, head, query};
        if (fold.folded.front().offset == 0) { // the same for every part
          llvm::SmallVector<int64_t> inside = insideOf(true, each, nullptr);
          k.store(state[0], largest, at, {2}, inside);
          k.store(fold.sums(state[1]), sums, at, {2}, inside);
        }
        at.push_back(Value());
        for (auto [columns, tile] : llvm::zip(fold.folded, llvm::ArrayRef(state).drop_front(2))) {
          at[3] = fold.columnOf(columns);
          k.store(tile, weighted, at, {2, 3}, insideOf(true, each, &columns));
        }
      });
    });
  }

  /// What a run gave.
  AttentionFold::State partialAt(Value request, Value run, Value head, Value query) {
    int64_t each = kHeadsOfRun;
    llvm::SmallVector<Value> at{placeOf(request, run), head, query};
    llvm::SmallVector<int64_t> inside = insideOf(true, each, nullptr);
    AttentionFold::State part{k.load(largest, at, {each}, {2}, inside), k.load(sums, at, {each}, {2}, inside)};
    at.push_back(Value());
    for (const AttentionFold::Piece &columns : kernel.pieces) {
      at[3] = k.index(columns.offset);
      part.push_back(k.load(weighted, at, {each, columns.width}, {2, 3}, insideOf(true, each, &columns)));
    }
    return part;
  }

  /// Joins the runs of a request's one token after its prompt.
  void joinPartials(Value request, Value head, Value query) {
    int64_t each = kHeadsOfRun;
    whereCut(request, [&](Value token, Value end) {
      AttentionFold fold = kernel.foldOf(token, head, 1, Value(), each);
      fold.rows = each;
      fold.matrix = false; // sums come as one number a row
      auto [first, last] = fold.runs(split);
      // Some at a time, so that their loads are under way together; joined one after the other all the same.
      Value count = arith::SubIOp::create(k.builder, k.location, last, first);
      Value several = k.mulIndex(k.divIndex(count, kJoined), kJoined);
      Value whole = arith::AddIOp::create(k.builder, k.location, first, several);
      auto state = k.loop(first, whole, kJoined, fold.identity(), [&](Value run, llvm::ArrayRef<Value> carried) {
        llvm::SmallVector<AttentionFold::State> parts;
        for (int64_t i = 0; i < kJoined; ++i)
          parts.push_back(partialAt(request, k.addIndex(run, i), head, query));
        AttentionFold::State joined(carried);
        for (const AttentionFold::State &part : parts)
          joined = fold.join(joined, part);
        return joined;
      });
      state = k.loop(whole, ADZE_MUTANT("drop-last-runs") ? whole : last, 1, state,
                     [&](Value run, llvm::ArrayRef<Value> carried) {
                       return fold.join(carried, partialAt(request, run, head, query));
                     });
      write(fold, state, token, end, 1, each, head, query);
    });
  }

  // ---- blocks of tokens
  void rowsOfRequest(Value request, Value from, Value to, Value head, Value query) {
    auto plain = [&] { rowsOfOneRequest(from, to, head, query, false); };
    auto inRuns = [&] {
      auto [start, end] = tokensOf(request);
      Value after = afterPrompt(request, start, end);
      Value inPrompt = kernel.least(to, after), later = kernel.greatest(from, after);
      k.branch(below(from, inPrompt), [&] { rowsOfOneRequest(from, inPrompt, head, query, false); }, [] {});
      Value here = below(later, to), several = below(k.addIndex(after, 1), end);
      k.branch(
          arith::AndIOp::create(k.builder, k.location, here, several),
          [&] { rowsOfOneRequest(later, to, head, query, true); }, [] {});
    };
    k.branch(below(from, to), split ? llvm::function_ref<void()>(inRuns) : llvm::function_ref<void()>(plain), [] {});
  }

  /// The tokens [token, end) of whatever requests, one request after the other.
  void rowsOfRequests(Value token, Value end, Value head, Value query) {
    if (tokensOfRows() == 1)
      return rowsOfRequest(k.rowLookup(BatchArray::Request, token), token, end, head, query);
    Value first = k.rowLookup(BatchArray::Request, token), last = k.rowLookup(BatchArray::Request, kernel.less(end, 1));
    k.loop(first, k.addIndex(last, 1), 1, {}, [&](Value request, llvm::ArrayRef<Value>) {
      Value from = kernel.greatest(token, k.lookup(BatchArray::QueryStart, request));
      Value to = kernel.least(end, k.lookup(BatchArray::QueryStart, k.addIndex(request, 1)));
      rowsOfRequest(request, from, to, head, query);
      return llvm::SmallVector<Value>();
    });
  }
};
} // namespace

void adze::buildAttentionRows(AttentionKernel &kernel) {
  RowBlocks rows(kernel);
  KernelBuilder &k = kernel.k;
  int64_t each = rows.headsOfRows();
  auto [blocks, share] = kernel.tokenBlocks(rows.tokensOfRows());
  auto origins = k.startGrid({blocks, k.index(rows.headBlocks(each))}, {1, 1});
  // A chunk's last tokens see most: they begin first, and the short ones fill up at the end.
  Value place = arith::SubIOp::create(k.builder, k.location, kernel.less(blocks, 1), origins[0]);
  Value token = arith::MulIOp::create(k.builder, k.location, place, share);
  Value end = kernel.least(arith::AddIOp::create(k.builder, k.location, token, share), k.tokens());
  auto [head, query] = rows.headsAt(origins[1], each);
  rows.rowsOfRequests(token, end, head, query);
  if (!rows.split)
    return;
  k.endGrid();
  auto requests = k.startGrid({k.requests(), k.index(rows.headBlocks(kHeadsOfRun))}, {1, 1});
  auto [ofRequest, firstQuery] = rows.headsAt(requests[1], kHeadsOfRun);
  rows.joinPartials(requests[0], ofRequest, firstQuery);
}

void adze::buildAttentionPartials(KernelBuilder &k) {
  AttentionKernel kernel(k);
  RowBlocks rows(kernel);
  int64_t heads = rows.headBlocks(kHeadsOfRun);
  Value pairs = kernel.greatest(k.mulIndex(k.requests(), heads), k.index(1));
  Value wanted = arith::DivUIOp::create(k.builder, k.location, k.index(kBlocksOfGpu), pairs);
  Value blocks = kernel.greatest(wanted, k.index(kLeastRunBlocks));
  auto origins = k.startGrid({k.requests(), k.index(heads), blocks}, {1, 1, 1});
  auto [head, query] = rows.headsAt(origins[1], kHeadsOfRun);
  rows.partials(origins[0], head, query, origins[2], blocks);
}
