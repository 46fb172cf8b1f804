// Model.h: a compiled model, opened: artifact, device, tokenizer, chat template and engine in one.
//
// What every program starts from: the tool `adze` and the C interface (adze/Abi/Adze.h) both open one, turn text and
// conversations into token ids with it, and give those to its engine.
//
// Threads: the encode functions and the defaults are const and safe from any thread; for the engine see Engine.h.
#ifndef ADZE_RUNTIME_ENGINE_MODEL_H
#define ADZE_RUNTIME_ENGINE_MODEL_H

#include "adze/Runtime/Device/Choice/DeviceChoice.h"
#include "adze/Runtime/Engine/Engine.h"
#include "adze/Text/ChatTemplate.h"
#include "adze/Text/Tokenizer.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

struct ModelOptions {
  EngineOptions engine;
  DeviceOptions device;
  std::shared_ptr<Device> existing; // of another model of this process, which has one pool of threads; null: a new one
};

class Model {
public:
  /// Opens the artifact's folder and takes all memory. The errors of Artifact::open, Tokenizer::load, openDevice
  /// and Engine::create; a chat template that does not parse is an error of encodeChat alone.
  static Expected<std::unique_ptr<Model>> open(const std::string &path, ModelOptions options);

  const Manifest &manifest() const { return artifact->manifest(); }
  const Tokenizer &tokenizer() const { return text; }
  Engine &engine() { return *loop; }
  const Engine &engine() const { return *loop; }
  Device &device() { return *hardware; }
  std::shared_ptr<Device> sharedDevice() { return hardware; }
  const Device &device() const { return *hardware; }

  /// What the model's makers ask for.
  SamplingParameters defaultSampling() const { return samplingFromDefaults(manifest().generation); }

  /// Ids of a text that continues as it is. InvalidInput for text that is not UTF-8.
  Expected<std::vector<int32_t>> encodeText(std::string_view prompt) const;
  /// Ids of a conversation (an array of chatMessage) by the model's template, ready for an answer. InvalidInput where
  /// there is no template or it refuses the conversation.
  Expected<std::vector<int32_t>> encodeChat(const OrderedJson &messages) const;

private:
  Model(std::shared_ptr<const Artifact> artifact, Tokenizer text, std::shared_ptr<Device> hardware,
        std::unique_ptr<Engine> loop);

  std::shared_ptr<const Artifact> artifact;
  Tokenizer text;
  std::optional<Expected<ChatTemplate>> chat; // none: the model has no template
  std::shared_ptr<Device> hardware;
  std::unique_ptr<Engine> loop; // ends before its device
};

} // namespace adze
#endif
