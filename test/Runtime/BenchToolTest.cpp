// `adze bench` as people call it.
#include "ToolFixture.h"

#include <filesystem>

using namespace adze;
using namespace adze::test;

namespace {
struct BenchToolTest : ToolTest {
  Outcome bench(const std::string &what, const std::string &flags) {
    return adze("bench " + what + " " + artifact() + " " + flags);
  }
  void expectRefusal(const Outcome &outcome, std::initializer_list<const char *> parts) {
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    for (const char *part : parts)
      EXPECT_TRUE(contains(outcome.err, part)) << part << " is not in: " << outcome.err;
  }
};
const std::string kQuick = " --repetitions 2 --copy-bytes 1000000 ";
} // namespace

TEST_F(BenchToolTest, TellsOfEachKernelOfSeveralShapes) {
  Outcome outcome = bench("kernel", "--tokens 1,4,40 --requests 1,4,1 --history 8 --json" + kQuick);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  Json json = parse(outcome.out);
  EXPECT_EQ(json["what"], "kernels");
  EXPECT_EQ(json["model"], "fake model");
  EXPECT_EQ(json["target"], "x86-64-v2");
  EXPECT_TRUE(json["weights_seed"].is_null());
  EXPECT_EQ(json["copy"]["bytes"], 1000000);
  EXPECT_GT(json["copy"]["gb_per_s"]["median"], 0);
  ASSERT_EQ(json["shapes"].size(), 3u);
  EXPECT_EQ(json["shapes"][1]["requests"], 4);
  EXPECT_EQ(json["shapes"][2]["history"], 8);
  const Json &kernels = json["shapes"][2]["kernels"];
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0]["name"], "append");
  EXPECT_EQ(kernels[0]["launches"], 1);
  EXPECT_EQ(kernels[0]["bytes"], 64 * 40);
  EXPECT_EQ(kernels[0]["us"]["repetitions"], 2);
  EXPECT_GT(kernels[0]["us"]["median"], 0);
  EXPECT_GT(kernels[0]["gb_per_s"], 0);
  EXPECT_EQ(kernels[1]["operations"], 16 * (40 * 8 + 40 * 41 / 2));
  EXPECT_EQ(kernels[2]["schedule"]["columns"], 16);
  EXPECT_GT(json["shapes"][2]["sum_us"], 0);

  Outcome text = bench("kernel", "--tokens 4 --requests 4 --match attend" + kQuick);
  EXPECT_TRUE(contains(text.out, "4 tokens of 4 requests behind 0 others each")) << text.out;
  EXPECT_TRUE(contains(text.out, "attend")) << text.out;
  EXPECT_FALSE(contains(text.out, "append")) << text.out;
  EXPECT_TRUE(contains(text.out, "copies of 1000000 bytes")) << text.out;
}

TEST_F(BenchToolTest, TellsOfWholeSteps) {
  Outcome outcome = bench("step", "--tokens 1,40 --requests 1 --history 8,0 --json" + kQuick);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  Json json = parse(outcome.out);
  EXPECT_EQ(json["what"], "steps");
  ASSERT_EQ(json["shapes"].size(), 2u);
  EXPECT_EQ(json["shapes"][0]["bytes"], 64 + 304 * 8 * 4);
  EXPECT_EQ(json["shapes"][1]["us"]["repetitions"], 2);
  EXPECT_GE(json["shapes"][1]["us"]["most"], json["shapes"][1]["us"]["least"]);
  Json without = parse(bench("step", "--json --repetitions 1 --copy-bytes 0").out);
  EXPECT_FALSE(without.contains("copy"));
  std::string file = model.folder.file("result.json");
  EXPECT_TRUE(contains(bench("step", kQuick + "-o " + file).out, "tok/s"));
  EXPECT_EQ(parse(takeFile(file))["what"], "steps");
  Outcome nowhere = bench("step", kQuick + "-o " + model.folder.file("no/result.json"));
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_TRUE(contains(nowhere.err, "no/result.json")) << nowhere.err;
}

