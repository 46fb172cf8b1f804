// `adze check`: what its steps cover, what counts as a difference, and that a fault is found and named. The toy model
// is compared with itself, on a CPU and by the fake driver.
#include "ToolFixture.h"

#include "adze/Runtime/Check/KernelCheck.h"
#include "adze/Support/Hash.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>

using namespace adze;
using namespace adze::test;

namespace {
const char *const kHidden = R"({"name": "hidden", "layer": 0, "word": 17, "output_rows": true, "columns": 8,
                               "element": "f32"})";
const char *const kHead = R"({"name": "head", "layer": -1, "word": 18, "output_rows": true, "columns": 304,
                             "element": "f32"})";
const char *const kBest = R"({"name": "head.best_token", "layer": -1, "word": 19, "output_rows": true, "columns": 1,
                             "element": "i32"})";

// The artifact of `model` with a values.json: what each launch writes.
std::string writeWithValues(FakeModel &model, const std::string &name, const std::vector<std::string> &launches) {
  std::string path = model.folder.file(name), text;
  model.write(path);
  for (const std::string &launch : launches)
    text += (text.empty() ? "[" : ", [") + launch + "]";
  text = "{\"launches\": [" + text + "]}\n";
  putFile(path + "/" + kValuesFile, text);
  model.manifest.sections.push_back({kValuesFile, int64_t(text.size()), hashText(text)});
  std::sort(model.manifest.sections.begin(), model.manifest.sections.end(),
            [](const ManifestSection &a, const ManifestSection &b) { return a.file < b.file; });
  putFile(path + "/" + kManifestFile, writeManifest(model.manifest));
  return path;
}

struct KernelCheckTest : ToolTest {
  KernelCheckTest() {
    other.answerAbcWithXyz();
    other.follow(']', 'q');
    reference = writeWithValues(other, "reference.adze", {"", kHidden, kHead});
  }

  std::string tested() { return writeWithValues(model, "model.adze", {"", kHidden, kHead}); }
  Outcome check(const std::string &artifact, const std::string &flags, const std::string &environment = "") {
    return adze("check " + artifact + " --against " + reference + " " + flags, "", environment);
  }
  std::string fakeDriver() {
    std::filesystem::create_directories(model.folder.file("fake"));
    std::filesystem::create_symlink(ADZE_FAKE_DRIVER, model.folder.file("fake/libcuda.so.1"));
    return "LD_LIBRARY_PATH=" + model.folder.file("fake") + " ";
  }
  void expectRefusal(const Outcome &outcome, std::initializer_list<const char *> parts) {
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    for (const char *part : parts)
      EXPECT_TRUE(contains(outcome.err, part)) << part << " is not in: " << outcome.err;
  }

  FakeModel other;
  std::string reference;
};

ValueBytes bytesOfFloats(const std::vector<float> &values) {
  ValueBytes bytes(values.size() * 4);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
StepValue valueOf(const char *element, int64_t columns) { return {"value", 0, 0, false, columns, element}; }
} // namespace

TEST(CheckPlan, CoversTheEdgesInEightRoundsWhateverTheSeed) {
  for (uint64_t seed : {1u, 2u, 77u}) {
    std::vector<CheckRound> plan = makeCheckPlan({8, seed, {16, 64}, 512, 300});
    ASSERT_EQ(plan.size(), 8u);
    std::set<int64_t> alone, histories;
    bool withoutRows = false, mixed = false;
    for (const CheckRound &round : plan) {
      std::vector<int64_t> grown(round.requests.size(), 0);
      for (const CheckRequest &request : round.requests)
        for (int32_t token : request.tokens)
          EXPECT_TRUE(token >= 0 && token < 225);
      for (const CheckStep &step : round.steps) {
        ASSERT_FALSE(step.spans.empty());
        bool decode = false, prompt = false;
        for (const ScheduledSpan &span : step.spans) {
          ASSERT_LT(span.request, round.requests.size());
          const CheckRequest &request = round.requests[span.request];
          EXPECT_EQ(span.first, grown[span.request]) << "each span goes on where the last one ended";
          grown[span.request] += span.count;
          EXPECT_LE(grown[span.request], int64_t(request.tokens.size()));
          EXPECT_TRUE(span.rows >= 0 && span.rows <= span.count);
          (span.first >= request.promptTokens ? decode : prompt) = true;
          histories.insert(span.first);
        }
        if (step.spans.size() == 1)
          alone.insert(step.tokens());
        mixed |= decode && prompt;
        withoutRows |= step.rows() == 0;
      }
    }
    for (int64_t tokens : {1, 15, 16, 17, 63, 64, 65, 130})
      EXPECT_TRUE(alone.contains(tokens)) << tokens << " with seed " << seed;
    for (int64_t history : {0, 1, 15, 16, 17, 63, 64, 65, 128})
      EXPECT_TRUE(histories.contains(history)) << history << " with seed " << seed;
    EXPECT_TRUE(mixed);
    EXPECT_TRUE(withoutRows);
  }
  EXPECT_NE(makeCheckPlan({1, 1, {16}, 512, 300})[0].requests[0].tokens,
            makeCheckPlan({1, 2, {16}, 512, 300})[0].requests[0].tokens);
  for (const CheckRound &round : makeCheckPlan({8, 3, {64}, 40, 300}))
    for (const CheckRequest &request : round.requests)
      EXPECT_LE(request.tokens.size(), 40u) << "no request is longer than the model's context";
}

