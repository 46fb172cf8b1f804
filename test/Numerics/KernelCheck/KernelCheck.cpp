#include "KernelCheck.h"
#include "EdgeNumbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace mlir;

namespace adze::test {

using namespace execution;

static reference::Batch batchFor(llvm::StringRef batchText, int64_t page, int64_t *pages) {
  std::vector<reference::RequestStep> requests;
  llvm::SmallVector<llvm::StringRef> entries;
  batchText.split(entries, ',', -1, false);
  // Pages are dealt in turns, so that no request's lie side by side.
  *pages = 1;
  std::vector<int64_t> wanted;
  for (llvm::StringRef entry : entries) {
    reference::RequestStep request;
    auto [queries, rest] = entry.split(':');
    auto [length, prompt] = rest.split(':');
    queries.getAsInteger(10, request.queries);
    length.getAsInteger(10, request.kvLength);
    prompt.getAsInteger(10, request.promptLength);
    wanted.push_back((request.kvLength + page - 1) / page);
    requests.push_back(request);
  }
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < requests.size(); ++i)
      if (static_cast<int64_t>(requests[i].pages.size()) < wanted[i]) {
        requests[i].pages.push_back((*pages)++);
        more = true;
      }
  }
  return reference::makeBatch(requests, page);
}

reference::Value Check::inputFor(Type type, int64_t page) {
  if (mlir::isa<llm::BatchType>(type))
    return batch;
  if (mlir::isa<IndexType>(type))
    return Tensor::ofInts(reference::Element::Index, {}, {0});
  if (auto kv = mlir::dyn_cast<llm::KvType>(type)) {
    // What earlier steps wrote is there; all else is NaN.
    Cache cache = Cache::empty(kv, pages);
    for (int64_t b = 0; b < batch.requests(); ++b) {
      int64_t queries = batch.queryStart[b + 1] - batch.queryStart[b];
      for (int64_t position = 0; position < batch.kvLength[b] - queries; ++position) {
        int64_t slot = batch.pages[batch.pageStart[b] + position / page] * page + position % page;
        for (int64_t layer = 0; layer < cache.layers; ++layer)
          for (int kind = 0; kind < 2; ++kind)
            for (int64_t head = 0; head < cache.heads; ++head)
              for (int64_t i = 0; i < cache.dim; ++i)
                cache.at(slot, layer, kind, head)[i] = reference::roundTo(cache.element, random.unit());
      }
    }
    return cache;
  }
  auto tensor = mlir::cast<RankedTensorType>(type);
  if (tensor.getRank() == 1 && tensor.getElementType().isInteger(32)) {
    std::vector<int64_t> ids(batch.tokens());
    for (int64_t &id : ids)
      id = random.below(vocabulary);
    return Tensor::ofInts(reference::Element::I32, {batch.tokens()}, ids);
  }
  Tensor numbers = randomTensor(tensor, batch.tokens(), 1.0, random);
  if (settings.edges && reference::isFloat(numbers.element))
    for (int64_t i = 0; i < numbers.size(); ++i)
      numbers.floats[i] =
          reference::roundTo(numbers.element, edgeNumber(i / numbers.columns() + given.seed, i % numbers.columns()));
  return numbers;
}

Expected<Tensor> Check::weightFor(llm::WeightOp weight) {
  auto found = weights.find(weight.getSymName().str());
  if (found != weights.end())
    return found->second;
  // By name, so that every form of one module gets the same numbers.
  Random mine(std::hash<std::string>{}(weight.getSymName().str()) ^ given.seed);
  auto type = mlir::cast<RankedTensorType>(weight.getType());
  bool scales = weight.getSymName().contains("scales") || weight.getSymName().contains("outer");
  double scale = type.getRank() == 1 ? 1.0 : scales ? 0.02 : 0.2;
  Tensor tensor = randomTensor(type, 0, scale, mine);
  // Frequencies and weights of norms are positive and near 1.
  if (type.getRank() == 1)
    for (float &number : tensor.floats)
      number = reference::roundTo(tensor.element, 0.75 + number / 4);
  if (settings.edges && weight.getSymName().contains("codes")) {
    int64_t greatest = (int64_t(1) << (type.getElementTypeBitWidth() - 1)) - 1;
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.ints[i] = edgeCode(i / tensor.columns(), i % tensor.columns(), -greatest - 1, greatest);
  }
  weights[weight.getSymName().str()] = tensor;
  return tensor;
}

