// A family's tensors as llm.weight symbols: which there must be, of which shape, and the expression of each part.
#include "WeightTable.h"

#include "adze/Support/Hash.h"
#include "adze/Support/Mutant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace adze::import {
namespace {

std::string fileSymbol(size_t number) { return "file." + std::to_string(number); }

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

mlir::Type elementType(mlir::OpBuilder &builder, PartElement element) {
  switch (element) {
  case PartElement::F32:
    return builder.getF32Type();
  case PartElement::F16:
    return builder.getF16Type();
  case PartElement::BF16:
    return builder.getBF16Type();
  case PartElement::I8:
    return builder.getI8Type();
  case PartElement::U4:
    return builder.getIntegerType(4);
  }
  llvm_unreachable("all elements are listed");
}

} // namespace

WeightTable::WeightTable(const Checkpoint &checkpoint, const Family &family, mlir::ModuleOp module)
    : checkpoint(checkpoint), family(family), builder(module.getContext()) {
  builder.setInsertionPointToEnd(module.getBody());
  for (size_t i = 0; i < checkpoint.files.size(); ++i) {
    const SourceFile &file = checkpoint.files[i];
    llm::FileOp::create(builder, builder.getUnknownLoc(), fileSymbol(i), file.name, int64_t(file.map.size()),
                        checkpoint.hashFiles ? hashBytes(file.map.bytes()) : std::string());
  }
  // No weight reads these; the artifact's manifest lists them with the others.
  for (size_t i = 0; i < checkpoint.documents.size(); ++i) {
    const SourceDocument &file = checkpoint.documents[i];
    llm::FileOp::create(builder, builder.getUnknownLoc(), fileSymbol(checkpoint.files.size() + i), file.name,
                        int64_t(file.size), file.hash);
  }
}

const TensorRow *WeightTable::row(Role role) const {
  for (const TensorRow &row : family.tensors)
    if (row.role == role)
      return &row;
  return nullptr;
}

std::vector<int64_t> WeightTable::shapeOf(const TensorRow &row) const {
  const ModelConfig &c = checkpoint.config;
  std::vector<int64_t> shape;
  for (Extent extent : {row.rows, row.columns})
    switch (extent) {
    case Extent::None:
      break;
    case Extent::Hidden:
      shape.push_back(c.hidden);
      break;
    case Extent::Queries:
      shape.push_back(c.heads * c.headDim);
      break;
    case Extent::Keys:
      shape.push_back(c.kvHeads * c.headDim);
      break;
    case Extent::HeadDim:
      shape.push_back(c.headDim);
      break;
    case Extent::FeedForward:
      shape.push_back(c.feedForward);
      break;
    case Extent::Vocabulary:
      shape.push_back(c.vocabulary);
      break;
    }
  return shape;
}

Expected<std::optional<Weight>> WeightTable::find(Role role, int64_t layer) {
  const TensorRow *found = row(role);
  if (!found)
    return std::optional<Weight>();
  const ModelConfig &c = checkpoint.config;
  if ((found->presence == Presence::IfAttentionBias && !c.attentionBias) ||
      (found->presence == Presence::IfFeedForwardBias && !c.feedForwardBias))
    return std::optional<Weight>();
  std::string name = nameOf(*found, layer);
  std::vector<int64_t> shape = shapeOf(*found);
  auto tensor = checkpoint.tensors.find(name);
  if (tensor == checkpoint.tensors.end())
    return invalidInput(checkpoint.weightFile + ": no tensor '" + name + "' " + shapeText(shape) + "; a " +
                        std::string(family.name) + " model with these settings in " + checkpoint.where + " needs it");
  consumed.insert(name);
  if (tensor->second.shape != shape)
    return invalidInput(checkpoint.weightFile + ": tensor '" + name + "' has shape " + shapeText(tensor->second.shape) +
                        "; the settings in " + checkpoint.where + " ask for " + shapeText(shape));
  if (found->columns == Extent::None && tensor->second.encoding->quantized())
    return unsupported(checkpoint.weightFile + ": tensor '" + name + "' is a vector stored as " +
                       std::string(tensor->second.encoding->name) + "; vectors must be f32, f16 or bf16");
  return std::optional<Weight>(add(*found, layer, tensor->second, mlir::NameLoc::get(builder.getStringAttr(name))));
}

Expected<Weight> WeightTable::get(Role role, int64_t layer) {
  Expected<std::optional<Weight>> weight = find(role, layer);
  if (!weight)
    return weight.takeStatus();
  if (!*weight)
    return internalError("the family has no row for a tensor that its builder asks for");
  return std::move(**weight);
}

