//===- AttentionKernel.h - views of an attention kernel, and what its kinds of blocks share -----------------------===//
//
// PagedAttention.cpp has the blocks that multiply in f32, AttentionRows.cpp those of matrix instructions; how rows fold
// what they see is AttentionFold.h.
//
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LIB_CONVERSION_LLMTOTILE_ATTENTIONKERNEL_H
#define ADZE_LIB_CONVERSION_LLMTOTILE_ATTENTIONKERNEL_H

#include "AttentionFold.h"
#include "Cache.h"

namespace adze {

/// An activation as [rows, kv head, query head of it, dim], columns of a wider one included.
inline KernelBuilder::View headView(KernelBuilder &k, mlir::Value pointer, mlir::Value rows, mlir::Type element,
                                    int64_t heads, int64_t ratio, int64_t dim, int64_t width, int64_t offset) {
  return k.makeView(pointer, {rows, k.index(heads), k.index(ratio), k.index(dim)}, element,
                    {width, ratio * dim, dim, 1}, false, offset * (element.getIntOrFloatBitWidth() / 8));
}

/// The whole kernel: its views, and the kinds of blocks.
struct AttentionKernel {
  KernelBuilder &k;
  llm::PagedAttentionOp op;
  int64_t dim, heads, ratio;
  bool matrix;
  llvm::SmallVector<AttentionFold::Piece> pieces;
  KernelBuilder::View queries{}, keys{}, values{}, pages{}, positions{};

  explicit AttentionKernel(KernelBuilder &k)
      : k(k), op(*k.group.getBody().front().getOps<llm::PagedAttentionOp>().begin()),
        dim(op.getKv().getType().getDim()), heads(op.getKv().getType().getHeads()), ratio(op.getHeads() / heads),
        matrix(k.schedule.rows != 0), pieces(AttentionFold::piecesOf(k, dim, matrix)) {
    // A query that is columns of a wider activation is read where it lies.
    mlir::Value source = op.getQuery();
    int64_t offset = 0;
    while (auto slice = source.getDefiningOp<llm::SliceColumnsOp>()) {
      offset += slice.getOffset();
      source = slice.getInput();
    }
    queries =
        headView(k, k.pointerOfOperand(mlir::cast<mlir::BlockArgument>(source).getArgNumber()), k.tokens(),
                 KernelBuilder::elementOf(op.getQuery()), heads, ratio, dim, KernelBuilder::columns(source), offset);
    keys = cacheView(k, op.getKv(), false);
    values = cacheView(k, op.getKv(), true);
    pages = k.viewOf(BatchArray::Pages);
    positions = k.viewOf(BatchArray::Position);
  }

  mlir::ValueRange yielded() { return mlir::cast<llm::YieldOp>(k.group.getBody().front().getTerminator()).getValues(); }

  /// The results, of which rows up to `end` are written.
  llvm::SmallVector<KernelBuilder::View> resultViews(mlir::Value end) {
    llvm::SmallVector<KernelBuilder::View> views;
    for (mlir::Value value : yielded())
      views.push_back(headView(k, k.pointerOfResult(views.size()), end, KernelBuilder::elementOf(value), heads, ratio,
                               dim, op.getHeads() * dim, 0));
    return views;
  }

  mlir::Value least(mlir::Value a, mlir::Value b) { return mlir::arith::MinUIOp::create(k.builder, k.location, a, b); }
  mlir::Value greatest(mlir::Value a, mlir::Value b) {
    return mlir::arith::MaxUIOp::create(k.builder, k.location, a, b);
  }
  mlir::Value less(mlir::Value a, int64_t b) {
    return mlir::arith::SubIOp::create(k.builder, k.location, a, k.index(b));
  }

  /// Blocks of neighbouring tokens, and how many tokens each takes: `count` where there are prompts, else one.
  std::pair<mlir::Value, mlir::Value> tokenBlocks(int64_t count) {
    mlir::Value one = k.index(1), share = one;
    if (count > 1) {
      // Where there is no prompt, neighbours are of different requests, and a block for each token shares the work
      // better.
      mlir::Value few = k.mulIndex(k.requests(), 2);
      mlir::Value prompts =
          mlir::arith::CmpIOp::create(k.builder, k.location, mlir::arith::CmpIPredicate::ugt, k.tokens(), few);
      share = mlir::arith::SelectOp::create(k.builder, k.location, prompts, k.index(count), one);
    }
    mlir::Value above = mlir::arith::SubIOp::create(k.builder, k.location, share, one);
    mlir::Value all = mlir::arith::AddIOp::create(k.builder, k.location, k.tokens(), above);
    return {mlir::arith::DivUIOp::create(k.builder, k.location, all, share), share};
  }

