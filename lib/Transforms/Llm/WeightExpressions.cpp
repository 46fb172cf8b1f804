//===- WeightExpressions.cpp - rewriting the expressions of weights -----------------------------------------------===//

#include "WeightExpressions.h"
#include "adze/Support/Mutant.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace adze::llm;

WeightExpressions::WeightExpressions(ModuleOp module) : module(module), symbols(module) {
  module.walk([&](GetWeightOp reader) {
    if (auto weight = symbols.lookup<WeightOp>(reader.getWeight()))
      readers[weight].push_back(reader);
  });
}

WeightOp WeightExpressions::weightOf(Value value) {
  auto reader = value ? value.getDefiningOp<GetWeightOp>() : GetWeightOp();
  return reader ? symbols.lookup<WeightOp>(reader.getWeight()) : WeightOp();
}

llvm::ArrayRef<GetWeightOp> WeightExpressions::readersOf(WeightOp weight) { return readers[weight]; }

bool WeightExpressions::readOnce(Value value) {
  WeightOp weight = weightOf(value);
  if (!weight)
    return false;
  unsigned uses = 0;
  for (GetWeightOp reader : readers[weight])
    uses += std::distance(reader->use_begin(), reader->use_end());
  return uses == 1;
}

Value WeightExpressions::concatRows(llvm::ArrayRef<Value> values, StringRef suffix, OpBuilder &builder) {
  llvm::SmallVector<Location> locations;
  for (Value value : values)
    locations.push_back(weightOf(value).getLoc());
  WeightOp first = weightOf(values[0]);
  Location location = builder.getFusedLoc(locations);
  auto firstType = mlir::cast<RankedTensorType>(values[0].getType());
  llvm::SmallVector<int64_t> shape(firstType.getShape());
  shape[0] = 0;
  for (Value value : values)
    shape[0] += mlir::cast<RankedTensorType>(value.getType()).getDimSize(0);
  auto type = RankedTensorType::get(shape, firstType.getElementType());

  OpBuilder outside(first);
  auto weight = WeightOp::create(outside, location, (first.getSymName() + suffix).str(), type);
  if (weight.getBody().empty())
    weight.getBody().emplaceBlock();
  OpBuilder inside = OpBuilder::atBlockEnd(&weight.getBody().front());
  llvm::SmallVector<Value> parts;
  for (Value value : values) {
    IRMapping mapping;
    Block &body = weightOf(value).getBody().front();
    for (Operation &op : body.without_terminator())
      inside.clone(op, mapping);
    parts.push_back(mapping.lookup(weightOf(value).getYielded()));
  }
  OperationState concat(location, ConcatRowsOp::getOperationName());
  concat.addOperands(parts);
  concat.addTypes(type);
  YieldOp::create(inside, location, ValueRange{inside.create(concat)->getResult(0)});
  symbols.insert(weight);
  auto reader = GetWeightOp::create(builder, location, type, weight.getSymName());
  readers[weight].push_back(reader);
  return reader.getResult();
}

void WeightExpressions::append(WeightOp weight, RankedTensorType type,
                               llvm::function_ref<Value(OpBuilder &, Location, Value)> make) {
  Operation *yield = weight.getBody().front().getTerminator();
  OpBuilder builder(yield);
  yield->setOperand(0, make(builder, weight.getLoc(), weight.getYielded()));
  weight.setType(type);
  for (GetWeightOp reader : readers[weight])
    reader.getResult().setType(type);
}

void WeightExpressions::eraseUnused() {
  for (auto &[weight, list] : readers) {
    if (list.empty())
      continue;
    llvm::erase_if(list, [](GetWeightOp reader) {
      bool unused = reader->use_empty();
      if (unused)
        reader.erase();
      return unused;
    });
    if (list.empty())
      symbols.erase(weight);
  }
  llvm::SmallVector<Operation *> gone;
  for (auto &[weight, list] : readers)
    if (list.empty())
      gone.push_back(weight);
  for (Operation *weight : gone)
    readers.erase(weight);
}

void adze::llm::noteUnfused(Operation *op, const std::string &reason) {
  op->setAttr("unfused", Builder(op->getContext()).getStrArrayAttr({reason}));
}

std::string adze::llm::whyNotFused(llvm::ArrayRef<Operation *> products, WeightExpressions &weights) {
  std::string why;
  llvm::SmallDenseSet<Operation *> distinct(products.begin(), products.end());
  if (distinct.size() != products.size())
    return "two of them are one";
  for (Operation *op : products) {
    Product product(op);
    if (!product)
      return "one of them is not a product";
    if (op->getBlock() != products[0]->getBlock())
      return "they stand in different blocks";
    if (!Product::alike(Product(products[0]), product, &why))
      return why;
    for (const WeightPart &part : product.parts())
      if (!weights.readOnce(part.operand->get()) && !ADZE_MUTANT("concat-shared-weight"))
        return "a weight has another reader";
    if (product.bias() && !weights.readOnce(product.bias()))
      return "a bias has another reader";
  }
  return why;
}

void adze::llm::fuseProducts(llvm::ArrayRef<Operation *> products, StringRef suffix, WeightExpressions &weights) {
  // The first in the block carries on: it stands before every reader of the others.
  Operation *leader = *llvm::min_element(products, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  OpBuilder builder(leader);
  llvm::SmallVector<Location> locations;
  for (Operation *op : products)
    locations.push_back(op->getLoc());

  IRMapping mapping;
  auto join = [&](auto operandOf) {
    llvm::SmallVector<Value> values;
    for (Operation *op : products)
      values.push_back(operandOf(Product(op)));
    if (values[0])
      mapping.map(operandOf(Product(leader)), weights.concatRows(values, suffix, builder));
  };
  for (unsigned part = 0; part < Product(leader).parts().size(); ++part)
    join([part](Product product) { return product.parts()[part].operand->get(); });
  join([](Product product) { return product.bias(); });

  auto leaderType = mlir::cast<RankedTensorType>(leader->getResult(0).getType());
  int64_t columns = 0;
  for (Operation *op : products)
    columns += mlir::cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(1);
  Operation *joined = builder.clone(*leader, mapping);
  joined->setLoc(builder.getFusedLoc(locations));
  joined->getResult(0).setType(RankedTensorType::get({leaderType.getDimSize(0), columns}, leaderType.getElementType()));
  int64_t offset = 0;
  for (Operation *op : products) {
    int64_t size = mlir::cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(1);
    auto slice = SliceColumnsOp::create(builder, op->getLoc(), joined->getResult(0), offset, size);
    op->getResult(0).replaceAllUsesWith(slice.getResult());
    offset += size;
  }
  for (Operation *op : products)
    op->erase();
}
