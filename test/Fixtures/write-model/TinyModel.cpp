// Which tensors a family has, and their numbers.
#include "TinyModel.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fixture {

void fail(const std::string &message) {
  std::fprintf(stderr, "write-model: %s\n", message.c_str());
  std::exit(1);
}

void writeBytes(const std::string &path, const std::string &bytes) {
  FILE *file = std::fopen(path.c_str(), "wb");
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fclose(file) != 0)
    fail("cannot write " + path);
}

int64_t rowBytes(const std::string &type, int64_t columns) {
  struct Row {
    const char *type;
    int64_t block, bytes;
  };
  for (const Row &row : {Row{"f32", 1, 4}, Row{"f16", 1, 2}, Row{"bf16", 1, 2}, Row{"q8_0", 32, 34},
                         Row{"q4_0", 32, 18}, Row{"q4_1", 32, 20}, Row{"q6_k", 256, 210}})
    if (type == row.type)
      return columns % row.block == 0 ? columns / row.block * row.bytes : 0;
  fail("unknown type " + type + "; accepted: f32, f16, bf16, q8_0, q4_0, q4_1, q6_k");
}

Model makeModel(Options o) {
  bool qwen = o.family == "qwen2" || o.family == "qwen3";
  if (!qwen && o.family != "llama" && o.family != "mistral")
    fail("unknown family " + o.family + "; accepted: llama, mistral, qwen2, qwen3");
  if (o.hidden == 0)
    o.hidden = o.type == "q6_k" ? 256 : 64;
  if (o.headDim == 0)
    o.headDim = o.family == "qwen3" ? o.hidden / o.heads * 2 : o.hidden / o.heads;
  if (o.feedForward == 0)
    o.feedForward = o.type == "q6_k" ? 512 : 128;
  if (o.window < 0)
    o.window = o.family == "mistral" ? 8 : 0;
  if (o.tied < 0)
    o.tied = o.family == "qwen3";
  if (o.embeddingType.empty())
    o.embeddingType = o.type;
  if (o.preSplit.empty())
    o.preSplit = qwen ? "qwen2" : o.family == "mistral" ? "gpt-2" : "llama-bpe";

  Model model{o, qwen ? o.family : "llama", {}};
  uint64_t stream = 1;
  auto add = [&](std::string hf, std::string gguf, Kind kind, int64_t rows, int64_t columns, int shift,
                 std::string type, int64_t permuted = 0) {
    if (rowBytes(type, columns) == 0)
      fail(hf + ": " + std::to_string(columns) + " columns are not whole blocks of " + type);
    model.tensors.push_back({hf, gguf, type, kind, rows, columns, shift, stream++, permuted});
  };
  bool halfNorms = o.container == "hf" && (o.type == "f16" || o.type == "bf16");
  std::string vectorType = halfNorms ? o.type : "f32";
  int64_t queries = o.heads * o.headDim, keys = o.kvHeads * o.headDim;
  bool permute = model.ggufArchitecture == "llama";
  add("model.embed_tokens.weight", "token_embd.weight", Kind::Matrix, o.vocabulary, o.hidden, 8, o.embeddingType);
  for (int64_t layer = 0; layer < o.layers; ++layer) {
    std::string hf = "model.layers." + std::to_string(layer) + ".", gguf = "blk." + std::to_string(layer) + ".";
    auto matrix = [&](const char *name, const char *ggufName, int64_t rows, int64_t columns, int shift,
                      int64_t permuted) {
      add(hf + name + ".weight", gguf + ggufName + ".weight", Kind::Matrix, rows, columns, shift, o.type, permuted);
    };
    auto vector = [&](const char *name, const char *ggufName, Kind kind, int64_t size) {
      add(hf + name, gguf + ggufName, kind, 1, size, 7, vectorType);
    };
    vector("input_layernorm.weight", "attn_norm.weight", Kind::Norm, o.hidden);
    matrix("self_attn.q_proj", "attn_q", queries, o.hidden, 9, permute ? o.heads : 0);
    matrix("self_attn.k_proj", "attn_k", keys, o.hidden, 9, permute ? o.kvHeads : 0);
    matrix("self_attn.v_proj", "attn_v", keys, o.hidden, 9, 0);
    matrix("self_attn.o_proj", "attn_output", o.hidden, queries, 10, 0);
    if (o.family == "qwen2") {
      vector("self_attn.q_proj.bias", "attn_q.bias", Kind::Bias, queries);
      vector("self_attn.k_proj.bias", "attn_k.bias", Kind::Bias, keys);
      vector("self_attn.v_proj.bias", "attn_v.bias", Kind::Bias, keys);
    }
    if (o.family == "qwen3") {
      vector("self_attn.q_norm.weight", "attn_q_norm.weight", Kind::Norm, o.headDim);
      vector("self_attn.k_norm.weight", "attn_k_norm.weight", Kind::Norm, o.headDim);
    }
    vector("post_attention_layernorm.weight", "ffn_norm.weight", Kind::Norm, o.hidden);
    matrix("mlp.gate_proj", "ffn_gate", o.feedForward, o.hidden, 9, 0);
    matrix("mlp.up_proj", "ffn_up", o.feedForward, o.hidden, 9, 0);
    matrix("mlp.down_proj", "ffn_down", o.hidden, o.feedForward, 10, 0);
  }
  add("model.norm.weight", "output_norm.weight", Kind::Norm, 1, o.hidden, 7, vectorType);
  if (!o.tied || o.keepHead) {
    add("lm_head.weight", "output.weight", Kind::Matrix, o.vocabulary, o.hidden, 9, o.embeddingType);
    if (o.tied) { // a tied head that is present all the same holds the embedding's numbers
      model.tensors.back().stream = model.tensors.front().stream;
      model.tensors.back().shift = model.tensors.front().shift;
    }
  }
  return model;
}

