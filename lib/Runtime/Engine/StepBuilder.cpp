// Filling the index arrays of a step.
#include "adze/Runtime/Engine/StepBuilder.h"
#include "adze/Support/Mutant.h"

#include <cassert>
#include <cstring>

using namespace adze;

namespace {
// All bits set is a NaN in every float type and -1 in every integer type.
void fillWithNan(const DeviceBuffer &buffer) {
  if (buffer.data())
    std::memset(buffer.data(), 0xff, size_t(buffer.size()));
}
} // namespace

Expected<StepBuilder> StepBuilder::create(const Artifact &artifact, Device &device, const EngineLimits &limits,
                                          bool poison) {
  const Manifest &manifest = artifact.manifest();
  Expected<MemoryFigures> figures = evaluateMemory(manifest, limits);
  if (!figures)
    return figures.status();
  StepBuilder builder;
  builder.figures = std::move(*figures);
  builder.offsets = layOutStepArrays(limits, manifest.kv.pageTokens);
  builder.vocabulary = manifest.model.vocabulary;
  builder.logitsOffset = builder.figures.slotOffsets[size_t(manifest.memory.logitsSlot)];
  builder.poison = poison;

  auto take = [&](DeviceBuffer &buffer, int64_t bytes, const char *what, const char *option) {
    Expected<DeviceBuffer> memory = device.allocate(bytes, what, option);
    if (!memory)
      return memory.status();
    buffer = std::move(*memory);
    return Status();
  };
  if (Status status = take(builder.arena, builder.figures.arena, "activations", "--step-tokens"); !status.ok())
    return status;
  if (Status status = take(builder.arrays, builder.figures.stepArrays, "step arrays", "--step-tokens"); !status.ok())
    return status;
  if (Status status = take(builder.pool, builder.figures.kvPool, "the KV pool", "--kv-memory"); !status.ok())
    return status;
  if (poison)
    fillWithNan(builder.pool);

  builder.step.weights = artifact.weights().data();
  builder.step.kv = builder.pool.data();
  builder.step.arena = builder.arena.data();
  return builder;
}

const AdzeStep &StepBuilder::build(std::span<const ScheduledSpan> spans, std::span<const SpanSource> sources) {
  if (poison)
    fillWithNan(arena);
  auto at = [&]<class T>(int64_t offset, T *) { return reinterpret_cast<T *>(arrays.data() + offset); };
  constexpr int32_t *kI32 = nullptr;
  constexpr int64_t *kI64 = nullptr;
  int32_t *token = at(offsets.token, kI32), *position = at(offsets.position, kI32);
  int32_t *request = at(offsets.request, kI32), *queryStart = at(offsets.queryStart, kI32);
  int32_t *kvLength = at(offsets.kvLength, kI32), *promptLength = at(offsets.promptLength, kI32);
  int32_t *pageStart = at(offsets.pageStart, kI32), *pages = at(offsets.pages, kI32);
  int32_t *outputRow = at(offsets.outputRow, kI32);
  int64_t *kvSlot = at(offsets.kvSlot, kI64);

  int64_t t = 0, p = 0, r = 0;
  for (size_t b = 0; b < spans.size(); ++b) {
    const ScheduledSpan &span = spans[b];
    const SpanSource &source = sources[b];
    queryStart[b] = int32_t(t);
    kvLength[b] = int32_t(span.first + span.count);
    promptLength[b] = int32_t(source.promptTokens);
    pageStart[b] = int32_t(p);
    for (int64_t i = 0; i < source.pages->pageCount(); ++i)
      pages[p++] = source.pages->page(i);
    for (int64_t i = 0; i < span.count; ++i, ++t) {
      token[t] = source.tokens[size_t(span.first + i)];
      position[t] = int32_t(span.first + i);
      request[t] = int32_t(b);
      kvSlot[t] = source.pages->slot(span.first + i) + (ADZE_MUTANT("slot-off-by-one") ? 1 : 0);
      if (i >= span.count - span.rows)
        outputRow[r++] = int32_t(t);
    }
  }
  queryStart[spans.size()] = int32_t(t);
  pageStart[spans.size()] = int32_t(p);
  assert(p <= offsets.pageCapacity && "the page list has room for every page of every request");

  step.tokens = t;
  step.requests = int64_t(spans.size());
  step.output_rows = r;
  step.token = token;
  step.position = position;
  step.request = request;
  step.kv_slot = kvSlot;
  step.query_start = queryStart;
  step.kv_length = kvLength;
  step.prompt_length = promptLength;
  step.page_start = pageStart;
  step.pages = pages;
  step.output_row = outputRow;
  step.slot_offset = figures.slotOffsets.data();
  return step;
}

std::span<const float> StepBuilder::logits(int64_t row) const {
  auto *start = reinterpret_cast<const float *>(arena.data() + logitsOffset);
  return {start + row * vocabulary, size_t(vocabulary)};
}
