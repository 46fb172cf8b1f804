#include "adze/Runtime/Engine/Model.h"

#include <fmt/format.h>

using namespace adze;

Model::Model(std::shared_ptr<const Artifact> artifact, Tokenizer text, std::shared_ptr<Device> hardware,
             std::unique_ptr<Engine> loop)
    : artifact(std::move(artifact)), text(std::move(text)), hardware(std::move(hardware)), loop(std::move(loop)) {
  if (const std::string &source = this->text.table().chatTemplate; !source.empty())
    chat = ChatTemplate::parse(source);
}

Expected<std::unique_ptr<Model>> Model::open(const std::string &path, ModelOptions options) {
  Expected<std::shared_ptr<const Artifact>> artifact = Artifact::open(path);
  if (!artifact)
    return artifact.status();
  Expected<Tokenizer> tokenizer = Tokenizer::load((*artifact)->tokenizer(), path + "/" + kTokenizerFile);
  if (!tokenizer)
    return tokenizer.status();
  std::shared_ptr<Device> device = std::move(options.existing);
  if (!device) {
    Expected<std::unique_ptr<Device>> opened = openDevice(options.device, (*artifact)->manifest().gpu.has_value());
    if (!opened)
      return opened.status();
    device = std::move(*opened);
  }
  Expected<std::unique_ptr<Engine>> engine = Engine::create(*artifact, *device, *tokenizer, std::move(options.engine));
  if (!engine)
    return engine.status();
  return std::unique_ptr<Model>(
      new Model(std::move(*artifact), std::move(*tokenizer), std::move(device), std::move(*engine)));
}

namespace {
Expected<std::vector<int32_t>> toSigned(const Expected<std::vector<uint32_t>> &ids) {
  if (!ids)
    return ids.status();
  return std::vector<int32_t>(ids->begin(), ids->end());
}
} // namespace

Expected<std::vector<int32_t>> Model::encodeText(std::string_view prompt) const {
  return toSigned(text.encode(prompt));
}

Expected<std::vector<int32_t>> Model::encodeChat(const OrderedJson &messages) const {
  if (!chat)
    return invalidInput(
        fmt::format("{} has no chat template; continue a text instead (--prompt)", manifest().model.name));
  if (!chat->ok())
    return chat->status();
  const TokenizerTable &table = text.table();
  ChatInput input;
  input.messages = messages;
  if (table.bos)
    input.bosToken = table.token(*table.bos);
  if (table.eos)
    input.eosToken = table.token(*table.eos);
  input.setNow();
  Expected<std::vector<TextRun>> runs = (*chat)->render(input);
  if (!runs)
    return runs.status();
  return toSigned(text.encode(*runs));
}
