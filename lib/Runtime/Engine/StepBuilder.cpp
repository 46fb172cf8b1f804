// Filling the index arrays of a step.
#include "adze/Runtime/Engine/StepBuilder.h"
#include "adze/Support/Mutant.h"

#include <cassert>
#include <fmt/format.h>

using namespace adze;

// All bits set is a NaN in every float type and -1 in every integer type.
static constexpr uint8_t kNan = 0xff;

KernelImage adze::kernelImage(const Artifact &artifact) {
  KernelImage image;
  if (const std::optional<ManifestGpu> &gpu = artifact.manifest().gpu) {
    image.code = {gpu->architecture, gpu->driver, artifact.gpuCode()};
    if (gpu->cubin)
      image.cubin = {gpu->cubin->architecture, gpu->cubin->driver, artifact.gpuCubin()};
    for (const ManifestGpuKernel &k : gpu->kernels)
      image.kernels.push_back({k.function, uint32_t(k.threads), uint32_t(k.sharedBytes), uint32_t(k.argumentBytes)});
  }
  return image;
}

Expected<std::unique_ptr<StepBuilder>> StepBuilder::create(const Artifact &artifact, Device &device,
                                                           const EngineLimits &limits, bool poison) {
  const Manifest &manifest = artifact.manifest();
  Expected<MemoryFigures> figures = evaluateMemory(manifest, limits);
  if (!figures)
    return figures.status();
  std::unique_ptr<StepBuilder> made(new StepBuilder);
  StepBuilder &builder = *made;
  builder.device = &device;
  builder.figures = std::move(*figures);
  builder.offsets = layOutStepArrays(limits, manifest.kv.pageTokens);
  builder.vocabulary = manifest.model.vocabulary;
  builder.poison = poison;

  auto take = [&](DeviceBuffer &buffer, int64_t bytes, const char *what, const char *option) {
    Expected<DeviceBuffer> memory = device.allocate(bytes, what, option);
    if (!memory)
      return memory.status();
    buffer = std::move(*memory);
    return Status();
  };
  Expected<DeviceBuffer> weights = device.upload(artifact.weights(), "the weights", "the model");
  if (!weights)
    return weights.status();
  builder.weights = std::move(*weights);
  if (Status status = take(builder.arena, builder.figures.arena, "activations", "--step-tokens"); !status.ok())
    return status;
  if (Status status = take(builder.arrays, builder.figures.stepArrays, "step arrays", "--step-tokens"); !status.ok())
    return status;
  if (Status status = take(builder.pool, builder.figures.kvPool, "the KV pool", "--kv-memory"); !status.ok())
    return status;
  if (poison)
    if (Status status = device.fill(builder.pool, kNan); !status.ok())
      return status;

  auto open = [&](HostWindow &window, const DeviceBuffer &buffer, int64_t offset, int64_t bytes, const char *what) {
    Expected<HostWindow> opened = device.openWindow(buffer, offset, bytes, what);
    if (!opened)
      return opened.status();
    window = std::move(*opened);
    return Status();
  };
  if (Status status = open(builder.arrayWindow, builder.arrays, 0, builder.offsets.total, "step arrays"); !status.ok())
    return status;
  // The host reads `columns` numbers of 4 bytes of each row in a slot.
  auto openSlot = [&](HostWindow &window, int64_t slot, int64_t columns, const char *what) {
    int64_t start = builder.figures.slotOffsets[size_t(slot)], bytes = limits.logitRows * columns * 4;
    if (start + bytes > builder.arena.size())
      return invalidInput(fmt::format("{}: its memory plan has {} bytes from the {} on, and {} rows of {} need {}; "
                                      "compile the model again",
                                      artifact.path(), builder.arena.size() - start, what, limits.logitRows, columns,
                                      bytes));
    return open(window, builder.arena, start, bytes, what);
  };
  if (Status status = openSlot(builder.logitsWindow, manifest.memory.logitsSlot, builder.vocabulary, "rows of logits");
      !status.ok())
    return status;
  if (std::optional<int64_t> slot = manifest.memory.choiceSlot) {
    if (Status status = openSlot(builder.choiceWindow, *slot, 1, "chosen tokens"); !status.ok())
      return status;
    builder.choices = true;
  }
  builder.in = {{&builder.arrayWindow, 0, builder.offsets.total}};

  builder.step.weights = builder.weights.data();
  builder.step.kv = builder.pool.data();
  builder.step.arena = builder.arena.data();
  builder.step.slot_offset = builder.figures.slotOffsets.data();
  auto kernelsSee = [&]<class T>(const T *&array, int64_t offset) {
    array = reinterpret_cast<const T *>(builder.arrays.data() + offset);
  };
  kernelsSee(builder.step.token, builder.offsets.token);
  kernelsSee(builder.step.position, builder.offsets.position);
  kernelsSee(builder.step.request, builder.offsets.request);
  kernelsSee(builder.step.kv_slot, builder.offsets.kvSlot);
  kernelsSee(builder.step.query_start, builder.offsets.queryStart);
  kernelsSee(builder.step.kv_length, builder.offsets.kvLength);
  kernelsSee(builder.step.prompt_length, builder.offsets.promptLength);
  kernelsSee(builder.step.page_start, builder.offsets.pageStart);
  kernelsSee(builder.step.pages, builder.offsets.pages);
  kernelsSee(builder.step.output_row, builder.offsets.outputRow);
  return made;
}

