// The one place where flags are parsed. CLI11 throws; its exceptions end here.
#include "Options.h"

#include "Terminal.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

using namespace adze;

SamplingParameters SamplingFlags::apply(SamplingParameters base) const {
  if (temperature || topK || topP || minP)
    base.mode = ChoiceMode::Sample;
  if (greedy || (temperature && *temperature == 0))
    base.mode = ChoiceMode::Greedy;
  if (temperature && *temperature != 0)
    base.temperature = *temperature;
  base.topK = topK.value_or(base.topK);
  base.topP = topP.value_or(base.topP);
  base.minP = minP.value_or(base.minP);
  base.repetitionPenalty = repetitionPenalty.value_or(base.repetitionPenalty);
  base.presencePenalty = presencePenalty.value_or(base.presencePenalty);
  base.frequencyPenalty = frequencyPenalty.value_or(base.frequencyPenalty);
  base.topLogprobs = logprobs.value_or(base.topLogprobs);
  base.seed = seed.value_or(base.seed);
  return base;
}

std::optional<int64_t> adze::parseBytes(const std::string &text) {
  size_t digits = 0;
  int64_t value = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits)
    if (__builtin_mul_overflow(value, int64_t(10), &value) ||
        __builtin_add_overflow(value, int64_t(text[digits] - '0'), &value))
      return std::nullopt;
  std::string unit = text.substr(digits);
  int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (digits == 0 || shift < 0 || value > (INT64_MAX >> shift))
    return std::nullopt;
  return value << shift;
}

