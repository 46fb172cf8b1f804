// ProgramTable.cpp: the constants behind adze_program.
//
// The tables hold addresses of functions of the same shared object, so the loader has relative relocations to do but no
// symbol to look up.
#include "HostCode.h"

#include "adze/Abi/Program.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::exec;

namespace {

class TableBuilder {
public:
  TableBuilder(OpBuilder &builder, Location loc)
      : b(builder), loc(loc), pointer(LLVM::LLVMPointerType::get(b.getContext())), i32(b.getI32Type()) {}

  Type pointerType() const { return pointer; }

  /// A zero-terminated string.
  LLVM::GlobalOp text(const Twine &name, StringRef value) {
    std::string bytes = value.str() + '\0';
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    return LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name.str(),
                                  b.getStringAttr(bytes), /*alignment=*/1, /*addrSpace=*/0, /*dsoLocal=*/true);
  }

  /// A constant whose value `fill` computes in the global's initialiser.
  LLVM::GlobalOp constant(StringRef name, Type type, function_ref<Value()> fill) {
    auto global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name, Attribute(),
                                         /*alignment=*/8, /*addrSpace=*/0, /*dsoLocal=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(b, loc, fill());
    return global;
  }

  Value number(int64_t value) { return LLVM::ConstantOp::create(b, loc, i32, b.getI32IntegerAttr(value)); }
  Value null() { return LLVM::ZeroOp::create(b, loc, pointer); }
  Value address(StringRef symbol) { return LLVM::AddressOfOp::create(b, loc, pointer, symbol); }
  Value record(Type type, ArrayRef<Value> fields) {
    Value value = LLVM::UndefOp::create(b, loc, type);
    for (auto [i, field] : llvm::enumerate(fields))
      value = LLVM::InsertValueOp::create(b, loc, value, field, ArrayRef<int64_t>{int64_t(i)});
    return value;
  }

private:
  OpBuilder &b;
  Location loc;
  Type pointer, i32;
};

} // namespace

void adze::exec::forbidLibraryCalls(LLVM::LLVMFuncOp function) {
  function.setPassthroughAttr(
      ArrayAttr::get(function.getContext(), StringAttr::get(function.getContext(), "no-builtins")));
}

void adze::exec::buildProgramTable(OpBuilder &b, ProgramOp program, const KernelTable &kernels, LLVM::LLVMFuncOp step,
                                   bool entries) {
  MLIRContext *ctx = b.getContext();
  Location loc = program.getLoc();
  TableBuilder table(b, loc);
  Type pointer = table.pointerType();
  Type i32 = b.getI32Type();

  // The fields of AdzeKernel and AdzeProgram in order; C's layout of them has no padding that LLVM's lacks.
  static_assert(sizeof(AdzeKernel) == 32 && sizeof(AdzeProgram) == 40, "the records below follow Program.h");
  auto kernelType = LLVM::LLVMStructType::getLiteral(ctx, {pointer, pointer, pointer, pointer});
  auto programType = LLVM::LLVMStructType::getLiteral(ctx, {i32, i32, pointer, i32, i32, i32, pointer});

  for (auto &[name, family] : kernels) {
    table.text("adze_name_" + name.getValue(), name.getValue());
    std::string familyName = ("adze_family_" + family.getValue()).str();
    if (!SymbolTable::lookupSymbolIn(program->getParentOp(), familyName))
      table.text(familyName, family.getValue());
  }
  auto listType = LLVM::LLVMArrayType::get(kernelType, kernels.size());
  LLVM::GlobalOp list = table.constant("adze_kernels", listType, [&] {
    SmallVector<Value> records;
    for (auto &[name, family] : kernels)
      records.push_back(table.record(kernelType, {table.address(("adze_name_" + name.getValue()).str()),
                                                  table.address(("adze_family_" + family.getValue()).str()),
                                                  entries ? table.address(name.getValue()) : table.null(),
                                                  table.address((name.getValue() + "_blocks").str())}));
    return table.record(listType, records);
  });

  auto output = cast<OutputOp>(program.getBody().front().back());
  auto slotOf = [](Value value) { return int64_t(*value.getDefiningOp<BufferOp>().getSlot()); };
  int64_t logitsSlot = slotOf(output.getLogits()), choiceSlot = output.getChoice() ? slotOf(output.getChoice()) : -1;
  LLVM::GlobalOp record = table.constant("adze_program_table", programType, [&] {
    return table.record(programType, {table.number(ADZE_PROGRAM_VERSION), table.number(kernels.size()),
                                      table.address(list.getSymName()), table.number(program.slotCount()),
                                      table.number(ADZE_MUTANT("logits-in-the-first-slot") ? 0 : logitsSlot),
                                      table.number(choiceSlot), table.address(step.getSymName())});
  });

  auto function = LLVM::LLVMFuncOp::create(b, loc, ADZE_PROGRAM_SYMBOL, LLVM::LLVMFunctionType::get(pointer, {}));
  forbidLibraryCalls(function);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  LLVM::ReturnOp::create(b, loc, LLVM::AddressOfOp::create(b, loc, pointer, record.getSymName()));
}
