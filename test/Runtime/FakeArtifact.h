// FakeArtifact.h: writes the toy model (FakeProgram.c) as an artifact into a temporary folder, and collects answers.
#ifndef ADZE_TEST_RUNTIME_FAKEARTIFACT_H
#define ADZE_TEST_RUNTIME_FAKEARTIFACT_H

#include "FakeProgram.h"

#include "adze/Format/Manifest.h"
#include "adze/Format/TokenizerTable.h"
#include "adze/Runtime/Device/CpuDevice.h"
#include "adze/Runtime/Engine/Engine.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace adze {

/// A folder that disappears with the object.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  std::string file(const std::string &name) const { return path + "/" + name; }

  std::string path;
};

void putFile(const std::string &path, std::string_view bytes);
std::string takeFile(const std::string &path);

/// The toy model before it is written. Change what a test is about, then write().
struct FakeModel {
  FakeModel();
  /// Makes `next` follow `token`, whatever came before.
  void follow(int32_t token, int32_t next) { script[token] = next; }
  /// Answers "abc" with "xyz" and ends, and has a chat template that writes each turn behind its role in brackets.
  void answerAbcWithXyz();

  /// Writes the four files; sizes and hashes of the manifest are filled in.
  void write(const std::string &folder);
  std::shared_ptr<const Artifact> artifact();

  /// Gives the model a kernel that chooses each row's best token.
  void chooseTokens();
  /// Makes the model one for a GPU, which chooses tokens: the fake driver runs the kernels of a program for the CPU.
  void compileForGpu();

  /// Makes the model one that was compiled without weights: stand-ins that answer something, and no script.
  void leaveWeightsOut();

  Manifest manifest;
  TokenizerTable tokenizer;
  std::map<int32_t, int32_t> script;
  TemporaryFolder folder;
};

/// Everything that an engine said about one request.
struct Collector : AnswerSink {
  void token(RequestId id, const TokenEvent &event) override;
  void row(RequestId id, int64_t position, std::span<const float> logits) override;
  void finished(RequestId id, const AnswerEnd &end) override;

  std::vector<int32_t> tokens;
  std::vector<int64_t> positions;
  std::vector<std::string> pieces; // of text, the last from finished()
  std::vector<TokenChoice> choices;
  std::map<int64_t, std::vector<float>> rows;
  std::optional<AnswerEnd> end; // its text view is not to be read
  int finishedCalls = 0;

  std::string text() const;
};

/// An engine over a fake model, with the options of a test.
struct FakeEngine {
  explicit FakeEngine(FakeModel &model, EngineOptions options = {}, unsigned threads = 1);
  FakeEngine(FakeModel &model, EngineOptions options, std::unique_ptr<Device> device);
  /// Submits and expects success.
  std::shared_ptr<Collector> submit(AnswerRequest request);
  /// Submits, runs until idle, and expects that all pages came back.
  std::shared_ptr<Collector> answer(AnswerRequest request);

  std::unique_ptr<Device> device;
  std::unique_ptr<Engine> engine;
  RequestId lastId = 0;
};

/// A prompt of `count` byte tokens that differ by `seed`.
std::vector<int32_t> somePrompt(int64_t count, int seed);
/// Byte tokens of a text.
std::vector<int32_t> bytesOf(std::string_view text);

} // namespace adze
#endif
