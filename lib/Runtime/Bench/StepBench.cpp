// Memory for the largest shape, a pool of random numbers, and steps that no request has asked for.
#include "adze/Runtime/Bench/StepBench.h"

#include "adze/Runtime/Artifact/StandInWeights.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

using namespace adze;

namespace {
// Tokens of request `b` of the shape.
int64_t tokensOf(const StepShape &shape, int64_t b) {
  return shape.tokens / shape.requests + (b < shape.tokens % shape.requests ? 1 : 0);
}
int64_t longest(const StepShape &shape) { return shape.history + tokensOf(shape, 0); }
bool isDecode(const StepShape &shape) { return shape.tokens == shape.requests; }

Expected<EngineLimits> limitsOf(const std::vector<StepShape> &shapes, const Manifest &manifest,
                                std::optional<int64_t> free) {
  EngineLimits limits;
  limits.context = std::min<int64_t>(2, manifest.model.context);
  int64_t pages = 1;
  for (const StepShape &shape : shapes) {
    if (Status status = checkShape(shape, manifest); !status.ok())
      return status;
    limits.stepTokens = std::max(limits.stepTokens, shape.tokens);
    limits.requests = std::max(limits.requests, shape.requests);
    limits.context = std::max(limits.context, longest(shape));
    pages = std::max(pages, shape.requests * KvSequence::pagesFor(longest(shape), manifest.kv.pageTokens));
  }
  limits.kvMemory = pages * manifest.kv.pageBytes;
  return resolveLimits(limits, manifest, free);
}
} // namespace

std::vector<int32_t> adze::benchTokens(int64_t count, int64_t legalTokens, uint64_t seed) {
  std::vector<int32_t> tokens(size_t(count), 0);
  uint64_t state = seed;
  for (int32_t &token : tokens) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    token = int32_t((state >> 33) % uint64_t(std::max<int64_t>(1, legalTokens * 3 / 4)));
  }
  return tokens;
}

StepWork adze::workOf(const StepShape &shape) {
  StepWork work{double(shape.tokens), double(shape.requests), double(shape.requests), 0, 0};
  for (int64_t b = 0; b < shape.requests; ++b) {
    double first = double(shape.history), count = double(tokensOf(shape, b));
    work.kvLengths += first + count;
    work.visiblePairs += count * (first + (count + 1) / 2); // the sum of position + 1
  }
  return work;
}

Status adze::checkShape(const StepShape &shape, const Manifest &manifest) {
  constexpr int64_t kMost = 1 << 20;
  if (shape.tokens < 1 || shape.tokens > kMost)
    return invalidInput(fmt::format("--tokens is {}; accepted: 1 to {}", shape.tokens, kMost));
  if (shape.requests < 1 || shape.requests > shape.tokens)
    return invalidInput(fmt::format("--requests is {} for --tokens {}; accepted: 1 to {}, since each request of a step "
                                    "has a token at least",
                                    shape.requests, shape.tokens, shape.tokens));
  if (shape.history < 0 || longest(shape) > manifest.model.context || longest(shape) < shape.history)
    return invalidInput(
        fmt::format("--history is {} and a request gets {} tokens more; {} was made for sequences of at "
                    "most {}: lower --history or --tokens",
                    shape.history, tokensOf(shape, 0), manifest.model.name, manifest.model.context));
  return Status();
}

Expected<std::unique_ptr<StepBench>> StepBench::open(const std::string &path, const DeviceOptions &device,
                                                     const std::vector<StepShape> &shapes) {
  std::unique_ptr<StepBench> bench(new StepBench);
  Expected<std::shared_ptr<const Artifact>> artifact = Artifact::open(path);
  if (!artifact)
    return artifact.status();
  bench->artifact = std::move(*artifact);
  const Manifest &manifest = bench->manifest();
  if (Expected<EngineLimits> possible = limitsOf(shapes, manifest, std::nullopt); !possible)
    return possible.status();
  Expected<std::unique_ptr<Device>> opened = openDevice(device, manifest.gpu.has_value());
  if (!opened)
    return opened.status();
  bench->hardware = std::move(*opened);
  if (Status status = bench->hardware->load(bench->artifact->program(), kernelImage(*bench->artifact)); !status.ok())
    return status.withContext(path);
  Expected<std::optional<int64_t>> free = bench->hardware->availableBytes();
  if (!free)
    return free.status();
  Expected<EngineLimits> limits = limitsOf(shapes, manifest, *free);
  if (!limits)
    return limits.status().withContext("the memory of these shapes, which --tokens, --requests and --history set");
  Expected<std::unique_ptr<StepBuilder>> builder =
      StepBuilder::create(*bench->artifact, *bench->hardware, *limits, /*poison=*/false);
  if (!builder)
    return builder.status();
  bench->builder = std::move(*builder);
  bench->allocator = std::make_unique<KvBlockAllocator>(bench->builder->pages());
  bench->tokens = benchTokens(limits->context, manifest.model.legalTokens, 1);
  if (Status status = bench->fillPool(); !status.ok())
    return status;
  return bench;
}