  /// What tokens of one request attend to: up to `count` tokens from `token` on, `last` being the last one where there
  /// may be fewer. A token's bounds fill `each` rows.
  AttentionFold foldOf(mlir::Value token, mlir::Value head, int64_t count, mlir::Value last, int64_t each) {
    AttentionFold fold{.k = k,
                       .op = op,
                       .cache = op.getKv().getType(),
                       .matrix = matrix,
                       .powersOfTwo = matrix,
                       .pieces = pieces,
                       .folded = pieces,
                       .keys = keys,
                       .values = values,
                       .pages = pages};
    fold.head = head;
    mlir::Value request = k.rowLookup(BatchArray::Request, token);
    mlir::Value length = k.lookup(BatchArray::KvLength, request);
    fold.firstPage = k.lookup(BatchArray::PageStart, request);
    fold.endPage = k.lookup(BatchArray::PageStart, k.addIndex(request, 1));
    AttentionFold::Visible &seen = fold.seen;
    int64_t window = op.getWindow();
    // Positions of a request's tokens follow each other, so that those of two bound all.
    for (int64_t i = 0, n = last ? 2 : count; i < n; ++i) {
      mlir::Value at = i && last ? last : k.addIndex(token, i);
      mlir::Value after = k.addIndex(k.rowLookup(BatchArray::Position, at), 1);
      mlir::Value end = least(after, length), start = k.index(0);
      if (window)
        start = less(greatest(after, k.index(window)), window);
      seen.firstStart = i ? least(seen.firstStart, start) : start;
      seen.lastStart = i ? greatest(seen.lastStart, start) : start;
      seen.firstEnd = i ? least(seen.firstEnd, end) : end;
      seen.lastEnd = i ? greatest(seen.lastEnd, end) : end;
    }
    if (count > 1) {
      auto all = [&](int32_t value) { return k.constantI32({count}, value); };
      llvm::SmallVector<int64_t> inside;
      if (!last)
        inside.push_back(0);
      auto toRows = [&](mlir::Value tokens) {
        return each == 1 ? tokens : k.reshape(k.broadcast(tokens, 1, each), {count * each});
      };
      mlir::Value after = k.binary<mlir::arith::AddIOp>(k.load(positions, {token}, {count}, {0}, inside), all(1));
      seen.ends = toRows(k.binary<mlir::arith::MinSIOp>(after, k.splat({count}, k.toI32(length))));
      if (window)
        seen.starts =
            toRows(k.binary<mlir::arith::SubIOp>(k.binary<mlir::arith::MaxSIOp>(after, all(window)), all(window)));
    }
    return fold;
  }

  /// Makes the results of `rows` rows from the means of these pieces of a head's columns, and gives them to `store`.
  void finish(llvm::ArrayRef<AttentionFold::Piece> pieces, llvm::ArrayRef<mlir::Value> means, int64_t rows,
              llvm::ArrayRef<mlir::Value> at,
              llvm::function_ref<void(unsigned result, mlir::Value tile, const AttentionFold::Piece &)> store) {
    for (auto [columns, mean] : llvm::zip(pieces, means)) {
      k.bind(op.getResult(), k.round(mean, KernelBuilder::elementOf(op.getQuery())));
      Place place;
      place.row = at[0];
      place.rows = rows;
      place.column = at[2];
      place.offset = columns.offset;
      place.width = columns.width;
      place.columnsInside = columns.inside;
      KernelBuilder::Scope scope(k);
      for (auto [number, value] : llvm::enumerate(yielded()))
        store(number, k.pull(value, place), columns);
    }
  }
};

/// The blocks of a kernel by matrix instructions.
void buildAttentionRows(AttentionKernel &kernel);

} // namespace adze

#endif // ADZE_LIB_CONVERSION_LLMTOTILE_ATTENTIONKERNEL_H