namespace {
const std::string kBytes = "bytes, with K, M or G for powers of 1024";

// CLI11 reads "-1" as the largest number of 64 bits.
std::string seedFault(const std::string &text) {
  return text.starts_with("-") ? "--seed is " + text + "; accepted: 0 to 18446744073709551615" : std::string();
}

void addLimits(CLI::App &app, EngineLimits &limits) {
  app.add_option("--context", limits.context, "tokens of one request, prompt and answer (the model's, at most 4096)");
  app.add_option("--requests", limits.requests, "requests that run at once (1; with --batch and in inspect 8)");
  app.add_option("--step-tokens", limits.stepTokens, "tokens of one step (512)");
  app.add_option("--logit-rows", limits.logitRows, "rows of logits of one step (= requests)");
  app.add_option_function<std::string>(
         "--kv-memory",
         [&limits](const std::string &text) {
           std::optional<int64_t> bytes = parseBytes(text);
           if (!bytes || *bytes == 0)
             throw CLI::ValidationError("--kv-memory", text + " is no size; accepted: " + kBytes);
           limits.kvMemory = *bytes;
         },
         "size of the KV pool: " + kBytes + " (every request at full context)")
      ->type_name("BYTES");
}

void addSampling(CLI::App &app, SamplingFlags &flags) {
  app.add_flag("--greedy", flags.greedy, "always the best token");
  app.add_option("--temperature", flags.temperature, "above 0 to 100; 0 is a spelling of --greedy");
  app.add_option("--top-k", flags.topK, "keep the k best tokens; 0: off");
  app.add_option("--top-p", flags.topP, "keep the best tokens that reach this probability; 1: off");
  app.add_option("--min-p", flags.minP, "drop tokens below this part of the best one's probability; 0: off");
  app.add_option("--repetition-penalty", flags.repetitionPenalty, "divide logits of tokens seen; 1: off");
  app.add_option("--presence-penalty", flags.presencePenalty, "subtract from tokens of the answer; -2 to 2");
  app.add_option("--frequency-penalty", flags.frequencyPenalty, "the same for each time; -2 to 2");
  app.add_option("--seed", flags.seed, "of the random numbers (a fresh one, printed)")->check(seedFault);
  app.add_option("--logprobs", flags.logprobs, "report the chosen token's logprob and the N best (with --json)");
}

void addDevice(CLI::App &app, ToolOptions &o) {
  app.add_option_function<std::string>(
         "--device",
         [&o](const std::string &text) {
           if (Status status = chooseDevice(text, o.device); !status.ok())
             throw CLI::ValidationError(status.message());
         },
         "cpu, cuda, or cuda:N for GPU number N (what the model was compiled for)")
      ->type_name("NAME");
  app.add_option("--device-timeout", o.device.cuda.timeoutMilliseconds,
                 "longest step of a GPU, after which it counts as lost")
      ->check(CLI::Range(int64_t(1), int64_t(86'400'000)))
      ->type_name("MS")
      ->capture_default_str();
  app.add_option("--threads", o.device.cpu.threads, "threads (the cores that affinity and cgroup allow)");
  app.add_flag("--pin", o.device.cpu.pin, "bind threads to cores");
}

void addEval(CLI::App &app, ToolOptions &o) {
  app.add_option("FILE", o.textFile, "text that the model is to predict, UTF-8")->required();
  app.add_option("--against", o.against, "a second artifact of the same vocabulary: compare with it as the reference")
      ->type_name("ARTIFACT");
  app.add_option("--window", o.window, "tokens of one window, predicted without the others (1024, or the context)");
  app.add_option("--windows", o.windows, "windows from the start of the text (all)");
  app.add_option("--skip", o.skip, "predictions at the start of each window that do not count (0)");
  app.add_option("--step-tokens", o.limits.stepTokens, "tokens of one step (512)");
  app.add_option("--logit-rows", o.limits.logitRows, "rows of logits of one step (64)");
  addDevice(app, o);
  app.add_flag("--quiet", o.quiet, "print the result alone");
}

void addBench(CLI::App &bench, ToolOptions &o) {
  BenchFlags &b = o.bench;
  bench.require_subcommand(1);
  auto add = [&](const char *name, BenchWhat what, const char *text) {
    CLI::App *app = bench.add_subcommand(name, text);
    app->add_option("ARTIFACT", o.artifact, "folder of the compiled model")->required();
    app->callback([&b, what] { b.what = what; });
    return app;
  };
  auto list = [](CLI::App *app, const char *name, std::vector<int64_t> &values, const char *text) {
    app->add_option(name, values, text)->delimiter(',')->type_name("N,...")->capture_default_str();
  };
  CLI::App *kernel =
      add("kernel", BenchWhat::Kernel, "time each kernel of a step by itself, its launches back to back");
  CLI::App *step = add("step", BenchWhat::Step, "time whole steps, as the engine runs them");
  CLI::App *model = add("model", BenchWhat::Model, "time answers: prompts, first tokens and decodes");
  CLI::App *weights = add("weights", BenchWhat::Weights,
                          "generate the weights of an artifact that was compiled without them (--without-weights)");
  for (CLI::App *app : {kernel, step}) {
    list(app, "--tokens", b.tokens, "tokens of the step; several shapes: lists of one length, or of one entry");
    list(app, "--requests", b.requests, "requests that share the tokens; as many as tokens: a decode");
    list(app, "--history", b.history, "tokens of each request that are in the cache before the step");
    app->add_option("--copy-bytes", b.copyBytes, "size of the copy that tells the memory's speed; 0: none")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
  }
  kernel->add_option("--match", b.match, "print only kernels whose name or family has this part")->type_name("TEXT");
  list(model, "--prompt-tokens", b.prompts, "prompts to time, each by itself");
  list(model, "--batch", b.batch, "requests that are decoded at once");
  model->add_option("--decode-tokens", b.decodeTokens, "tokens of each answer")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  for (CLI::App *app : {kernel, step, model}) {
    app->add_option("--repetitions", b.repetitions, "how often everything is measured; median, least and most are told")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    addDevice(*app, o);
    app->add_flag("--json", o.json, "print JSON");
    app->add_option("-o,--output", b.output, "write the JSON to this file, whatever is printed")->type_name("FILE");
  }
  weights->add_option("--seed", b.seed, "of the random numbers; the same seed gives the same bytes")
      ->required()
      ->check(seedFault);
  weights->add_option("--threads", o.device.cpu.threads, "threads (the cores that affinity and cgroup allow)");
  weights->add_flag("--quiet", o.quiet, "no progress");
}

void addCheck(CLI::App &app, ToolOptions &o) {
  app.add_option("--against", o.check.against, "artifact of the same model for another target, a CPU's as a rule")
      ->required()
      ->type_name("ARTIFACT");
  app.add_option("--rounds", o.check.rounds, "groups of random steps; the first eight cover every length")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--seed", o.check.seed, "of tokens and lengths (a fresh one, printed)")->check(seedFault);
  addDevice(app, o);
}

void addRun(CLI::App &app, ToolOptions &o) {
  auto *what = app.add_option_group("what to do", "exactly one of these");
  what->add_option("--prompt", o.prompt, "continue this text");
  what->add_option("--chat", o.chat, "answer this message, by the model's chat template");
  what->add_flag("--interactive", o.interactive, "hold a conversation");
  what->add_option("--batch", o.batchFile, "answer each line of this file of JSON lines; - reads standard input");
  what->add_option("--tokens", o.tokens, "continue these token ids: 1,2,3")->delimiter(',')->type_name("IDS");
  what->add_option("--score", o.scoreFile, "print logits for the given ids of this file of JSON lines");
  what->require_option(1);
  auto *dump =
      app.add_option("--dump-values", o.dumpLayer, "write every value that this layer computes (see --dump-to)")
          ->type_name("LAYER")
          ->check(CLI::NonNegativeNumber);
  app.add_option("--dump-to", o.dumpFile,
                 "safetensors file for --dump-values (values.safetensors); "
                 "adze compile --compare-values reads it")
      ->needs(dump);
  for (const char *many : {"--interactive", "--batch", "--score"})
    what->get_option(many)->excludes(dump);

  app.add_option("--system", o.system, "system message of a chat");
  app.add_option("--max-tokens", o.maxTokens, "longest answer (up to the context)")->check(CLI::NonNegativeNumber);
  app.add_option("--stop", o.stop, "end an answer before this text; may be repeated")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->expected(1)
      ->allow_extra_args(false);
  app.add_flag("--ignore-eos", o.ignoreEos, "do not end at end tokens");
  addSampling(app, o.sampling);
  addLimits(app, o.limits);
  app.add_option("--prefill-chunk", o.limits.prefillChunk, "longest piece of a prompt in one step (no limit)");
  addDevice(app, o);
  app.add_flag("--json", o.json, "print one JSON object when the answer is complete");
  app.add_flag("--profile", o.profile, "print time, bytes and operations of each kernel family at the end");
  app.add_flag("--quiet", o.quiet, "print answers alone");
  app.add_flag("--reverse-pages", o.reversePages, "hand out KV pages from the far end (tests)")->group("");
  app.add_flag("--poison", o.poison, "fill memory with NaN first (tests)")->group("");
}
} // namespace

