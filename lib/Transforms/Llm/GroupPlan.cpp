//===- GroupPlan.cpp - which ops become one kernel ----------------------------------------------------------------===//

#include "GroupPlan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace adze::llm;

namespace {
/// Ops that stay outside groups: weights and the layer come in as operands.
bool staysOutside(Operation &op) {
  return op.hasTrait<OpTrait::ConstantLike>() || mlir::isa<GetWeightOp>(op) || op.hasTrait<OpTrait::IsTerminator>();
}

struct FamilyName {
  llvm::StringLiteral op, family;
};
/// The first op of this list that a group holds is its root and names its family.
constexpr FamilyName kFamilies[] = {
    {"llm.quantized_linear", "quantized_linear"},
    {"llm.linear", "linear"},
    {"llm.paged_attention", "paged_attention"},
    {"llm.kv_append", "rope_append"},
    {"llm.rope", "rope_append"},
    {"llm.quantized_embedding", "embedding"},
    {"llm.embedding", "embedding"},
    {"llm.rms_norm", "rms_norm"},
    {"llm.quantize", "quantize"},
    {"llm.gather_rows", "gather_rows"},
    {"llm.best_token", "best_token"},
};

llvm::StringRef familyOf(llvm::ArrayRef<Operation *> members) {
  for (const FamilyName &row : kFamilies)
    for (Operation *member : members)
      if (member->getName().getStringRef() == row.op)
        return row.family;
  return "elementwise";
}

/// Place of an operand in a group's signature.
unsigned operandClass(Value value) {
  if (mlir::isa<IndexType>(value.getType()))
    return 4;
  if (mlir::isa<KvType>(value.getType()))
    return 3;
  if (mlir::isa<BatchType>(value.getType()))
    return 2;
  return value.getDefiningOp<GetWeightOp>() ? 1 : 0;
}
} // namespace

GroupPlan::GroupPlan(func::FuncOp step, const TargetInfo &target) : step(step), targetInfo(target) {
  for (Operation &op : step.getBody().front()) {
    if (staysOutside(op))
      continue;
    allOps.push_back(&op);
    group[&op] = nextGroup++;
    if (mlir::isa<KernelOp>(op)) { // stays what it is
      if (auto rows = op.getAttrOfType<StringAttr>("rows"); rows && rows.getValue() == "R")
        outputRows.insert_range(op.getResults());
      continue;
    }
    // Earlier passes leave their reasons on ops; inside a group they would make equal groups differ.
    if (auto earlier = mlir::dyn_cast_or_null<ArrayAttr>(op.removeAttr("unfused")))
      for (Attribute reason : earlier) // a person may have written anything
        if (auto text = mlir::dyn_cast<StringAttr>(reason))
          reasons[&op].push_back(text.str());
    bool wanted = mlir::isa<GatherRowsOp>(op) ||
                  llvm::any_of(op.getOperands(), [&](Value operand) { return outputRows.contains(operand); });
    if (wanted)
      for (Value result : op.getResults())
        if (mlir::isa<RankedTensorType>(result.getType()))
          outputRows.insert(result);
  }
}

llvm::SmallVector<Operation *> GroupPlan::membersOf(Operation *op) const {
  llvm::SmallVector<Operation *> members;
  for (Operation *other : allOps)
    if (together(op, other))
      members.push_back(other);
  return members;
}

bool GroupPlan::readOnlyBy(Value value, Operation *reader) const {
  return llvm::all_of(value.getUsers(), [&](Operation *user) { return group.count(user) && together(user, reader); });
}

bool GroupPlan::waitsForItself(unsigned id) const {
  // Walks from the group's readers to see whether one of them feeds the group.
  llvm::SmallVector<Operation *> work;
  llvm::DenseSet<unsigned> seen;
  auto readersOf = [&](unsigned from) {
    for (Operation *op : allOps) {
      if (group.lookup(op) != from)
        continue;
      for (Operation *user : op->getUsers())
        if (group.count(user) && group.lookup(user) != from)
          work.push_back(user);
    }
  };
  readersOf(id);
  while (!work.empty()) {
    unsigned reader = group.lookup(work.pop_back_val());
    if (reader == id)
      return true;
    if (seen.insert(reader).second)
      readersOf(reader);
  }
  return false;
}

bool GroupPlan::merge(Operation *a, Operation *b, llvm::StringRef rule) {
  unsigned first = group.lookup(a), second = group.lookup(b);
  if (first == second)
    return true;
  if (mlir::isa<KernelOp>(a) || mlir::isa<KernelOp>(b)) {
    leave(a, rule, "its neighbour is a kernel already");
    return false;
  }
  if (off) {
    reasons[a].push_back((rule + ": switched off by --fuse").str());
    return false;
  }
  auto members = membersOf(b);
  for (Operation *op : members)
    group[op] = first;
  if (waitsForItself(first)) {
    for (Operation *op : members)
      group[op] = second;
    leave(a, rule, "the kernel would wait for its own result");
    return false;
  }
  auto others = rulesOf.lookup(second); // a copy: the next line may move the table
  auto &names = rulesOf[first];
  for (const std::string &name : others)
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  if (!llvm::is_contained(names, rule))
    names.push_back(rule.str());
  rulesOf.erase(second);
  ++merged[rule];
  return true;
}

void GroupPlan::leave(Operation *op, llvm::StringRef rule, const llvm::Twine &reason) {
  if (!off) // that it is off is reason enough
    reasons[op].push_back((rule + ": " + reason).str());
}

