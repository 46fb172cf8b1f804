// From llm.weight bodies to trees of row sources, and from rows to stored bytes.
#include "adze/Pipeline/WeightEvaluator.h"

#include "RowSource.h"
#include "adze/Layout/PackedOrder.h"
#include "adze/Support/CheckedReader.h"
#include "adze/Support/Hash.h"
#include "adze/Support/RootedFolder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSet.h"

#include <cstring>

namespace adze {
namespace {

constexpr int64_t pieceBytes = 4 << 20; // of rows between the steps
// Of one weight: importers and passes make a few parts each, and only small tables as constants. Without a limit a
// value that is used twice, again and again, stands for exponentially many parts.
constexpr int partLimit = 4096;
constexpr int64_t constantLimit = 1 << 26; // elements

std::string textOf(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream);
  return text;
}

Expected<PartElement> elementOf(mlir::Type type) {
  if (type.isF32())
    return PartElement::F32;
  if (type.isF16())
    return PartElement::F16;
  if (type.isBF16())
    return PartElement::BF16;
  if (type.isInteger(8))
    return PartElement::I8;
  if (type.isInteger(4))
    return PartElement::U4;
  return invalidInput("a weight has elements of type " + textOf(type) + "; accepted are f32, f16, bf16, i8 and i4");
}

// Rows and columns of a tensor: a vector has one element a row.
struct Extents {
  int64_t rows, columns;
};
Extents extentsOf(mlir::RankedTensorType type) {
  int64_t rows = type.getRank() > 0 ? type.getDimSize(0) : 1;
  return {rows, rows == 0 ? 0 : type.getNumElements() / rows};
}

Expected<std::optional<PackedOrder>> orderOf(mlir::RankedTensorType type) {
  auto packed = mlir::dyn_cast_if_present<llm::PackedAttr>(type.getEncoding());
  if (!packed)
    return std::optional<PackedOrder>();
  std::string error;
  std::optional<PackedOrder> order = PackedOrder::make(packed.getBlock(), packed.getMap().str(), &error);
  if (!order)
    return invalidInput("storage order of a weight: " + error);
  if (int64_t(order->block().size()) != type.getRank() || type.getRank() > 2)
    return invalidInput("storage order of a weight: blocks of " + std::to_string(order->block().size()) +
                        " dimensions for " + textOf(type) + "; vectors and matrices are packed");
  return order;
}

// The elements of a constant, in memory form.
Expected<std::vector<uint8_t>> constantBytes(mlir::ElementsAttr values, PartElement element) {
  std::vector<uint8_t> bytes;
  auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(values);
  if (!dense)
    return unsupported("a weight's constant is not a dense one");
  if (dense.getNumElements() > constantLimit)
    return unsupported("a weight's constant has " + std::to_string(dense.getNumElements()) + " elements; up to " +
                       std::to_string(constantLimit) + " are accepted. Store it in a file");
  auto push = [&](uint64_t bits) {
    for (int64_t i = 0; i < partElementBytes(element); ++i)
      bytes.push_back(uint8_t(bits >> (8 * i)));
  };
  if (mlir::isa<mlir::FloatType>(dense.getElementType()))
    for (const llvm::APFloat &value : dense.getValues<llvm::APFloat>())
      push(value.bitcastToAPInt().getZExtValue());
  else
    for (const llvm::APInt &value : dense.getValues<llvm::APInt>())
      push(value.getZExtValue());
  return bytes;
}

} // namespace

WeightEvaluator::WeightEvaluator(WeightEvaluator &&) noexcept = default;
WeightEvaluator &WeightEvaluator::operator=(WeightEvaluator &&) noexcept = default;
WeightEvaluator::~WeightEvaluator() = default;

Expected<WeightEvaluator> WeightEvaluator::open(mlir::ModuleOp module, const std::string &path, bool checkHashes) {
  WeightEvaluator evaluator;
  // Of the module's files only those that hold weights: nobody needs a configuration twice.
  llvm::StringSet<> read;
  module.walk([&](llm::SourceTensorOp tensor) { read.insert(tensor.getFile()); });
  if (read.empty())
    return evaluator;
  Expected<RootedFolder> folder = RootedFolder::open(path);
  if (!folder)
    return folder.takeStatus();
  for (llm::FileOp op : module.getOps<llm::FileOp>()) {
    if (!read.contains(op.getSymName()))
      continue;
    Expected<MappedFile> map = folder->map(op.getPath().str());
    if (!map)
      return map.takeStatus();
    std::string name = path + "/" + op.getPath().str();
    if (map->size() != uint64_t(op.getSize()))
      return invalidInput(name + ": has " + std::to_string(map->size()) + " bytes; the model was imported from " +
                          std::to_string(op.getSize()) + ". Import it again");
    if (checkHashes && op.getHash().empty())
      return invalidInput(name + ": the model was imported without reading its tensors (--without-weights). Import it "
                                 "again without that option");
    if (checkHashes)
      if (std::string hash = hashBytes(map->bytes()); hash != op.getHash())
        return invalidInput(name + ": has the hash " + hash + "; the model was imported from " + op.getHash().str() +
                            ". Import it again");
    evaluator.files.emplace(op.getSymName().str(), std::move(*map));
  }
  return evaluator;
}

