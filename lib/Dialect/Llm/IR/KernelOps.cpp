// Syntax, verifier and cost of groups.
#include "Verify.h"
#include "adze/Dialect/Llm/IR/CostForms.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace adze::llm;

// llm.kernel family "linear" (%x as %a, %w as %b : type, type) -> (type) { ... }
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> types, results;
  if (succeeded(parser.parseOptionalKeyword("family"))) {
    StringAttr family;
    if (parser.parseAttribute(family, getFamilyAttrName(state.name), state.attributes))
      return failure();
  }
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLParen())
    return failure();
  if (failed(parser.parseOptionalRParen())) {
    auto operand = [&]() -> ParseResult {
      return failure(parser.parseOperand(operands.emplace_back()) || parser.parseKeyword("as") ||
                     parser.parseArgument(arguments.emplace_back()));
    };
    if (parser.parseCommaSeparatedList(operand) || parser.parseColonTypeList(types) || parser.parseRParen())
      return failure();
  }
  if (parser.parseOptionalArrowTypeList(results) || parser.resolveOperands(operands, types, location, state.operands))
    return failure();
  for (auto [argument, type] : llvm::zip_equal(arguments, types))
    argument.type = type;
  state.addTypes(results);
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes) || parser.parseRegion(*state.addRegion(), arguments))
    return failure();
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  if (getFamilyAttr())
    printer << " family " << getFamilyAttr();
  printer << " (";
  llvm::interleaveComma(llvm::zip_equal(getInputs(), getBody().getArguments()), printer,
                        [&](auto pair) { printer << std::get<0>(pair) << " as " << std::get<1>(pair); });
  if (!getInputs().empty())
    printer << " : " << getInputs().getTypes();
  printer << ")";
  printer.printOptionalArrowTypeList(getOutputs().getTypes());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getFamilyAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult KernelOp::verifyRegions() {
  if (getInputs().getTypes() != getBody().getArgumentTypes())
    return violates(*this, /*c1*/ 1) << "the region has one argument for each operand, of its type";
  Block &block = getBody().front();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValues().getTypes() != getOutputs().getTypes())
    return violates(*this, /*c2*/ 2) << "the region ends in llm.yield of one value for each result, of its type";
  if (getFamily() && getFamily()->empty())
    return violates(*this, /*c3*/ 3) << "the family has a name";
  if ((*this)->getParentOfType<KernelOp>())
    return violates(*this, /*c4*/ 4) << "there is no kernel inside a kernel";
  for (auto [kind, name] : {std::pair(
                                +[](Type type) { return type.isIndex(); }, "layer"),
                            {+[](Type type) { return isa<BatchType>(type); }, "batch"},
                            {+[](Type type) { return isa<KvType>(type); }, "cache"}})
    if (auto count = llvm::count_if(getInputs().getTypes(), kind); count > 1)
      return violates(*this, /*c5*/ 5) << "a kernel takes one " << name << " at most, found " << count;
  return success();
}

Cost KernelOp::getCost() {
  // Inside the group only operands and results move; each op that reads an operand says what it reads of it.
  Cost cost;
  for (Operation &op : getBody().front())
    if (auto model = dyn_cast<CostModel>(op))
      cost.operations += model.getCost().operations;
  cost.bytes = bytesMovedBy(*this);
  return cost;
}
