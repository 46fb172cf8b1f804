// PlanMemory.cpp: slots by lifetime.
//
// Greedy in program order rather than an optimal colouring: a transformer's buffers repeat layer by layer with few
// alive at once, so that the first layers open all slots and every later one finds its own free again. What matters is
// which buffers share, because a slot is as large as its largest buffer whatever the limits of the engine are: hence
// the choice by waste. A buffer may well be wider in one limit and narrower in another (logits beside activations);
// then the slot keeps both forms and the engine takes the larger.
#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Support/Mutant.h"
#include "adze/Transforms/Exec/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

#include <cmath>

namespace adze::exec {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "adze/Transforms/Exec/Passes.h.inc"
} // namespace adze::exec

#define DEBUG_TYPE "exec-plan-memory"

using namespace mlir;
using namespace adze::exec;

namespace {

struct PlanMemoryPass : adze::exec::impl::PlanMemoryPassBase<PlanMemoryPass> {
  using PlanMemoryPassBase::PlanMemoryPassBase;

  void runOnOperation() override {
    for (ProgramOp program : getOperation().getOps<ProgramOp>())
      plan(program);
  }

  double bytes(FormAttr form) const { return form.estimate(tokens, requests, rows, 0, 0, pages); }

  void plan(ProgramOp program) {
    // The last op that uses each buffer; exec.output is the last of all.
    DenseMap<Value, Operation *> lastUse;
    for (Operation &op : program.getBody().front())
      for (Value operand : op.getOperands())
        lastUse[operand] = &op;

    struct Slot {
      double size = 0;
      bool free = true;
    };
    SmallVector<Slot> slots(program.slotCount());
    // Slots that were there before belong to whoever placed them.
    for (Slot &slot : slots)
      slot.free = false;
    const size_t foreign = slots.size();

    for (LaunchOp launch : program.getBody().getOps<LaunchOp>()) {
      auto release = [&](Value operand) {
        auto buffer = operand.getDefiningOp<BufferOp>();
        if (buffer && lastUse[operand] == launch && buffer.getSlot() && *buffer.getSlot() >= foreign)
          slots[*buffer.getSlot()].free = true;
      };
      // The named fault lets a launch write over what it reads.
      if (ADZE_MUTANT("release-slot-too-early"))
        llvm::for_each(launch.getReads(), release);
      for (Value written : launch.getWrites()) {
        auto buffer = written.getDefiningOp<BufferOp>();
        if (buffer.getSlot())
          continue;
        const double size = bytes(buffer.getSize());
        size_t best = slots.size();
        for (size_t s = foreign; s < slots.size(); ++s)
          if (slots[s].free &&
              (best == slots.size() || std::abs(slots[s].size - size) < std::abs(slots[best].size - size)))
            best = s;
        if (best == slots.size())
          slots.emplace_back();
        slots[best].size = std::max(slots[best].size, size);
        slots[best].free = false;
        buffer.setSlot(best);
        ++bufferCount;
      }
      llvm::for_each(launch->getOperands(), release);
    }
    slotCount += slots.size() - foreign;
  }
};

} // namespace
