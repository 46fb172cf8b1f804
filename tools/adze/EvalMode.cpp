// `adze eval`: perplexity of a text, and with --against the distance to a second model on the same tokens.
#include "Session.h"
#include "Terminal.h"

#include "adze/Runtime/Engine/TextScore.h"
#include "adze/Support/Hash.h"
#include "adze/Support/Json.h"
#include "adze/Support/MappedFile.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

using namespace adze;

namespace {
// Two models can be compared where an id means the same text to both.
Status checkVocabularies(const Session &model, const Session &reference) {
  const TokenizerTable &a = model.model->tokenizer().table(), &b = reference.model->tokenizer().table();
  const std::string names = fmt::format("{} and {}", model.options.artifact, reference.options.artifact);
  int64_t sizes[] = {model.model->engine().legalTokens(), reference.model->engine().legalTokens()};
  if (a.size() != b.size() || sizes[0] != sizes[1])
    return invalidInput(
        fmt::format("{} have different vocabularies, of {} and {} tokens; only models of one vocabulary "
                    "can be compared",
                    names, sizes[0], sizes[1]));
  for (uint32_t id = 0; id < a.size(); ++id)
    if (a.token(id) != b.token(id) || a.legal(id) != b.legal(id))
      return invalidInput(fmt::format(
          "{} have different vocabularies: token {} is {} in one and {} in the other; only "
          "models of one vocabulary can be compared",
          names, id, Json(withoutControls(a.token(id))).dump(-1, ' ', false, Json::error_handler_t::replace),
          Json(withoutControls(b.token(id))).dump(-1, ' ', false, Json::error_handler_t::replace)));
  return Status();
}

struct Eval {
  explicit Eval(const ToolOptions &options) : options(options) {}

  Status open() {
    Expected<MappedFile> file = MappedFile::open(options.textFile);
    if (!file)
      return file.takeStatus();
    if (file->size() == 0)
      return invalidInput(options.textFile + ": the file is empty; a text is needed");
    hash = hashBytes(file->bytes());

    for (std::string *path : {&options.artifact, options.against ? &*options.against : nullptr}) {
      if (!path)
        continue;
      Expected<Manifest> manifest = readArtifactManifest(*path);
      if (!manifest)
        return manifest.takeStatus();
      // Where no window is given the smaller context of the two bounds it.
      context = std::min(context, manifest->model.context);
      if (options.window && (*options.window < 2 || *options.window > manifest->model.context))
        return invalidInput(
            fmt::format("--window is {} and {} was made for sequences of at most {} tokens; accepted: 2 to {}",
                        *options.window, *path, manifest->model.context, manifest->model.context));
    }
    score.window = options.window.value_or(std::min<int64_t>(1024, context));
    score.skip = options.skip;
    score.mostWindows = options.windows.value_or(0);
    if (options.windows && *options.windows < 1)
      return invalidInput(fmt::format("--windows is {}; accepted: 1 or more", *options.windows));
    options.limits.context = score.window;
    options.limits.requests = 1;
    if (options.limits.logitRows == 0)
      options.limits.logitRows = std::min<int64_t>(64, score.window);

    Expected<std::unique_ptr<Session>> opened = Session::open(options);
    if (!opened)
      return opened.takeStatus();
    session = std::move(*opened);
    if (options.against) {
      ToolOptions other = options;
      other.artifact = *options.against;
      opened = Session::open(other, session->model->sharedDevice());
      if (!opened)
        return opened.takeStatus();
      reference = std::move(*opened);
      if (Status status = checkVocabularies(*session, *reference); !status.ok())
        return status;
    }

    const TokenizerTable &table = session->model->tokenizer().table();
    if (table.addBos && table.bos)
      score.start = int32_t(*table.bos);
    TextRun run{std::string(file->text()), TextOrigin::User};
    Expected<std::vector<uint32_t>> ids =
        session->model->tokenizer().encode(std::span<const TextRun>(&run, 1), {.addSpecial = false});
    if (!ids)
      return ids.takeStatus().withContext(options.textFile);
    tokens.assign(ids->begin(), ids->end());
    all = countWindows(int64_t(tokens.size()), score);
    return Status();
  }

