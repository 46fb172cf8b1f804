// From rows of logits to tokens.
#include "Operations.h"

#include <cmath>

using namespace mlir;

namespace adze::llm::reference {

LogicalResult evaluate(BestTokenOp op, Operands operands, Results &results, Machine &) {
  const Tensor &logits = operands[0].tensor();
  Tensor out = Tensor::zeros(Element::I32, {logits.rows(), 1});
  for (int64_t r = 0; r < logits.rows(); ++r) {
    const float *row = logits.row(r);
    int64_t best = 0;
    bool finite = true;
    for (int64_t id = 0; id < int64_t(op.getLegal()); ++id) {
      finite &= std::isfinite(row[id]);
      if (row[id] > row[best])
        best = id;
    }
    out.ints[r] = finite ? best : -1;
  }
  results.push_back(std::move(out));
  return success();
}

} // namespace adze::llm::reference