namespace {

// A counter-based generator (the SplitMix64 finaliser): number `index` of a stream, no state.
uint64_t randomBits(const Model &model, const Tensor &tensor, uint64_t index) {
  uint64_t x = model.options.seed * 0x9e3779b97f4a7c15u + tensor.stream * 0xd1342543de82ef95u + index;
  for (int round = 0; round < 2; ++round) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
  }
  return x;
}

float powerOfTwo(int exponent) { // 2^-exponent
  float value = 1;
  for (int i = 0; i < exponent; ++i)
    value *= 0.5f;
  return value;
}

// The f16 pattern of n * 2^-exponent for 0 < |n| < 2048, a normal number.
uint16_t exactHalf(int n, int exponent) {
  uint16_t sign = n < 0 ? 0x8000 : 0;
  unsigned magnitude = unsigned(n < 0 ? -n : n);
  if (magnitude == 0)
    return sign;
  int power = 10;
  while (magnitude < 1024) {
    magnitude <<= 1;
    --power;
  }
  int biased = power - exponent + 15;
  if (biased < 1 || biased > 30)
    fail("a scale is not a normal f16");
  return uint16_t(sign | unsigned(biased) << 10 | (magnitude & 1023));
}

void push16(std::vector<uint8_t> &bytes, uint16_t value) {
  bytes.push_back(uint8_t(value));
  bytes.push_back(uint8_t(value >> 8));
}

// What a block of a quantized row holds. value = scale * (code - zero) + offset, scale = outer * sub in q6_k.
struct Block {
  int scale = 0, offset = 0, outer = 0; // numerators; scale and offset over 2^shift of the kind
  int subScales[16] = {};
  int codes[256] = {};
};

Block makeBlock(const Model &model, const Tensor &tensor, int64_t row, int64_t block, int size) {
  Block b;
  auto draw = [&](int64_t column, uint64_t salt) {
    uint64_t index = uint64_t(row * tensor.columns + block * size + column);
    return randomBits(model, tensor, index | salt << 48);
  };
  b.scale = 16 + int(draw(0, 1) % 16);
  b.offset = -(152 + int(draw(0, 2) % 48)); // about minus the mean code times the mean scale
  b.outer = 16 + int(draw(0, 3) % 16);
  for (int i = 0; i < 16; ++i) {
    int magnitude = 20 + int(draw(i, 4) % 60);
    b.subScales[i] = draw(i, 5) & 1 ? -magnitude : magnitude;
  }
  for (int i = 0; i < size; ++i) {
    uint64_t bits = draw(i, 0);
    b.codes[i] = tensor.type == "q8_0"   ? int(bits % 255) - 127
                 : tensor.type == "q6_k" ? int(bits % 64) - 32
                                         : int(bits % 16);
  }
  return b;
}

} // namespace

