// KernelRunner.cpp: a tile kernel that no group and no launch names, on generated memory.
//
// Nothing says what the words of its argument block mean, so all indices are one number that no tile divides, and the
// memory behind a pointer is as large as its views say. Every pointer's memory is a result: kernels write through them.
#include "adze/Pipeline/Execution/ModuleRunner.h"

#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Layout/PackedOrder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;

namespace adze::execution {

namespace reference = llm::reference;

namespace {
/// An index that follows from constants and from the arguments, which all are `size`.
std::optional<int64_t> valueOf(Value value, int64_t size) {
  if (isa<BlockArgument>(value))
    return value.getType().isIndex() && isa<func::FuncOp>(value.getParentBlock()->getParentOp()) ? std::optional(size)
                                                                                                 : std::nullopt;
  Operation *op = value.getDefiningOp();
  IntegerAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return constant.getInt();
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> a = valueOf(op->getOperand(0), size), b = valueOf(op->getOperand(1), size);
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return *a + *b;
  if (isa<arith::SubIOp>(op))
    return *a - *b;
  if (isa<arith::MulIOp>(op))
    return *a * *b;
  if ((isa<arith::DivUIOp>(op) || isa<arith::DivSIOp>(op)) && *b > 0)
    return *a / *b;
  if ((isa<arith::CeilDivUIOp>(op) || isa<arith::CeilDivSIOp>(op)) && *b > 0)
    return (*a + *b - 1) / *b;
  return std::nullopt;
}

/// Elements up to the last one that the view reaches.
std::optional<int64_t> elementsOf(tile::ViewOp view, int64_t size) {
  SmallVector<int64_t> extents;
  for (Value extent : view.getExtents()) {
    std::optional<int64_t> value = valueOf(extent, size);
    if (!value)
      return std::nullopt;
    extents.push_back(*value);
  }
  int64_t elements = 1;
  if (auto storage = view.getStorage()) {
    for (auto [extent, block] : llvm::zip(extents, storage->getBlock()))
      elements *= (extent + block - 1) / block * block;
    return elements;
  }
  if (auto strides = view.getStrides()) {
    for (auto [extent, stride] : llvm::zip(extents, *strides))
      elements += extent > 0 ? (extent - 1) * stride : 0;
    return elements;
  }
  for (int64_t extent : extents)
    elements *= extent;
  return elements;
}

constexpr int64_t kOverread = 1 << 16;

struct Memory {
  BufferRef bytes;
  Type element;
  int64_t elements = 0;
};

Expected<Memory> memoryFor(BlockArgument pointer, int64_t size, Numbers numbers, Random &random) {
  Memory memory;
  int64_t bytes = 0, slack = 0;
  for (Operation *user : pointer.getUsers()) {
    auto view = dyn_cast<tile::ViewOp>(user);
    if (!view)
      return unsupported("a pointer is used by " + user->getName().getStringRef().str() + ", which is no view");
    std::optional<int64_t> elements = elementsOf(view, size);
    if (!elements)
      return unsupported("the extents of a view follow from more than arguments and constants");
    Type element = cast<tile::ViewType>(view.getType()).getElementType();
    int64_t needed = int64_t(view.getOffset()) + (*elements * element.getIntOrFloatBitWidth() + 7) / 8;
    if (needed >= bytes || !memory.element) {
      bytes = std::max(bytes, needed);
      memory.element = element;
    }
    slack = std::max<int64_t>(slack, view.getOverread() ? kOverread : 0);
  }
  if (!memory.element) {
    memory.bytes = std::make_shared<Buffer>(8);
    return memory;
  }
  memory.elements = bytes * 8 / memory.element.getIntOrFloatBitWidth();
  auto type = RankedTensorType::get({memory.elements}, memory.element);
  reference::Tensor content = randomTensor(type, 0, 1.0, random);
  if (numbers == Numbers::Extremes)
    for (auto [i, number] : llvm::enumerate(content.floats))
      number = i % 7 == 0 ? 0.0f : i % 13 == 1 ? reference::roundTo(content.element, number * 3e4) : number;
  auto exact = toBytes(content, type);
  memory.bytes = std::make_shared<Buffer>(exact->size() + slack);
  std::copy_n(exact->data(), exact->size(), memory.bytes->data());
  return memory;
}
} // namespace

Expected<Execution> ModuleRunner::runKernel(func::FuncOp kernel, const Scenario &scenario, uint64_t seed) {
  bool looksUp = kernel.walk([](tile::LookupOp) { return WalkResult::interrupt(); }).wasInterrupted();
  if (looksUp)
    return unsupported("@" + kernel.getName().str() + " reads tables of numbers, which only a step can fill");
  int64_t size = 0;
  for (const RequestShape &request : scenario.requests)
    size += request.queries;
  Random random(seed);
  std::vector<uint64_t> words;
  std::vector<Memory> memories;
  for (BlockArgument argument : kernel.getArguments()) {
    if (argument.getType().isIndex()) {
      words.push_back(uint64_t(size));
      continue;
    }
    auto memory = memoryFor(argument, size, scenario.numbers, random);
    if (!memory)
      return memory.status();
    words.push_back(reinterpret_cast<uint64_t>(memory->bytes->data()));
    memories.push_back(std::move(*memory));
  }
  if (Status status = kernels->run(kernel.getName(), words.data()); !status.ok())
    return status;
  Execution execution;
  for (auto [number, memory] : llvm::enumerate(memories)) {
    if (!memory.bytes->guardIntact())
      return internalError("@" + kernel.getName().str() + " wrote behind the end of pointer " + std::to_string(number));
    if (!memory.element || memory.element.isInteger(4)) // codes are read only
      execution.results.push_back(reference::Tensor::zeros(reference::Element::I32, {0}));
    else
      execution.results.push_back(
          fromBytes(*memory.bytes, RankedTensorType::get({memory.elements}, memory.element), 0));
  }
  return execution;
}

} // namespace adze::execution