TEST(ValueComparison, MeasuresFloatsByTheirRow) {
  StepValue value = valueOf("f32", 2);
  double bound = boundOf(value, "f32");
  EXPECT_EQ(bound, 1e-4);
  EXPECT_EQ(boundOf(value, "bf16"), 0.03);
  ValueBytes expected = bytesOfFloats({1, 1000, 1, 1});
  EXPECT_EQ(compareValue(value, expected, bytesOfFloats({1.05f, 1000, 1, 1}), bound, true).differences, 0);
  ValueComparison second = compareValue(value, expected, bytesOfFloats({1, 1000, 1, 1.05f}), bound, true);
  EXPECT_EQ(second.differences, 1);
  EXPECT_EQ(second.first.row, 1);
  EXPECT_EQ(second.first.column, 1);
  EXPECT_NEAR(second.worst, 0.05, 1e-6);
  EXPECT_EQ(compareValue(value, bytesOfFloats({0, 0}), bytesOfFloats({0, 1e-30f}), bound, true).differences, 1);
}

TEST(ValueComparison, FindsWhatIsNotANumberOrNotWritten) {
  StepValue value = valueOf("f32", 1);
  ValueBytes poison(4, poisonOf("f32"));
  EXPECT_TRUE(compareValue(value, bytesOfFloats({1}), poison, 1, true).first.unwritten);
  EXPECT_FALSE(compareValue(value, bytesOfFloats({1}), poison, 1, false).first.unwritten);
  EXPECT_EQ(compareValue(value, bytesOfFloats({1}), poison, 1, false).differences, 1);
  EXPECT_EQ(compareValue(value, bytesOfFloats({NAN}), bytesOfFloats({NAN}), 1, true).differences, 1)
      << "a reference without a number proves nothing";
}

TEST(ValueComparison, LetsCodesDifferByOneAndIntegersNotAtAll) {
  StepValue codes = valueOf("i8", 3);
  ValueBytes expected = {5, 0x81, 0}, near = {6, 0x82, 0xff}, far = {7, 0x81, 0};
  EXPECT_EQ(compareValue(codes, expected, near, boundOf(codes, "a8"), true).differences, 0);
  EXPECT_EQ(compareValue(codes, expected, far, boundOf(codes, "a8"), true).differences, 1);
  EXPECT_EQ(sumsOfCodes({5, 0x81, 0, 1}, 4, 2), sumsOfCodes({0, 0x86, 1, 0}, 2, 1));
  StepValue sums = valueOf("i32", 1);
  EXPECT_EQ(compareValue(sums, {1, 0, 0, 0}, {2, 0, 0, 0}, boundOf(sums, "a8"), true).differences, 1);
}

TEST(ValueComparison, ChoosesTokensAsTheRuntimeDoes) {
  ValueBytes best = bestTokens(bytesOfFloats({1, 3, 3, 9, 1, INFINITY, 0, 0, 1, 1, 1, NAN}), 4, 3);
  std::vector<int32_t> ids(3);
  std::memcpy(ids.data(), best.data(), best.size());
  EXPECT_EQ(ids, (std::vector<int32_t>{1, -1, 0}));
}

TEST_F(KernelCheckTest, PassesWhereNothingDiffers) {
  Outcome outcome = check(tested(), "--json");
  ASSERT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  Json json = parse(outcome.out);
  EXPECT_EQ(json["differences"], 0);
  EXPECT_EQ(json["ok"], true);
  EXPECT_GT(json["steps"], 20);
  EXPECT_GT(json["kernels"][2]["elements"], 304 * 20);
  EXPECT_EQ(json["kernels"][0]["elements"], 0) << "keys and values have no name";
  Outcome text = check(path, "--seed 5 --rounds 2");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "--seed 5")) << text.out;
  EXPECT_TRUE(contains(text.out, "append")) << text.out;
  EXPECT_TRUE(contains(text.out, "writes nothing that the reference names")) << text.out;
  Outcome one = check(path, "--rounds 1"), another = check(path, "--rounds 1");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_NE(one.out, another.out) << "a fresh seed each time";
}