Weight WeightTable::add(const TensorRow &row, int64_t layer, const StoredTensor &tensor, mlir::Location loc) {
  Weight weight{tensor.encoding, tensor.shape, {}};
  std::string symbol = nameInLayer(row.symbol, layer);
  for (const PartInfo &info : tensor.encoding->parts) {
    std::vector<int64_t> shape = tensor.shape;
    shape.back() /= info.span;
    auto type = mlir::RankedTensorType::get(shape, elementType(builder, info.element));
    Weight::Part part{info.part == TensorPart::Data ? symbol : symbol + "." + std::string(partName(info.part)), type};
    auto op = llm::WeightOp::create(builder, loc, part.symbol, type);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&op.getBody().front());
    mlir::Value value = llm::SourceTensorOp::create(
        builder, loc, type, mlir::FlatSymbolRefAttr::get(builder.getContext(), fileSymbol(tensor.file)),
        builder.getI64IntegerAttr(int64_t(tensor.offset)), builder.getStringAttr(tensor.encoding->name),
        builder.getStringAttr(partName(info.part)));
    if (checkpoint.gguf && family.interleavedInGguf && row.interleavedInGguf && !ADZE_MUTANT("keep-interleaved-rows"))
      value = llm::PermuteRowsOp::create(builder, loc, type, value,
                                         builder.getI64IntegerAttr(tensor.shape[0] / checkpoint.config.headDim));
    llm::YieldOp::create(builder, loc, value);
    weight.parts.emplace(info.part, std::move(part));
  }
  return weight;
}

// The written rule on output heads (fault B05):
//   * tied, no head stored: the embedding serves;
//   * tied and a head stored all the same: it must equal the embedding byte for byte, and the embedding serves; a head
//   that
//     differs contradicts the configuration, and neither is taken;
//   * untied: the head must be stored;
//   * a container without a switch (GGUF): a stored head is the head, a missing one means tied.
Expected<Weight> WeightTable::head(const Weight &embedding) {
  const TensorRow *headRow = row(Role::Head), *embeddingRow = row(Role::Embedding);
  std::string name = nameOf(*headRow, 0), embeddingName = nameOf(*embeddingRow, 0);
  auto stored = checkpoint.tensors.find(name);
  bool present = stored != checkpoint.tensors.end();
  bool tied = checkpoint.config.tied.value_or(!present);
  if (!tied)
    return get(Role::Head);
  if (!present)
    return embedding;
  const StoredTensor &head = stored->second, &table = checkpoint.tensors.at(embeddingName);
  std::span<const uint8_t> a = checkpoint.bytes(head), b = checkpoint.bytes(table);
  if (head.encoding != table.encoding || head.shape != table.shape ||
      !std::equal(a.begin(), a.end(), b.begin(), b.end()))
    return invalidInput(checkpoint.weightFile + ": " + checkpoint.where +
                        " ties the output head to the embedding, but '" + name + "' is stored and differs from '" +
                        embeddingName +
                        "'. Set tie_word_embeddings to false if the stored head is the right one, or remove it");
  consumed.insert(name);
  return embedding;
}

Weight WeightTable::constant(const std::string &symbol, const std::vector<float> &values) {
  auto type = mlir::RankedTensorType::get({int64_t(values.size())}, builder.getF32Type());
  mlir::Location loc = mlir::NameLoc::get(builder.getStringAttr(symbol));
  auto op = llm::WeightOp::create(builder, loc, symbol, type);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getBody().front());
  mlir::Value value =
      mlir::arith::ConstantOp::create(builder, loc, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<float>(values)));
  llm::YieldOp::create(builder, loc, value);
  return Weight{&encodingInfo(TensorEncoding::F32), {int64_t(values.size())}, {{TensorPart::Data, {symbol, type}}}};
}

Status WeightTable::finish() const {
  std::string unused;
  size_t count = 0;
  for (auto &[name, tensor] : checkpoint.tensors)
    if (!consumed.count(name) && ++count <= 5)
      unused += (unused.empty() ? "'" : ", '") + name.substr(0, 120) + "'";
  if (count == 0)
    return Status::success();
  return unsupported(checkpoint.weightFile + ": " + std::to_string(count) + " tensors that a " +
                     std::string(family.name) + " model with the settings in " + checkpoint.where +
                     " does not use: " + unused + (count > 5 ? " and others" : "") +
                     ". The model would compute something else without them");
}

} // namespace adze::import
