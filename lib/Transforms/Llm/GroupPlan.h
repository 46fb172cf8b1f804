//===- GroupPlan.h - which ops become one kernel ------------------------------------------------------------------===//
//
// A plan starts with each op of a step as a group of its own. Grouping rules merge groups and say why they left others
// alone; then the plan turns its groups into llm.kernel ops. A merge that would make a group wait for its own result is
// refused here, so that no rule has to think of it.
//
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LIB_TRANSFORMS_LLM_GROUPPLAN_H
#define ADZE_LIB_TRANSFORMS_LLM_GROUPPLAN_H

#include "adze/Dialect/Llm/IR/Llm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace adze {
class TargetInfo;
}

namespace adze::llm {

class GroupPlan {
public:
  GroupPlan(mlir::func::FuncOp step, const TargetInfo &target);

  /// The step's ops that kernels compute, in order. Rules may add clones with `cloneFor`.
  llvm::ArrayRef<mlir::Operation *> ops() const { return allOps; }
  const TargetInfo &target() const { return targetInfo; }

  bool together(mlir::Operation *a, mlir::Operation *b) const { return group.lookup(a) == group.lookup(b); }
  /// Ops of the group that holds `op`, in order.
  llvm::SmallVector<mlir::Operation *> membersOf(mlir::Operation *op) const;
  /// The op of the group of `op` that has the name of `OpType`, or null.
  template <typename OpType> OpType memberOf(mlir::Operation *op) const {
    for (mlir::Operation *member : membersOf(op))
      if (auto found = mlir::dyn_cast<OpType>(member))
        return found;
    return nullptr;
  }
  /// True if every reader of `value` belongs to the group of `reader`.
  bool readOnlyBy(mlir::Value value, mlir::Operation *reader) const;

  /// From here on rules are switched off: a merge only notes, at its first op, that it would have been tried.
  void switchOff() { off = true; }

  /// Joins the groups of two ops for the rule; false, with the reason noted, if the joined group would wait for itself
  /// or the rule is switched off.
  bool merge(mlir::Operation *a, mlir::Operation *b, llvm::StringRef rule);
  /// Notes why a rule left `op` alone.
  void leave(mlir::Operation *op, llvm::StringRef rule, const llvm::Twine &reason);
  /// A copy of `op` before `reader` that only `reader` reads, as a group of its own; `op` where rules are switched off.
  mlir::Operation *cloneFor(mlir::Operation *op, mlir::Operation *reader);

  /// How often each rule merged.
  const llvm::MapVector<llvm::StringRef, unsigned> &counts() const { return merged; }

  /// Replaces the ops by llm.kernel ops and returns their number.
  unsigned materialize();

private:
  bool waitsForItself(unsigned id) const;
  void build(unsigned id, mlir::OpBuilder &builder, mlir::IRMapping &values);

  mlir::func::FuncOp step;
  const TargetInfo &targetInfo;
  llvm::SmallVector<mlir::Operation *> allOps;
  llvm::DenseMap<mlir::Operation *, unsigned> group;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<std::string>> reasons;
  llvm::DenseMap<unsigned, llvm::SmallVector<std::string>> rulesOf;
  llvm::MapVector<llvm::StringRef, unsigned> merged;
  /// Values with one row for each output row.
  llvm::DenseSet<mlir::Value> outputRows;
  unsigned nextGroup = 0;
  bool off = false;
};

/// A grouping rule: its name, as in --fuse, and what it does to a plan.
struct GroupingRule {
  llvm::StringRef name;
  void (*apply)(GroupPlan &plan);
};

void groupSlices(GroupPlan &plan);
void groupResiduals(GroupPlan &plan);
void groupGates(GroupPlan &plan);
void groupCasts(GroupPlan &plan);
void groupNorms(GroupPlan &plan);
void groupGathers(GroupPlan &plan);
void groupRopes(GroupPlan &plan);

} // namespace adze::llm

#endif // ADZE_LIB_TRANSFORMS_LLM_GROUPPLAN_H
