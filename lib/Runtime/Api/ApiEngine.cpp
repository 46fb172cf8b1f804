// The engine's side of Adze.h: opening, stepping, submitting.
#include "ApiAnswer.h"
#include "ApiError.h"
#include "SizedStruct.h"

#include "adze/Runtime/Engine/Model.h"

using namespace adze;
using namespace adze::api;

struct AdzeEngine {
  std::unique_ptr<Model> model;
  std::shared_ptr<OpenRequests> open;
  uint32_t pin = 0;
  std::mutex stepping; // one step at a time
};

namespace {
// Sizes of version 1.
constexpr SizedName kOptions{"AdzeEngineOptions", 72};
constexpr SizedName kRequest{"AdzeRequest", 160};

constexpr AdzeEngineOptions kDefaultOptions{};

Expected<ModelOptions> toModelOptions(const AdzeEngineOptions &given) {
  if (given.pin > 1)
    return invalidInput(fmt::format("pin is {}; accepted: 0 and 1", given.pin));
  ModelOptions options;
  EngineLimits &limits = options.engine.limits;
  limits.context = given.context;
  limits.requests = given.requests;
  limits.stepTokens = given.step_tokens;
  limits.logitRows = given.logit_rows;
  limits.kvMemory = given.kv_memory;
  limits.prefillChunk = given.prefill_chunk;
  limits.queueLength = given.queue_length;
  options.device.cpu = {given.threads, given.pin == 1};
  return options;
}

AdzeRequest defaultRequest(const SamplingParameters &sampling) {
  AdzeRequest request{};
  request.max_tokens = -1;
  request.choose = sampling.mode == ChoiceMode::Greedy ? ADZE_CHOOSE_GREEDY : ADZE_CHOOSE_SAMPLE;
  request.temperature = sampling.temperature;
  request.top_k = sampling.topK;
  request.top_p = sampling.topP;
  request.min_p = sampling.minP;
  request.repetition_penalty = sampling.repetitionPenalty;
  request.presence_penalty = sampling.presencePenalty;
  request.frequency_penalty = sampling.frequencyPenalty;
  request.seed = sampling.seed;
  request.top_logprobs = -1;
  return request;
}

Expected<SamplingParameters> toSampling(const AdzeRequest &request) {
  SamplingParameters sampling;
  if (request.choose != ADZE_CHOOSE_GREEDY && request.choose != ADZE_CHOOSE_SAMPLE)
    return invalidInput(
        fmt::format("choose is {}; accepted: ADZE_CHOOSE_GREEDY (0) and ADZE_CHOOSE_SAMPLE (1)", request.choose));
  sampling.mode = request.choose == ADZE_CHOOSE_GREEDY ? ChoiceMode::Greedy : ChoiceMode::Sample;
  sampling.temperature = request.temperature;
  sampling.topK = request.top_k;
  sampling.topP = request.top_p;
  sampling.minP = request.min_p;
  sampling.repetitionPenalty = request.repetition_penalty;
  sampling.presencePenalty = request.presence_penalty;
  sampling.frequencyPenalty = request.frequency_penalty;
  sampling.seed = request.seed;
  sampling.topLogprobs = request.top_logprobs;
  return sampling;
}

Expected<std::string_view> toView(const AdzeText &text, std::string_view field) {
  if (!text.data && text.size)
    return invalidInput(fmt::format("{} has {} bytes and its data is NULL", field, text.size));
  return std::string_view(text.data ? text.data : "", text.size);
}

Expected<std::vector<int32_t>> promptOf(const Model &model, const AdzeRequest &request) {
  bool tokens = request.tokens, text = request.text.data, messages = request.messages;
  if (tokens + text + messages != 1)
    return invalidInput(fmt::format("exactly one of tokens, text and messages is needed; given: {}{}{}{}",
                                    tokens ? "tokens " : "", text ? "text " : "", messages ? "messages " : "",
                                    tokens || text || messages ? "" : "none"));
  if (tokens)
    return std::vector<int32_t>(request.tokens, request.tokens + request.token_count);
  if (text)
    return model.encodeText(std::string_view(request.text.data, request.text.size));
  if (request.message_count == 0)
    return invalidInput("message_count is 0; a conversation has at least one message");
  OrderedJson conversation = OrderedJson::array();
  for (size_t i = 0; i < request.message_count; ++i) {
    Expected<std::string_view> role = toView(request.messages[i].role, fmt::format("the role of message {}", i));
    Expected<std::string_view> content = toView(request.messages[i].content, fmt::format("message {}", i));
    if (!role || !content)
      return role ? content.status() : role.status();
    conversation.push_back(chatMessage(*role, *content));
  }
  return model.encodeChat(conversation);
}

Expected<AnswerRequest> toAnswerRequest(const Model &model, const AdzeRequest &request) {
  AnswerRequest result;
  Expected<SamplingParameters> sampling = toSampling(request);
  if (!sampling)
    return sampling.status();
  result.sampling = *sampling;
  if (request.ignore_end_tokens != 0 && request.ignore_end_tokens != 1)
    return invalidInput(fmt::format("ignore_end_tokens is {}; accepted: 0 and 1", request.ignore_end_tokens));
  result.ignoreEndTokens = request.ignore_end_tokens;
  result.maxTokens = request.max_tokens;
  if (!request.stop && request.stop_count)
    return invalidInput(fmt::format("stop_count is {} and stop is NULL", request.stop_count));
  for (size_t i = 0; i < request.stop_count; ++i) {
    Expected<std::string_view> stop = toView(request.stop[i], fmt::format("stop text {}", i));
    if (!stop)
      return stop.status();
    result.stop.emplace_back(*stop);
  }
  Expected<std::vector<int32_t>> prompt = promptOf(model, request);
  if (!prompt)
    return prompt.status();
  result.prompt = std::move(*prompt);
  result.atTextStart = request.messages != nullptr;
  return result;
}
} // namespace