const AdzeStep &StepBuilder::build(std::span<const ScheduledSpan> spans, std::span<const SpanSource> sources) {
  if (poison)
    (void)device->fill(arena, kNan); // where this fails the device is lost, and the step says so
  auto at = [&]<class T>(int64_t offset, T *) { return reinterpret_cast<T *>(arrayWindow.data() + offset); };
  constexpr int32_t *kI32 = nullptr;
  constexpr int64_t *kI64 = nullptr;
  int32_t *token = at(offsets.token, kI32), *position = at(offsets.position, kI32);
  int32_t *request = at(offsets.request, kI32), *queryStart = at(offsets.queryStart, kI32);
  int32_t *kvLength = at(offsets.kvLength, kI32), *promptLength = at(offsets.promptLength, kI32);
  int32_t *pageStart = at(offsets.pageStart, kI32), *pages = at(offsets.pages, kI32);
  int32_t *outputRow = at(offsets.outputRow, kI32);
  int64_t *kvSlot = at(offsets.kvSlot, kI64);

  // Neighbouring rows of logits are one copy.
  out.clear();
  auto readLogits = [&](int64_t first, int64_t rows) {
    int64_t offset = first * vocabulary * 4, bytes = rows * vocabulary * 4;
    if (bytes == 0 || ADZE_MUTANT("copy-no-logits"))
      return;
    if (!out.empty() && out.back().offset + out.back().bytes == offset)
      out.back().bytes += bytes;
    else
      out.push_back({&logitsWindow, offset, bytes});
  };

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
    readLogits(r - source.hostRows, source.hostRows);
  }
  queryStart[spans.size()] = int32_t(t);
  pageStart[spans.size()] = int32_t(p);
  assert(p <= offsets.pageCapacity && "the page list has room for every page of every request");

  step.tokens = t;
  step.requests = int64_t(spans.size());
  step.output_rows = r;
  if (choices)
    out.push_back({&choiceWindow, 0, r * int64_t(sizeof(int32_t))});
  return step;
}

std::span<const float> StepBuilder::logits(int64_t row) const {
  auto *start = reinterpret_cast<const float *>(logitsWindow.data());
  return {start + row * vocabulary, size_t(vocabulary)};
}

int32_t StepBuilder::chosenToken(int64_t row) const {
  return reinterpret_cast<const int32_t *>(choiceWindow.data())[row];
}

Expected<std::span<const float>> StepBuilder::fetchLogits(int64_t row) {
  fetched.resize(size_t(vocabulary));
  Status status = device->read(logitsWindow.device() + row * vocabulary * int64_t(sizeof(float)),
                               {reinterpret_cast<uint8_t *>(fetched.data()), fetched.size() * sizeof(float)});
  if (!status.ok())
    return status;
  return std::span<const float>(fetched);
}
