// StepFunction.cpp: one step as straight-line code.
//
// All launches share one argument block on the stack: the launch service returns only when every block of the kernel
// has ended, so the next launch may overwrite it. Its eight-byte words are the pointers, then T, B, R and the layer.
#include "HostCode.h"

#include "adze/Abi/Program.h"
#include "adze/Support/Mutant.h"

#include "llvm/ADT/DenseMap.h"

#include <cstddef>

using namespace mlir;
using namespace adze::exec;

namespace {

/// Where AdzeStep keeps each input; AdzeStep::kv is an input like the arrays.
int64_t stepOffset(InputKind kind) {
  switch (kind) {
  case InputKind::Token:
    return offsetof(AdzeStep, token);
  case InputKind::Position:
    return offsetof(AdzeStep, position);
  case InputKind::Request:
    return offsetof(AdzeStep, request);
  case InputKind::KvSlot:
    return offsetof(AdzeStep, kv_slot);
  case InputKind::QueryStart:
    return offsetof(AdzeStep, query_start);
  case InputKind::KvLength:
    return offsetof(AdzeStep, kv_length);
  case InputKind::PromptLength:
    return offsetof(AdzeStep, prompt_length);
  case InputKind::PageStart:
    return offsetof(AdzeStep, page_start);
  case InputKind::Pages:
    return offsetof(AdzeStep, pages);
  case InputKind::OutputRow:
    return offsetof(AdzeStep, output_row);
  case InputKind::Kv:
    return offsetof(AdzeStep, kv);
  }
  llvm_unreachable("every input has its place in AdzeStep");
}

class StepBuilder {
public:
  StepBuilder(OpBuilder &builder, LLVM::LLVMFuncOp function)
      : b(builder), function(function), loc(function.getLoc()), pointer(LLVM::LLVMPointerType::get(b.getContext())),
        word(b.getI64Type()) {}

  void build(ProgramOp program, const KernelTable &kernels) {
    Block *entry = function.addEntryBlock(b);
    // Where a failed launch goes, with its answer.
    exit = new Block();
    function.getBody().push_back(exit);
    exit->addArgument(b.getI32Type(), loc);
    b.setInsertionPointToStart(exit);
    LLVM::ReturnOp::create(b, loc, exit->getArgument(0));

    b.setInsertionPointToStart(entry);
    step = entry->getArgument(0);
    services = entry->getArgument(1);
    loadShared(program);
    for (Operation &op : program.getBody().front())
      if (auto launch = dyn_cast<LaunchOp>(op))
        buildLaunch(launch, std::distance(kernels.begin(), kernels.find(launch.getKernelAttr().getAttr())));
      else if (op.getNumResults() == 1)
        addresses[op.getResult(0)] = addressOf(op);
    LLVM::ReturnOp::create(b, loc, constant(b.getI32Type(), 0));
  }

private:
  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
  }
  Value at(Value base, int64_t offset) {
    return offset == 0
               ? base
               : LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  }
  Value load(Type type, Value base, int64_t offset) { return LLVM::LoadOp::create(b, loc, type, at(base, offset)); }

  /// What all launches use: the block, the services, the sizes, the bases, and the address of each slot.
  void loadShared(ProgramOp program) {
    size_t words = 0;
    for (LaunchOp launch : program.getBody().getOps<LaunchOp>())
      words = std::max<size_t>(words, launch.getReads().size() + launch.getWrites().size() + 4);
    block = LLVM::AllocaOp::create(b, loc, pointer, word, constant(word, words), /*alignment=*/64);
    context = load(pointer, services, offsetof(AdzeServices, context));
    service = load(pointer, services, offsetof(AdzeServices, launch));
    sizes = {load(word, step, offsetof(AdzeStep, tokens)), load(word, step, offsetof(AdzeStep, requests)),
             load(word, step, offsetof(AdzeStep, output_rows))};
    if (ADZE_MUTANT("swap-requests-and-rows"))
      std::swap(sizes[1], sizes[2]);
    weights = load(pointer, step, offsetof(AdzeStep, weights));
    Value arena = load(pointer, step, offsetof(AdzeStep, arena));
    Value offsets = load(pointer, step, offsetof(AdzeStep, slot_offset));
    for (int64_t slot = 0, count = program.slotCount(); slot < count; ++slot) {
      Value offset = load(word, offsets, 8 * slot);
      slots.push_back(
          LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), arena, ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(offset)}));
    }
  }

  Value addressOf(Operation &op) {
    if (auto input = dyn_cast<InputOp>(op))
      return load(pointer, step, stepOffset(input.getKind()));
    if (auto buffer = dyn_cast<BufferOp>(op))
      return slots[*buffer.getSlot()];
    auto segment = SymbolTable::lookupNearestSymbolFrom<SegmentOp>(op.getParentOp()->getParentOp(),
                                                                   cast<WeightOp>(op).getSegmentAttr());
    // A weights section may be larger than 2 GB, and a constant index of a GEP has 32 bits only.
    return LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), weights,
                               ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(constant(word, segment.getOffset()))});
  }

  void buildLaunch(LaunchOp launch, int64_t kernel) {
    loc = launch.getLoc();
    int64_t place = 0;
    auto put = [&](Value value) {
      LLVM::StoreOp::create(b, loc, value, at(block, place));
      place += 8;
    };
    for (Value operand : launch->getOperands())
      put(addresses.lookup(operand));
    llvm::for_each(sizes, put);
    put(constant(word, launch.getLayer()));

    auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, b.getI32Type(), pointer});
    SmallVector<Value> operands = {service, context, constant(b.getI32Type(), kernel), block};
    Value answer = LLVM::CallOp::create(b, loc, type, operands).getResult();
    Value failed = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, answer, constant(b.getI32Type(), 0));
    Block *next = new Block();
    function.getBody().getBlocks().insert(exit->getIterator(), next);
    LLVM::CondBrOp::create(b, loc, failed, exit, ValueRange{answer}, next, ValueRange{});
    b.setInsertionPointToStart(next);
  }

  OpBuilder &b;
  LLVM::LLVMFuncOp function;
  Location loc;
  Type pointer, word;
  Block *exit = nullptr;
  Value step, services, block, context, service, weights;
  SmallVector<Value> sizes, slots;
  DenseMap<Value, Value> addresses;
};

} // namespace

LLVM::LLVMFuncOp adze::exec::buildStepFunction(OpBuilder &builder, ProgramOp program, const KernelTable &kernels) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), {pointer, pointer});
  auto function = LLVM::LLVMFuncOp::create(builder, program.getLoc(), "adze_step", type, LLVM::Linkage::Internal,
                                           /*dsoLocal=*/true);
  forbidLibraryCalls(function);
  OpBuilder::InsertionGuard guard(builder);
  StepBuilder(builder, function).build(program, kernels);
  return function;
}
