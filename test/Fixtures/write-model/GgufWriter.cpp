// The GGUF container, version 3 (or 2, which differs in nothing that is written here but the number).
#include "TinyModel.h"

namespace fixture {
namespace {

enum ValueType : uint32_t { U32 = 4, I32 = 5, F32 = 6, Bool = 7, String = 8, Array = 9 };

class Metadata {
public:
  void text(const std::string &key, const std::string &value) {
    head(key, String);
    string(value);
  }
  void u32(const std::string &key, int64_t value) {
    head(key, U32);
    integer(uint64_t(value), 4);
  }
  void f32(const std::string &key, float value) {
    head(key, F32);
    floating(value);
  }
  void boolean(const std::string &key, bool value) {
    head(key, Bool);
    bytes += char(value);
  }
  void texts(const std::string &key, const std::vector<std::string> &values) {
    head(key, Array);
    integer(String, 4);
    integer(values.size(), 8);
    for (const std::string &value : values)
      string(value);
  }
  void integers(const std::string &key, const std::vector<int> &values) {
    head(key, Array);
    integer(I32, 4);
    integer(values.size(), 8);
    for (int value : values)
      integer(uint32_t(value), 4);
  }
  void string(const std::string &value) {
    integer(value.size(), 8);
    bytes += value;
  }
  void integer(uint64_t value, int count) {
    for (int i = 0; i < count; ++i)
      bytes += char(value >> (8 * i));
  }
  void floating(float value) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, 4);
    integer(bits, 4);
  }

  std::string bytes;
  uint64_t count = 0;

private:
  void head(const std::string &key, ValueType type) {
    string(key);
    integer(type, 4);
    ++count;
  }
};

struct TypeRow {
  const char *name;
  uint32_t tensorType, fileType;
};
constexpr TypeRow typeRows[] = {{"f32", 0, 0},  {"f16", 1, 1},  {"bf16", 30, 32}, {"q8_0", 8, 7},
                                {"q4_0", 2, 2}, {"q4_1", 3, 3}, {"q6_k", 14, 18}};

const TypeRow &typeRow(const std::string &name) {
  for (const TypeRow &row : typeRows)
    if (name == row.name)
      return row;
  fail("unknown type " + name);
}

Metadata describe(const Model &model) {
  const Options &o = model.options;
  Vocabulary v = makeVocabulary(o.vocabulary);
  const std::string arch = model.ggufArchitecture;
  Metadata m;
  m.text("general.architecture", arch);
  m.text("general.type", "model");
  m.text("general.name", "Tiny " + o.family);
  m.text("general.license", "apache-2.0");
  m.u32("general.file_type", typeRow(o.type).fileType);
  m.u32("general.quantization_version", 2);
  m.u32(arch + ".block_count", o.layers);
  m.u32(arch + ".context_length", o.context);
  m.u32(arch + ".embedding_length", o.hidden);
  m.u32(arch + ".feed_forward_length", o.feedForward);
  m.u32(arch + ".attention.head_count", o.heads);
  m.u32(arch + ".attention.head_count_kv", o.kvHeads);
  m.f32(arch + ".attention.layer_norm_rms_epsilon", 1e-5f);
  m.f32(arch + ".rope.freq_base", 10000.0f);
  if (o.headDim * o.heads != o.hidden) {
    m.u32(arch + ".attention.key_length", o.headDim);
    m.u32(arch + ".attention.value_length", o.headDim);
  }
  if (arch == "llama") {
    m.u32("llama.vocab_size", o.vocabulary);
    m.u32("llama.rope.dimension_count", o.headDim);
  }
  if (o.window)
    m.u32(arch + ".attention.sliding_window", o.window);
  m.text("tokenizer.ggml.model", "gpt2");
  m.text("tokenizer.ggml.pre", o.preSplit);
  m.texts("tokenizer.ggml.tokens", v.tokens);
  m.integers("tokenizer.ggml.token_type", v.types);
  m.texts("tokenizer.ggml.merges", v.merges);
  m.u32("tokenizer.ggml.bos_token_id", v.endOfText);
  m.u32("tokenizer.ggml.eos_token_id", v.end);
  m.u32("tokenizer.ggml.padding_token_id", v.end);
  m.boolean("tokenizer.ggml.add_bos_token", false);
  m.text("tokenizer.chat_template", chatTemplate);
  return m;
}

// The stored row that holds row r of an interleaved head: 2j + i for row j + i * (d / 2).
int64_t sourceRow(const Tensor &tensor, int64_t stored) {
  if (tensor.permutedHeads == 0)
    return stored;
  int64_t d = tensor.rows / tensor.permutedHeads, head = stored / d, within = stored % d;
  return head * d + within / 2 + within % 2 * (d / 2);
}

} // namespace

void writeGguf(const Model &model) {
  const Options &o = model.options;
  Metadata metadata = describe(model), infos;
  std::string data;
  uint64_t count = 0;
  auto begin = [&](const std::string &name, std::vector<int64_t> dims, uint32_t type) {
    infos.string(name);
    infos.integer(dims.size(), 4);
    for (int64_t dim : dims)
      infos.integer(uint64_t(dim), 8);
    infos.integer(type, 4);
    infos.integer(data.size(), 8);
    ++count;
  };
  auto pad = [&] { data.append((32 - data.size() % 32) % 32, '\0'); };
  for (const Tensor &tensor : model.tensors) {
    begin(tensor.ggufName,
          tensor.kind == Kind::Matrix ? std::vector<int64_t>{tensor.columns, tensor.rows}
                                      : std::vector<int64_t>{tensor.columns},
          typeRow(tensor.type).tensorType);
    for (int64_t row = 0; row < tensor.rows; ++row) {
      std::vector<uint8_t> bytes = encodeRow(model, tensor, sourceRow(tensor, row));
      data.append(bytes.begin(), bytes.end());
    }
    pad();
  }
  if (o.rope == "llama3") {
    begin("rope_freqs.weight", {o.headDim / 2}, 0);
    std::vector<uint8_t> bytes = floatRow(llama3Divisors(o.headDim), "f32");
    data.append(bytes.begin(), bytes.end());
    pad();
  }
  Metadata head;
  head.bytes = "GGUF";
  head.integer(3, 4);
  head.integer(count, 8);
  head.integer(metadata.count, 8);
  std::string file = head.bytes + metadata.bytes + infos.bytes;
  file.append((32 - file.size() % 32) % 32, '\0');
  writeBytes(o.out, file + data);
}

} // namespace fixture
