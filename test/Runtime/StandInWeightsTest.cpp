// Weights from a seed: what the manifest asks for, the same bytes from any number of threads, and an artifact that is
// as good as any other afterwards.
#include "FakeArtifact.h"

#include "adze/Format/FloatFormats.h"
#include "adze/Runtime/Artifact/StandInWeights.h"
#include "adze/Support/Hash.h"

#include <cmath>
#include <cstring>
#include <filesystem>

using namespace adze;

namespace {
std::vector<uint8_t> piece(const ManifestStandIn &standIn, uint64_t seed, int64_t number, int64_t bytes) {
  std::vector<uint8_t> out(size_t(bytes), uint8_t(0xcd));
  generateStandInPiece(standIn, seed, number, out);
  return out;
}

struct Moments {
  double mean = 0, deviation = 0, least = 1e300, most = -1e300;
};
template <class Function> Moments momentsOf(size_t count, Function &&value) {
  Moments m;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < count; ++i) {
    double v = value(i);
    sum += v, squares += v * v;
    m.least = std::min(m.least, v), m.most = std::max(m.most, v);
  }
  m.mean = sum / double(count);
  m.deviation = std::sqrt(squares / double(count) - m.mean * m.mean);
  return m;
}
uint16_t half(const std::vector<uint8_t> &bytes, size_t i) {
  uint16_t bits;
  std::memcpy(&bits, bytes.data() + 2 * i, 2);
  return bits;
}
void ignoreProgress(int64_t, int64_t) {}
} // namespace

TEST(StandInWeights, HasTheMeanAndTheSpreadThatTheManifestSays) {
  constexpr int64_t kBytes = 1 << 17;
  auto made = [](const char *element, const char *kind, double center, double spread) {
    return piece({{}, {{"w", 0, kBytes, element, kind, center, spread, ""}}}, 3, 0, kBytes);
  };
  std::vector<uint8_t> bytes = made("bf16", "normal", 0, 0.0625);
  Moments m = momentsOf(bytes.size() / 2, [&](size_t i) { return bfloatToFloat(half(bytes, i)); });
  EXPECT_NEAR(m.mean, 0, 0.001);
  EXPECT_NEAR(m.deviation, 0.0625, 0.0006);
  EXPECT_GT(m.most, 3 * 0.0625);
  bytes = made("f32", "normal", 1, 0.25);
  m = momentsOf(bytes.size() / 4, [&](size_t i) {
    float value;
    std::memcpy(&value, bytes.data() + 4 * i, 4);
    return value;
  });
  EXPECT_NEAR(m.mean, 1, 0.005);
  EXPECT_NEAR(m.deviation, 0.25, 0.003);
  bytes = made("f16", "uniform", 0.02, 0.005);
  m = momentsOf(bytes.size() / 2, [&](size_t i) { return halfToFloat(half(bytes, i)); });
  EXPECT_NEAR(m.mean, 0.02, 0.0001);
  EXPECT_NEAR(m.least, 0.015, 1e-5);
  EXPECT_NEAR(m.most, 0.025, 1e-5);
  bytes = made("i8", "uniform", -0.5, 31.5);
  m = momentsOf(bytes.size(), [&](size_t i) { return int8_t(bytes[i]); });
  EXPECT_EQ(m.least, -32);
  EXPECT_EQ(m.most, 31);
  EXPECT_NEAR(m.mean, -0.5, 0.2);
  bytes = made("i4", "uniform", 7.5, 7.5);
  m = momentsOf(bytes.size() * 2, [&](size_t i) { return bytes[i / 2] >> (i % 2 * 4) & 15; });
  EXPECT_EQ(m.least, 0);
  EXPECT_EQ(m.most, 15);
  EXPECT_NEAR(m.mean, 7.5, 0.05);
}

TEST(StandInWeights, GivesWhatIsGivenAndZerosBetweenWeights) {
  ManifestStandIn standIn{{},
                          {{"a", 256, 4, "f32", "given", 0, 0, "0a1bff00"}, {"b", 512, 3, "i8", "uniform", 5, 0, ""}}};
  std::vector<uint8_t> bytes = piece(standIn, 1, 0, 1024), wanted(1024, 0);
  for (auto [at, value] : {std::pair{256, 0x0a}, {257, 0x1b}, {258, 0xff}, {512, 5}, {513, 5}, {514, 5}})
    wanted[size_t(at)] = uint8_t(value);
  EXPECT_EQ(bytes, wanted);
}

