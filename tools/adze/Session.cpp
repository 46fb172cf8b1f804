#include "Session.h"

#include "Terminal.h"

#include <fmt/format.h>
#include <random>

using namespace adze;

Expected<std::unique_ptr<Session>> Session::open(const ToolOptions &options) {
  auto session = std::make_unique<Session>();
  session->options = options;
  Expected<std::shared_ptr<const Artifact>> artifact = Artifact::open(options.artifact);
  if (!artifact)
    return artifact.status();
  session->artifact = *artifact;
  const Manifest &manifest = session->artifact->manifest();

  session->sampling = options.sampling.apply(samplingFromDefaults(manifest.generation));
  if (!options.sampling.seed) {
    std::random_device device;
    session->sampling.seed = uint64_t(device()) << 32 | device();
  }
  if (Status status = checkSampling(session->sampling); !status.ok())
    return status;

  Expected<Tokenizer> tokenizer =
      Tokenizer::load(session->artifact->tokenizer(), options.artifact + "/" + kTokenizerFile);
  if (!tokenizer)
    return tokenizer.status();
  session->tokenizer = *tokenizer;
  session->device = std::make_unique<CpuDevice>(CpuDeviceOptions{options.threads, options.pin});
  session->device->setProfiling(options.profile);

  EngineOptions engineOptions;
  engineOptions.limits = options.limits;
  bool many = !options.batchFile.empty() || !options.scoreFile.empty();
  if (engineOptions.limits.requests == 0)
    engineOptions.limits.requests = many ? 8 : 1;
  engineOptions.handOut = options.reversePages ? HandOut::Reverse : HandOut::Forward;
  engineOptions.poison = options.poison;
  Expected<std::unique_ptr<Engine>> engine =
      Engine::create(session->artifact, *session->device, session->tokenizer, engineOptions);
  if (!engine)
    return engine.status();
  session->engine = std::move(*engine);
  if (!options.quiet)
    writeNote(fmt::format("{} ({}), {}, context {}; {}", manifest.model.name, manifest.numerics,
                          session->device->name(), session->engine->limits().context,
                          describeSampling(session->sampling)));
  return session;
}

namespace {
Expected<std::vector<int32_t>> toSigned(Expected<std::vector<uint32_t>> ids) {
  if (!ids)
    return ids.status();
  return std::vector<int32_t>(ids->begin(), ids->end());
}
} // namespace

Expected<std::vector<int32_t>> Session::encodeText(std::string_view text) const {
  return toSigned(tokenizer->encode(text));
}

Expected<std::vector<int32_t>> Session::encodeChat(const OrderedJson &messages) const {
  const TokenizerTable &table = tokenizer->table();
  if (table.chatTemplate.empty())
    return invalidInput(
        fmt::format("{} has no chat template; continue a text instead (--prompt)", artifact->manifest().model.name));
  Expected<ChatTemplate> chat = ChatTemplate::parse(table.chatTemplate);
  if (!chat)
    return chat.status();
  ChatInput input;
  input.messages = messages;
  if (table.bos)
    input.bosToken = table.token(*table.bos);
  if (table.eos)
    input.eosToken = table.token(*table.eos);
  input.setNow();
  Expected<std::vector<TextRun>> runs = chat->render(input);
  if (!runs)
    return runs.status();
  return toSigned(tokenizer->encode(*runs));
}

OrderedJson adze::chatMessage(std::string_view role, std::string_view content) {
  OrderedJson message = OrderedJson::object();
  message["role"] = role;
  message["content"] = content;
  return message;
}

OrderedJson Session::startMessages() const {
  OrderedJson messages = OrderedJson::array();
  if (!options.system.empty())
    messages.push_back(chatMessage("system", options.system));
  return messages;
}

AnswerRequest Session::request(std::vector<int32_t> prompt, bool atTextStart) const {
  AnswerRequest request;
  request.prompt = std::move(prompt);
  request.maxTokens = options.maxTokens;
  request.sampling = sampling;
  request.stop = options.stop;
  request.ignoreEndTokens = options.ignoreEos;
  request.atTextStart = atTextStart;
  return request;
}

bool Session::runUntilIdle(RequestId id) {
  bool cancelled = false;
  while (engine->step())
    if (!cancelled && InterruptGuard::requested()) {
      engine->cancel(id);
      cancelled = true;
    }
  return cancelled;
}

std::string adze::describeSpeed(const AnswerEnd &end) {
  std::string text = fmt::format("prompt {} tokens", end.promptTokens);
  if (end.firstToken) {
    text += fmt::format(", first token after {:.3f} s; answer {} tokens", double(end.firstToken - end.submitted) * 1e-9,
                        end.outputTokens);
    // The first token belongs to the prompt's step, so the rate counts those after it.
    if (end.outputTokens > 1 && end.ended > end.firstToken)
      text += fmt::format(", {:.1f} tok/s", double(end.outputTokens - 1) / (double(end.ended - end.firstToken) * 1e-9));
  }
  return text + fmt::format("; {}", finishReasonName(end.reason));
}

void adze::printEnd(const Session &session, const AnswerEnd &end) {
  if (!session.options.quiet)
    writeNote(describeSpeed(end));
}
