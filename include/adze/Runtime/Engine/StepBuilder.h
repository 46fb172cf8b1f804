// StepBuilder.h: from the scheduler's spans to the arrays of an AdzeStep.
//
// Owns the device memory of a step: the weights (on a CPU a view of the mapped file), the arena, the index arrays and
// the KV pool, allocated once, each of exactly the size that evaluateMemory gives. build() fills the arrays through a
// window; the step it returns is valid until the next call, and copies() says what the device must copy for it.
#ifndef ADZE_RUNTIME_ENGINE_STEPBUILDER_H
#define ADZE_RUNTIME_ENGINE_STEPBUILDER_H

#include "adze/Runtime/Artifact/Artifact.h"
#include "adze/Runtime/Device/Device.h"
#include "adze/Runtime/Engine/EngineLimits.h"
#include "adze/Runtime/Scheduler/Scheduler.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace adze {

/// The artifact's code for a GPU, as a device loads it; without an architecture where it is for a CPU.
KernelImage kernelImage(const Artifact &artifact);

/// What build() must know of each span's request.
struct SpanSource {
  std::span<const int32_t> tokens; // all that are known: prompt, then output
  int64_t promptTokens = 0;
  const KvSequence *pages = nullptr;
  int64_t hostRows = 0; // of the span's rows, the last ones, whose logits the host reads
};

class StepBuilder {
public:
  /// `limits` as resolveLimits returned them. `poison` fills arena and pool with NaN: the arena before every step, the
  /// pool once. A right program never reads what it has not written, so results do not change; tests use it.
  static Expected<std::unique_ptr<StepBuilder>> create(const Artifact &artifact, Device &device,
                                                       const EngineLimits &limits, bool poison);

  const AdzeStep &build(std::span<const ScheduledSpan> spans, std::span<const SpanSource> sources);

  /// The arrays of the step that build() returned last, in; its chosen tokens and the rows of logits that the host
  /// reads, out.
  StepCopies copies() const { return {in, out}; }

  /// Pages of the KV pool.
  int64_t pages() const { return figures.kvPages; }
  /// Row `row` of the logits of the step that ran last: one of the rows that the host reads.
  std::span<const float> logits(int64_t row) const;
  /// Whether the program chooses each row's best token.
  bool choosesTokens() const { return choices; }
  /// The token that the program chose for row `row` of the step that ran last: the best below the manifest's
  /// legal_tokens, ties to the lowest id, or -1 where one of these logits is not finite.
  int32_t chosenToken(int64_t row) const;
  /// Row `row` of the logits of the step that ran last, fetched from the device now; slow on a GPU. Valid until the
  /// next call. The device's fault where it has one.
  Expected<std::span<const float>> fetchLogits(int64_t row);

private:
  StepBuilder() = default;

  Device *device = nullptr;
  MemoryFigures figures;
  StepArrays offsets{};
  int64_t vocabulary = 0;
  bool poison = false, choices = false;
  DeviceBuffer weights, arena, arrays, pool;
  HostWindow arrayWindow, logitsWindow, choiceWindow; // closed before their buffers are freed
  std::vector<WindowRange> in, out;
  std::vector<float> fetched;
  AdzeStep step{};
};

} // namespace adze
#endif