// One piece from the host, the rest by copies inside the device: a pool of many gigabytes takes milliseconds.
Status StepBench::fillPool() {
  const ManifestKv &kv = manifest().kv;
  const int64_t bytes = builder->pages() * kv.pageBytes;
  const bool integers = kv.element == "i8";
  ManifestStandIn content;
  content.weights = {{"kv", 0, std::min(bytes, kStandInPiece), kv.element, integers ? "uniform" : "normal", 0,
                      integers ? 127.0 : 1.0, ""}};
  std::vector<uint8_t> piece(size_t(content.weights[0].bytes));
  generateStandInPiece(content, 1, 0, piece);
  Expected<const AdzeStep *> step = build({1, 1, 0}); // which knows where the pool lies
  if (!step)
    return step.status();
  uint8_t *pool = (*step)->kv;
  if (Status status = hardware->write(pool, piece); !status.ok())
    return status;
  for (int64_t filled = int64_t(piece.size()); filled < bytes; filled *= 2)
    if (Expected<double> copied = hardware->copy(pool + filled, pool, std::min(filled, bytes - filled)); !copied)
      return copied.status();
  return Status();
}

Expected<const AdzeStep *> StepBench::build(const StepShape &shape) {
  sequences.clear();
  for (int64_t b = 0; b < shape.requests; ++b) {
    int64_t length = shape.history + tokensOf(shape, b), pageTokens = manifest().kv.pageTokens;
    Expected<KvReservation> pages = allocator->reserve(KvSequence::pagesFor(length, pageTokens));
    if (!pages)
      return pages.status();
    sequences.emplace_back(std::move(*pages), pageTokens);
  }
  // Page by page in turn, as requests that grow together take them.
  for (int64_t length = 1; length < longest(shape) + manifest().kv.pageTokens; length += manifest().kv.pageTokens)
    for (int64_t b = 0; b < shape.requests; ++b)
      sequences[size_t(b)].growTo(std::min(length, shape.history + tokensOf(shape, b)));
  std::vector<ScheduledSpan> spans;
  std::vector<SpanSource> sources;
  for (int64_t b = 0; b < shape.requests; ++b) {
    int64_t count = tokensOf(shape, b);
    spans.push_back({RequestId(b), shape.history, count, 1});
    // As greedy requests have it: logits come to the host where the program does not choose the token.
    sources.push_back({tokens, isDecode(shape) && shape.history > 0 ? shape.history : shape.history + count,
                       &sequences[size_t(b)], builder->choosesTokens() ? 0 : 1});
  }
  return &builder->build(spans, sources);
}

Expected<std::vector<KernelTiming>> StepBench::timeKernels(const StepShape &shape, const TimingOptions &options) {
  Expected<const AdzeStep *> step = build(shape);
  if (!step)
    return step.status();
  return hardware->timeKernels(artifact->program(), **step, builder->copies(), options);
}

Expected<std::vector<double>> StepBench::timeStep(const StepShape &shape, int64_t repetitions) {
  Expected<const AdzeStep *> step = build(shape);
  if (!step)
    return step.status();
  constexpr int64_t kUncounted = 3;
  std::vector<double> times;
  for (int64_t i = -kUncounted; i < repetitions; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (Status status = hardware->runStep(artifact->program(), **step, builder->copies()); !status.ok())
      return status;
    if (i >= 0)
      times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count());
  }
  return times;
}

Expected<CopyRate> adze::measureCopy(Device &device, int64_t bytes, int64_t repetitions) {
  Expected<std::optional<int64_t>> free = device.availableBytes();
  if (!free)
    return free.status();
  if (*free)
    bytes = std::max<int64_t>(256, std::min(bytes, **free / 4));
  CopyRate rate{bytes, {}};
  Expected<DeviceBuffer> from = device.allocate(bytes, "a copy", "--copy-bytes");
  if (!from)
    return from.status();
  Expected<DeviceBuffer> to = device.allocate(bytes, "a copy", "--copy-bytes");
  if (!to)
    return to.status();
  // A CPU's memory is not there before it is touched, and zeros may be one page for all.
  for (const DeviceBuffer *buffer : {&*from, &*to})
    if (Status status = device.fill(*buffer, 0x3c); !status.ok())
      return status;
  for (int64_t i = -1; i < repetitions; ++i) {
    Expected<double> time = device.copy(to->data(), from->data(), bytes);
    if (!time)
      return time.status();
    if (i >= 0)
      rate.rates.push_back(2 * double(bytes) / std::max(1.0, *time));
  }
  return rate;
}