std::vector<float> rowValues(const Model &model, const Tensor &tensor, int64_t row) {
  std::vector<float> values(size_t(tensor.columns));
  float unit = powerOfTwo(tensor.shift);
  if (tensor.type[0] != 'q') {
    for (int64_t c = 0; c < tensor.columns; ++c) {
      int n = int(randomBits(model, tensor, uint64_t(row * tensor.columns + c)) % 255) - 127;
      if (tensor.kind == Kind::Norm) // near one: (96 .. 159) / 128
        n = 96 + (n & 63);
      values[size_t(c)] = float(n) * unit;
    }
    return values;
  }
  int size = tensor.type == "q6_k" ? 256 : 32;
  for (int64_t block = 0; block < tensor.columns / size; ++block) {
    Block b = makeBlock(model, tensor, row, block, size);
    for (int i = 0; i < size; ++i) {
      float value;
      if (tensor.type == "q8_0") {
        float scale = float(b.scale) * powerOfTwo(tensor.shift + 4);
        value = scale * float(b.codes[i]);
      } else if (tensor.type == "q6_k") {
        float scale = float(b.outer) * powerOfTwo(tensor.shift + 8) * float(b.subScales[i / 16]);
        value = scale * float(b.codes[i]);
      } else {
        float scale = float(b.scale) * unit;
        int zero = tensor.type == "q4_0" ? 8 : 0;
        value = scale * float(b.codes[i] - zero);
        if (tensor.type == "q4_1")
          value += float(b.offset) * unit;
      }
      values[size_t(block * size + i)] = value;
    }
  }
  return values;
}

std::vector<uint8_t> floatRow(const std::vector<float> &values, const std::string &type) {
  std::vector<uint8_t> bytes;
  for (float value : values) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    if (type == "f32") {
      push16(bytes, uint16_t(bits));
      push16(bytes, uint16_t(bits >> 16));
    } else if (type == "bf16") {
      if (bits & 0xffff)
        fail("a value is not exact in bf16");
      push16(bytes, uint16_t(bits >> 16));
    } else {
      // Exact by construction: at most 8 significant bits and a normal or subnormal f16 exponent.
      int exponent = int((bits >> 23) & 255) - 127;
      uint32_t significand = (bits & 0x7fffff) | 0x800000;
      uint16_t sign = uint16_t(bits >> 16 & 0x8000);
      if (value == 0)
        push16(bytes, sign);
      else if (exponent >= -14)
        push16(bytes, uint16_t(sign | unsigned(exponent + 15) << 10 | (significand >> 13 & 0x3ff)));
      else
        push16(bytes, uint16_t(sign | significand >> (13 + (-14 - exponent))));
    }
  }
  return bytes;
}

std::vector<uint8_t> encodeRow(const Model &model, const Tensor &tensor, int64_t row) {
  if (tensor.type[0] != 'q')
    return floatRow(rowValues(model, tensor, row), tensor.type);
  std::vector<uint8_t> bytes;
  int size = tensor.type == "q6_k" ? 256 : 32;
  for (int64_t block = 0; block < tensor.columns / size; ++block) {
    Block b = makeBlock(model, tensor, row, block, size);
    if (tensor.type == "q8_0") {
      push16(bytes, exactHalf(b.scale, tensor.shift + 4));
      for (int i = 0; i < 32; ++i)
        bytes.push_back(uint8_t(b.codes[i]));
    } else if (tensor.type == "q6_k") {
      size_t start = bytes.size();
      bytes.resize(start + 192);
      uint8_t *low = bytes.data() + start, *high = low + 128;
      for (int c = 0; c < 256; ++c) {
        int code = b.codes[c] + 32, half = c / 128, run = c % 128 / 32, i = c % 32;
        low[half * 64 + run % 2 * 32 + i] |= uint8_t((code & 15) << (run / 2 * 4));
        high[half * 32 + i] |= uint8_t((code >> 4) << (run * 2));
      }
      for (int sub : b.subScales)
        bytes.push_back(uint8_t(sub));
      push16(bytes, exactHalf(b.outer, tensor.shift + 8));
    } else {
      push16(bytes, exactHalf(b.scale, tensor.shift));
      if (tensor.type == "q4_1")
        push16(bytes, exactHalf(b.offset, tensor.shift));
      for (int i = 0; i < 16; ++i)
        bytes.push_back(uint8_t(b.codes[i] | b.codes[i + 16] << 4));
    }
  }
  return bytes;
}

std::vector<float> llama3Divisors(int64_t headDim) {
  // The (headDim / 2)-th root of 10000 by Newton's method: + - * / only.
  int64_t n = headDim / 2;
  double root = 2;
  for (int round = 0; round < 200; ++round) {
    double power = 1;
    for (int64_t i = 1; i < n; ++i)
      power *= root;
    root = (double(n - 1) * root + 10000.0 / power) / double(n);
  }
  const double factor = 8, low = 1, high = 4, old = 64, twoPi = 6.283185307179586;
  std::vector<float> divisors;
  double wavelength = twoPi;
  for (int64_t i = 0; i < n; ++i, wavelength *= root) {
    double smooth = (old / wavelength - low) / (high - low);
    divisors.push_back(wavelength < old / high  ? 1.0f
                       : wavelength > old / low ? float(factor)
                                                : float(1 / ((1 - smooth) / factor + smooth)));
  }
  return divisors;
}

} // namespace fixture