// A weight that begins in one piece, fills another and ends in a third.
TEST(StandInWeights, AWeightGoesOnInTheNextPiece) {
  ManifestStandIn standIn{{}, {{"w", 256, 2 * kStandInPiece, "i8", "uniform", 64, 63, ""}}};
  for (int64_t number : {0, 1, 2}) {
    std::vector<uint8_t> bytes = piece(standIn, 1, number, number == 2 ? 1024 : kStandInPiece);
    size_t zeros = size_t(std::count(bytes.begin(), bytes.end(), uint8_t(0)));
    EXPECT_EQ(zeros, number == 0 ? 256u : number == 1 ? 0u : 768u);
  }
  EXPECT_NE(piece(standIn, 1, 1, 4096), piece(standIn, 2, 1, 4096)) << "the seed counts";
  EXPECT_NE(piece(standIn, 1, 1, 4096), piece(standIn, 1, 3, 4096)) << "the piece counts";
}

TEST(StandInWeights, CompletesAnArtifactThatIsThenLikeAnyOther) {
  FakeModel model;
  model.leaveWeightsOut();
  std::string path = model.folder.file("model.adze");
  model.write(path);
  Expected<std::shared_ptr<const Artifact>> opened = Artifact::open(path);
  ASSERT_FALSE(opened.ok());
  for (const char *part : {"weights.bin is not there", "compiled without weights", "adze bench weights", path.c_str()})
    EXPECT_NE(opened.status().message().find(part), std::string::npos) << opened.status().message();
  std::vector<SectionCheck> checks = *verifyArtifact(path);
  for (const SectionCheck &check : checks)
    EXPECT_EQ(check.status.ok(), check.file != kWeightsFile) << check.file;

  Status status = makeStandInWeights(path, 7, 2, ignoreProgress);
  ASSERT_TRUE(status.ok()) << status.message();
  opened = Artifact::open(path);
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  EXPECT_EQ((*opened)->manifest().standIn->seed, 7u);
  checks = *verifyArtifact(path);
  for (const SectionCheck &check : checks)
    EXPECT_TRUE(check.status.ok()) << check.status.message();
  std::string first = (*opened)->manifest().section(kWeightsFile)->hash;
  EXPECT_EQ(hashText(takeFile(path + "/weights.bin")), first);

  // Another seed replaces them, the first gives the first bytes again.
  ASSERT_TRUE(makeStandInWeights(path, 8, 1, ignoreProgress).ok());
  EXPECT_NE(readArtifactManifest(path)->section(kWeightsFile)->hash, first);
  ASSERT_TRUE(makeStandInWeights(path, 7, 1, ignoreProgress).ok());
  EXPECT_EQ(readArtifactManifest(path)->section(kWeightsFile)->hash, first);
}

// Several batches, the last one cut: hash and bytes are those of a file made by one thread.
TEST(StandInWeights, IsTheSameFromAnyNumberOfThreads) {
  constexpr int64_t kBytes = 11 * kStandInPiece + 512;
  std::string first;
  for (unsigned threads : {1u, 2u, 3u}) {
    FakeModel model;
    std::string path = model.folder.file("model.adze");
    model.leaveWeightsOut();
    model.manifest.standIn->weights = {{"w", 0, kBytes, "bf16", "normal", 0, 1, ""}};
    model.write(path);
    model.manifest.sections.back().size = kBytes;
    ASSERT_EQ(model.manifest.sections.back().file, kWeightsFile);
    putFile(path + "/" + kManifestFile, writeManifest(model.manifest));
    std::vector<std::pair<int64_t, int64_t>> told;
    auto progress = [&](int64_t done, int64_t all) { told.push_back({done, all}); };
    Status status = makeStandInWeights(path, 5, threads, progress);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(told.back(), (std::pair<int64_t, int64_t>{kBytes, kBytes}));
    std::string bytes = takeFile(path + "/weights.bin");
    EXPECT_EQ(int64_t(bytes.size()), kBytes);
    EXPECT_EQ(readArtifactManifest(path)->section(kWeightsFile)->hash, hashText(bytes));
    first = first.empty() ? bytes : first;
    EXPECT_TRUE(bytes == first) << threads << " threads";
  }
}

TEST(StandInWeights, LeavesAModelsOwnWeightsAlone) {
  FakeModel model;
  std::string path = model.folder.file("model.adze");
  model.write(path);
  std::string before = takeFile(path + "/weights.bin");
  Status status = makeStandInWeights(path, 7, 1, ignoreProgress);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), ErrorCode::InvalidInput);
  EXPECT_NE(status.message().find("has the weights of its model"), std::string::npos) << status.message();
  EXPECT_EQ(takeFile(path + "/weights.bin"), before);
}
