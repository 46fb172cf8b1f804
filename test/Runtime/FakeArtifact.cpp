#include "FakeArtifact.h"

#include "adze/Support/Hash.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace adze;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "adze-runtime-XXXXXX").string();
  path = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

void adze::putFile(const std::string &path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), std::streamsize(bytes.size()));
}

std::string adze::takeFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

FakeModel::FakeModel() {
  manifest.programVersion = ADZE_PROGRAM_VERSION;
  manifest.adzeVersion = "test";
  manifest.target = {"x86_64-unknown-linux-gnu", "x86-64-v2", {"sse4.2"}, 0, "f32"};
  manifest.numerics = "f32";
  manifest.model = {"fake", "fake model", 1, 8, 1, 1, 8, FAKE_VOCABULARY, FAKE_LEGAL, FAKE_CONTEXT};
  manifest.kv = {FAKE_PAGE, FAKE_PAGE_BYTES, FAKE_WIDTH * 4, "f32"};
  SizeForm hidden, logits;
  hidden.rows.fixed = FAKE_WIDTH * 4;
  logits.rows.fixed = FAKE_VOCABULARY * 4;
  manifest.memory = {{{hidden}, {logits}}, 1, {}};
  manifest.kernels = {{"append", "kv_append", {1, 64, 64, "invariant"}, 1, {}, {}},
                      {"attend", "attention", {1, 1, 64, "invariant"}, 1, {}, {}},
                      {"project", "linear", {4, 16, 32, "invariant"}, 1, {}, {}}};
  manifest.kernels[0].bytes.tokens = 64;
  manifest.kernels[1].operations.pairs = 16;
  manifest.kernels[2].bytes.constant = FAKE_VOCABULARY * FAKE_WIDTH * 4;
  manifest.generation.endTokens = {FAKE_END};

  for (int byte = 0; byte < 256; ++byte)
    tokenizer.addToken(std::string(1, char(byte)), TokenKind::Normal);
  tokenizer.addToken("<end>", TokenKind::Control);
  tokenizer.addToken("<other-end>", TokenKind::Control);
  tokenizer.addToken("KL", TokenKind::Normal);
  tokenizer.addToken("MN", TokenKind::Normal);
  tokenizer.addToken("[unused]", TokenKind::Unused);
  for (int id = FAKE_STOP_STEP; id < FAKE_LEGAL; ++id)
    tokenizer.addToken("<t" + std::to_string(id) + ">", TokenKind::Normal);
  tokenizer.endTokens = {FAKE_OTHER_END};
}

void FakeModel::answerAbcWithXyz() {
  follow('c', 'x');
  follow('x', 'y');
  follow('y', 'z');
  follow('z', FAKE_END);
  tokenizer.chatTemplate = "{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{% endfor %}";
}

void FakeModel::chooseTokens() {
  SizeForm best;
  best.rows.fixed = 4;
  manifest.memory.slots.push_back({best});
  manifest.memory.choiceSlot = 2;
  manifest.kernels.push_back({"choose", "best_token", {1, 8192, 8192, "invariant"}, 1, {}, {}});
}

void FakeModel::compileForGpu() {
  chooseTokens();
  manifest.gpu.emplace();
  manifest.gpu->architecture = "sm_75";
  manifest.gpu->driver = 12000;
  for (const ManifestKernel &kernel : manifest.kernels)
    manifest.gpu->kernels.push_back({kernel.name, 32, 0, FAKE_ARGUMENT_BYTES});
}

void FakeModel::leaveWeightsOut() {
  const int64_t mix = FAKE_VOCABULARY * FAKE_WIDTH * 4, next = FAKE_VOCABULARY * 4;
  manifest.standIn.emplace();
  manifest.standIn->weights = {{"mix", 0, mix, "f32", "normal", 0, 0.5, ""},
                               {"next", mix, next, "i8", "given", 0, 0, std::string(size_t(next) * 2, 'f')}};
}

