//===- PagedAttention.cpp - causal attention over the paged cache -------------------------------------------------===//
//
// A block takes either one token and the query heads of one KV head, or some neighbouring tokens of one request and one
// query head after the other of that KV head, so that a key is read and widened once for several rows.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "AttentionKernel.h"
#include "adze/Support/Mutant.h"

#include <bit>

using namespace mlir;
using namespace adze;

namespace {
struct TokenBlocks : AttentionKernel {
  using AttentionKernel::AttentionKernel;

  /// Rows of the query at `at` that span dimension `dimension` of the views: all of an attention, from load to store.
  void attend(AttentionFold fold, llvm::ArrayRef<KernelBuilder::View> results, llvm::ArrayRef<Value> at, int64_t rows,
              int64_t dimension) {
    llvm::SmallVector<int64_t> inside{0, 1, 2, 3};
    if (k.target.gpu() && !std::has_single_bit(uint64_t(rows))) {
      // Threads share powers of two: rows beyond the last one read zeros and are not written.
      rows = int64_t(std::bit_ceil(uint64_t(rows)));
      llvm::erase(inside, dimension);
    }
    fold.rows = rows;
    llvm::SmallVector<Value> place(at);
    for (const AttentionFold::Piece &columns : pieces) {
      place[3] = k.index(columns.offset);
      fold.query.push_back(fold.operand(k.load(queries, place, {rows, columns.width}, {dimension, 3}, inside)));
    }
    finish(pieces, fold.means(fold.fold()), rows, at,
           [&](unsigned number, Value tile, const AttentionFold::Piece &columns) {
             place[3] = k.index(columns.offset);
             k.store(tile, results[number], place, {dimension, 3}, inside);
           });
  }

  void oneToken(Value token, Value head, llvm::ArrayRef<KernelBuilder::View> results) {
    attend(foldOf(token, head, 1, Value(), 1), results, {token, head, k.index(0), k.index(0)}, ratio, 2);
  }

  void neighbours(Value token, Value head, int64_t count, llvm::ArrayRef<KernelBuilder::View> results) {
    AttentionFold fold = foldOf(token, head, count, Value(), 1);
    k.loop(k.index(0), k.index(ratio), 1, {}, [&](Value query, llvm::ArrayRef<Value>) {
      if (ADZE_MUTANT("attend-by-the-first-head"))
        query = k.index(0);
      attend(fold, results, {token, head, query, k.index(0)}, count, 0);
      return llvm::SmallVector<Value>();
    });
  }
};
} // namespace

void adze::buildAttention(KernelBuilder &k) {
  TokenBlocks kernel(k);
  if (kernel.matrix)
    return buildAttentionRows(kernel);
  int64_t count = k.schedule.tokens;
  auto [blocks, share] = kernel.tokenBlocks(count);
  auto results = kernel.resultViews(k.tokens());
  auto origins = k.startGrid({blocks, k.index(kernel.heads)}, {1, 1});
  if (count == 1)
    return kernel.oneToken(origins[0], origins[1], results);
  Value token = arith::MulIOp::create(k.builder, k.location, origins[0], share);
  Value end = kernel.least(arith::AddIOp::create(k.builder, k.location, token, share), k.tokens());
  Value last = kernel.less(end, 1);
  auto equal = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(k.builder, k.location, arith::CmpIPredicate::eq, a, b);
  };
  Value same = equal(k.rowLookup(BatchArray::Request, token), k.rowLookup(BatchArray::Request, last));
  Value full = equal(arith::SubIOp::create(k.builder, k.location, end, token), k.index(count));
  k.branch(
      arith::AndIOp::create(k.builder, k.location, same, full),
      [&] { kernel.neighbours(token, origins[1], count, results); },
      [&] {
        k.loop(token, end, 1, {}, [&](Value each, llvm::ArrayRef<Value>) {
          kernel.oneToken(each, origins[1], results);
          return llvm::SmallVector<Value>();
        });
      });
}
