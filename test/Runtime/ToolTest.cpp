// `adze` as people call it: exit codes, output and errors, with the toy model.
#include "ToolFixture.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace adze;
using namespace adze::test;

TEST_F(ToolTest, AnswersAPromptOnStandardOutputAlone) {
  Outcome outcome = run("--prompt abc");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "xyz\n");
  EXPECT_TRUE(contains(outcome.err, "greedy")) << "what is used is printed: " << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "first token after")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "tok/s; stop")) << outcome.err;
  EXPECT_EQ(run("--prompt abc --quiet").err, "");
}

TEST_F(ToolTest, AnswersAMessageByTheTemplate) {
  Outcome outcome = run("--chat abc --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  Json json = parse(outcome.out);
  EXPECT_EQ(json["text"], "xyz");
  EXPECT_EQ(json["prompt_tokens"], 9) << "[user]abc";
  EXPECT_EQ(parse(run("--chat abc --system s --json").out)["prompt_tokens"], 18) << "[system]s[user]abc";
}

TEST_F(ToolTest, SaysThatAModelHasNoTemplate) {
  model.tokenizer.chatTemplate.clear();
  Outcome outcome = run("--chat abc");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "no chat template")) << outcome.err;
}

TEST_F(ToolTest, ContinuesTokenIds) {
  Json json = parse(run("--tokens 97,98,99 --max-tokens 2 --json").out);
  EXPECT_EQ(json["tokens"], (Json{'x', 'y'}));
  EXPECT_EQ(json["finish"], "length");
  Outcome bad = run("--tokens 97,98,4000");
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(contains(bad.err, "token 2 of the prompt is id 4000")) << bad.err;
}

TEST_F(ToolTest, StopsAtAStopStringAndReportsLogprobs) {
  Json json = parse(run("--prompt abc --stop z --json --logprobs 2").out);
  EXPECT_EQ(json["text"], "xy");
  EXPECT_EQ(json["finish"], "stop");
  ASSERT_EQ(json["logprobs"].size(), 3u);
  EXPECT_EQ(json["logprobs"][0]["token"], 'x');
  EXPECT_EQ(json["logprobs"][0]["top"].size(), 2u);
}

TEST_F(ToolTest, DrawsTheSameForTheSameSeed) {
  std::string flags = "--tokens 1,2,3 --max-tokens 20 --ignore-eos --temperature 1.5 --json --seed ";
  EXPECT_EQ(parse(run(flags + "7").out)["tokens"], parse(run(flags + "7 --threads 2 --prefill-chunk 1").out)["tokens"]);
  EXPECT_NE(parse(run(flags + "7").out)["tokens"], parse(run(flags + "8").out)["tokens"]);
}

TEST_F(ToolTest, TakesTemperatureZeroAsGreedy) {
  EXPECT_TRUE(contains(run("--prompt abc --temperature 0").err, "greedy"));
  EXPECT_TRUE(contains(run("--prompt abc --temperature 0.5").err, "temperature 0.5"));
}

TEST_F(ToolTest, AnswersABatchInOrderAndOneBadLineHarmsNone) {
  std::string file = model.folder.file("batch.jsonl");
  putFile(file, R"({"id": "a", "prompt": "abc"}
{"prompt": "abc", "temperatur": 1}

{"messages": [{"role": "user", "content": "abc"}], "max_tokens": 1}
{"tokens": [97, -1]}
not json
{"prompt": "abc", "top_p": 7}
{"prompt": "a", "tokens": [1]}
{"tokens": [97, 98, 99], "stop": ["y"]}
)");
  Outcome outcome = run("--batch " + file);
  EXPECT_EQ(outcome.code, 1) << "some lines failed";
  std::vector<Json> lines = parseLines(outcome.out);
  ASSERT_EQ(lines.size(), 8u) << outcome.out;
  EXPECT_EQ(lines[0]["text"], "xyz");
  EXPECT_EQ(lines[0]["id"], "a");
  EXPECT_TRUE(contains(lines[1]["error"]["message"], "temperatur")) << lines[1];
  EXPECT_EQ(lines[2]["text"], "x");
  EXPECT_EQ(lines[2]["line"], 4);
  EXPECT_TRUE(contains(lines[3]["error"]["message"], "id -1")) << lines[3];
  EXPECT_TRUE(lines[4].contains("error"));
  EXPECT_TRUE(contains(lines[5]["error"]["message"], "top-p is 7")) << lines[5];
  EXPECT_TRUE(contains(lines[6]["error"]["message"], "exactly one of")) << lines[6];
  EXPECT_EQ(lines[7]["text"], "x");
}