void FakeModel::write(const std::string &path) {
  std::string weights;
  uint64_t state = 88172645463325252u;
  for (int i = 0; i < FAKE_VOCABULARY * FAKE_WIDTH; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    float value = float(int(state % 2001) - 1000) / 1000.0f;
    weights.append(reinterpret_cast<const char *>(&value), 4);
  }
  for (int32_t id = 0; id < FAKE_VOCABULARY; ++id) {
    auto found = script.find(id);
    int32_t next = found == script.end() ? -1 : found->second;
    weights.append(reinterpret_cast<const char *>(&next), 4);
  }
  std::filesystem::create_directories(path);
  const char *program = manifest.gpu                 ? ADZE_FAKE_GPU_PROGRAM
                        : manifest.memory.choiceSlot ? ADZE_FAKE_CHOOSING_PROGRAM
                                                     : ADZE_FAKE_PROGRAM;
  std::map<std::string, std::string> files = {
      {kProgramFile, takeFile(program)}, {kTokenizerFile, serialise(tokenizer)}, {kWeightsFile, weights}};
  if (manifest.gpu) { // all that the fake driver looks for in a text
    std::string text = "// program: " ADZE_FAKE_CHOOSING_PROGRAM "\n";
    for (const ManifestGpuKernel &kernel : manifest.gpu->kernels)
      text +=
          ".entry " + kernel.function + "(.param .align 8 .b8 block[" + std::to_string(kernel.argumentBytes) + "])\n";
    files[kGpuCodeFile] = text + std::string(1, '\0');
    if (manifest.gpu->cubin)
      files[kGpuCubinFile] = "\x7f"
                             "ELF" +
                             files[kGpuCodeFile];
  }
  manifest.sections.clear();
  for (const auto &[name, bytes] : files) {
    if (manifest.lacksWeights() && name == kWeightsFile) {
      manifest.sections.push_back({name, int64_t(bytes.size()), ""});
      continue;
    }
    putFile(path + "/" + name, bytes);
    manifest.sections.push_back({name, int64_t(bytes.size()), hashText(bytes)});
  }
  putFile(path + "/" + kManifestFile, writeManifest(manifest));
}

std::shared_ptr<const Artifact> FakeModel::artifact() {
  write(folder.file("model.adze"));
  Expected<std::shared_ptr<const Artifact>> opened = Artifact::open(folder.file("model.adze"));
  EXPECT_TRUE(opened.ok()) << opened.status().message();
  return opened.ok() ? *opened : nullptr;
}

void Collector::token(RequestId, const TokenEvent &event) {
  tokens.push_back(event.token);
  positions.push_back(event.position);
  pieces.emplace_back(event.text);
  if (event.choice)
    choices.push_back(*event.choice);
}

void Collector::row(RequestId, int64_t position, std::span<const float> logits) {
  rows.emplace(position, std::vector<float>(logits.begin(), logits.end()));
}

void Collector::finished(RequestId, const AnswerEnd &answerEnd) {
  pieces.emplace_back(answerEnd.text);
  end = answerEnd;
  end->text = {};
  ++finishedCalls;
}

std::string Collector::text() const {
  std::string joined;
  for (const std::string &piece : pieces)
    joined += piece;
  return joined;
}

FakeEngine::FakeEngine(FakeModel &model, EngineOptions options, unsigned threads)
    : FakeEngine(model, std::move(options), std::make_unique<CpuDevice>(CpuDeviceOptions{threads, false})) {}

FakeEngine::FakeEngine(FakeModel &model, EngineOptions options, std::unique_ptr<Device> owned)
    : device(std::move(owned)) {
  std::shared_ptr<const Artifact> artifact = model.artifact();
  Expected<Tokenizer> tokenizer = Tokenizer::load(artifact->tokenizer(), "tokenizer.bin");
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status().message();
  options.poison = true;
  Expected<std::unique_ptr<Engine>> made = Engine::create(artifact, *device, *tokenizer, options);
  EXPECT_TRUE(made.ok()) << made.status().message();
  if (made)
    engine = std::move(*made);
}

std::shared_ptr<Collector> FakeEngine::submit(AnswerRequest request) {
  auto sink = std::make_shared<Collector>();
  request.sink = sink;
  Expected<RequestId> id = engine->submit(std::move(request));
  EXPECT_TRUE(id.ok()) << id.status().message();
  lastId = id ? *id : 0;
  return sink;
}

std::shared_ptr<Collector> FakeEngine::answer(AnswerRequest request) {
  std::shared_ptr<Collector> sink = submit(std::move(request));
  engine->runUntilIdle();
  EXPECT_EQ(sink->finishedCalls, 1);
  EXPECT_EQ(engine->blocks().free(), engine->blocks().total());
  return sink;
}

std::vector<int32_t> adze::somePrompt(int64_t count, int seed) {
  std::vector<int32_t> prompt;
  for (int64_t i = 0; i < count; ++i)
    prompt.push_back(int32_t((i * 37 + seed * 101 + i * i % 11) % 250));
  return prompt;
}

std::vector<int32_t> adze::bytesOf(std::string_view text) {
  std::vector<int32_t> ids;
  for (char c : text)
    ids.push_back(int32_t(uint8_t(c)));
  return ids;
}