extern "C" {

uint32_t adze_api_version(void) { return ADZE_API_VERSION; }
const char *adze_version(void) { return ADZE_VERSION; }

void adze_engine_options_init(AdzeEngineOptions *options, size_t struct_size) {
  // A wrong size is reported by adze_engine_open, which can.
  guarded(nullptr, [&] {
    if (!options)
      return invalidInput("options is NULL");
    if (Status status = writeStruct(kDefaultOptions, options, struct_size, kOptions); !status.ok())
      options->struct_size = struct_size;
    return Status();
  });
}

AdzeCode adze_engine_open(const char *artifact, const AdzeEngineOptions *options, AdzeEngine **engine,
                          AdzeError **error) {
  return guarded(error, [&]() -> Status {
    if (!artifact || !engine)
      return invalidInput("adze_engine_open needs the path of an artifact and a place for the engine; one of them is "
                          "NULL");
    Expected<AdzeEngineOptions> given = kDefaultOptions;
    if (options)
      given = readStruct(*options, kDefaultOptions, kOptions);
    if (!given)
      return given.status();
    Expected<ModelOptions> wanted = toModelOptions(*given);
    if (!wanted)
      return wanted.status();
    Expected<std::unique_ptr<Model>> model = Model::open(artifact, std::move(*wanted));
    if (!model)
      return model.status();
    auto made = std::make_unique<AdzeEngine>();
    made->model = std::move(*model);
    made->pin = given->pin;
    made->open = std::make_shared<OpenRequests>(made->model->engine());
    *engine = made.release();
    return Status();
  });
}

AdzeCode adze_engine_limits(const AdzeEngine *engine, AdzeEngineOptions *limits, size_t struct_size,
                            AdzeError **error) {
  return guarded(error, [&]() -> Status {
    if (!engine || !limits)
      return invalidInput("adze_engine_limits needs an engine and a place for the limits; one of them is NULL");
    const Model &model = *engine->model;
    const EngineLimits &known = model.engine().limits();
    AdzeEngineOptions result = kDefaultOptions;
    result.context = known.context;
    result.requests = known.requests;
    result.step_tokens = known.stepTokens;
    result.logit_rows = known.logitRows;
    result.kv_memory = model.engine().blocks().total() * model.manifest().kv.pageBytes;
    result.prefill_chunk = known.prefillChunk;
    result.queue_length = known.queueLength;
    result.threads = model.device().threads();
    result.pin = engine->pin;
    return writeStruct(result, limits, struct_size, kOptions);
  });
}

AdzeCode adze_request_init(const AdzeEngine *engine, AdzeRequest *request, size_t struct_size, AdzeError **error) {
  return guarded(error, [&]() -> Status {
    if (!engine || !request)
      return invalidInput("adze_request_init needs an engine and a request; one of them is NULL");
    return writeStruct(defaultRequest(engine->model->defaultSampling()), request, struct_size, kRequest);
  });
}

AdzeCode adze_engine_submit(AdzeEngine *engine, const AdzeRequest *request, AdzeAnswer **answer, AdzeError **error) {
  return guarded(error, [&]() -> Status {
    if (!engine || !request || !answer)
      return invalidInput("adze_engine_submit needs an engine, a request and a place for the answer; one of them is "
                          "NULL");
    Expected<AdzeRequest> given = readStruct(*request, defaultRequest(engine->model->defaultSampling()), kRequest);
    if (!given)
      return given.status();
    Expected<AnswerRequest> wanted = toAnswerRequest(*engine->model, *given);
    if (!wanted)
      return wanted.status();
    auto events = std::make_shared<AnswerEvents>(engine->model->tokenizer(), engine->open);
    auto made = std::make_unique<AdzeAnswer>();
    made->events = events;
    made->open = engine->open;
    wanted->sink = events;
    Expected<RequestId> id = engine->model->engine().submit(std::move(*wanted));
    if (!id)
      return id.status();
    made->id = *id;
    engine->open->add(*id, *events);
    *answer = made.release();
    return Status();
  });
}

AdzeCode adze_engine_step(AdzeEngine *engine, int32_t *more, AdzeError **error) {
  return guarded(error, [&]() -> Status {
    if (!engine || !more)
      return invalidInput("adze_engine_step needs an engine and a place for its result; one of them is NULL");
    std::lock_guard lock(engine->stepping);
    *more = engine->model->engine().step();
    return Status();
  });
}

void adze_engine_free(AdzeEngine *engine) {
  guarded(nullptr, [&]() -> Status {
    if (!engine)
      return Status();
    {
      std::lock_guard lock(engine->stepping);
      engine->open->cancelAll();
      engine->model->engine().step(); // takes the cancellations, and has nothing else to do
    }
    engine->open->close();
    return Status();
  });
  delete engine;
}

} // extern "C"