ParsedOptions adze::parseOptions(int argc, char **argv) {
  ParsedOptions parsed;
  ToolOptions &o = parsed.options;
  CLI::App app("Runs language models compiled by Adze.", "adze");
  app.set_version_flag("--version", "adze " ADZE_VERSION);
  app.require_subcommand(1);
  CLI::App *run = app.add_subcommand("run", "answer with a compiled model");
  CLI::App *eval = app.add_subcommand("eval", "measure how well a compiled model predicts a text");
  CLI::App *inspect = app.add_subcommand("inspect", "describe a compiled model: kernels, weights, memory, fusion");
  CLI::App *verify = app.add_subcommand("verify", "read and check every byte of a compiled model");
  CLI::App *check = app.add_subcommand("check", "compare each kernel with those of an artifact for another target");
  CLI::App *bench = app.add_subcommand("bench", "measure a compiled model's speed on this machine");
  app.add_subcommand("compile", "compile a model (see adze compile --help)");
  for (CLI::App *command : {run, eval, inspect, verify, check})
    command->add_option("ARTIFACT", o.artifact, "folder of the compiled model")->required();
  addRun(*run, o);
  addEval(*eval, o);
  addLimits(*inspect, o.limits);
  addBench(*bench, o);
  addCheck(*check, o);
  for (CLI::App *command : {eval, inspect, verify, check})
    command->add_flag("--json", o.json, "print JSON");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) { // help or version, which CLI11 prints to standard output
      parsed.exitCode = app.exit(error);
      return parsed;
    }
    std::vector<CLI::App *> given = app.get_subcommands();
    std::string command = given.empty() ? "" : " " + given.front()->get_name(), message = error.what();
    if (bench->parsed() && !bench->get_subcommands().empty())
      command += " " + bench->get_subcommands().front()->get_name();
    if (given.empty() && argc > 1 && argv[1][0] != '-') {
      message = std::string("'") + argv[1] + "' is no command; accepted:";
      for (const CLI::App *known : app.get_subcommands({}))
        message += (message.back() == ':' ? " " : ", ") + known->get_name();
    }
    parsed.exitCode = reportError(invalidInput(message + "; see adze" + command + " --help"));
    return parsed;
  }
  o.command = run->parsed()       ? Command::Run
              : eval->parsed()    ? Command::Eval
              : inspect->parsed() ? Command::Inspect
              : bench->parsed()   ? Command::Bench
              : check->parsed()   ? Command::Check
                                  : Command::Verify;
  return parsed;
}