WeightEvaluator WeightEvaluator::withoutFiles() { return WeightEvaluator(); }

Expected<std::unique_ptr<RowSource>> WeightEvaluator::source(mlir::Value value, int &parts) const {
  if (++parts > partLimit)
    return unsupported("its expression has more than " + std::to_string(partLimit) + " parts, each use counted");
  mlir::Operation *op = value.getDefiningOp();
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  if (!op || !type || !type.hasStaticShape())
    return invalidInput("a weight is made of a value without a static shape");
  Expected<PartElement> element = elementOf(type.getElementType());
  if (!element)
    return element.takeStatus();
  Extents extents = extentsOf(type);

  std::vector<RowSourcePtr> inputs;
  for (mlir::Value operand : op->getOperands()) {
    Expected<RowSourcePtr> input = source(operand, parts);
    if (!input)
      return input;
    inputs.push_back(std::move(*input));
  }
  if (auto permute = mlir::dyn_cast<llm::PermuteRowsOp>(op))
    return makePermutedRows(std::move(inputs[0]), int64_t(permute.getHeads()));
  if (mlir::isa<llm::ConcatRowsOp>(op))
    return makeConcatenatedRows(std::move(inputs));
  if (auto slice = mlir::dyn_cast<llm::SliceRowsOp>(op))
    return makeSlicedRows(std::move(inputs[0]), int64_t(slice.getOffset()), int64_t(slice.getSize()));
  if (mlir::isa<llm::ConvertOp>(op))
    return makeConvertedRows(std::move(inputs[0]), *element);
  if (mlir::isa<llm::RepackOp>(op)) // rows stay rows; the weight's own type says how they are stored
    return std::move(inputs[0]);
  if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) {
    Expected<std::vector<uint8_t>> bytes = constantBytes(mlir::cast<mlir::ElementsAttr>(constant.getValue()), *element);
    if (!bytes)
      return bytes.takeStatus();
    return makeConstantRows(std::move(*bytes), extents.rows, extents.columns, *element);
  }
  auto stored = mlir::dyn_cast<llm::SourceTensorOp>(op);
  if (!stored)
    return unsupported("a weight is made by " + op->getName().getStringRef().str() +
                       ", which is no op of weight expressions");

  std::string what = "source tensor at offset " + std::to_string(stored.getOffset()) + " of @" + stored.getFile().str();
  auto file = files.find(std::string_view(stored.getFile()));
  const EncodingInfo *encoding = encodingByName(std::string_view(stored.getEncoding()));
  std::optional<TensorPart> partKind = partByName(std::string_view(stored.getPart()));
  const PartInfo *part = encoding && partKind ? encoding->part(*partKind) : nullptr;
  if (file == files.end() || !part || part->element != *element)
    return invalidInput(what + ": no such file, encoding or part, or a part of another type");
  if (type.getRank() != 2 && (type.getRank() != 1 || encoding->quantized()))
    return unsupported(what + ": " + textOf(type) + " of encoding " + std::string(encoding->name) +
                       "; accepted are matrices, and vectors of plain floats");
  // The size of the whole tensor, which all parts share.
  std::optional<uint64_t> perRow = checkedMul(uint64_t(extents.columns), uint64_t(part->span));
  std::optional<uint64_t> rowSize = perRow ? encodedBytes(*encoding, *perRow) : std::nullopt;
  std::optional<uint64_t> size = rowSize ? checkedMul(*rowSize, uint64_t(extents.rows)) : std::nullopt;
  const MappedFile &map = file->second;
  if (!size || !rangeFits(uint64_t(stored.getOffset()), *size, map.size()))
    return invalidInput(what + ": " + textOf(type) + " as " + std::string(encoding->name) +
                        " is no whole number of blocks or lies past the file's end at " + std::to_string(map.size()));
  return makeStoredRows(*encoding, *part, map.bytes().subspan(uint64_t(stored.getOffset()), *size), extents.rows,
                        extents.columns);
}

Expected<int64_t> WeightEvaluator::storedBytes(llm::WeightOp weight) const {
  auto type = mlir::cast<mlir::RankedTensorType>(weight.getType());
  int64_t bits = type.getElementTypeBitWidth();
  Expected<std::optional<PackedOrder>> order = orderOf(type);
  if (!order)
    return order.takeStatus().withContext("@" + weight.getSymName().str());
  if (*order)
    return (*order)->bytes(type.getShape(), unsigned(bits));
  return (type.getNumElements() * bits + 7) / 8;
}

