// ExecOps.cpp: verifiers. The constraint numbers are those of ExecOps.td.
#include "adze/Dialect/Exec/IR/Exec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace adze::exec;

/// Offsets and sizes of segments, and slots of a program: far above any model's, small enough to compute with.
static constexpr int64_t kMaxBytes = int64_t(1) << 62, kMaxSlots = 1 << 16;

LogicalResult SegmentOp::verify() {
  if (getOffset() < 0 || getOffset() % 256 != 0)
    return emitOpError("c1: offset ") << getOffset() << " is no multiple of 256";
  if (getSize() < 1)
    return emitOpError("c2: size ") << getSize() << " is below 1";
  // No sum of an offset and a size leaves 63 bits.
  if (getOffset() > kMaxBytes || getSize() > kMaxBytes)
    return emitOpError("c3: offset ") << getOffset() << " and size " << getSize() << ": each is at most 2^62";
  return success();
}

LogicalResult ProgramOp::verify() {
  for (Operation &op : getBody().front())
    if (op.getDialect() != (*this)->getDialect())
      return op.emitOpError("c1: stands in an exec.program, which holds ops of the exec dialect only");
  if (getBody().front().empty() || !isa<OutputOp>(getBody().front().back()))
    return emitOpError("c2: the last op of the body is no exec.output");
  return success();
}

int64_t ProgramOp::slotCount() {
  int64_t count = 0;
  for (BufferOp buffer : getBody().getOps<BufferOp>())
    if (auto slot = buffer.getSlot())
      count = std::max(count, int64_t(*slot) + 1);
  return count;
}

void InputOp::build(OpBuilder &builder, OperationState &state, InputKind kind) {
  build(builder, state, BufferType::get(builder.getContext()), InputKindAttr::get(builder.getContext(), kind));
}

LogicalResult InputOp::verify() {
  for (InputOp other : (*this)->getBlock()->getOps<InputOp>())
    // Only what stands before is verified already and surely has a kind.
    if (other->isBeforeInBlock(*this) && other.getKind() == getKind())
      return emitOpError("c1: the program has named the input ") << stringifyInputKind(getKind()) << " already";
  return success();
}

LogicalResult WeightOp::verify() {
  if (!isa<ProgramOp>((*this)->getParentOp()))
    return emitOpError("c2: stands in no exec.program");
  return success();
}

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!tables.lookupNearestSymbolFrom<SegmentOp>((*this)->getParentOp()->getParentOp(), getSegmentAttr()))
    return emitOpError("c1: no exec.segment is called @") << getSegment();
  return success();
}

LogicalResult BufferOp::verify() {
  if (!getSize().isSize())
    return emitOpError("c1: size ") << getSize() << " has a term K or V; sizes are affine in T, B and R";
  if (llvm::any_of(getSize().getCoefficients(), [](int64_t c) { return c < 0; }))
    return emitOpError("c1: size ") << getSize() << " has a negative coefficient";
  if (getSlot() && int64_t(*getSlot()) < 0)
    return emitOpError("c2: slot ") << int64_t(*getSlot()) << " is below 0";
  if (getSlot() && int64_t(*getSlot()) >= kMaxSlots)
    return emitOpError("c2: slot ") << int64_t(*getSlot()) << " is not below " << kMaxSlots;
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *target = tables.lookupNearestSymbolFrom((*this)->getParentOp()->getParentOp(), getKernelAttr());
  auto function = dyn_cast_or_null<FunctionOpInterface>(target);
  if (!function)
    return emitOpError("c1: no function is called @") << getKernel();
  // A lowered kernel takes (argument block, first, last) and says nothing about its operands any more.
  if (!function->hasAttr("tile.kernel"))
    return success();
  size_t operands = getReads().size() + getWrites().size();
  if (function.getNumArguments() != operands + 4)
    return emitOpError("c2: @") << getKernel() << " takes " << function.getNumArguments() << " arguments; "
                                << operands + 4 << " were expected: " << operands << " pointers, T, B, R and the layer";
  return success();
}

LogicalResult LaunchOp::verify() {
  for (Value written : getWrites()) {
    if (!written.getDefiningOp<BufferOp>())
      return emitOpError("c3: writes a value that is no exec.buffer");
    if (llvm::is_contained(getReads(), written))
      return emitOpError("c4: reads and writes one buffer: blocks of a kernel run in any order");
  }
  if (int64_t(getLayer()) < 0)
    return emitOpError("c5: layer ") << int64_t(getLayer()) << " is below 0";
  return success();
}

LogicalResult OutputOp::verify() {
  if (!getLogits().getDefiningOp<BufferOp>())
    return emitOpError("c1: the logits are no exec.buffer");
  if (getChoice() && (!getChoice().getDefiningOp<BufferOp>() || getChoice() == getLogits()))
    return emitOpError("c2: the choice is no exec.buffer of its own");
  return success();
}

#define GET_OP_CLASSES
#include "adze/Dialect/Exec/IR/ExecOps.cpp.inc"