Bytes Check::bytesFor(const reference::Value &value, Type type) {
  Bytes bytes;
  if (value.isBatch()) {
    const reference::Batch &b = value.batch();
    const std::vector<int64_t> *arrays[] = {&b.position,     &b.request,   &b.kvSlot, &b.queryStart, &b.kvLength,
                                            &b.promptLength, &b.pageStart, &b.pages,  &b.outputRow};
    for (unsigned i = 0; i < kBatchArrays; ++i)
      bytes.arrays.push_back(toBytes(*arrays[i], bitsOf(static_cast<BatchArray>(i))));
  } else if (value.isCache()) {
    bytes.buffer = toBytes(value.cache(), mlir::cast<llm::KvType>(type));
  } else if (auto tensor = mlir::dyn_cast<RankedTensorType>(type)) {
    bytes.buffer = toBytes(value.tensor(), tensor);
  }
  return bytes;
}

bool Check::launch(llm::KernelOp kernel, llvm::ArrayRef<Bytes> operands, std::vector<Bytes> &results) {
  int64_t rows = rowsOf(kernel);
  results.clear();
  for (Type type : kernel.getOutputs().getTypes()) {
    Bytes bytes;
    if (auto tensor = mlir::dyn_cast<RankedTensorType>(type)) {
      bytes.buffer = std::make_shared<Buffer>(bytesOf(tensor, rows));
    } else {
      for (auto [operand, value] : llvm::zip(kernel.getInputs(), operands))
        if (operand.getType() == type)
          bytes = value;
    }
    results.push_back(bytes);
  }
  int64_t layer = 0;
  if (auto number = deriveKernelAbi(kernel).layer)
    if (auto constant = kernel.getInputs()[*number].getDefiningOp<arith::ConstantIndexOp>())
      layer = constant.value();
  BufferRef scratch;
  if (hasPartials(kernel))
    scratch = std::make_shared<Buffer>(scratchSize(kernel).bytes(batch.requests(), int64_t(batch.pages.size())));
  auto run = [&](const KernelAbi &abi, llvm::StringRef which) {
    auto name = kernel->getAttrOfType<FlatSymbolRefAttr>(which).getValue();
    return runKernel(name, abi, operands, results, scratch, layer);
  };
  return (!scratch || run(derivePartialsAbi(kernel), "partials")) && run(deriveKernelAbi(kernel), "kernel");
}

bool Check::runKernel(llvm::StringRef name, const KernelAbi &abi, llvm::ArrayRef<Bytes> operands,
                      llvm::ArrayRef<Bytes> results, const BufferRef &scratch, int64_t layer) {
  std::vector<uint64_t> words;
  for (const KernelPointer &pointer : abi.pointers) {
    BufferRef buffer;
    switch (pointer.kind) {
    case KernelPointer::Kind::Batch:
      buffer = operands[pointer.number].arrays[static_cast<unsigned>(pointer.array)];
      break;
    case KernelPointer::Kind::Scratch:
      buffer = scratch;
      break;
    case KernelPointer::Kind::Result:
      buffer = results[pointer.number].buffer;
      break;
    default:
      buffer = operands[pointer.number].buffer;
    }
    words.push_back(reinterpret_cast<uint64_t>(buffer->data()));
  }
  for (int64_t word : {batch.tokens(), batch.requests(), static_cast<int64_t>(batch.outputRow.size()), layer})
    words.push_back(word);
  Status status = program.run(name, words.data());
  if (!status.ok())
    llvm::errs() << name << ": " << status.message() << "\n";
  bool intact = status.ok();
  for (const Bytes &bytes : results)
    if (bytes.buffer && !bytes.buffer->guardIntact()) {
      llvm::errs() << name << ": wrote behind the end of a result\n";
      intact = false;
    }
  if (scratch && !scratch->guardIntact()) {
    llvm::errs() << name << ": wrote behind the end of the scratch memory\n";
    intact = false;
  }
  return intact;
}

/// The step that computes that token alone: its request's prompt, pages and cache are what they are.
static reference::Batch stepOf(const reference::Batch &all, int64_t token) {
  int64_t request = all.request[token];
  reference::Batch alone;
  alone.position = {all.position[token]};
  alone.request = {0};
  alone.kvSlot = {all.kvSlot[token]};
  alone.queryStart = {0, 1};
  alone.kvLength = {all.position[token] + 1};
  alone.promptLength = {all.promptLength[request]};
  alone.pages.assign(all.pages.begin() + all.pageStart[request], all.pages.begin() + all.pageStart[request + 1]);
  alone.pageStart = {0, int64_t(alone.pages.size())};
  alone.outputRow = {0};
  return alone;
}

