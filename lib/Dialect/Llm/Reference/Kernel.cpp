// A group computes what its ops compute.
#include "Operations.h"

using namespace mlir;

namespace adze::llm::reference {

LogicalResult evaluate(KernelOp op, Operands operands, Results &results, Machine &machine) {
  return machine.runBlock(op.getBody().front(),
                          Values(std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end())),
                          results);
}

} // namespace adze::llm::reference
