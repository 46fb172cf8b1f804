// The llm dialect's types and attributes; its ops are in one file for each family.
#include "adze/Dialect/Llm/IR/Llm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace adze::llm;

#include "adze/Dialect/Llm/IR/LlmDialect.cpp.inc"
#include "adze/Dialect/Llm/IR/LlmEnums.cpp.inc"
#include "adze/Dialect/Llm/IR/LlmInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "adze/Dialect/Llm/IR/LlmAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "adze/Dialect/Llm/IR/LlmTypes.cpp.inc"

namespace {
/// Long types and encodings are printed once, at the top: !kv, #packed.
struct LlmAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Type type, raw_ostream &os) const override {
    if (!isa<KvType>(type))
      return AliasResult::NoAlias;
    os << "kv";
    return AliasResult::FinalAlias;
  }
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (!isa<PackedAttr>(attribute))
      return AliasResult::NoAlias;
    os << "packed";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void LlmDialect::initialize() {
  registerOps();
  addInterfaces<LlmAliases>();
  addTypes<
#define GET_TYPEDEF_LIST
#include "adze/Dialect/Llm/IR/LlmTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "adze/Dialect/Llm/IR/LlmAttrs.cpp.inc"
      >();
}

LogicalResult adze::llm::verifyBoundedShapes(Operation *op) {
  auto bounded = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return true;
    int64_t elements = 1;
    for (int64_t extent : tensor.getShape()) {
      if (ShapedType::isDynamic(extent))
        continue;
      if (extent > kMaxExtent || (extent > 0 && elements > kMaxElements / extent))
        return false;
      elements *= std::max<int64_t>(extent, 1);
    }
    return true;
  };
  for (auto types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (!bounded(type))
        return op->emitOpError("has a tensor of type ")
               << type << "; extents up to 2^31 and 2^40 elements in all are accepted";
  return success();
}

int64_t KvType::getPageBytes() const {
  return getLayers() * 2 * getHeads() * getHeadElements() * getElement().getIntOrFloatBitWidth() / 8;
}

LogicalResult KvType::verify(function_ref<InFlightDiagnostic()> emitError, int64_t layers, int64_t heads, int64_t dim,
                             Type element, int64_t page, KeyOrder) {
  if (layers < 1 || heads < 1 || dim < 1)
    return emitError() << "layers, heads and dim of !llm.kv must be positive";
  if (layers > 4096 || heads > 4096 || dim > 4096)
    return emitError() << "layers, heads and dim of !llm.kv are at most 4096, found " << std::max({layers, heads, dim});
  if (page != 16 && page != 32 && page != 64)
    return emitError() << "a page of !llm.kv holds 16, 32 or 64 tokens, found " << page;
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return emitError() << "the element of !llm.kv must be f32, f16 or bf16, found " << element;
  return success();
}

/// The words of a map must be, in some order, the powers of two below each extent of the block.
static std::string faultOfMap(ArrayRef<int64_t> block, StringRef map) {
  if (block.empty() || block.size() > 3)
    return "a block has 1 to 3 extents";
  llvm::SmallVector<std::string> wanted;
  for (auto [dim, extent] : llvm::enumerate(block)) {
    if (extent < 1 || !llvm::isPowerOf2_64(extent) || extent > (int64_t(1) << 20))
      return "extents of a block are powers of two up to 2^20, found " + llvm::itostr(extent);
    for (int64_t step = 1; step < extent; step *= 2)
      wanted.push_back(std::string(1, "rcd"[dim]) + llvm::itostr(step));
  }
  llvm::SmallVector<StringRef> words;
  map.split(words, ' ', -1, false);
  for (StringRef word : words) {
    auto *found = llvm::find(wanted, word.str());
    if (found == wanted.end())
      return "word '" + word.str() + "' of the map is twice there or no step inside the block";
    wanted.erase(found);
  }
  if (!wanted.empty())
    return "the map lacks the word '" + wanted.front() + "'";
  return "";
}

LogicalResult PackedAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> block, StringRef map) {
  std::string fault = faultOfMap(block, map);
  if (!fault.empty())
    return emitError() << "#llm.packed: " << fault;
  return success();
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t tokens, int64_t columns,
                                   int64_t depth, SumOrder, PackedAttr) {
  for (auto [name, value] :
       {std::pair<const char *, int64_t>{"tokens", tokens}, {"columns", columns}, {"depth", depth}})
    if (value < 1 || value > 65536)
      return emitError() << "#llm.schedule: " << name << " is " << value << "; 1 to 65536 is accepted";
  return success();
}

LogicalResult PackedAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getBlock().size())
    return emitError() << "#llm.packed: the block has " << getBlock().size() << " extents, the tensor " << shape.size();
  if (ShapedType::isDynamicShape(shape))
    return emitError() << "#llm.packed: a packed tensor has a static shape";
  return success();
}
