// `adze bench model`: answers as users get them, through engine and scheduler, with random tokens as prompts.
#include "BenchReport.h"
#include "Session.h"
#include "Terminal.h"

#include "adze/Runtime/Bench/StepBench.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

using namespace adze;

namespace {
using Clock = std::chrono::steady_clock;
constexpr int64_t kBatchPrompt = 16; // tokens of each prompt of a batch: what is measured is the decode

struct Ended : AnswerSink {
  int64_t count = 0;
  AnswerEnd end;
  void token(RequestId, const TokenEvent &) override { ++count; }
  void finished(RequestId, const AnswerEnd &answer) override { end = answer; }
};

struct ModelBench {
  Session &session;
  int32_t legal = 0; // an id that may be given
  int64_t asked = 0; // requests so far: no two prompts are the same

  Expected<std::shared_ptr<Ended>> submit(int64_t promptTokens, int64_t maxTokens) {
    Engine &engine = session.model->engine();
    AnswerRequest request;
    request.prompt = benchTokens(promptTokens, engine.legalTokens(), uint64_t(++asked));
    // Padding of the table may not be given.
    for (int32_t &token : request.prompt)
      if (std::binary_search(engine.illegalTokens().begin(), engine.illegalTokens().end(), token))
        token = legal;
    request.maxTokens = maxTokens;
    request.ignoreEndTokens = true;
    auto sink = std::make_shared<Ended>();
    request.sink = sink;
    if (Expected<RequestId> id = engine.submit(std::move(request)); !id)
      return id.status();
    return sink;
  }

  /// Seconds from a prompt's submission to its first token, one entry for each repetition.
  Expected<std::vector<double>> prefill(int64_t tokens, int64_t repetitions) {
    std::vector<double> seconds;
    for (int64_t i = -1; i < repetitions; ++i) { // the first warms up
      Expected<std::shared_ptr<Ended>> answer = submit(tokens, 1);
      if (!answer)
        return answer.status();
      session.model->engine().runUntilIdle();
      const AnswerEnd &end = (*answer)->end;
      if (end.reason == FinishReason::Error)
        return end.error;
      if (i >= 0)
        seconds.push_back(double(end.firstToken - end.submitted) * 1e-9);
    }
    return seconds;
  }

  /// Seconds of each step in which every request of the batch got one token.
  Expected<std::vector<double>> decode(int64_t batch, int64_t tokens) {
    std::vector<std::shared_ptr<Ended>> answers;
    for (int64_t i = 0; i < batch; ++i) {
      Expected<std::shared_ptr<Ended>> answer = submit(kBatchPrompt, tokens);
      if (!answer)
        return answer.status();
      answers.push_back(*answer);
    }
    auto counts = [&] {
      std::vector<int64_t> list;
      for (const auto &answer : answers)
        list.push_back(answer->count);
      return list;
    };
    std::vector<double> seconds;
    for (bool more = true; more;) {
      std::vector<int64_t> before = counts();
      auto start = Clock::now();
      more = session.model->engine().step();
      double passed = std::chrono::duration<double>(Clock::now() - start).count();
      std::vector<int64_t> after = counts();
      bool all = true;
      for (size_t i = 0; i < before.size(); ++i)
        all = all && before[i] > 0 && after[i] == before[i] + 1;
      if (all)
        seconds.push_back(passed);
    }
    for (const auto &answer : answers)
      if (answer->end.reason == FinishReason::Error)
        return answer->end.error;
    return seconds;
  }
};
} // namespace

int adze::runBenchModel(const ToolOptions &given) {
  ToolOptions options = given;
  const BenchFlags &flags = options.bench;
  for (const auto &[name, list] : {std::pair{"--prompt-tokens", &flags.prompts}, std::pair{"--batch", &flags.batch}})
    for (int64_t value : *list)
      if (value < 1)
        return reportError(invalidInput(fmt::format("{} has the entry {}; accepted: 1 or more", name, value)));
  int64_t prompt = *std::max_element(flags.prompts.begin(), flags.prompts.end());
  Expected<Manifest> manifest = readArtifactManifest(options.artifact);
  if (!manifest)
    return reportError(manifest.status());
  for (auto [name, asked, most] :
       {std::tuple("--prompt-tokens", prompt, manifest->model.context - 1),
        std::tuple("--decode-tokens", flags.decodeTokens, manifest->model.context - kBatchPrompt)})
    if (asked > most)
      return reportError(
          invalidInput(fmt::format("{} is {}; accepted for {}, whose sequences have at most {} tokens: 1 "
                                   "to {}",
                                   name, asked, manifest->model.name, manifest->model.context, most)));
  options.limits.requests = *std::max_element(flags.batch.begin(), flags.batch.end());
  options.limits.context = std::max(prompt + 1, kBatchPrompt + flags.decodeTokens);
  options.quiet = true;
  auto start = Clock::now();
  Expected<std::unique_ptr<Session>> session = Session::open(options);
  if (!session)
    return reportError(session.status());
  Model &model = *(*session)->model;
  ModelBench bench{**session};
  while (std::binary_search(model.engine().illegalTokens().begin(), model.engine().illegalTokens().end(), bench.legal))
    ++bench.legal;
  Json json = describeBench(options, model.manifest(), model.device());
  json["what"] = "model";
  json["step_tokens"] = model.engine().limits().stepTokens;
  double opened = std::chrono::duration<double>(Clock::now() - start).count();
  json["open_seconds"] = opened;
  std::string text = fmt::format("{} ({}), {}\nopened in {:.2f} s\n", model.manifest().model.name,
                                 model.manifest().numerics, model.device().name(), opened);
  json["prefill"] = Json::array();
  for (int64_t tokens : flags.prompts) {
    Expected<std::vector<double>> seconds = bench.prefill(tokens, flags.repetitions);
    if (!seconds)
      return reportError(seconds.status());
    Spread spread = spreadOf(*seconds);
    json["prefill"].push_back({{"tokens", tokens},
                               {"first_token_seconds", toJson(spread)},
                               {"tokens_per_second", double(tokens) / spread.median}});
    text += fmt::format("prompt of {} tokens: first token after {} s, {:.1f} tok/s\n", tokens, toText(spread, 4),
                        double(tokens) / spread.median);
  }
  json["decode"] = Json::array();
  for (int64_t batch : flags.batch) {
    Expected<std::vector<double>> seconds = bench.decode(batch, flags.decodeTokens);
    if (!seconds)
      return reportError(seconds.status());
    Spread spread = spreadOf(*seconds);
    double rate = spread.median > 0 ? double(batch) / spread.median : 0;
    json["decode"].push_back({{"requests", batch}, {"step_seconds", toJson(spread)}, {"tokens_per_second", rate}});
    text += fmt::format("decode of {} requests: a step {} s, {:.1f} tok/s\n", batch, toText(spread, 5), rate);
  }
  return reportBench(options, json, text);
}
