//===- ConvertLlmToTile.cpp - one tile function for each distinct group -------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Conversion/LlmToTile/Passes.h"
#include "adze/Support/Mutant.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/StringExtras.h"

namespace adze {
#define GEN_PASS_DEF_CONVERTLLMTOTILEPASS
#include "adze/Conversion/LlmToTile/Passes.h.inc"
} // namespace adze

#define DEBUG_TYPE "convert-llm-to-tile"

using namespace mlir;
using namespace adze;

namespace {
llm::Product productOf(llm::KernelOp group) {
  for (Operation &op : group.getBody().front())
    if (llm::Product product(&op); product)
      return product;
  return llm::Product(nullptr);
}

std::string nameOf(llm::KernelOp group) {
  std::string name = group.getFamily()->str();
  llvm::SmallVector<std::string> words;
  if (llm::Product product = productOf(group)) {
    auto type = product.weightType();
    name += "_" + std::to_string(type.getDimSize(0)) + "x" + std::to_string(type.getDimSize(1));
  }
  if (auto fused = group->getAttrOfType<ArrayAttr>("fused"))
    for (Attribute rule : fused) // notes of llm-form-kernels; a person may have written anything
      if (auto text = mlir::dyn_cast<StringAttr>(rule); text && text != "slice" && text != "rope")
        name += "_" + text.str();
  return name;
}

/// What stands beside the row of a GPU (llm-choose-schedules).
constexpr llvm::StringLiteral kSmallSteps = "small_steps";
constexpr std::array<llvm::StringLiteral, 3> kBeside = {"stages", "warps", kSmallSteps};
/// What two groups of one function have alike.
constexpr std::array<llvm::StringLiteral, 5> kAlike = {"stages", "warps", kSmallSteps, "matrix_rows", "kv_split"};

/// Equal up to locations and the names of weights: one function serves both.
bool same(llm::KernelOp a, llm::KernelOp b) {
  if (a.getFamily() != b.getFamily() || a.getScheduleAttr() != b.getScheduleAttr() ||
      llvm::any_of(kAlike, [&](StringRef name) { return a->getAttr(name) != b->getAttr(name); }) ||
      (resultRows(a) != resultRows(b) && !ADZE_MUTANT("share-tokens-and-rows")) ||
      a.getInputs().getTypes() != b.getInputs().getTypes() || a.getOutputs().getTypes() != b.getOutputs().getTypes())
    return false;
  for (auto [left, right] : llvm::zip(a.getInputs(), b.getInputs()))
    if (static_cast<bool>(left.getDefiningOp<llm::GetWeightOp>()) !=
        static_cast<bool>(right.getDefiningOp<llm::GetWeightOp>()))
      return false;
  return OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

struct ConvertLlmToTile : adze::impl::ConvertLlmToTilePassBase<ConvertLlmToTile> {
  using ConvertLlmToTilePassBase::ConvertLlmToTilePassBase;

  void runOnOperation() override {
    const TargetInfo *info = findTarget(target.getValue());
    if (!info) {
      getOperation().emitError() << "there is no target named '" << target << "'";
      return signalPassFailure();
    }
    SymbolTable symbols(getOperation());
    struct Built {
      llm::KernelOp group;
      func::FuncOp kernel, partials;
    };
    llvm::SmallVector<Built> built;
    llvm::SmallVector<llm::KernelOp> work;
    getOperation().walk([&](llm::KernelOp group) { work.push_back(group); });
    for (llm::KernelOp group : work) {
      ++groups;
      auto *known = llvm::find_if(built, [&](auto &entry) { return same(entry.group, group); });
      if (known == built.end()) {
        if (failed(checkGroup(group, *info)))
          return signalPassFailure();
        Built made{group, build(group, *info, symbols, false), func::FuncOp()};
        ++kernels;
        if (hasPartials(group)) {
          made.partials = build(group, *info, symbols, true);
          ++kernels;
        }
        built.push_back(made);
        known = &built.back();
      }
      group->setAttr("kernel", FlatSymbolRefAttr::get(known->kernel.getSymNameAttr()));
      if (known->partials)
        group->setAttr("partials", FlatSymbolRefAttr::get(known->partials.getSymNameAttr()));
    }
  }

  func::FuncOp build(llm::KernelOp group, const TargetInfo &info, SymbolTable &symbols, bool partials) {
    MLIRContext *context = &getContext();
    OpBuilder builder(context);
    KernelAbi abi = partials ? derivePartialsAbi(group) : deriveKernelAbi(group);
    llvm::SmallVector<Type> types(abi.pointers.size(), tile::PtrType::get(context));
    types.append(4, builder.getIndexType());
    auto kernel = func::FuncOp::create(builder, group.getLoc(), nameOf(group) + (partials ? "_partials" : ""),
                                       builder.getFunctionType(types, {}));
    symbols.insert(kernel, getOperation().getBody()->end());
    kernel.addEntryBlock();
    kernel->setAttr(tile::kKernelAttr, builder.getUnitAttr());
    kernel->setAttr(tile::kFamilyAttr, group.getFamilyAttr());
    for (auto [position, pointer] : llvm::enumerate(abi.pointers)) {
      if (pointer.kind != KernelPointer::Kind::Operand)
        continue;
      auto type = mlir::cast<RankedTensorType>(group.getInputs()[pointer.number].getType());
      if (auto packed = mlir::dyn_cast_or_null<llm::PackedAttr>(type.getEncoding()))
        kernel.setArgAttr(position, tile::kPackedAttr,
                          tile::StorageAttr::get(context, packed.getBlock(), packed.getMap()));
    }

    KernelBuilder k(group, kernel, info, std::move(abi));
    llm::ScheduleAttr row = group.getScheduleAttr();
    k.schedule = {.tokens = row.getTokens(),
                  .columns = row.getColumns(),
                  .depth = row.getDepth(),
                  .rows = numberBeside(group, "matrix_rows"),
                  .split = numberBeside(group, "kv_split")};
    auto number = [&](StringRef name, int64_t value) {
      return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
    };
    llvm::SmallVector<NamedAttribute> words{
        number("columns", row.getColumns()), number("depth", row.getDepth()), number("tokens", row.getTokens()),
        builder.getNamedAttr("sums", builder.getStringAttr(llm::stringifySumOrder(row.getSums())))};
    // Blocks of runs have little to do for each slot: two leave room for more of them.
    for (StringRef name : kBeside)
      if (auto value = group->getAttrOfType<IntegerAttr>(name))
        words.push_back(
            number(name, partials && name == "stages" ? std::min<int64_t>(value.getInt(), 2) : value.getInt()));
    for (auto [name, value] : {std::pair("rows", k.schedule.rows), std::pair("split", k.schedule.split)})
      if (value)
        words.push_back(number(name, value));
    if (auto small = group->getAttrOfType<ArrayAttr>(kSmallSteps))
      for (auto row : small.getAsRange<llm::ScheduleAttr>())
        k.smallSteps.push_back({row.getTokens(), row.getColumns(), row.getDepth()});
    kernel->setAttr(tile::kScheduleAttr, builder.getDictionaryAttr(words));
    if (partials)
      buildAttentionPartials(k);
    else if (productOf(group))
      buildProduct(k);
    else if (!group.getBody().front().getOps<llm::PagedAttentionOp>().empty())
      buildAttention(k);
    else if (worksByHeads(group))
      buildHeads(k);
    else
      buildRows(k);
    k.builder.setInsertionPointToEnd(&kernel.getBody().front());
    func::ReturnOp::create(k.builder, group.getLoc());
    IRRewriter rewriter(context);
    (void)runRegionDCE(rewriter, kernel->getRegions());
    return kernel;
  }
};
} // namespace
