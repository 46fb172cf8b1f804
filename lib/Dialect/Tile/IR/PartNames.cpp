#include "adze/Dialect/Tile/IR/PartNames.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

LogicalResult adze::tile::verifyPartNames(Operation *kernel) {
  StringRef name = SymbolTable::getSymbolName(kernel).getValue();
  for (const char *end : {"_blocks", "_entry"})
    if (Operation *other = SymbolTable::lookupSymbolIn(kernel->getParentOp(), (name + end).str()))
      return other->emitOpError("has the name that the kernel @") << name << " needs for a part of its code";
  return success();
}