void Check::compareAlone(llm::KernelOp kernel, const std::vector<Bytes> &operands, llvm::ArrayRef<Bytes> whole) {
  auto rowOf = [](const Bytes &bytes, RankedTensorType type, int64_t row) {
    size_t size = bytesOf(type, 1);
    return llvm::StringRef(reinterpret_cast<char *>(bytes.buffer->data()) + row * size, size);
  };
  auto type = mlir::cast<RankedTensorType>(kernel.getOutputs()[0].getType());
  reference::Batch all = batch;
  int64_t other = 0;
  for (int64_t token = 0; token < all.tokens(); ++token) {
    batch = stepOf(all, token);
    std::vector<Bytes> mine, results;
    for (auto [value, bytes] : llvm::zip(kernel.getInputs(), operands)) {
      auto rows = mlir::dyn_cast<RankedTensorType>(value.getType());
      mine.push_back(mlir::isa<llm::BatchType>(value.getType()) ? bytesFor(batch, value.getType()) : bytes);
      if (!rows || rows.hasStaticShape())
        continue;
      mine.back().buffer = std::make_shared<Buffer>(bytesOf(rows, 1));
      llvm::copy(rowOf(bytes, rows, token), mine.back().buffer->data());
    }
    other += !launch(kernel, mine, results) || rowOf(results[0], type, 0) != rowOf(whole[0], type, token);
  }
  batch = all;
  failures += other != 0;
  llvm::outs() << "each alone: " << other << " of " << all.tokens() << " tokens have other bits\n";
}

bool Check::exactly(llm::KernelOp kernel) {
  bool exact = true;
  for (Operation &op : kernel.getBody().front()) {
    auto linear = mlir::dyn_cast<llm::QuantizedLinearOp>(op);
    bool integers = linear && linear.getInputScale();
    exact &= integers || mlir::isa<llm::QuantizeOp>(op) || mlir::isa<llm::AddOp>(op) || mlir::isa<llm::MulOp>(op) ||
             mlir::isa<llm::SliceColumnsOp>(op) || mlir::isa<llm::GatherRowsOp>(op) || mlir::isa<arith::TruncFOp>(op) ||
             mlir::isa<arith::ExtFOp>(op) || mlir::isa<llm::EmbeddingOp>(op) ||
             mlir::isa<llm::QuantizedEmbeddingOp>(op) || mlir::isa<llm::BestTokenOp>(op) || mlir::isa<llm::YieldOp>(op);
  }
  return exact;
}

/// Large numbers of a result in bf16 that may be rounded to the other side: so many, or one in so many.
static constexpr size_t kMovedAnyway = 2, kMovedShare = 8;

void Check::compare(llvm::Twine where, const reference::Value &expected, const Bytes &found, Type type, bool exact,
                    double bound) {
  std::vector<float> want, have;
  int64_t columns = 1;
  double extra = 0;
  bool rounded = false; // to bf16
  if (expected.isCache()) {
    auto kv = mlir::cast<llm::KvType>(type);
    want = expected.cache().data;
    have = fromBytes(*found.buffer, kv).data;
    columns = kv.getDim();
    extra = kv.getElement().isF32() ? 0 : 0x1p-8;
  } else {
    const Tensor &tensor = expected.tensor();
    auto ranked = mlir::cast<RankedTensorType>(type);
    Tensor bytes = fromBytes(*found.buffer, ranked, tensor.shape[0]);
    columns = tensor.columns();
    if (reference::isFloat(tensor.element)) {
      want = tensor.floats, have = bytes.floats;
      rounded = ranked.getElementType().isBF16();
      extra = ranked.getElementType().isF32() ? 0 : 0x1p-8;
    } else {
      for (int64_t i = 0; i < tensor.size(); ++i)
        want.push_back(tensor.ints[i]), have.push_back(bytes.ints[i]);
      // Codes of inexact inputs may fall on either side of a half; their sums by as many.
      extra = tensor.element == reference::Element::I8 ? 1.5 / 127 : 1e9;
    }
  }
  double worst = 0;
  size_t at = 0, wrong = 0, large = 0, moved = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    double largest = 0;
    for (size_t j = i / columns * columns; j < i / columns * columns + columns; ++j)
      if (!std::isnan(want[j]))
        largest = std::max<double>(largest, std::abs(want[j]));
    if (std::isnan(want[i]) && std::isnan(have[i]) && !settings.edges)
      continue;
    double error = std::abs(static_cast<double>(want[i]) - have[i]) / std::max(largest, 1e-30);
    bool equal = want[i] == have[i];
    // Two numbers that hardly differ may round to neighbours, which are further apart than `extra` where a number is
    // the row's largest: then it is rare.
    double accepted = bound + extra;
    if (rounded && std::abs(want[i]) >= largest / 2) {
      accepted = std::max(accepted, bound + std::ldexp(1.0, std::ilogb(want[i]) - 7) / std::max(largest, 1e-30));
      ++large;
      moved += !equal;
    }
    if (!equal && (exact || !(error <= accepted)))
      if (wrong++ == 0)
        at = i;
    if (!equal)
      worst = std::max(worst, std::isnan(error) ? INFINITY : error);
  }
  // In a chain one such number moves all that follows.
  bool alone = bound <= settings.tolerance;
  size_t mayMove = std::max<size_t>(kMovedAnyway, large / kMovedShare);
  if (alone && !exact && moved > mayMove) {
    ++failures;
    llvm::outs() << where << ": " << moved << " of the " << large
                 << " numbers that are half of their row's largest or more were rounded to another number of bf16; at "
                    "most "
                 << mayMove << " are accepted\n";
  }
  if (wrong) {
    ++failures;
    llvm::outs() << where << ": " << wrong << " of " << want.size() << " numbers wrong, first [" << at / columns << ", "
                 << at % columns << "]: expected " << want[at] << ", found " << have[at] << "\n";
  } else {
    llvm::outs() << where << (exact ? ": equal" : ": within bound") << ", largest error " << llvm::format("%.2e", worst)
                 << "\n";
  }
}

