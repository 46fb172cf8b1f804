#include "Session.h"

#include "Terminal.h"

#include <fmt/format.h>
#include <random>

using namespace adze;

Expected<std::unique_ptr<Session>> Session::open(const ToolOptions &options, std::shared_ptr<Device> device) {
  ModelOptions wanted;
  wanted.device = options.device;
  wanted.existing = std::move(device);
  wanted.engine.limits = options.limits;
  bool many = !options.batchFile.empty() || !options.scoreFile.empty();
  if (wanted.engine.limits.requests == 0)
    wanted.engine.limits.requests = many ? 8 : 1;
  wanted.engine.handOut = options.reversePages ? HandOut::Reverse : HandOut::Forward;
  wanted.engine.poison = options.poison;
  Expected<std::unique_ptr<Model>> model = Model::open(options.artifact, std::move(wanted));
  if (!model)
    return model.status();
  auto session = std::make_unique<Session>();
  session->options = options;
  session->model = std::move(*model);
  session->model->device().setProfiling(options.profile);
  session->sampling = options.sampling.apply(session->model->defaultSampling());
  if (!options.sampling.seed) {
    std::random_device device;
    session->sampling.seed = uint64_t(device()) << 32 | device();
  }
  if (Status status = checkSampling(session->sampling); !status.ok())
    return status;
  if (!options.quiet) {
    const Manifest &manifest = session->model->manifest();
    std::string numerics = manifest.numerics;
    if (manifest.standIn)
      numerics += fmt::format(", weights generated from seed {}", *manifest.standIn->seed);
    std::string choice = options.command == Command::Run ? "; " + describeSampling(session->sampling) : "";
    writeNote(fmt::format("{} ({}), {}, context {}{}", manifest.model.name, numerics, session->model->device().name(),
                          session->model->engine().limits().context, choice));
  }
  return session;
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
  while (model->engine().step())
    if (!cancelled && InterruptGuard::requested()) {
      model->engine().cancel(id);
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
