// EngineLimits.h: the limits of one engine and the memory that follows from them, to the byte.
//
// The artifact's manifest holds the arena as size forms; with the limits they become numbers before anything is
// allocated. `adze inspect` prints these figures and the engine allocates exactly them: one function serves both, and a
// test holds the device allocator's peak to deviceBytes().
#ifndef ADZE_RUNTIME_ENGINE_ENGINELIMITS_H
#define ADZE_RUNTIME_ENGINE_ENGINELIMITS_H

#include "adze/Format/Manifest.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace adze {

/// What a user may set. 0: the default that the comment names.
struct EngineLimits {
  int64_t stepTokens = 0;   // --step-tokens; 512, or the context where that is smaller
  int64_t requests = 0;     // --requests; 8
  int64_t logitRows = 0;    // --logit-rows; = requests
  int64_t context = 0;      // --context; the model's own, at most 4096
  int64_t kvMemory = 0;     // --kv-memory, bytes; room for every request at full context, or what the device has left
  int64_t prefillChunk = 0; // --prefill-chunk; no limit of its own
  int64_t queueLength = 0;  // 1024
};

/// The limits with every default filled in. InvalidInput names the option, its value and the accepted range.
/// `deviceBytes` is what the device has free, where that is known (Device::availableBytes): weights, activations and
/// step arrays come first, the KV pool gets the rest, and ResourceExhausted says what is missing where it does not fit.
Expected<EngineLimits> resolveLimits(EngineLimits limits, const Manifest &manifest,
                                     std::optional<int64_t> deviceBytes = std::nullopt);

/// Bytes of one step's index arrays, each rounded up to 256, in the order in which the engine lays them out.
struct StepArrays {
  int64_t token, position, request, kvSlot, queryStart, kvLength, promptLength, pageStart, pages, outputRow; // offsets
  int64_t pageCapacity; // entries of `pages`
  int64_t total;        // bytes of all
};
StepArrays layOutStepArrays(const EngineLimits &limits, int64_t pageTokens);

struct MemoryFigures {
  std::vector<int64_t> slotOffsets; // of the arena, in the order of the manifest
  int64_t arena = 0;
  int64_t stepArrays = 0;
  int64_t kvPages = 0;
  int64_t kvPool = 0;
  int64_t weights = 0; // on a CPU mapped from the file and shared with every process that runs the same artifact

  /// What the engine allocates on its device besides the weights.
  int64_t deviceBytes() const { return arena + stepArrays + kvPool; }
  int64_t total() const { return deviceBytes() + weights; }
};

/// `limits` as resolveLimits returned them.
Expected<MemoryFigures> evaluateMemory(const Manifest &manifest, const EngineLimits &limits);

} // namespace adze
#endif