// Half a surrogate pair, bytes that are no UTF-8, a key given twice: errors of their lines.
TEST_F(ToolTest, RefusesTextThatIsNone) {
  std::string input = "{\"prompt\": \"a\\ud83d\"}\n{\"prompt\": \"a\xe2z\"}\n{\"prompt\": \"a\", \"prompt\": \"b\"}\n"
                      "{\"prompt\": \"abc\"}\n";
  Outcome outcome = run("--batch -", input);
  std::vector<Json> lines = parseLines(outcome.out);
  ASSERT_EQ(lines.size(), 4u) << outcome.out;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(lines[size_t(i)]["error"]["code"], "invalid-input") << lines[size_t(i)];
  EXPECT_EQ(lines[3]["text"], "xyz");
  Outcome typed = run("--prompt 'a\xe2z'");
  EXPECT_EQ(typed.code, 1);
  EXPECT_TRUE(contains(typed.err, "UTF-8")) << typed.err;
}

// Only the template writes control tokens.
TEST_F(ToolTest, TakesControlMarkersOfAUserAsText) {
  Json typed = parse(run("--chat 'a<end>b' --json --max-tokens 1").out);
  EXPECT_EQ(typed["prompt_tokens"], 6 + 7) << "five characters of <end> stay five tokens";
}

TEST_F(ToolTest, SaysAtTheEndOfABatchWhatItDid) {
  std::string input = "{\"prompt\": \"abc\"}\n{\"prompt\": \"\"}\n{\"prompt\": \"abcabc\", \"max_tokens\": 2}\n";
  Outcome outcome = run("--batch -", input);
  EXPECT_TRUE(contains(outcome.err, "2 answers, prompts 9 tokens, first token after ")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "answers 6 tokens in ")) << outcome.err;
  EXPECT_EQ(run("--batch - --quiet", input).err, "");
}

