// Memory for a plan, and its steps as the engine's own builder makes them.
#include "CheckSide.h"

#include <algorithm>

using namespace adze;

namespace {
int64_t pagesOf(const CheckRound &round, int64_t pageTokens) {
  int64_t pages = 0;
  for (const CheckRequest &request : round.requests)
    pages += KvSequence::pagesFor(int64_t(request.tokens.size()), pageTokens);
  return pages;
}

EngineLimits limitsOf(const std::vector<CheckRound> &plan, const ManifestKv &kv) {
  EngineLimits limits;
  int64_t pages = 1;
  limits.stepTokens = limits.requests = limits.logitRows = 1;
  limits.context = 2;
  for (const CheckRound &round : plan) {
    pages = std::max(pages, pagesOf(round, kv.pageTokens));
    limits.requests = std::max(limits.requests, int64_t(round.requests.size()));
    for (const CheckRequest &request : round.requests)
      limits.context = std::max(limits.context, int64_t(request.tokens.size()));
    for (const CheckStep &step : round.steps) {
      limits.stepTokens = std::max(limits.stepTokens, step.tokens());
      limits.logitRows = std::max(limits.logitRows, step.rows());
    }
  }
  // Every request of an engine has room for a token and for a row.
  limits.stepTokens = std::max(limits.stepTokens, limits.requests);
  limits.logitRows = std::max(limits.logitRows, limits.requests);
  limits.kvMemory = pages * kv.pageBytes;
  return limits;
}
} // namespace

Expected<CheckSide> CheckSide::open(const std::string &path) {
  CheckSide side;
  side.path = path;
  Expected<std::shared_ptr<const Artifact>> artifact = Artifact::open(path);
  if (!artifact)
    return artifact.status();
  side.artifact = std::move(*artifact);
  Expected<std::string> text = readArtifactSection(path, kValuesFile);
  if (!text)
    return text.status().withContext("adze check");
  Expected<StepValues> values = readStepValues(*text, path + "/" + kValuesFile);
  if (!values)
    return values.status();
  side.values = std::move(*values);
  return side;
}

Status CheckSide::prepare(const DeviceOptions &options, const std::vector<CheckRound> &plan, HandOut order) {
  Expected<std::unique_ptr<Device>> opened = openDevice(options, manifest().gpu.has_value());
  if (!opened)
    return opened.status();
  device = std::move(*opened);
  if (Status status = device->load(artifact->program(), kernelImage(*artifact)); !status.ok())
    return status.withContext(path);
  Expected<std::optional<int64_t>> free = device->availableBytes();
  if (!free)
    return free.status();
  Expected<EngineLimits> limits = resolveLimits(limitsOf(plan, manifest().kv), manifest(), *free);
  if (!limits)
    return limits.status().withContext("the memory of the steps of a check");
  Expected<std::unique_ptr<StepBuilder>> made = StepBuilder::create(*artifact, *device, *limits, /*poison=*/true);
  if (!made)
    return made.status();
  builder = std::move(*made);
  pages = std::make_unique<KvBlockAllocator>(builder->pages(), order);
  return Status();
}

Status CheckSide::startRound(const CheckRound &round) {
  const ManifestKv &kv = manifest().kv;
  sequences.clear();
  for (const CheckRequest &request : round.requests) {
    Expected<KvReservation> promised =
        pages->reserve(KvSequence::pagesFor(int64_t(request.tokens.size()), kv.pageTokens));
    if (!promised)
      return promised.status();
    sequences.emplace_back(std::move(*promised), kv.pageTokens);
  }
  const AdzeStep &any = build(round, round.steps[0]); // which knows where the pool lies
  return device->write(any.kv, std::vector<uint8_t>(size_t(builder->pages() * kv.pageBytes), 0xff));
}

const AdzeStep &CheckSide::build(const CheckRound &round, const CheckStep &step) {
  std::vector<SpanSource> sources;
  for (const ScheduledSpan &span : step.spans) {
    const CheckRequest &request = round.requests[size_t(span.request)];
    KvSequence &sequence = sequences[size_t(span.request)];
    sequence.growTo(span.first + span.count);
    sources.push_back({request.tokens, request.promptTokens, &sequence, 0});
  }
  return builder->build(step.spans, sources);
}
