// Culprit.cpp: places, dependences, and the first value that differs.
#include "Culprit.h"

#include "adze/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/SetVector.h"

#include <cstring>

using namespace mlir;

namespace adze::execution {

namespace {
/// The places that a location is made of.
llvm::SmallDenseSet<Location> placesOf(Location location) {
  llvm::SmallDenseSet<Location> places;
  location->walk([&](Location part) {
    if (isa<FileLineColRange>(part) || isa<NameLoc>(part))
      places.insert(part);
    return WalkResult::advance();
  });
  return places;
}

bool sharePlace(Location a, Location b) {
  llvm::SmallDenseSet<Location> places = placesOf(a);
  return llvm::any_of(placesOf(b), [&](Location place) { return places.contains(place); });
}

/// Every op that the value depends on, those inside groups included.
llvm::DenseSet<Operation *> dependences(Value value) {
  llvm::DenseSet<Operation *> found;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !found.insert(op).second)
      continue;
    open.append(op->operand_begin(), op->operand_end());
    op->walk([&](Operation *inner) {
      if (inner != op && found.insert(inner).second)
        open.append(inner->operand_begin(), inner->operand_end());
    });
  }
  return found;
}

/// Values that passes change on purpose, or that nothing computes.
bool isSource(Operation *op) { return isa<llm::GetWeightOp>(op) || op->hasTrait<OpTrait::ConstantLike>(); }

bool sameExtents(const llm::reference::Value &a, const llm::reference::Value &b) {
  if (a.isTensor() && b.isTensor())
    return a.tensor().shape == b.tensor().shape;
  return a.isCache() && b.isCache();
}

std::optional<Difference> compareEntries(const TraceEntry &before, const Execution &b, const TraceEntry &after,
                                         const Execution &a, const Tolerance &tolerance, bool *comparable) {
  *comparable = true;
  if (before.value.isTensor() && !after.value.isTensor() && after.bytes) { // a launch, beside the group that it was
    auto type = cast<RankedTensorType>(before.op->getResult(before.result).getType());
    int64_t rows = before.value.tensor().shape[0];
    if ((*comparable = bytesOf(type, rows) <= after.bytes->size()))
      return compareTensors(before.value.tensor(), fromBytes(*after.bytes, type, rows), tolerance);
    return std::nullopt;
  }
  if (before.bytes && after.bytes && !before.value.isTensor()) { // two launches
    *comparable = before.bytes->size() == after.bytes->size();
    for (size_t i = 0; *comparable && i < before.bytes->size(); ++i)
      if (before.bytes->data()[i] != after.bytes->data()[i])
        return Difference{"byte " + std::to_string(i), double(before.bytes->data()[i]), double(after.bytes->data()[i]),
                          1, int64_t(before.bytes->size())};
    return std::nullopt;
  }
  if ((*comparable = sameExtents(before.value, after.value)))
    return compareValues(before.value, b.inputs.batch, after.value, a.inputs.batch, tolerance);
  return std::nullopt;
}

/// A store of the kernel to the memory of its pointer number `pointer`.
Operation *storeTo(func::FuncOp kernel, unsigned pointer) {
  Operation *found = kernel;
  unsigned number = 0;
  for (BlockArgument argument : kernel.getArguments()) {
    if (argument.getType().isIndex() || number++ != pointer)
      continue;
    for (Operation *view : argument.getUsers())
      for (Operation *user : view->getUsers())
        if (isa<tile::StoreOp>(user))
          found = user;
  }
  return found;
}
} // namespace

Culprit findCulprit(const Entry &entry, const Execution &before, const Execution &after, unsigned result,
                    const Difference &difference, const Tolerance &tolerance) {
  Culprit culprit{entry.op, nullptr, result, difference};
  if (entry.kind == Entry::Kind::Kernel) {
    culprit.after = storeTo(cast<func::FuncOp>(entry.op), result);
    return culprit;
  }
  std::optional<llvm::DenseSet<Operation *>> relevant;
  if (entry.kind == Entry::Kind::Function) {
    Value returned = cast<func::FuncOp>(entry.op).getBody().front().getTerminator()->getOperand(result);
    relevant = dependences(returned);
    if (Operation *op = returned.getDefiningOp()) {
      culprit.after = op;
      culprit.result = cast<OpResult>(returned).getResultNumber();
    }
  }
  for (const TraceEntry &made : after.trace) {
    if (isSource(made.op) || (relevant && !relevant->contains(made.op)))
      continue;
    std::optional<Culprit> differs;
    bool agrees = false;
    for (const TraceEntry &was : before.trace) {
      if (isSource(was.op) || !sharePlace(was.op->getLoc(), made.op->getLoc()))
        continue;
      bool comparable = false;
      auto found = compareEntries(was, before, made, after, tolerance, &comparable);
      if (!comparable)
        continue;
      agrees |= !found;
      if (found && !differs)
        differs = Culprit{made.op, was.op, made.result, *found};
    }
    if (differs && !agrees)
      return *differs;
  }
  return culprit;
}

} // namespace adze::execution
