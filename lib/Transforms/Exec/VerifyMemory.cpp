// VerifyMemory.cpp: replays the program against its plan.
#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Support/Mutant.h"
#include "adze/Transforms/Exec/Passes.h"

#include "llvm/ADT/DenseMap.h"

namespace adze::exec {
#define GEN_PASS_DEF_VERIFYMEMORYPASS
#include "adze/Transforms/Exec/Passes.h.inc"
} // namespace adze::exec

#define DEBUG_TYPE "exec-verify-memory"

using namespace mlir;
using namespace adze::exec;

namespace {

struct VerifyMemoryPass : adze::exec::impl::VerifyMemoryPassBase<VerifyMemoryPass> {
  using VerifyMemoryPassBase::VerifyMemoryPassBase;

  void runOnOperation() override {
    for (ProgramOp program : getOperation().getOps<ProgramOp>())
      if (failed(check(program)))
        return signalPassFailure();
  }

  LogicalResult check(ProgramOp program) {
    for (BufferOp buffer : program.getBody().getOps<BufferOp>())
      if (!buffer.getSlot())
        return buffer.emitError("has no slot: exec-plan-memory places every buffer");
    DenseMap<int64_t, Value> tenant;
    auto slotOf = [](Value value) { return int64_t(*value.getDefiningOp<BufferOp>().getSlot()); };
    auto present = [&](Operation *reader, Value value) -> LogicalResult {
      if (!value.getDefiningOp<BufferOp>() || tenant.lookup(slotOf(value)) == value ||
          ADZE_MUTANT("accept-covered-buffers"))
        return success();
      InFlightDiagnostic error = reader->emitError("reads a buffer that is not in its slot ") << slotOf(value);
      error.attachNote(value.getLoc()) << "this buffer";
      if (Value other = tenant.lookup(slotOf(value)))
        error.attachNote(other.getLoc()) << "is covered by this one";
      return error;
    };
    for (Operation &op : program.getBody().front()) {
      if (auto output = dyn_cast<OutputOp>(op))
        for (Value value : output->getOperands())
          if (failed(present(&op, value)))
            return failure();
      auto launch = dyn_cast<LaunchOp>(op);
      if (!launch)
        continue;
      llvm::SmallDenseSet<int64_t> read;
      for (Value value : launch.getReads()) {
        if (failed(present(launch, value)))
          return failure();
        if (value.getDefiningOp<BufferOp>())
          read.insert(slotOf(value));
      }
      for (Value value : launch.getWrites()) {
        if (!read.insert(slotOf(value)).second)
          return launch.emitError("uses slot ") << slotOf(value) << " twice: blocks of a kernel run in any order";
        tenant[slotOf(value)] = value;
      }
    }
    slotCount += program.slotCount();
    return success();
  }
};

} // namespace
