// VerifyLaunches.cpp: the contract between the conversion to exec and everything after it.
#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Support/Mutant.h"
#include "adze/Transforms/Exec/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace adze::exec {
#define GEN_PASS_DEF_VERIFYLAUNCHESPASS
#include "adze/Transforms/Exec/Passes.h.inc"
} // namespace adze::exec

#define DEBUG_TYPE "exec-verify-launches"

using namespace mlir;
using namespace adze::exec;

namespace {

struct VerifyLaunchesPass : adze::exec::impl::VerifyLaunchesPassBase<VerifyLaunchesPass> {
  using VerifyLaunchesPassBase::VerifyLaunchesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto programs = llvm::to_vector(module.getOps<ProgramOp>());
    if (programs.size() != 1) {
      module.emitError("holds ") << programs.size() << " ops exec.program; exactly one is accepted";
      return signalPassFailure();
    }
    if (failed(checkLaunches(programs.front())) || failed(checkSegments(module, programs.front())) ||
        failed(checkLeftovers(module)))
      signalPassFailure();
  }

  LogicalResult checkLaunches(ProgramOp program) {
    llvm::DenseSet<Value> written;
    for (Operation &op : program.getBody().front()) {
      if (auto output = dyn_cast<OutputOp>(op)) {
        if (!written.contains(output.getLogits()))
          return output.emitError("the logits are written by no launch");
        if (output.getChoice() && !written.contains(output.getChoice()))
          return output.emitError("the choice is written by no launch");
      }
      auto launch = dyn_cast<LaunchOp>(op);
      if (!launch)
        continue;
      for (auto [i, value] : llvm::enumerate(launch.getReads()))
        if (value.getDefiningOp<BufferOp>() && !written.contains(value) && !ADZE_MUTANT("accept-reads-before-writes"))
          return launch.emitError("@") << launch.getKernel() << " reads a buffer as operand " << i
                                       << " that no earlier launch writes";
      for (Value value : launch.getWrites())
        if (!written.insert(value).second)
          return launch.emitError("@") << launch.getKernel() << " writes a buffer that an earlier launch has written";
      ++launchCount;
    }
    return success();
  }

  LogicalResult checkSegments(ModuleOp module, ProgramOp program) {
    llvm::StringSet<> used;
    for (WeightOp weight : program.getBody().getOps<WeightOp>())
      used.insert(weight.getSegment());
    auto segments = llvm::to_vector(module.getOps<SegmentOp>());
    llvm::sort(segments, [](SegmentOp a, SegmentOp b) { return a.getOffset() < b.getOffset(); });
    SegmentOp last;
    for (SegmentOp segment : segments) {
      if (!used.contains(segment.getSymName()))
        return segment.emitError("no launch uses segment @") << segment.getSymName();
      Operation *weight = SymbolTable::lookupSymbolIn(module, segment.getWeightAttr());
      if (!weight || weight->getName().getStringRef() != "llm.weight")
        return segment.emitError("no llm.weight is called @") << segment.getWeight();
      if (last && last.getOffset() + last.getSize() > segment.getOffset())
        return segment.emitError("overlaps segment @")
               << last.getSymName() << ", which ends at byte " << last.getOffset() + last.getSize();
      last = segment;
    }
    return success();
  }

  LogicalResult checkLeftovers(ModuleOp module) {
    WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) {
      StringRef name = op->getName().getStringRef();
      if (name == "llm.weight" || name == "llm.file")
        return WalkResult::skip();
      if (op->getName().getDialectNamespace() != "llm")
        return WalkResult::advance();
      op->emitError("is left after the conversion to exec; of the llm dialect only files and weights may be");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