TEST_F(KernelCheckTest, NamesTheKernelThatDiffers) {
  for (int32_t id = 0; id < 225; ++id)
    model.follow(id, 7); // its logit becomes 1000, of rows whose largest number is 1e6
  Outcome outcome = check(tested(), "--seed 3 --json");
  EXPECT_EQ(outcome.code, 1);
  Json json = parse(outcome.out);
  EXPECT_EQ(json["ok"], false);
  EXPECT_EQ(json["first"]["kernel"], "project");
  EXPECT_EQ(json["first"]["launch"], 2);
  EXPECT_EQ(json["first"]["row"], 0);
  EXPECT_EQ(json["first"]["column"], 7);
  EXPECT_EQ(json["first"]["found"], 1000.0);
  EXPECT_EQ(json["kernels"][1]["differences"], 0) << "the kernel before it is right";
  EXPECT_TRUE(contains(check(path, "--seed 3").out, "the first difference: kernel project, launch 2 of step 0"));
}

TEST_F(KernelCheckTest, ChecksAGpuAndItsChoiceOfTokens) {
  model.compileForGpu();
  std::string gpu = fakeDriver(), artifact = writeWithValues(model, "model.adze", {"", kHidden, kHead, kBest});
  Outcome outcome = check(artifact, "", gpu);
  EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "sm_75 on GPU 0 (Fake GPU")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "head.best_token")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "not compared")) << outcome.out;
  // A choice below another number of tokens is another token, in the kernel that chooses alone.
  model.manifest.model.legalTokens = other.manifest.model.legalTokens = 304;
  reference = writeWithValues(other, "reference.adze", {"", kHidden, kHead});
  Outcome wrong = check(writeWithValues(model, "model.adze", {"", kHidden, kHead, kBest}), "--json", gpu);
  EXPECT_EQ(wrong.code, 1) << wrong.err;
  Json json = parse(wrong.out);
  EXPECT_EQ(json["first"]["kernel"], "choose");
  EXPECT_EQ(json["kernels"][2]["differences"], 0);
}

TEST_F(KernelCheckTest, ListsWhatOneArtifactAloneHas) {
  std::string hidden = kHidden;
  hidden.replace(hidden.find("hidden"), 6, "mixed");
  Outcome outcome = check(writeWithValues(model, "model.adze", {"", hidden, kHead}), "");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "not compared, in " + path + " alone: mixed (rows of logits, 8 f32)"));
  EXPECT_TRUE(contains(outcome.out, "not compared, in " + reference + " alone: hidden (rows of logits, 8 f32)"));
  expectRefusal(check(writeWithValues(model, "model.adze", {"", hidden, ""}), ""), {"name no value alike", "--fuse"});
}

// The chosen tokens, declared as two columns: of the second nothing is ever written.
TEST_F(KernelCheckTest, FindsElementsThatAreNotWritten) {
  const char *two = R"({"name": "picked", "layer": -1, "word": 19, "output_rows": true, "columns": 2,
                       "element": "i32"})";
  model.chooseTokens();
  other.chooseTokens();
  reference = writeWithValues(other, "reference.adze", {"", kHidden, kHead, two});
  CheckOptions options;
  options.rounds = 2;
  Expected<std::unique_ptr<KernelCheck>> opened =
      KernelCheck::open(writeWithValues(model, "model.adze", {"", kHidden, kHead, two}), reference, options);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  Expected<CheckReport> report = (*opened)->run();
  ASSERT_TRUE(report.ok()) << report.status().message();
  ASSERT_TRUE(report->first.has_value());
  EXPECT_EQ(report->first->kernel, "choose");
  EXPECT_TRUE(report->first->element.unwritten);
  EXPECT_EQ(report->kernels[2].differences, 0);
}

TEST_F(KernelCheckTest, RefusesOtherModels) {
  model.manifest.numerics = "bf16";
  expectRefusal(check(tested(), ""),
                {"--against", "its numerics is f32, and that of", "is bf16", "for another target"});
  model.manifest.numerics = "f32";
  model.manifest.model.name = "another";
  expectRefusal(check(tested(), ""), {"its model is fake model"});
  model.manifest.model.name = "fake model";
  model.manifest.model.heads = 2;
  expectRefusal(check(tested(), ""), {"its number of heads is 1"});
  model.manifest.model.heads = 1;
  model.manifest.sources = {{"model.safetensors", 10, std::string(32, 'a')}};
  expectRefusal(check(tested(), ""), {"its list of source files"});
  model.manifest.sources.clear();
  expectRefusal(check(artifact() + "-none", ""), {"-none"});
  model.write(path);
  expectRefusal(check(path, ""), {"adze check", "values.json"});
  expectRefusal(adze("check " + path), {"--against is required", "see adze check --help"});
  expectRefusal(check(tested(), "--seed -1"), {"--seed is -1; accepted: 0 to"});
  expectRefusal(check(path, "--rounds 0"), {"--rounds"});
}
