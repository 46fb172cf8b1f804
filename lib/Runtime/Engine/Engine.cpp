// Making an engine, taking requests in, and the step.
#include "adze/Runtime/Engine/Engine.h"

#include "EngineAnswer.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <limits>

using namespace adze;

namespace {
int64_t steadyNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

SchedulerLimits schedulerLimits(const EngineLimits &limits, int64_t pageTokens) {
  SchedulerLimits result;
  result.stepTokens = limits.stepTokens;
  result.requests = limits.requests;
  result.logitRows = limits.logitRows;
  result.context = limits.context;
  result.pageTokens = pageTokens;
  result.prefillChunk = limits.prefillChunk;
  return result;
}
} // namespace

Expected<std::unique_ptr<Engine>> Engine::create(std::shared_ptr<const Artifact> artifact, Device &device,
                                                 std::optional<Tokenizer> tokenizer, EngineOptions options) {
  const Manifest &manifest = artifact->manifest();
  // The code first: it takes memory of the device as well, and a model for another device is refused before all else.
  if (Status status = device.load(artifact->program(), kernelImage(*artifact)); !status.ok())
    return status.withContext(artifact->path());
  Expected<std::optional<int64_t>> free = device.availableBytes();
  if (!free)
    return free.status();
  Expected<EngineLimits> limits = resolveLimits(options.limits, manifest, *free);
  if (!limits)
    return limits.status();
  options.limits = *limits;
  if (!options.clock)
    options.clock = steadyNanoseconds;

  std::vector<int32_t> illegal;
  if (tokenizer) {
    if (int64_t(tokenizer->legalTokenCount()) > manifest.model.legalTokens)
      return invalidInput(fmt::format("{}: the tokenizer has ids up to {} and the manifest allows {}: the files are of "
                                      "different artifacts; compile the model again",
                                      artifact->path(), tokenizer->legalTokenCount() - 1,
                                      manifest.model.legalTokens - 1));
    for (int64_t id = 0; id < manifest.model.legalTokens; ++id)
      if (!tokenizer->legal(uint32_t(id)))
        illegal.push_back(int32_t(id));
  }
  if (int64_t(illegal.size()) == manifest.model.legalTokens)
    return invalidInput(fmt::format("{}: its tokenizer has no legal token", artifact->path()));

  Expected<std::unique_ptr<StepBuilder>> builder = StepBuilder::create(*artifact, device, *limits, options.poison);
  if (!builder)
    return builder.status();
  return std::unique_ptr<Engine>(new Engine(std::move(artifact), device, std::move(tokenizer), std::move(options),
                                            std::move(*builder), std::move(illegal)));
}

Engine::Engine(std::shared_ptr<const Artifact> artifact, Device &device, std::optional<Tokenizer> tokenizer,
               EngineOptions options, std::unique_ptr<StepBuilder> builder, std::vector<int32_t> illegal)
    : artifact(std::move(artifact)), device(device), tokenizer(std::move(tokenizer)), options(std::move(options)),
      builder(std::move(builder)), allocator(this->builder->pages(), this->options.handOut),
      scheduler(schedulerLimits(this->options.limits, this->artifact->manifest().kv.pageTokens), allocator),
      illegal(illegal), chooser(this->artifact->manifest().model.legalTokens, std::move(illegal)) {
  for (int32_t token : this->artifact->manifest().generation.endTokens)
    endTokens.insert(token);
  if (this->tokenizer)
    for (uint32_t token : this->tokenizer->table().endTokens)
      endTokens.insert(int32_t(token));
}

Engine::~Engine() = default;

Status Engine::checkTokens(const std::vector<int32_t> &tokens, const char *name) const {
  int64_t legal = artifact->manifest().model.legalTokens;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] < 0 || tokens[i] >= legal || std::ranges::binary_search(illegal, tokens[i]))
      return invalidInput(
          fmt::format("token {} of the {} is id {}, which is no legal id of this model; accepted: 0 to {}{}", i, name,
                      tokens[i], legal - 1, illegal.empty() ? "" : " without unused ids"));
  return Status();
}

Status Engine::check(const AnswerRequest &request) const {
  if (Status status = checkSampling(request.sampling); !status.ok())
    return status;
  if (request.maxTokens < -1)
    return invalidInput(fmt::format("max-tokens is {}; accepted: 0 or more", request.maxTokens));
  if (request.rowsFrom < -1)
    return invalidInput(fmt::format("rows are asked for from position {}; accepted: 0 or more", request.rowsFrom));
  if (!request.stop.empty() && !tokenizer)
    return invalidInput("stop strings need text, and this engine works on token ids alone");
  if (Status status = checkTokens(request.prompt, "prompt"); !status.ok())
    return status;
  return checkTokens(request.continuation, "continuation");
}