  Expected<TextScoreResult> run() {
    auto start = std::chrono::steady_clock::now();
    auto lastShown = start - std::chrono::hours(1);
    int64_t shownWindows = 0;
    auto progress = [&](const TextScoreResult &result) {
      auto now = std::chrono::steady_clock::now();
      seconds = std::chrono::duration<double>(now - start).count();
      int64_t complete = result.score.tokens / score.window; // the window that ends now is not counted yet
      bool milestone = complete > shownWindows || result.score.tokens == all.tokens;
      if (!options.quiet && (milestone || now - lastShown > std::chrono::milliseconds(200)) &&
          result.score.predictions) {
        lastShown = now;
        shownWindows = complete;
        writeProgress(fmt::format("{} of {} tokens, {:.0f} tok/s, perplexity {:.3f}", result.score.tokens, all.tokens,
                                  double(result.score.tokens) / seconds, result.score.perplexity()),
                      milestone);
      }
      return !InterruptGuard::requested();
    };
    Expected<TextScoreResult> result =
        scoreText(session->model->engine(), reference ? &reference->model->engine() : nullptr, tokens, score, progress);
    if (!options.quiet && shownWindows > 0)
      writeProgress("", false);
    return result;
  }

  Json json(const TextScoreResult &result) const {
    auto side = [](const Session &session, const TextScore &score) {
      const Manifest &manifest = session.model->manifest();
      return Json{{"artifact", session.options.artifact}, {"model", manifest.model.name},
                  {"numerics", manifest.numerics},        {"cpu", manifest.target.cpu},
                  {"perplexity", score.perplexity()},     {"mean_logprob", score.logProb / double(score.predictions)}};
    };
    Json json = {{"file", options.textFile},
                 {"hash", hash},
                 {"text_tokens", tokens.size()},
                 {"window", score.window},
                 {"windows", result.score.windows},
                 {"skip", score.skip},
                 {"tokens", result.score.tokens},
                 {"predictions", result.score.predictions},
                 {"model", side(*session, result.score)},
                 {"seconds", seconds}};
    if (!result.comparison)
      return json;
    const TextComparison &c = *result.comparison;
    json["reference"] = side(*reference, c.reference);
    json["kl_nats"] = {{"mean", c.meanDivergence()},
                       {"median", c.divergenceAt(0.5)},
                       {"p99", c.divergenceAt(0.99)},
                       {"max", c.divergenceAt(1)}};
    json["greedy_agreement"] = {{"equal", c.sameBest},
                                {"of", result.score.predictions},
                                {"share", double(c.sameBest) / double(result.score.predictions)}};
    return json;
  }

  std::string text(const TextScoreResult &result) const {
    std::string text =
        fmt::format("perplexity {:.4f} ({} predictions in {} window{} of {} tokens; text of {} tokens)\n",
                    result.score.perplexity(), result.score.predictions, result.score.windows,
                    result.score.windows == 1 ? "" : "s", score.window, tokens.size());
    if (!result.comparison)
      return text;
    const TextComparison &c = *result.comparison;
    text += fmt::format("reference {:.4f} ({}, {})\n", c.reference.perplexity(), *options.against,
                        reference->model->manifest().numerics);
    text += fmt::format("KL(reference || model) {:.3g} nats: median {:.3g}, 99 % below {:.3g}, largest {:.3g}\n",
                        c.meanDivergence(), c.divergenceAt(0.5), c.divergenceAt(0.99), c.divergenceAt(1));
    text +=
        fmt::format("greedy agreement {:.2f} % ({} of {})\n",
                    100 * double(c.sameBest) / double(result.score.predictions), c.sameBest, result.score.predictions);
    return text;
  }

  ToolOptions options;
  std::string hash;
  int64_t context = INT64_MAX;
  TextScoreOptions score;
  std::unique_ptr<Session> session, reference;
  std::vector<int32_t> tokens;
  TextWindows all;
  double seconds = 0;
};
} // namespace

int adze::runEval(const ToolOptions &options) {
  Eval eval(options);
  if (Status status = eval.open(); !status.ok())
    return reportError(status);
  InterruptGuard guard;
  Expected<TextScoreResult> result = eval.run();
  if (!result) {
    int code = reportError(result.status());
    return result.status().code() == ErrorCode::Cancelled ? kInterruptedExitCode : code;
  }
  writeAnswer(options.json ? writeJson(eval.json(*result)) : eval.text(*result));
  return 0;
}
