//===- KernelAbi.cpp - argument block of a kernel group -----------------------------------------------------------===//

#include "adze/Conversion/KernelAbi.h"
#include "adze/Support/Mutant.h"

using namespace adze;

unsigned adze::bitsOf(BatchArray array) {
  return array == BatchArray::KvSlot && !ADZE_MUTANT("read-half-a-slot") ? 64 : 32;
}

llvm::StringRef adze::nameOf(BatchArray array) {
  static constexpr llvm::StringLiteral names[kBatchArrays] = {"position",    "request",   "kv_slot",
                                                              "query_start", "kv_length", "prompt_length",
                                                              "page_start",  "pages",     "output_row"};
  return names[static_cast<unsigned>(array)];
}

Rows adze::resultRows(llm::KernelOp kernel) {
  auto rows = kernel->getAttrOfType<mlir::StringAttr>("rows");
  return rows && rows.getValue() == "R" ? Rows::OutputRows : Rows::Tokens;
}

Rows adze::operandRows(llm::KernelOp kernel, unsigned number) {
  mlir::BlockArgument argument = kernel.getBody().front().getArgument(number);
  for (mlir::Operation *user : argument.getUsers()) {
    if (mlir::isa<llm::GatherRowsOp>(user))
      return Rows::Tokens;
    // Columns of rows that are gathered later are still columns of T rows.
    if (auto slice = mlir::dyn_cast<llm::SliceColumnsOp>(user))
      for (mlir::Operation *reader : slice.getResult().getUsers())
        if (mlir::isa<llm::GatherRowsOp>(reader))
          return Rows::Tokens;
  }
  return resultRows(kernel);
}

int64_t adze::numberBeside(llm::KernelOp kernel, llvm::StringRef name) {
  auto number = kernel->getAttrOfType<mlir::IntegerAttr>(name);
  return number ? number.getInt() : 0;
}

static int64_t splitOf(llm::KernelOp kernel) { return numberBeside(kernel, "kv_split"); }

/// The attention that the group does in runs, or null.
static llm::PagedAttentionOp attentionInRuns(llm::KernelOp kernel) {
  auto attentions = kernel.getBody().front().getOps<llm::PagedAttentionOp>();
  return splitOf(kernel) && !attentions.empty() ? *attentions.begin() : llm::PagedAttentionOp();
}

bool adze::hasPartials(llm::KernelOp kernel) { return static_cast<bool>(attentionInRuns(kernel)); }

/// What the operands are.
static KernelAbi ofOperands(llm::KernelOp kernel) {
  KernelAbi abi;
  for (auto [number, type] : llvm::enumerate(kernel.getInputs().getTypes())) {
    if (mlir::isa<llm::BatchType>(type)) {
      for (unsigned array = 0; array < kBatchArrays; ++array)
        abi.pointers.push_back(
            {KernelPointer::Kind::Batch, static_cast<unsigned>(number), static_cast<BatchArray>(array)});
    } else if (mlir::isa<llm::KvType>(type)) {
      abi.pointers.push_back({KernelPointer::Kind::Cache, static_cast<unsigned>(number)});
    } else if (mlir::isa<mlir::IndexType>(type)) {
      assert(!abi.layer && "a group takes one layer");
      abi.layer = number;
    } else {
      abi.pointers.push_back({KernelPointer::Kind::Operand, static_cast<unsigned>(number)});
    }
  }
  if (hasPartials(kernel))
    abi.pointers.push_back({KernelPointer::Kind::Scratch, 0});
  return abi;
}

KernelAbi adze::derivePartialsAbi(llm::KernelOp kernel) { return ofOperands(kernel); }

KernelAbi adze::deriveKernelAbi(llm::KernelOp kernel) {
  KernelAbi abi = ofOperands(kernel);
  for (auto [number, type] : llvm::enumerate(kernel.getOutputs().getTypes()))
    if (!mlir::isa<llm::KvType>(type))
      abi.pointers.push_back({KernelPointer::Kind::Result, static_cast<unsigned>(number)});
  return abi;
}

unsigned KernelAbi::pointerOfOperand(unsigned number) const {
  for (auto [position, pointer] : llvm::enumerate(pointers))
    if (pointer.kind != KernelPointer::Kind::Result && pointer.kind != KernelPointer::Kind::Scratch &&
        pointer.number == number)
      return position;
  llvm_unreachable("the layer has no pointer");
}

unsigned KernelAbi::pointerOfResult(unsigned number) const {
  for (auto [position, pointer] : llvm::enumerate(pointers))
    if (pointer.kind == KernelPointer::Kind::Result && pointer.number == number)
      return position;
  llvm_unreachable("a cache has no pointer as a result");
}

unsigned KernelAbi::pointerOfScratch() const {
  for (auto [position, pointer] : llvm::enumerate(pointers))
    if (pointer.kind == KernelPointer::Kind::Scratch)
      return position;
  llvm_unreachable("a kernel that is not one of two has no scratch memory");
}

adze::ScratchSize adze::scratchSize(llm::KernelOp kernel) {
  llm::PagedAttentionOp attention = attentionInRuns(kernel);
  llm::KvType cache = attention.getKv().getType();
  // The list of a request with n pages begins after p others: its runs have the places from p / pagesOfRun + its number
  // on, of which there are n / pagesOfRun, rounded up. So no two requests meet, and all lie below pages / pagesOfRun +
  // requests.
  int64_t run = partialFloats(attention.getHeads(), cache.getDim()) * 4;
  return {run, int64_t(llvm::divideCeil(run, std::max<int64_t>(1, splitOf(kernel) / cache.getPage())))};
}
