// From expressions of weights to kinds and sizes of numbers.
#include "adze/Pipeline/StandInFills.h"

#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Format/Encodings.h"
#include "adze/Pipeline/WeightEvaluator.h"

#include "mlir/IR/SymbolTable.h"

#include <cmath>

using namespace mlir;

namespace adze {

/// Bytes of a weight that no file holds: importers make small tables.
static constexpr int64_t kGivenLimit = 64 << 10;

namespace {
struct Numbers {
  double center, spread;
};
} // namespace

/// The codes of an encoding, and their standard deviation where each is equally likely.
static Numbers codesOf(const EncodingInfo &encoding) {
  switch (encoding.encoding) {
  case TensorEncoding::Q6_K:
    return {-0.5, 31.5};
  case TensorEncoding::Q8_0:
    return {0, 127};
  default:
    return {7.5, 7.5};
  }
}
static double deviationOf(Numbers codes) { return std::sqrt((std::pow(2 * codes.spread + 1, 2) - 1) / 12); }

/// Scales of 0.75 to 1.25 times the one that gives a matrix with `columns` inputs the variance 1 / columns.
static Numbers scalesOf(const EncodingInfo &encoding, TensorPart part, double columns) {
  const Numbers codes = codesOf(encoding);
  double scale = 1 / (std::sqrt(columns) * deviationOf(codes));
  if (encoding.part(TensorPart::Outer)) { // a scale is the product of two
    constexpr double inner = 64;
    if (part == TensorPart::Scales)
      return {inner, inner / 4};
    return {scale / inner, scale / inner / 4};
  }
  double center = part == TensorPart::Offsets ? -codes.center * scale : scale;
  return {center, scale / 4};
}

static std::string hexOf(ArrayRef<uint8_t> bytes) {
  std::string text;
  for (uint8_t byte : bytes)
    for (int digit : {byte >> 4, byte & 15})
      text += "0123456789abcdef"[digit];
  return text;
}

static Expected<ManifestStandInWeight> fillOf(llm::WeightOp weight, const SegmentPlace &place) {
  ManifestStandInWeight fill{place.weight, place.offset, place.size, "", "uniform", 0, 0, ""};
  auto type = cast<RankedTensorType>(weight.getType());
  llvm::raw_string_ostream(fill.element) << type.getElementType();

  llm::SourceTensorOp source;
  weight.getBody().walk([&](llm::SourceTensorOp op) { source = source ? source : op; });
  if (!source) {
    if (place.size > kGivenLimit)
      return unsupported("weight @" + place.weight + " comes from no file and takes " + std::to_string(place.size) +
                         " bytes; up to " + std::to_string(kGivenLimit) + " can be kept without weights");
    std::vector<uint8_t> bytes;
    WeightEvaluator evaluator = WeightEvaluator::withoutFiles();
    Status status = evaluator.write(weight, [&](std::span<const uint8_t> piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
      return Status::success();
    });
    if (!status.ok())
      return status;
    fill.kind = "given";
    fill.values = hexOf(bytes);
    return fill;
  }

  const EncodingInfo *encoding = encodingByName(std::string_view(source.getEncoding()));
  std::optional<TensorPart> part = partByName(std::string_view(source.getPart()));
  const PartInfo *info = encoding && part ? encoding->part(*part) : nullptr;
  auto stored = cast<RankedTensorType>(source.getType());
  if (!info || stored.getRank() < 1)
    return invalidInput("weight @" + place.weight + ": its source tensor has no such encoding or part");
  double columns = double(std::max<int64_t>(1, stored.getShape().back())) * double(info->span);
  Numbers numbers{};
  if (*part == TensorPart::Codes) {
    numbers = codesOf(*encoding);
  } else if (*part != TensorPart::Data) {
    numbers = scalesOf(*encoding, *part, columns);
  } else if (stored.getRank() > 1) {
    fill.kind = "normal";
    numbers = {0, 1 / std::sqrt(columns)};
  } else { // a vector: a norm's, or a bias
    numbers = StringRef(place.weight).contains("bias") ? Numbers{0, 0.25} : Numbers{1, 0.25};
  }
  fill.center = numbers.center;
  fill.spread = numbers.spread;
  return fill;
}

Expected<ManifestStandIn> standInFills(ModuleOp module, const std::vector<SegmentPlace> &segments) {
  ManifestStandIn standIn;
  for (const SegmentPlace &place : segments) {
    auto weight = dyn_cast_or_null<llm::WeightOp>(SymbolTable::lookupSymbolIn(module, place.weight));
    if (!weight)
      return internalError("segment of @" + place.weight + ": the module has no such weight");
    auto fill = fillOf(weight, place);
    if (!fill)
      return fill.status();
    standIn.weights.push_back(std::move(*fill));
  }
  return standIn;
}

} // namespace adze
