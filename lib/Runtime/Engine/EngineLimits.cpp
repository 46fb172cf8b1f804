// Defaults, ranges and the evaluation of the memory plan.
#include "adze/Runtime/Engine/EngineLimits.h"

#include "adze/Runtime/Device/Device.h"
#include "adze/Runtime/KvCache/KvSequence.h"
#include "adze/Support/CheckedReader.h"

#include <algorithm>
#include <fmt/format.h>

using namespace adze;

namespace {
// Bounds that keep every later product inside 63 bits and every index array inside 32.
constexpr int64_t kMostStepTokens = 1 << 20, kMostRequests = 1 << 16, kMostContext = 1 << 26;

Status checkRange(const char *option, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high)
    return Status();
  return invalidInput(fmt::format("{} is {}; accepted: {} to {}", option, value, low, high));
}

// The KV pool of a device with `free` bytes: what was asked for where it fits, else, where nothing was, the rest.
Status fitPool(EngineLimits &limits, bool asked, const Manifest &manifest, int64_t free) {
  Expected<MemoryFigures> figures = evaluateMemory(manifest, limits);
  if (!figures)
    return figures.status();
  int64_t fixed = figures->arena + figures->stepArrays + Device::roundUp(figures->weights);
  // Each of the four buffers may be rounded up by the device's allocator, to 2 MiB at most.
  constexpr int64_t kRounding = 4 * (int64_t(2) << 20);
  int64_t rest = free - fixed - kRounding;
  if (figures->kvPool <= rest)
    return Status();
  if (!asked && rest >= manifest.kv.pageBytes) {
    limits.kvMemory = rest / manifest.kv.pageBytes * manifest.kv.pageBytes;
    return Status();
  }
  return resourceExhausted(fmt::format(
      "the device has {} bytes free and these limits need {} (weights {}, activations {}, step arrays {}, KV "
      "pool {}, rounding {}); lower {}, end other programs that hold memory of the device, or choose "
      "another (--device)",
      free, fixed + kRounding + (asked ? figures->kvPool : manifest.kv.pageBytes), figures->weights, figures->arena,
      figures->stepArrays, asked ? figures->kvPool : manifest.kv.pageBytes, kRounding,
      asked ? "--kv-memory" : "--step-tokens, --requests or --logit-rows"));
}
} // namespace

Expected<EngineLimits> adze::resolveLimits(EngineLimits limits, const Manifest &manifest,
                                           std::optional<int64_t> deviceBytes) {
  int64_t modelContext = manifest.model.context;
  if (limits.context == 0)
    limits.context = std::min<int64_t>(modelContext, 4096);
  if (limits.context > modelContext)
    return invalidInput(fmt::format("--context is {} and {} was made for sequences of at most {} tokens",
                                    limits.context, manifest.model.name, modelContext));
  if (Status status = checkRange("--context", limits.context, 2, std::min(kMostContext, modelContext)); !status.ok())
    return status;
  if (limits.requests == 0)
    limits.requests = 8;
  if (Status status = checkRange("--requests", limits.requests, 1, kMostRequests); !status.ok())
    return status;
  if (limits.stepTokens == 0)
    limits.stepTokens = std::min<int64_t>(512, limits.context);
  if (Status status = checkRange("--step-tokens", limits.stepTokens, 1, kMostStepTokens); !status.ok())
    return status;
  if (limits.logitRows == 0)
    limits.logitRows = limits.requests;
  if (Status status = checkRange("--logit-rows", limits.logitRows, limits.requests, kMostStepTokens); !status.ok())
    return status;
  if (Status status = checkRange("--prefill-chunk", limits.prefillChunk, 0, kMostStepTokens); !status.ok())
    return status;
  if (limits.queueLength == 0)
    limits.queueLength = 1024;
  if (Status status = checkRange("the length of the queue", limits.queueLength, 1, kMostRequests); !status.ok())
    return status;

  int64_t perRequest = KvSequence::pagesFor(limits.context, manifest.kv.pageTokens);
  std::optional<uint64_t> all = checkedMul(uint64_t(limits.requests * perRequest), uint64_t(manifest.kv.pageBytes));
  if (!all || *all > uint64_t(INT64_MAX))
    return resourceExhausted("the KV pool for these limits does not fit 63 bits; lower --context or --requests");
  bool asked = limits.kvMemory != 0;
  if (!asked)
    limits.kvMemory = int64_t(*all);
  if (limits.kvMemory < manifest.kv.pageBytes)
    return invalidInput(fmt::format("--kv-memory is {} bytes and one KV page of this artifact takes {}",
                                    limits.kvMemory, manifest.kv.pageBytes));
  if (deviceBytes)
    if (Status status = fitPool(limits, asked, manifest, *deviceBytes); !status.ok())
      return status;
  return limits;
}

StepArrays adze::layOutStepArrays(const EngineLimits &limits, int64_t pageTokens) {
  StepArrays arrays{};
  arrays.pageCapacity = limits.requests * KvSequence::pagesFor(limits.context, pageTokens);
  int64_t end = 0;
  auto place = [&](int64_t &offset, int64_t count, int64_t elementBytes) {
    offset = end;
    end += Device::roundUp(count * elementBytes);
  };
  place(arrays.token, limits.stepTokens, 4);
  place(arrays.position, limits.stepTokens, 4);
  place(arrays.request, limits.stepTokens, 4);
  place(arrays.kvSlot, limits.stepTokens, 8);
  place(arrays.queryStart, limits.requests + 1, 4);
  place(arrays.kvLength, limits.requests, 4);
  place(arrays.promptLength, limits.requests, 4);
  place(arrays.pageStart, limits.requests + 1, 4);
  place(arrays.pages, arrays.pageCapacity, 4);
  place(arrays.outputRow, limits.logitRows, 4);
  arrays.total = end;
  return arrays;
}

Expected<MemoryFigures> adze::evaluateMemory(const Manifest &manifest, const EngineLimits &limits) {
  MemoryFigures figures;
  SizeLimits sizes{limits.stepTokens, limits.requests, limits.logitRows, limits.context, manifest.kv.pageTokens};
  uint64_t end = 0;
  for (const std::vector<SizeForm> &slot : manifest.memory.slots) {
    figures.slotOffsets.push_back(int64_t(end));
    int64_t largest = 0;
    for (const SizeForm &form : slot) {
      Expected<int64_t> bytes = form.evaluate(sizes);
      if (!bytes)
        return bytes.status();
      largest = std::max(largest, *bytes);
    }
    std::optional<uint64_t> next = checkedAdd(end, uint64_t(largest));
    if (!next || *next > uint64_t(INT64_MAX))
      return resourceExhausted("the activations for these limits do not fit 63 bits; lower --step-tokens");
    end = *next;
  }
  figures.arena = int64_t(end);
  figures.stepArrays = layOutStepArrays(limits, manifest.kv.pageTokens).total;
  // More pages than all requests together can use would never be touched.
  int64_t useful = limits.requests * KvSequence::pagesFor(limits.context, manifest.kv.pageTokens);
  figures.kvPages = std::min(limits.kvMemory / manifest.kv.pageBytes, useful);
  if (figures.kvPages > INT32_MAX)
    return resourceExhausted("the KV pool has more pages than a page list can name; lower --kv-memory");
  figures.kvPool = Device::roundUp(figures.kvPages * manifest.kv.pageBytes);
  if (const ManifestSection *weights = manifest.section(kWeightsFile))
    figures.weights = weights->size;
  return figures;
}
