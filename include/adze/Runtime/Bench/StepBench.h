// StepBench.h: measures steps of a compiled model on a device, without requests behind them.
//
// A step's time depends on how many tokens it has, of how many requests, and on how many tokens lie in the cache before
// them; not on what those are. So nothing is computed to get there: the KV pool is filled with random numbers, each
// request gets pages as if all had grown side by side, and the engine's own StepBuilder makes the arrays. What is timed
// is what the engine runs.
//
// Errors name the option of `adze bench` that they come from. One thread at a time.
#ifndef ADZE_RUNTIME_BENCH_STEPBENCH_H
#define ADZE_RUNTIME_BENCH_STEPBENCH_H

#include "adze/Runtime/Artifact/Artifact.h"
#include "adze/Runtime/Device/Choice/DeviceChoice.h"
#include "adze/Runtime/Engine/StepBuilder.h"

#include <memory>
#include <string>
#include <vector>

namespace adze {

/// One step: `tokens` of all requests together, shared out evenly, the first requests getting one more where that does
/// not divide. Each request has `history` tokens in the cache before it. Where each has one token it is a decode, the
/// first token after a prompt of `history`; else all are tokens of prompts. One row of logits for each request.
struct StepShape {
  int64_t tokens = 1, requests = 1, history = 0;
  friend bool operator==(const StepShape &, const StepShape &) = default;
};

/// What the manifest's cost forms are evaluated for.
struct StepWork {
  double tokens = 0, requests = 0, rows = 0, kvLengths = 0, visiblePairs = 0;
  double of(const CostForm &form) const { return form.evaluate(tokens, requests, rows, kvLengths, visiblePairs); }
};
StepWork workOf(const StepShape &shape);

/// Ok, or what is wrong with the shape for a model of that context.
Status checkShape(const StepShape &shape, const Manifest &manifest);

/// Token ids all over the table, so that rows of the embedding are read from everywhere as in a text; from its first
/// three quarters, since control tokens lie behind.
std::vector<int32_t> benchTokens(int64_t count, int64_t legalTokens, uint64_t seed);

class StepBench {
public:
  /// Opens artifact and device and takes memory for the largest of `shapes`, which is not empty.
  static Expected<std::unique_ptr<StepBench>> open(const std::string &path, const DeviceOptions &device,
                                                   const std::vector<StepShape> &shapes);

  const Manifest &manifest() const { return artifact->manifest(); }
  Device &device() { return *hardware; }

  /// Each kernel of a step of that shape, by itself.
  Expected<std::vector<KernelTiming>> timeKernels(const StepShape &shape, const TimingOptions &options);
  /// Nanoseconds of whole steps as the engine runs them for greedy requests, arrays in and tokens (or logits) out, by
  /// the host's clock. At least three that are not counted run first, so that a step that becomes a graph is one.
  Expected<std::vector<double>> timeStep(const StepShape &shape, int64_t repetitions);

private:
  StepBench() = default;
  Status fillPool();
  /// Builds the arrays of a step of that shape.
  Expected<const AdzeStep *> build(const StepShape &shape);

  std::shared_ptr<const Artifact> artifact;
  std::unique_ptr<Device> hardware;
  std::unique_ptr<StepBuilder> builder; // ends before its device
  std::unique_ptr<KvBlockAllocator> allocator;
  std::vector<KvSequence> sequences;
  std::vector<int32_t> tokens;
};

/// Gigabytes a second of copies inside the device's memory, bytes read and bytes written both counted: what a kernel
/// that reads as much as it writes can reach at best. One entry for each repetition. Uses two buffers of `bytes`, or
/// smaller ones where less is free.
struct CopyRate {
  int64_t bytes = 0; // of one copy
  std::vector<double> rates;
};
Expected<CopyRate> measureCopy(Device &device, int64_t bytes, int64_t repetitions);

} // namespace adze
#endif
