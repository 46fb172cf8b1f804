//===- Choice.cpp - the best token of a row of logits -------------------------------------------------------------===//
//
// A block takes one row and walks it in stretches of equal width. Each place of a stretch keeps the largest number that
// it has met and that number's id, and lets a later one win only where it is larger, so that of equal numbers the
// lowest id stays. One maximum over the places then gives the number, one over the ids of the places that hold it the
// lowest of them. A number that is NaN or infinite counts as plus infinity: it wins, and says so at the end.
// Comparisons have no order that could change a result, so every target, width of a stretch and number of threads gives
// the same id.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

#include <limits>

using namespace mlir;
using namespace adze;

namespace {
/// Four registers of eight numbers, twice, leave a CPU's registers room.
constexpr int64_t kStretch = 32;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class BestOfRow {
public:
  BestOfRow(KernelBuilder &k, llm::BestTokenOp op, int64_t rows, int64_t width)
      : k(k), op(op), rows(rows), width(width) {}

  /// What the places hold before the first stretch.
  llvm::SmallVector<Value> start() { return {k.constant({rows, width}, -kInfinity), k.constantI32({rows, width}, 0)}; }

  /// The places after the stretch at `at`. `cut`: ids from `legal` on lie in it, and take no part.
  llvm::SmallVector<Value> meet(const Place &at, llvm::ArrayRef<Value> held, bool cut) {
    llvm::SmallVector<int64_t> shape{rows, width};
    Value x = k.pull(op.getLogits(), at);
    Value id = tile::IotaOp::create(k.builder, k.location, k.tile(shape, k.i32()), k.columnOf(at), 1);
    Value infinite = k.constant(shape, kInfinity);
    Value magnitude = math::AbsFOp::create(k.builder, k.location, x);
    x = select(compare(arith::CmpFPredicate::OLT, magnitude, infinite), x, infinite);
    if (cut && !ADZE_MUTANT("choose-padding-of-the-table")) {
      Value legal = arith::CmpIOp::create(k.builder, k.location, arith::CmpIPredicate::slt, id,
                                          k.constantI32(shape, static_cast<int32_t>(op.getLegal())));
      x = select(legal, x, k.constant(shape, -kInfinity));
    }
    bool last = ADZE_MUTANT("choose-the-last-of-equals");
    Value better = compare(last ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OGT, x, held[0]);
    return {select(better, x, held[0]), select(better, id, held[1])};
  }

  /// The id, a tile [rows].
  Value token(llvm::ArrayRef<Value> held) {
    Value best = k.reduce("max", held[0], 1);
    Value holds = compare(arith::CmpFPredicate::OEQ, held[0], k.broadcast(best, 1, width));
    // The lowest id is the largest of the negative ones.
    Value negative = k.binary<arith::SubIOp>(k.constantI32({rows, width}, 0), held[1]);
    Value others = k.constantI32({rows, width}, std::numeric_limits<int32_t>::min());
    Value lowest = k.reduce("max", select(holds, negative, others), 1);
    Value token = k.binary<arith::SubIOp>(k.constantI32({rows}, 0), lowest);
    return select(compare(arith::CmpFPredicate::OEQ, best, k.constant({rows}, kInfinity)), k.constantI32({rows}, -1),
                  token);
  }

private:
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(k.builder, k.location, condition, yes, no);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(k.builder, k.location, predicate, a, b);
  }

  KernelBuilder &k;
  llm::BestTokenOp op;
  int64_t rows, width;
};
} // namespace

void adze::prepareBestToken(KernelBuilder &k, llm::BestTokenOp op, const Place &row) {
  int64_t legal = op.getLegal(), columns = KernelBuilder::columns(op.getLogits());
  int64_t width = k.rowChunk(kStretch, columns), whole = legal / width * width;
  Place start = row;
  start.column = nullptr;
  start.offset = 0;
  BestOfRow best(k, op, row.rows, width);
  llvm::SmallVector<Value> held =
      k.chunks(start, whole, width, best.start(),
               [&](const Place &at, llvm::ArrayRef<Value> carried) { return best.meet(at, carried, /*cut=*/false); });
  if (whole < legal) {
    Place rest = start.shifted(whole).resized(width);
    rest.columnsInside = whole + width <= columns;
    held = best.meet(rest, held, /*cut=*/true);
  }
  k.rowValues[op] = {best.token(held)};
}
