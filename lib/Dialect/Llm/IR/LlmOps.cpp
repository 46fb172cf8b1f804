// The generated parts of all ops.
#include "adze/Dialect/Llm/IR/Llm.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace adze::llm;

#define GET_OP_CLASSES
#include "adze/Dialect/Llm/IR/LlmOps.cpp.inc"

void LlmDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "adze/Dialect/Llm/IR/LlmOps.cpp.inc"
      >();
}
