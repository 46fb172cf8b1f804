#include "GgufMetadata.h"

#include "adze/Support/CheckedReader.h"

#include <bit>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace adze;
using namespace adze::test;

namespace {

// Sizes of the types u8 i8 u16 i16 u32 i32 f32 bool string array u64 i64 f64.
constexpr size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

std::string text(CheckedReader &in) { return std::string(*in.string(*in.u64())); }

double number(CheckedReader &in, uint32_t type) {
  std::span<const uint8_t> raw = *in.bytes(sizes[type]);
  uint64_t bits = 0;
  std::memcpy(&bits, raw.data(), raw.size());
  if (type == 6)
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (type == 12)
    return std::bit_cast<double>(bits);
  if (type == 5)
    return static_cast<int32_t>(bits);
  return static_cast<double>(bits);
}

} // namespace

GgufMetadata test::readGgufMetadata(const std::string &path) {
  // The metadata comes first; vocabularies are well below this size.
  std::ifstream stream(path, std::ios::binary);
  std::vector<char> bytes(48 << 20);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(stream.gcount()));
  CheckedReader in(std::span(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()), path);
  EXPECT_EQ(*in.string(4), "GGUF");
  (void)in.u32();
  (void)in.u64();
  GgufMetadata out;
  for (uint64_t pairs = *in.u64(); pairs > 0; --pairs) {
    std::string key = text(in);
    uint32_t type = *in.u32();
    uint64_t count = 1;
    if (type == 9) {
      type = *in.u32();
      count = *in.u64();
    }
    for (uint64_t i = 0; i < count; ++i) {
      if (type == 8)
        out.texts[key].push_back(text(in));
      else
        out.numbers[key].push_back(number(in, type));
    }
  }
  return out;
}

GgufVocabulary GgufMetadata::vocabulary(std::string_view file) const {
  auto one = [&](const std::string &key) {
    auto found = texts.find(key);
    return found == texts.end() ? std::string_view() : std::string_view(found->second[0]);
  };
  auto id = [&](const std::string &key) -> std::optional<uint32_t> {
    auto found = numbers.find("tokenizer.ggml." + key);
    return found == numbers.end() ? std::nullopt : std::optional<uint32_t>(static_cast<uint32_t>(found->second[0]));
  };
  auto flag = [&](const std::string &key) -> std::optional<bool> {
    auto found = id(key);
    return found ? std::optional<bool>(*found != 0) : std::nullopt;
  };
  auto list = [&](const std::string &key) {
    auto found = texts.find("tokenizer.ggml." + key);
    return found == texts.end() ? std::vector<std::string_view>()
                                : std::vector<std::string_view>(found->second.begin(), found->second.end());
  };
  GgufVocabulary out;
  out.file = file;
  out.model = one("tokenizer.ggml.model");
  out.pre = one("tokenizer.ggml.pre");
  out.tokens = list("tokens");
  out.merges = list("merges");
  if (auto types = numbers.find("tokenizer.ggml.token_type"); types != numbers.end())
    out.tokenTypes.assign(types->second.begin(), types->second.end());
  if (auto scores = numbers.find("tokenizer.ggml.scores"); scores != numbers.end() && out.model == "llama")
    out.scores.assign(scores->second.begin(), scores->second.end());
  out.bos = id("bos_token_id");
  out.eos = id("eos_token_id");
  out.eot = id("eot_token_id");
  out.unknown = id("unknown_token_id");
  out.padding = id("padding_token_id");
  out.addBos = flag("add_bos_token");
  out.addEos = flag("add_eos_token");
  out.addSpacePrefix = flag("add_space_prefix");
  out.chatTemplate = one("tokenizer.chat_template");
  return out;
}
