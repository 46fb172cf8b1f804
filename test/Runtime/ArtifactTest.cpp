// Opening an artifact: what is sound opens, what is damaged, cut, mixed up or foreign is refused with the reason.
#include "FakeArtifact.h"

#include "adze/Support/Hash.h"

#include <filesystem>

using namespace adze;

namespace {
struct Opened {
  FakeModel model;
  std::string path = model.folder.file("model.adze");

  std::string file(const char *name) const { return path + "/" + name; }
  Status open(ArtifactOptions options = {}) const {
    Expected<std::shared_ptr<const Artifact>> artifact = Artifact::open(path, options);
    return artifact ? Status() : artifact.status();
  }
  void expectRefusal(std::initializer_list<const char *> words) const {
    Status status = open();
    ASSERT_FALSE(status.ok());
    for (const char *word : words)
      EXPECT_NE(status.message().find(word), std::string::npos) << word << " in: " << status.message();
  }
  // One byte of a file changed, size kept.
  void damage(const char *name, size_t at) const {
    std::string bytes = takeFile(file(name));
    bytes[at] = char(bytes[at] ^ 0x20);
    putFile(file(name), bytes);
  }
  void cut(const char *name) const {
    std::string bytes = takeFile(file(name));
    putFile(file(name), bytes.substr(0, bytes.size() / 2));
  }
};
} // namespace

TEST(Artifact, OpensWhatIsSound) {
  Opened a;
  a.model.write(a.path);
  Expected<std::shared_ptr<const Artifact>> artifact = Artifact::open(a.path);
  ASSERT_TRUE(artifact.ok()) << artifact.status().message();
  EXPECT_EQ((*artifact)->program().kernel_count, 3u);
  EXPECT_EQ((*artifact)->manifest().model.name, "fake model");
  EXPECT_EQ(reinterpret_cast<uintptr_t>((*artifact)->weights().data()) % 256, 0u);
}

TEST(Artifact, OpensFromAnotherFolder) {
  Opened a;
  a.model.write(a.path);
  std::filesystem::rename(a.path, a.model.folder.file("moved"));
  EXPECT_TRUE(Artifact::open(a.model.folder.file("moved")).ok());
}

TEST(Artifact, RefusesAPathThatIsNoArtifact) {
  Opened a;
  EXPECT_EQ(a.open().code(), ErrorCode::NotFound);
  std::filesystem::create_directories(a.path);
  a.expectRefusal({"is no artifact", "manifest.json", "adze compile"});
}

TEST(Artifact, RefusesAMissingFileByName) {
  for (const char *name : {kProgramFile, kWeightsFile, kTokenizerFile}) {
    Opened a;
    a.model.write(a.path);
    std::filesystem::remove(a.file(name));
    a.expectRefusal({name, "is not complete", "is missing", "copy the artifact again"});
  }
}

TEST(Artifact, SaysThatASectionIsNotThereToReadAlone) {
  Opened a;
  a.model.write(a.path);
  Expected<std::string> tokenizer = readArtifactSection(a.path, kTokenizerFile);
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  EXPECT_EQ(*tokenizer, takeFile(a.file(kTokenizerFile)));
  Expected<std::string> values = readArtifactSection(a.path, "values.json");
  ASSERT_FALSE(values.ok());
  EXPECT_NE(values.status().message().find("names no section values.json"), std::string::npos)
      << values.status().message();
}

TEST(Artifact, RefusesAFileThatIsCutShort) {
  for (const char *name : {kProgramFile, kWeightsFile, kTokenizerFile}) {
    Opened a;
    a.model.write(a.path);
    a.cut(name);
    a.expectRefusal({name, "cut short", "manifest says"});
  }
}

TEST(Artifact, RefusesADamagedProgramOrTokenizer) {
  for (const char *name : {kProgramFile, kTokenizerFile}) {
    Opened a;
    a.model.write(a.path);
    a.damage(name, takeFile(a.file(name)).size() / 2);
    a.expectRefusal({name, "damaged", "copy the artifact again"});
  }
}

TEST(Artifact, RefusesADamagedManifest) {
  Opened a;
  a.model.write(a.path);
  a.cut(kManifestFile);
  a.expectRefusal({"manifest.json"});
  putFile(a.file(kManifestFile), "{}");
  a.expectRefusal({"manifest.json", "format_version"});
}

TEST(Artifact, RefusesOtherVersionsByNumber) {
  Opened a;
  a.model.manifest.programVersion = ADZE_PROGRAM_VERSION + 1;
  a.model.write(a.path);
  a.expectRefusal({"version 3 of the program interface", "takes 2", "compile the model again"});
}