Operation *GroupPlan::cloneFor(Operation *op, Operation *reader) {
  if (off)
    return op;
  OpBuilder builder(reader);
  Operation *copy = builder.clone(*op);
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
    reader->replaceUsesOfWith(from, to);
    if (outputRows.contains(from))
      outputRows.insert(to);
  }
  group[copy] = nextGroup++;
  allOps.insert(llvm::find(allOps, reader), copy);
  return copy;
}

void GroupPlan::build(unsigned id, OpBuilder &builder, IRMapping &values) {
  llvm::SmallVector<Operation *> members;
  for (Operation *op : allOps)
    if (group.lookup(op) == id)
      members.push_back(op);
  if (mlir::isa<KernelOp>(members.front())) {
    builder.clone(*members.front(), values);
    return;
  }
  llvm::SmallVector<Location> locations;
  llvm::SetVector<Value> operands, results;
  for (Operation *op : members) {
    locations.push_back(op->getLoc());
    for (Value operand : op->getOperands())
      if (!group.count(operand.getDefiningOp()) || group.lookup(operand.getDefiningOp()) != id)
        operands.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !group.count(user) || group.lookup(user) != id; }))
        results.insert(result);
  }
  llvm::SmallVector<Value> ordered(operands.begin(), operands.end());
  // Insertion keeps equal classes in order; std::stable_sort warns in this standard library.
  for (size_t end = 1; end < ordered.size(); ++end)
    for (size_t at = end; at && operandClass(ordered[at]) < operandClass(ordered[at - 1]); --at)
      std::swap(ordered[at], ordered[at - 1]);

  Location location = builder.getFusedLoc(locations);
  llvm::SmallVector<Value> inputs;
  for (Value operand : ordered)
    inputs.push_back(values.lookupOrDefault(operand));
  llvm::SmallVector<Type> types;
  bool wanted = false;
  for (Value result : results) {
    types.push_back(result.getType());
    wanted |= outputRows.contains(result);
  }
  OperationState state(location, KernelOp::getOperationName());
  state.addOperands(inputs);
  state.addTypes(types);
  Block *body = new Block;
  state.addRegion()->push_back(body);
  auto kernel = mlir::cast<KernelOp>(builder.create(state));
  kernel.setFamily(familyOf(members));
  kernel->setAttr("rows", builder.getStringAttr(wanted ? "R" : "T"));
  llvm::SmallVector<llvm::StringRef> fused(rulesOf[id].begin(), rulesOf[id].end()), unfused;
  for (Operation *op : members)
    for (const std::string &reason : reasons[op])
      if (!llvm::is_contained(unfused, reason))
        unfused.push_back(reason);
  if (!fused.empty())
    kernel->setAttr("fused", builder.getStrArrayAttr(fused));
  if (!unfused.empty())
    kernel->setAttr("unfused", builder.getStrArrayAttr(unfused));

  IRMapping inside;
  for (Value operand : ordered)
    inside.map(operand, body->addArgument(operand.getType(), location));
  OpBuilder inner = OpBuilder::atBlockEnd(body);
  for (Operation *op : members)
    inner.clone(*op, inside);
  llvm::SmallVector<Value> yielded;
  for (Value result : results)
    yielded.push_back(inside.lookup(result));
  YieldOp::create(inner, location, yielded);
  for (auto [from, to] : llvm::zip(results, kernel.getOutputs()))
    values.map(from, to);
}

unsigned GroupPlan::materialize() {
  // Weights and layers first, so that every group may stand anywhere after them.
  Block &block = step.getBody().front();
  Operation *anchor = nullptr;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!mlir::isa<GetWeightOp>(op) && !op.hasTrait<OpTrait::ConstantLike>())
      continue;
    if (anchor)
      op.moveAfter(anchor);
    else
      op.moveBefore(&block, block.begin());
    anchor = &op;
  }

  // A group is ready when what it reads is made; of the ready ones the one whose last op stood first goes first.
  llvm::MapVector<unsigned, unsigned> last;
  for (auto [position, op] : llvm::enumerate(allOps))
    last[group.lookup(op)] = position;
  llvm::SmallVector<std::pair<unsigned, unsigned>> waiting;
  for (auto [id, position] : last)
    waiting.push_back({position, id});
  llvm::sort(waiting);

  Operation *terminator = block.getTerminator();
  OpBuilder builder(terminator);
  IRMapping values;
  llvm::DenseSet<unsigned> done;
  auto ready = [&](unsigned id) {
    return llvm::all_of(allOps, [&](Operation *op) {
      return group.lookup(op) != id || llvm::all_of(op->getOperands(), [&](Value operand) {
               Operation *def = operand.getDefiningOp();
               return !def || !group.count(def) || group.lookup(def) == id || done.contains(group.lookup(def));
             });
    });
  };
  while (!waiting.empty()) {
    auto *next = llvm::find_if(waiting, [&](auto &entry) { return ready(entry.second); });
    assert(next != waiting.end() && "merge() keeps groups free of cycles");
    build(next->second, builder, values);
    done.insert(next->second);
    waiting.erase(next);
  }
  for (OpOperand &operand : terminator->getOpOperands())
    operand.set(values.lookupOrDefault(operand.get()));
  for (Operation *op : llvm::reverse(allOps))
    op->erase();
  unsigned number = done.size();
  allOps.clear();
  group.clear();
  return number;
}