TEST_F(ToolTest, AnswersALongBatchFromStandardInput) {
  std::string input;
  for (int i = 0; i < 1500; ++i)
    input += "{\"prompt\": \"abc\", \"max_tokens\": 2}\n";
  Outcome outcome = run("--batch - --requests 4", input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(parseLines(outcome.out).size(), 1500u);
}

TEST_F(ToolTest, HoldsAConversation) {
  Outcome outcome = run("--interactive", "abc\n\nabc\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "xyz\nxyz\n") << "no prompt sign without a terminal";
  EXPECT_EQ(run("--interactive", "abc\nabc").out, "xyz\nxyz\n") << "the last line needs no line end";
  EXPECT_EQ(run("--interactive", "").out, "");
}

TEST_F(ToolTest, ScoresGivenTokens) {
  std::string file = model.folder.file("score.jsonl");
  putFile(file,
          R"({"prompt": [1, 2, 3, 4], "continuation": [5, 6, 7], "positions": [0, 3, 6], "top": 3, "ids": [9, 8]})");
  for (const char *flags : {"", " --prefill-chunk 1", " --prefill-chunk 2 --threads 2 --reverse-pages --poison"}) {
    Outcome outcome = run("--score " + file + flags);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    Json rows = parse(outcome.out)["rows"];
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[1]["position"], 3);
    EXPECT_EQ(rows[2]["top"].size(), 3u);
    EXPECT_EQ(rows[2]["logits"].size(), 2u);
    static Json first;
    if (first.is_null())
      first = rows;
    EXPECT_EQ(rows, first) << flags;
  }
  putFile(file, R"({"prompt": [1], "top": -1})");
  EXPECT_EQ(run("--score " + file).code, 1);
}

TEST_F(ToolTest, InspectPrintsWhatTheEngineAllocates) {
  Outcome outcome = adze("inspect " + artifact() + " --json --context 100 --requests 3 --step-tokens 7");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  Json memory = parse(outcome.out)["memory"];
  EngineOptions options;
  options.limits.context = 100;
  options.limits.requests = 3;
  options.limits.stepTokens = 7;
  FakeEngine bench(model, options);
  AnswerRequest request;
  request.prompt = somePrompt(60, 1);
  request.maxTokens = 5;
  bench.answer(request);
  EXPECT_EQ(memory["device"], bench.device->peakBytes());
  EXPECT_EQ(memory["total"], bench.device->peakBytes() + memory["weights"].get<int64_t>());
}

TEST_F(ToolTest, InspectDescribesForPeople) {
  model.manifest.fusion = {{"norm-residual", true, 4, ""}, {"norm-prologue", false, 2, "the norm has two users"}};
  Outcome outcome = adze("inspect " + artifact());
  EXPECT_EQ(outcome.code, 0);
  for (const char *word :
       {"fake model", "attention", "KV cache: 32 bytes per token", "step arrays", "not fused: the norm has two users",
        "norm-residual", "4 tokens    16 columns    32 depth  invariant"})
    EXPECT_TRUE(contains(outcome.out, word)) << word << " in " << outcome.out;
}

TEST_F(ToolTest, VerifyFindsDamage) {
  Outcome sound = adze("verify " + artifact());
  EXPECT_EQ(sound.code, 0) << sound.err;
  std::string weights = takeFile(path + "/weights.bin");
  weights[1234] ^= 1;
  putFile(path + "/weights.bin", weights);
  Outcome damaged = adze("verify " + path);
  EXPECT_EQ(damaged.code, 1);
  EXPECT_TRUE(contains(damaged.err, "weights.bin is damaged")) << damaged.err;
  EXPECT_EQ(parse(adze("verify --json " + path).out)["ok"], false);
}

TEST_F(ToolTest, ReportsUsersFaultsWithExitCodeOne) {
  EXPECT_EQ(adze("run " + model.folder.file("nothing") + " --prompt x").code, 1);
  EXPECT_EQ(run("").code, 1);
  EXPECT_EQ(run("--prompt a --chat b").code, 1);
  EXPECT_EQ(run("--prompt a --no-such-flag").code, 1);
  for (const char *flags :
       {"--seed -1", "--top-p 1.5", "--temperature -1", "--context 100000", "--kv-memory 12X", "--max-tokens -3"}) {
    Outcome outcome = run(std::string("--prompt abc ") + flags);
    EXPECT_EQ(outcome.code, 1) << flags;
    EXPECT_EQ(outcome.out, "") << flags;
    EXPECT_FALSE(outcome.err.empty()) << flags;
  }
  Outcome command = adze("frob");
  EXPECT_EQ(command.code, 1);
  EXPECT_TRUE(contains(
      command.err, "adze: error: 'frob' is no command; accepted: run, eval, inspect, verify, check, bench, compile"))
      << command.err;
  EXPECT_TRUE(contains(run("--prompt a --no-such-flag").err, "adze: error: ")) << "every error begins alike";
  EXPECT_TRUE(contains(run("--prompt a --no-such-flag").err, "--no-such-flag; see adze run --help"));
  EXPECT_EQ(adze("--help").code, 0);
  EXPECT_EQ(adze("run --help").code, 0);
  EXPECT_TRUE(contains(adze("--version").out, "adze "));
}

TEST_F(ToolTest, ReadsSizesWithUnits) {
  Outcome outcome = run("--prompt abc --kv-memory 4K");
  EXPECT_EQ(outcome.code, 1) << "16 pages of 8 tokens cannot hold the whole context";
  EXPECT_TRUE(contains(outcome.err, "--kv-memory")) << outcome.err;
  EXPECT_EQ(run("--prompt abc --kv-memory 4K --max-tokens 5").code, 0);
}

TEST_F(ToolTest, ProfilesByFamily) {
  Outcome outcome = run("--prompt abc --profile");
  for (const char *word : {"kernel family", "kv_append", "attention", "linear", "between kernels", "GB/s"})
    EXPECT_TRUE(contains(outcome.err, word)) << outcome.err;
}

TEST_F(ToolTest, EndsAnAnswerAtCtrlC) {
  std::string out = model.folder.file("out"), err = model.folder.file("err");
  // An endless row of short answers keeps the process busy until the signal comes.
  std::string batch = model.folder.file("batch");
  std::string many;
  for (int i = 0; i < 200000; ++i)
    many += "{\"tokens\": [1], \"max_tokens\": 400, \"ignore_eos\": true}\n";
  putFile(batch, many);
  std::string line =
      "exec " + std::string(ADZE_TOOL) + " run " + artifact() + " --batch " + batch + " >" + out + " 2>" + err;
  pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  for (int i = 0; i < 500 && (!std::filesystem::exists(out) || std::filesystem::file_size(out) == 0); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "it ends by itself";
  EXPECT_EQ(WEXITSTATUS(status), 130);
  std::vector<Json> lines = parseLines(takeFile(out));
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back()["finish"], "cancelled");
}

TEST_F(ToolTest, EndsAConversationAtCtrlCWhileItWaits) {
  std::string err = model.folder.file("err");
  artifact();
  int input[2];
  ASSERT_EQ(pipe(input), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(input[0], STDIN_FILENO);
    close(input[1]);
    std::string line = "exec " + std::string(ADZE_TOOL) + " run " + path + " --interactive 2>" + err;
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  close(input[0]);
  // The line that says what runs is printed before the first wait for input; the signal may come before or in it.
  for (int i = 0; i < 500 && !contains(takeFile(err), "greedy"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(child, SIGINT);
  int status = 0;
  for (int i = 0; i < 1000 && waitpid(child, &status, WNOHANG) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  close(input[1]); // a program that still waits ends here
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(ToolTest, SaysWhereItLookedForTheCompiler) {
  std::string copy = model.folder.file("bin/adze");
  std::filesystem::create_directories(model.folder.file("bin"));
  std::filesystem::copy_file(ADZE_TOOL, copy);
  std::string err = model.folder.file("err");
  int status = std::system((copy + " compile model 2>" + err).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_TRUE(contains(takeFile(err), "libexec/adze/adze-compile")) << takeFile(err);
}

TEST_F(ToolTest, HandsOverToTheCompiler) {
  std::string copy = model.folder.file("bin/adze"), compiler = model.folder.file("libexec/adze/adze-compile");
  std::filesystem::create_directories(model.folder.file("bin"));
  std::filesystem::create_directories(model.folder.file("libexec/adze"));
  std::filesystem::copy_file(ADZE_TOOL, copy);
  putFile(compiler, "#!/bin/sh\necho \"$@\"\nexit 3\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  std::string out = model.folder.file("out");
  int status = std::system((copy + " compile MODEL -o 'a b' >" + out).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(takeFile(out), "MODEL -o a b\n");
}
