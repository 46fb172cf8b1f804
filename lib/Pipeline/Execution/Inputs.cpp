// Inputs.cpp: the values that a function's arguments get.
#include "adze/Format/Encodings.h"
#include "adze/Pipeline/Execution/KernelMemory.h"
#include "adze/Pipeline/Execution/Scenario.h"

#include "llvm/ADT/EquivalenceClasses.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace adze::execution {

namespace reference = llm::reference;
using reference::Element;

static uint64_t mix(uint64_t seed, StringRef text) {
  uint64_t hash = 0xcbf29ce484222325ull ^ (seed * 0x9e3779b97f4a7c15ull);
  for (char c : text)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3ull;
  return hash;
}

/// Element `index` of an extreme tensor. Rows take turns, so that a row has one character.
static double extreme(int64_t row, int64_t column, Random &random) {
  double unit = random.unit();
  switch (row % 5) {
  case 0:
    return column % 2 ? -0.0 : 0.0;
  case 1: // a few giants among units
    return column % 11 == 3 ? unit * 3e4 : column % 7 == 2 ? -0.0 : unit;
  case 2: // subnormal and nearly so
    return unit * (column % 2 ? 1e-40 : 1e-37);
  case 3: // all equal
    return -1.5;
  default: // squares of these leave f32
    return unit * 1e25;
  }
}

static reference::Tensor fill(RankedTensorType type, int64_t rows, Numbers numbers, double scale, Random &random) {
  std::vector<int64_t> shape(type.getShape());
  if (!shape.empty() && ShapedType::isDynamic(shape[0]))
    shape[0] = rows;
  Element element = *reference::elementOf(type.getElementType());
  reference::Tensor tensor = reference::Tensor::zeros(element, shape);
  int64_t columns =
      shape.size() > 1 ? tensor.size() / std::max<int64_t>(shape[0], 1) : std::max<int64_t>(tensor.size(), 1);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (!reference::isFloat(element)) {
      tensor.ints[i] = element == Element::I4   ? random.below(16) - 8
                       : element == Element::I1 ? random.below(2)
                                                : random.below(255) - 127;
      continue;
    }
    double number = numbers == Numbers::Integers   ? double(random.below(5) - 2)
                    : numbers == Numbers::Extremes ? extreme(i / columns, i % columns, random)
                                                   : random.unit() * scale;
    if (element == Element::F16) // what f16 cannot hold is no stored number
      number = std::clamp(number, -6e4, 6e4);
    tensor.floats[i] = reference::roundTo(element, number);
  }
  return tensor;
}

reference::Tensor generatedSource(llm::SourceTensorOp op, uint64_t seed) {
  auto type = cast<RankedTensorType>(op.getType());
  Random random(mix(seed, (op.getFile() + ":" + Twine(op.getOffset()) + ":" + op.getPart()).str()));
  // A weight is about 0.1 in every encoding, and less where a row has more than 64, so that values keep their size from
  // layer to layer. Were one larger, the scores of attention would grow until one key takes all, and which one it is no
  // rounding keeps: no bound would hold.
  constexpr double kFloat = 0.2, kScale = 0.02, kLargestScaleCode = 127;
  auto part = partByName(op.getPart());
  const EncodingInfo *encoding = encodingByName(std::string_view(op.getEncoding()));
  double scale = part == TensorPart::Data ? kFloat : part == TensorPart::Outer ? kScale / kLargestScaleCode : kScale;
  if (encoding && type.getRank() == 2 && type.getElementType().isFloat()) {
    int64_t perNumber = part == TensorPart::Data    ? 1
                        : part == TensorPart::Outer ? encoding->blockElements
                                                    : encoding->group;
    // Scales are for codes of up to 8 and, times those of an outer scale, of up to 32; q8_0 has codes of up to 127.
    if (encoding == &encodingInfo(TensorEncoding::Q8_0) && part == TensorPart::Scales)
      scale /= 16;
    scale *= std::sqrt(std::min(1.0, 64.0 / double(type.getDimSize(1) * perNumber)));
  }
  // Vectors are weights of norms and biases.
  reference::Tensor tensor = fill(type, 0, Numbers::Units, type.getRank() == 1 ? 1.0 : scale, random);
  // The six bits of a q6_k code lie in a byte (Encodings.h); no file holds another one.
  if (part == TensorPart::Codes && encoding == &encodingInfo(TensorEncoding::Q6_K))
    for (int64_t &code : tensor.ints)
      code >>= 2;
  if (type.getRank() == 1)
    for (float &number : tensor.floats)
      number = reference::roundTo(tensor.element, 0.75 + number / 4);
  return tensor;
}

namespace {
/// Which arguments have one row for each output row: those tied to a result of llm.gather_rows by ops that keep rows.
class RowClasses {
public:
  explicit RowClasses(func::FuncOp function) {
    function.walk([&](Operation *op) {
      if (auto kernel = dyn_cast<llm::KernelOp>(op)) {
        for (auto [operand, argument] : llvm::zip(kernel.getInputs(), kernel.getBody().front().getArguments()))
          tie(operand, argument);
        for (auto [result, yielded] :
             llvm::zip(kernel.getOutputs(), kernel.getBody().front().getTerminator()->getOperands()))
          tie(result, yielded);
        return;
      }
      if (op->hasTrait<OpTrait::IsTerminator>())
        return;
      bool gathers = isa<llm::GatherRowsOp>(op);
      Value first;
      auto add = [&](Value value) {
        auto type = dyn_cast<RankedTensorType>(value.getType());
        if (!type || type.getRank() == 0 || !type.isDynamicDim(0))
          return;
        if (first)
          tie(first, value);
        first = value;
      };
      if (!gathers)
        llvm::for_each(op->getOperands(), add);
      llvm::for_each(op->getResults(), add);
      if (gathers)
        gathered.push_back(op->getResult(0));
    });
  }

