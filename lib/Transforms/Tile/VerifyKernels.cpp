#include "adze/Support/Mutant.h"
#include "adze/Target/TargetInfo.h"
#include "adze/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace adze::tile {
#define GEN_PASS_DEF_TILEVERIFYKERNELSPASS
#include "adze/Transforms/Tile/Passes.h.inc"

namespace {

/// Functions of the math dialect that targets have a form for.
bool isKnownFunction(Operation *op) {
  static constexpr StringLiteral known[] = {"absf",  "ceil",      "cos", "exp",  "exp2", "floor", "fma",
                                            "rsqrt", "roundeven", "sin", "sqrt", "tanh", "trunc"};
  return llvm::is_contained(known, op->getName().stripDialect());
}

struct VerifyKernels : impl::TileVerifyKernelsPassBase<VerifyKernels> {
  using TileVerifyKernelsPassBase::TileVerifyKernelsPassBase;

  void runOnOperation() override {
    if (!findTarget(target)) {
      getOperation().emitError("unknown target \"") << target << "\"";
      return signalPassFailure();
    }
    bool failed = false;
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(kKernelAttr))
        continue;
      ++kernelCount;
      for (Type type : kernel.getArgumentTypes())
        if (!isa<PtrType>(type) && !type.isIndex()) {
          kernel.emitOpError("arguments of a kernel are !tile.ptr and index, found ") << type;
          failed = true;
        }
      kernel.walk([&](Operation *op) { failed |= mlir::failed(check(op, kernel)); });
    }
    if (failed)
      signalPassFailure();
  }

  LogicalResult check(Operation *op, func::FuncOp kernel) {
    if (op == kernel || isa<func::ReturnOp>(op))
      return success();
    StringRef dialect = op->getName().getDialectNamespace();
    if (isa<GridOp>(op) && op->getParentOp() != kernel)
      return op->emitOpError("stands inside another region; grids follow each other at the top of a kernel");
    StringRef name = op->getName().stripDialect();
    if (dialect == "scf" && name != "for" && name != "if" && name != "yield")
      return op->emitOpError("is no control flow of kernels: scf.for and scf.if are");
    if (dialect == "math" && !isKnownFunction(op))
      return op->emitOpError("has no generated form; known are absf, ceil, cos, exp, exp2, floor, fma, roundeven, "
                             "rsqrt, sin, sqrt, tanh and trunc");
    if (dialect != "tile" && dialect != "arith" && dialect != "math" && dialect != "scf")
      return op->emitOpError("is of a dialect that kernels do not use: tile, arith, math and scf are");
    if (auto store = dyn_cast<StoreOp>(op)) {
      auto view = store.getView().getDefiningOp<ViewOp>();
      if (view && view.getConstant() && !ADZE_MUTANT("accept-writes-of-constants"))
        return op->emitOpError("writes memory that its view calls `constant`");
      if (view && view.getStorage())
        return op->emitOpError("writes packed memory, which only the packer does");
    }
    if (auto view = dyn_cast<ViewOp>(op)) {
      auto argument = dyn_cast<BlockArgument>(view.getBase());
      Attribute packed = argument && argument.getOwner()->getParentOp() == kernel
                             ? kernel.getArgAttr(argument.getArgNumber(), kPackedAttr)
                             : Attribute();
      if (packed && view.getStorage() && packed != view.getStorageAttr())
        return op->emitOpError("reads ") << view.getStorageAttr() << ", but the argument is packed as " << packed;
    }
    return success();
  }
};

} // namespace
} // namespace adze::tile