TEST_F(BenchToolTest, TellsOfAnswers) {
  Outcome outcome = bench("model", "--prompt-tokens 5,60 --batch 1,3 --decode-tokens 6 --repetitions 2 --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  Json json = parse(outcome.out);
  ASSERT_EQ(json["prefill"].size(), 2u);
  EXPECT_EQ(json["prefill"][1]["tokens"], 60);
  EXPECT_GT(json["prefill"][1]["tokens_per_second"], 0);
  ASSERT_EQ(json["decode"].size(), 2u);
  EXPECT_EQ(json["decode"][1]["requests"], 3);
  EXPECT_EQ(json["decode"][1]["step_seconds"]["repetitions"], 5) << "the first token of each comes with the prompt";
  EXPECT_GT(json["decode"][1]["tokens_per_second"], 0);
  EXPECT_TRUE(contains(bench("model", "--prompt-tokens 5 --batch 2 --decode-tokens 3 --repetitions 1").out,
                       "decode of 2 requests"));
}

TEST_F(BenchToolTest, RefusesWhatNoStepHas) {
  expectRefusal(bench("kernel", "--tokens 1,2 --requests 1,1,1"),
                {"--tokens has 2 entries and another list of shapes has 3"});
  expectRefusal(bench("kernel", "--tokens 3 --requests 4"), {"--requests is 4 for --tokens 3"});
  expectRefusal(bench("step", "--history 100000"), {"--history is 100000", "at most 512"});
  expectRefusal(bench("step", "--repetitions 0"), {"--repetitions", "see adze bench step --help"});
  expectRefusal(bench("model", "--batch 0"), {"--batch has the entry 0; accepted: 1 or more"});
  expectRefusal(bench("model", "--prompt-tokens 512"), {"--prompt-tokens is 512; accepted for fake model", "1 to 511"});
  expectRefusal(adze("bench"), {"subcommand", "see adze bench --help"});
  expectRefusal(adze("bench kernel"), {"ARTIFACT", "see adze bench kernel --help"});
}

TEST_F(BenchToolTest, GeneratesTheWeightsOfAnArtifactThatHasNone) {
  model.leaveWeightsOut();
  for (const char *command : {"run --prompt abc", "bench step", "bench model --prompt-tokens 5", "bench kernel"})
    expectRefusal(adze(command + (" " + artifact())), {"weights.bin is not there", "adze bench weights ", "--seed N"});
  std::string text = model.folder.file("text");
  putFile(text, "some text");
  expectRefusal(adze("eval " + artifact() + " " + text), {"weights.bin is not there"});
  EXPECT_EQ(adze("verify " + artifact()).code, 1);
  EXPECT_TRUE(contains(adze("inspect " + artifact()).out, "absent: the artifact was compiled without them"));
  EXPECT_TRUE(parse(adze("inspect --json " + artifact()).out)["stand_in"]["seed"].is_null());

  expectRefusal(bench("weights", ""), {"--seed"});
  expectRefusal(bench("weights", "--seed -1"), {"--seed is -1"});
  Outcome made = bench("weights", "--seed 7 --threads 1");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(contains(made.err, "has weights from seed 7")) << made.err;
  EXPECT_EQ(adze("verify " + artifact()).code, 0);
  EXPECT_TRUE(contains(adze("inspect " + artifact()).out, "generated from seed 7"));
  EXPECT_EQ(parse(adze("inspect --json " + artifact()).out)["stand_in"]["seed"], 7);
  Outcome answer = run("--tokens 5,6 --max-tokens 3 --ignore-eos --json");
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_TRUE(contains(answer.err, "weights generated from seed 7")) << answer.err;
  EXPECT_EQ(parse(bench("step", "--json" + kQuick).out)["weights_seed"], 7);
  EXPECT_EQ(bench("weights", "--seed 8 --quiet").err, "");
}

TEST_F(BenchToolTest, LeavesAModelsOwnWeightsAlone) {
  expectRefusal(bench("weights", "--seed 7"), {"has the weights of its model", "--without-weights"});
  EXPECT_TRUE(parse(adze("inspect --json " + artifact()).out)["stand_in"].is_null());
}

TEST_F(BenchToolTest, RunsOnAGpu) {
  model.compileForGpu();
  std::filesystem::create_directories(model.folder.file("fake"));
  std::filesystem::create_symlink(ADZE_FAKE_DRIVER, model.folder.file("fake/libcuda.so.1"));
  std::string environment = "LD_LIBRARY_PATH=" + model.folder.file("fake") + " ";
  Outcome outcome = adze("bench kernel " + artifact() + " --tokens 4 --requests 2 --json" + kQuick, "", environment);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  Json json = parse(outcome.out);
  EXPECT_EQ(json["target"], "sm_75");
  EXPECT_TRUE(contains(json["device"], "Fake GPU"));
  EXPECT_EQ(json["shapes"][0]["kernels"].size(), 4u);
  EXPECT_EQ(adze("bench model " + path + " --prompt-tokens 5 --decode-tokens 3 --repetitions 1", "", environment).code,
            0);
}