  bool isOutputRows(Value value) {
    return llvm::any_of(gathered, [&](Value row) { return same.isEquivalent(key(value), key(row)); });
  }

private:
  const void *key(Value value) {
    const void *pointer = value.getAsOpaquePointer();
    same.insert(pointer);
    return pointer;
  }
  void tie(Value a, Value b) { same.unionSets(key(a), key(b)); }

  llvm::EquivalenceClasses<const void *> same;
  SmallVector<Value> gathered;
};

reference::Cache cacheFor(llm::KvType type, const Inputs &inputs, Numbers numbers, Random &random) {
  // What earlier steps wrote is there; all else is NaN.
  reference::Cache cache = reference::Cache::empty(type, inputs.pages);
  const reference::Batch &batch = inputs.batch;
  for (int64_t b = 0; b < batch.requests(); ++b) {
    int64_t queries = batch.queryStart[b + 1] - batch.queryStart[b];
    for (int64_t position = 0; position < batch.kvLength[b] - queries; ++position) {
      int64_t slot = batch.pages[batch.pageStart[b] + position / inputs.page] * inputs.page + position % inputs.page;
      for (int64_t layer = 0; layer < cache.layers; ++layer)
        for (int kind : {0, 1})
          for (int64_t head = 0; head < cache.heads; ++head)
            for (int64_t i = 0; i < cache.dim; ++i) {
              double number = numbers == Numbers::Integers ? double(random.below(5) - 2) : random.unit();
              cache.at(slot, layer, kind, head)[i] = reference::roundTo(cache.element, number);
            }
    }
  }
  return cache;
}
} // namespace

/// Pages are dealt in turns from 1 on, so that no request's lie side by side and page 0 belongs to nobody.
static reference::Batch batchFor(const Scenario &scenario, int64_t page, int64_t *pages) {
  std::vector<reference::RequestStep> requests;
  for (const RequestShape &shape : scenario.requests)
    requests.push_back({shape.queries, shape.kvLength, shape.promptLength, {}, shape.allRows});
  *pages = 1;
  for (bool more = true; more;) {
    more = false;
    for (reference::RequestStep &request : requests)
      if (int64_t(request.pages.size()) * page < request.kvLength) {
        request.pages.push_back((*pages)++);
        more = true;
      }
  }
  return reference::makeBatch(requests, page);
}

Expected<Inputs> makeInputs(func::FuncOp function, const Scenario &scenario, uint64_t seed) {
  Inputs inputs;
  std::optional<int64_t> page;
  int64_t vocabulary = 1 << 20;
  function.walk([&](Operation *op) {
    if (auto table = dyn_cast<llm::EmbeddingOp>(op))
      vocabulary = std::min(vocabulary, table.getTable().getType().getDimSize(0));
    if (auto table = dyn_cast<llm::QuantizedEmbeddingOp>(op))
      vocabulary = std::min(vocabulary, table.getCodes().getType().getDimSize(0));
  });
  for (Type type : function.getArgumentTypes())
    if (auto kv = dyn_cast<llm::KvType>(type)) {
      if (page && *page != kv.getPage())
        return unsupported("@" + function.getName().str() + " takes caches of two page sizes; one step has one");
      page = kv.getPage();
    }
  inputs.page = page.value_or(16);
  inputs.batch = batchFor(scenario, inputs.page, &inputs.pages);
  RowClasses classes(function);
  for (BlockArgument argument : function.getArguments()) {
    Random random(mix(seed, ("argument " + Twine(argument.getArgNumber())).str()));
    Type type = argument.getType();
    if (isa<llm::BatchType>(type)) {
      inputs.values.push_back(inputs.batch);
    } else if (auto kv = dyn_cast<llm::KvType>(type)) {
      inputs.values.push_back(cacheFor(kv, inputs, scenario.numbers, random));
    } else if (type.isIndex()) {
      inputs.values.push_back(reference::Tensor::ofInts(Element::Index, {}, {0}));
    } else if (auto tensor = dyn_cast<RankedTensorType>(type);
               tensor && succeeded(reference::elementOf(tensor.getElementType()))) {
      for (int64_t dim = 1; dim < tensor.getRank(); ++dim)
        if (tensor.isDynamicDim(dim))
          return unsupported("argument " + std::to_string(argument.getArgNumber()) + " of @" +
                             function.getName().str() + " has a dynamic extent that is not its first");
      int64_t rows = classes.isOutputRows(argument) ? int64_t(inputs.batch.outputRow.size()) : inputs.batch.tokens();
      if (tensor.getRank() == 1 && tensor.getElementType().isInteger(32)) {
        std::vector<int64_t> ids(tensor.isDynamicDim(0) ? rows : tensor.getDimSize(0));
        for (int64_t &id : ids)
          id = random.below(vocabulary);
        int64_t count = ids.size();
        inputs.values.push_back(reference::Tensor::ofInts(Element::I32, {count}, std::move(ids)));
      } else {
        inputs.values.push_back(fill(tensor, rows, scenario.numbers, 1.0, random));
      }
    } else {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return unsupported("argument " + std::to_string(argument.getArgNumber()) + " of @" + function.getName().str() +
                         " is " + text + "; tensors, a batch, a cache and a layer can be made up");
    }
  }
  return inputs;
}

} // namespace adze::execution