TEST(Artifact, RefusesAMachineThatLacksAFeatureByName) {
  Opened a;
  a.model.manifest.target.features = {"avx2", "avx512vnni"};
  a.model.write(a.path);
  ArtifactOptions older;
  older.feature = [](std::string_view name) { return name == "avx2" ? FeatureState::Present : FeatureState::Absent; };
  Status status = a.open(older);
  EXPECT_EQ(status.code(), ErrorCode::Unsupported);
  EXPECT_NE(status.message().find("lacks the feature avx512vnni"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("--cpu"), std::string::npos);
}

TEST(Artifact, RefusesAFeatureThatItDoesNotKnow) {
  Opened a;
  a.model.manifest.target.features = {"avx9000"};
  a.model.write(a.path);
  a.expectRefusal({"avx9000", "does not know"});
}

TEST(Artifact, RefusesAnotherTarget) {
  Opened a;
  a.model.manifest.target.triple = "aarch64-unknown-linux-gnu";
  a.model.write(a.path);
  a.expectRefusal({"aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"});
}

// Every file is sound by itself, but the program belongs to another artifact.
TEST(Artifact, RefusesAProgramOfAnotherArtifact) {
  Opened a;
  a.model.manifest.kernels[1].name = "another";
  a.model.write(a.path);
  a.expectRefusal({"kernel 1 is attend", "another", "different artifacts"});
  Opened b;
  b.model.manifest.kernels.pop_back();
  b.model.write(b.path);
  b.expectRefusal({"3 kernels", "says 2"});
  Opened c;
  c.model.manifest.memory.logitsSlot = 0;
  c.model.write(c.path);
  c.expectRefusal({"slot of logits"});
  Opened d;
  d.model.chooseTokens();
  d.model.manifest.memory.choiceSlot = 0;
  d.model.write(d.path);
  d.expectRefusal({"has 2 as its slot of tokens", "says 0"});
}

TEST(Artifact, RefusesAProgramThatIsNone) {
  Opened a;
  a.model.write(a.path);
  std::string text = "this is no shared object";
  putFile(a.file(kProgramFile), text);
  EXPECT_FALSE(LoadedProgram::open(a.file(kProgramFile)).ok());
}

TEST(Artifact, RefusesAProgramForAGpuWithoutItsCode) {
  Opened a;
  a.model.chooseTokens(); // as the program for a GPU does
  a.model.write(a.path);
  std::string program = takeFile(ADZE_FAKE_GPU_PROGRAM);
  putFile(a.file(kProgramFile), program);
  for (ManifestSection &section : a.model.manifest.sections)
    if (section.file == kProgramFile)
      section = {kProgramFile, int64_t(program.size()), hashText(program)};
  putFile(a.file(kManifestFile), writeManifest(a.model.manifest));
  a.expectRefusal({"kernel 0 has no code for a CPU", "no key 'gpu'", "different artifacts"});
}

TEST(Artifact, ChecksTheCodeOfAGpuLikeTheProgram) {
  Opened a;
  a.model.compileForGpu();
  a.model.write(a.path);
  { // closed again before its program is written over
    Expected<std::shared_ptr<const Artifact>> artifact = Artifact::open(a.path);
    ASSERT_TRUE(artifact.ok()) << artifact.status().message();
    EXPECT_EQ((*artifact)->gpuCode().size(), takeFile(a.file(kGpuCodeFile)).size());
  }
  a.damage(kGpuCodeFile, 3);
  a.expectRefusal({"kernels.bin is damaged", "copy the artifact again"});
  a.cut(kGpuCodeFile);
  a.expectRefusal({"kernels.bin has", "cut short"});
  std::filesystem::remove(a.file(kGpuCodeFile));
  a.expectRefusal({"kernels.bin"});
  a.model.write(a.path);
  std::erase_if(a.model.manifest.sections, [](const ManifestSection &s) { return s.file == kGpuCodeFile; });
  putFile(a.file(kManifestFile), writeManifest(a.model.manifest));
  a.expectRefusal({"names no section kernels.bin"});
}

TEST(Artifact, ChecksMachineCodeWhereThereIsSome) {
  Opened a;
  a.model.compileForGpu();
  a.model.write(a.path);
  EXPECT_TRUE((*Artifact::open(a.path))->gpuCubin().empty());
  a.model.manifest.gpu->cubin = ManifestCubin{"sm_90a", 13000, "ptxas 13.0.88"};
  a.model.write(a.path);
  {
    Expected<std::shared_ptr<const Artifact>> artifact = Artifact::open(a.path);
    ASSERT_TRUE(artifact.ok()) << artifact.status().message();
    EXPECT_EQ((*artifact)->gpuCubin().size(), takeFile(a.file(kGpuCubinFile)).size());
  }
  a.damage(kGpuCubinFile, 9);
  a.expectRefusal({"kernels.cubin is damaged", "copy the artifact again"});
  std::filesystem::remove(a.file(kGpuCubinFile));
  a.expectRefusal({"kernels.cubin"});
}

TEST(Artifact, VerifyFindsADamagedWeight) {
  Opened a;
  a.model.write(a.path);
  Expected<std::vector<SectionCheck>> sound = verifyArtifact(a.path);
  ASSERT_TRUE(sound.ok());
  ASSERT_EQ(sound->size(), 3u);
  for (const SectionCheck &check : *sound)
    EXPECT_TRUE(check.status.ok()) << check.file;
  a.damage(kWeightsFile, 100);
  EXPECT_TRUE(a.open().ok()) << "opening does not read weights";
  Expected<std::vector<SectionCheck>> damaged = verifyArtifact(a.path);
  ASSERT_TRUE(damaged.ok());
  for (const SectionCheck &check : *damaged)
    EXPECT_EQ(check.status.ok(), check.file != kWeightsFile) << check.file;
}

TEST(Artifact, RefusesAManifestBeyondItsLimit) {
  Opened a;
  a.model.write(a.path);
  std::filesystem::resize_file(a.file(kManifestFile), (16u << 20) + 1); // sparse
  a.expectRefusal({"manifest.json", "16777217 bytes", "at most 16777216"});
}

TEST(CpuFeatures, KnowsThisMachine) {
  EXPECT_EQ(cpuFeature("sse4.2"), FeatureState::Present);
  EXPECT_EQ(cpuFeature("no-such-thing"), FeatureState::Unknown);
  std::vector<std::string> names = presentCpuFeatures();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}