Status WeightEvaluator::write(llm::WeightOp weight, llvm::function_ref<Status(std::span<const uint8_t>)> sink) const {
  std::string name = "@" + weight.getSymName().str();
  auto type = mlir::cast<mlir::RankedTensorType>(weight.getType());
  int parts = 0;
  Expected<RowSourcePtr> rows = source(weight.getYielded(), parts);
  if (!rows)
    return rows.takeStatus().withContext(name);
  Expected<std::optional<PackedOrder>> order = orderOf(type);
  if (!order)
    return order.takeStatus().withContext(name);
  const RowSource &input = **rows;
  unsigned bits = type.getElementTypeBitWidth();
  bool halves = input.element() == PartElement::U4;
  // Pieces of whole blocks, or of an even number of rows so that no byte of 4-bit codes is cut.
  int64_t unit = *order ? (*order)->block()[0] : 2;
  int64_t step = std::max<int64_t>(1, pieceBytes / std::max<int64_t>(1, input.rowBytes() * unit)) * unit;
  step = std::min(step, (input.rows() + unit - 1) / unit * unit);
  std::vector<uint8_t> buffer(size_t(step * input.rowBytes())), stored;
  for (int64_t first = 0; first < input.rows(); first += step) {
    int64_t count = std::min(step, input.rows() - first);
    input.read(first, count, buffer.data());
    std::span<const uint8_t> piece(buffer.data(), size_t(count * input.rowBytes()));
    if (*order) {
      int64_t blockBytes = (*order)->blockElements() * bits / 8;
      int64_t across = type.getRank() > 1 ? (*order)->blocks(1, input.columns()) : 1;
      int64_t blockRows = (count + unit - 1) / unit;
      stored.resize(size_t(blockRows * across * blockBytes));
      for (int64_t block = 0; block < blockRows; ++block)
        (*order)->packRows(buffer.data() + block * unit * input.rowBytes(), std::min(unit, count - block * unit),
                           input.columns(), bits, stored.data() + block * across * blockBytes);
      piece = stored;
    } else if (halves) {
      stored.assign((piece.size() + 1) / 2, 0);
      for (size_t i = 0; i < piece.size(); ++i)
        stored[i / 2] |= uint8_t((piece[i] & 15) << (i % 2 * 4));
      piece = stored;
    }
    if (Status s = sink(piece); !s.ok())
      return s;
  }
  return dropPages(weight);
}

// The pages of a weight's tensors were read once and are of no more use.
Status WeightEvaluator::dropPages(llm::WeightOp weight) const {
  weight.getBody().walk([&](llm::SourceTensorOp op) {
    const EncodingInfo *encoding = encodingByName(std::string_view(op.getEncoding()));
    auto type = mlir::cast<mlir::RankedTensorType>(op.getType());
    const PartInfo *part = encoding->part(*partByName(std::string_view(op.getPart())));
    files.find(std::string_view(op.getFile()))
        ->second.dropRange(uint64_t(op.getOffset()),
                           *encodedBytes(*encoding, uint64_t(type.getNumElements()) * uint64_t(part->span)));
  });
  return Status::success();
}

Expected<std::vector<uint8_t>> WeightEvaluator::elements(llm::WeightOp weight) const {
  int parts = 0;
  Expected<RowSourcePtr> rows = source(weight.getYielded(), parts);
  if (!rows)
    return rows.takeStatus().withContext("@" + weight.getSymName().str());
  std::vector<uint8_t> bytes(size_t((*rows)->rows() * (*rows)->rowBytes()));
  if (!bytes.empty())
    (*rows)->read(0, (*rows)->rows(), bytes.data());
  return bytes;
}

Expected<llm::reference::Tensor> WeightEvaluator::tensor(llm::WeightOp weight) const {
  using llm::reference::Element;
  Expected<std::vector<uint8_t>> bytes = elements(weight);
  if (!bytes)
    return bytes.takeStatus();
  auto type = mlir::cast<mlir::RankedTensorType>(weight.getType());
  Expected<PartElement> element = elementOf(type.getElementType());
  if (!element)
    return element.takeStatus();
  llm::reference::Tensor tensor;
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  size_t count = size_t(type.getNumElements());
  if (*element == PartElement::I8 || *element == PartElement::U4) {
    tensor.element = *element == PartElement::I8 ? Element::I8 : Element::I4;
    tensor.ints.resize(count);
    for (size_t i = 0; i < count; ++i) // sign-extended, as the evaluator keeps all integers
      tensor.ints[i] = *element == PartElement::I8 ? int8_t((*bytes)[i]) : int8_t((*bytes)[i] << 4) >> 4;
    return tensor;
  }
  tensor.element = *element == PartElement::F32   ? Element::F32
                   : *element == PartElement::F16 ? Element::F16
                                                  : Element::BF16;
  tensor.floats.resize(count);
  widen(*element, bytes->data(), int64_t(count), tensor.floats.data());
  return tensor;
}

llm::reference::WeightProvider WeightEvaluator::provider() const {
  return [this](llm::WeightOp weight) { return tensor(weight); };
}

} // namespace adze