void Check::run(func::FuncOp function, llvm::raw_ostream *dump) {
  int64_t page = 16;
  vocabulary = 1 << 20;
  function.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto kv = mlir::dyn_cast<llm::KvType>(operand.getType()))
        page = kv.getPage();
    if (auto embedding = mlir::dyn_cast<llm::EmbeddingOp>(op))
      vocabulary = std::min(vocabulary, embedding.getTable().getType().getDimSize(0));
    if (auto embedding = mlir::dyn_cast<llm::QuantizedEmbeddingOp>(op))
      vocabulary = std::min(vocabulary, embedding.getCodes().getType().getDimSize(0));
  });
  batch = batchFor(given.requests, page, &pages);
  Status legal = batch.check();
  if (!legal.ok()) {
    llvm::errs() << "--batch: " << legal.message() << "\n";
    ++failures;
    return;
  }
  llvm::DenseMap<Value, reference::Value> values;
  reference::Values inputs;
  for (BlockArgument argument : function.getArguments()) {
    inputs.push_back(inputFor(argument.getType(), page));
    values[argument] = inputs.back();
  }
  reference::Evaluator evaluator(module, [&](llm::WeightOp weight) { return weightFor(weight); });
  evaluator.observe([&](Operation *op, llvm::ArrayRef<reference::Value> results) {
    for (auto [result, value] : llvm::zip(op->getResults(), results))
      values[result] = value;
  });
  auto expected = evaluator.run(function, inputs);
  if (!expected) {
    llvm::errs() << "@" << function.getName() << ": " << expected.status().message() << "\n";
    ++failures;
    return;
  }

  llvm::DenseMap<Value, Bytes> chain;
  for (BlockArgument argument : function.getArguments())
    chain[argument] = bytesFor(values[argument], argument.getType());
  unsigned number = 0;
  for (Operation &op : function.getBody().front()) {
    auto kernel = mlir::dyn_cast<llm::KernelOp>(op);
    if (!kernel) {
      for (Value result : op.getResults())
        chain[result] = bytesFor(values[result], result.getType());
      continue;
    }
    std::vector<Bytes> alone, chained, results;
    for (Value operand : kernel.getInputs()) {
      alone.push_back(bytesFor(values[operand], operand.getType()));
      chained.push_back(chain[operand]);
    }
    std::string name =
        ("#" + llvm::Twine(number++) + " " + kernel->getAttrOfType<FlatSymbolRefAttr>("kernel").getValue()).str();
    if (!launch(kernel, alone, results)) {
      ++failures;
      return;
    }
    for (auto [i, result] : llvm::enumerate(kernel.getOutputs()))
      compare("alone " + name + " result " + llvm::Twine(i), values[result], results[i], result.getType(),
              exactly(kernel), settings.tolerance);
    if (settings.eachAlone && !kernel.getBody().front().getOps<llm::PagedAttentionOp>().empty())
      compareAlone(kernel, alone, results);
    if (!launch(kernel, chained, results)) {
      ++failures;
      return;
    }
    for (auto [result, bytes] : llvm::zip(kernel.getOutputs(), results))
      chain[result] = bytes;
  }
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    // One rounding to bf16 or int8 that falls on the other side of a half moves all that follows.
    compare("chained result " + llvm::Twine(i), (*expected)[i], chain[value], value.getType(), false,
            settings.numerics == "f32" ? 64 * settings.tolerance : 0.03);
    if (!dump)
      continue;
    // The cache is written as numbers, for its bytes depend on the page.
    if (mlir::isa<RankedTensorType>(value.getType()))
      *dump << llvm::StringRef(reinterpret_cast<char *>(chain[value].buffer->data()), chain[value].buffer->size());
  }
}

} // namespace adze::test