Expected<RequestId> Engine::submit(AnswerRequest request) {
  if (Status status = check(request); !status.ok())
    return status;
  auto answer = std::make_unique<Answer>();
  Expected<StopMatcher> stops = StopMatcher::create(request.stop);
  if (!stops)
    return stops.status();
  answer->stops = std::move(*stops);
  if (tokenizer)
    answer->stream.emplace(*tokenizer, DecodeOptions{.skipControl = true, .atTextStart = request.atTextStart});

  answer->shape.promptTokens = int64_t(request.prompt.size());
  answer->shape.knownTokens = int64_t(request.prompt.size() + request.continuation.size());
  // "Up to the context" still asks for one token at least, so a prompt that fills the context is refused.
  answer->shape.maxTokens = request.maxTokens < 0 || request.maxTokens > options.limits.context
                                ? std::max(options.limits.context, answer->shape.knownTokens + 1)
                                : answer->shape.knownTokens + request.maxTokens;
  answer->shape.firstRow = request.rowsFrom;
  if (Status status = scheduler.check(answer->shape); !status.ok())
    return status;

  answer->tokens = request.prompt;
  answer->tokens.insert(answer->tokens.end(), request.continuation.begin(), request.continuation.end());
  if (request.sampling.hasPenalties()) {
    for (int32_t token : request.prompt)
      answer->history.addPrompt(token);
    for (int32_t token : request.continuation)
      answer->history.addOutput(token);
  }
  if (!request.sink)
    request.sink = std::make_shared<AnswerSink>();
  answer->request = std::move(request);
  answer->submitted = options.clock();

  std::lock_guard lock(mutex);
  if (!stopped.ok())
    return stopped.withContext("the engine has stopped");
  if (int64_t queued = waiting + int64_t(inbox.size()); queued >= options.limits.queueLength)
    return resourceExhausted(
        fmt::format("{} requests are waiting already, which is the limit of the queue; try again when "
                    "some have ended",
                    queued));
  RequestId id = nextId++;
  inbox.emplace(id, std::move(answer));
  return id;
}

void Engine::cancel(RequestId id) {
  std::lock_guard lock(mutex);
  cancelled.insert(id);
}

bool Engine::idle() const {
  std::lock_guard lock(mutex);
  return inbox.empty() && busy == 0;
}

void Engine::takeSubmissions() {
  std::map<RequestId, std::unique_ptr<Answer>> arrived;
  {
    std::lock_guard lock(mutex);
    arrived.swap(inbox);
    waiting += int64_t(arrived.size());
    busy += int64_t(arrived.size());
  }
  for (auto &[id, answer] : arrived) {
    scheduler.submit(id, answer->shape);
    answers.emplace(id, std::move(answer));
  }
}

void Engine::takeCancellations() {
  std::set<RequestId> ids;
  {
    std::lock_guard lock(mutex);
    ids.swap(cancelled);
  }
  for (RequestId id : ids)
    if (answers.count(id))
      finish(id, FinishReason::Cancelled);
}

void Engine::stop(const Status &fault) {
  {
    std::lock_guard lock(mutex);
    stopped = fault;
  }
  takeSubmissions(); // those that came before
  while (!answers.empty())
    finish(answers.begin()->first, FinishReason::Error, fault);
}

void Engine::addToSums(std::span<const ScheduledSpan> spans, int64_t nanoseconds) {
  ++sums.steps;
  sums.nanoseconds += nanoseconds;
  sums.requests += double(spans.size());
  for (const ScheduledSpan &span : spans) {
    double first = double(span.first), count = double(span.count);
    sums.tokens += count;
    sums.rows += double(span.rows);
    sums.kvLengths += first + count;
    sums.visiblePairs += count * (first + (count + 1) / 2); // sum of position + 1
  }
}

bool Engine::step() {
  takeSubmissions();
  takeCancellations();
  scheduler.admit();
  {
    std::lock_guard lock(mutex);
    waiting = scheduler.waitingCount();
  }
  std::vector<ScheduledSpan> spans = scheduler.planStep();
  if (spans.empty())
    return !idle();

  std::vector<SpanSource> sources;
  for (const ScheduledSpan &span : spans) {
    const Answer &answer = *answers.at(span.request);
    sources.push_back(
        {answer.tokens, answer.shape.promptTokens, &scheduler.sequence(span.request), hostRows(answer, span)});
  }
  int64_t start = options.clock();
  const AdzeStep &built = builder->build(spans, sources);
  Status status = device.runStep(artifact->program(), built, builder->copies());
  addToSums(spans, options.clock() - start);
  if (Status fault = device.fault(); !fault.ok()) {
    stop(fault);
    return false;
  }
  if (!status.ok()) {
    for (const ScheduledSpan &span : spans)
      finish(span.request, FinishReason::Error, status);
    return !idle();
  }

  int64_t row = 0;
  for (const ScheduledSpan &span : spans) {
    scheduler.advance(span);
    deliver(span, row);
    row += span.rows;
  }
  return !idle();
}
