// TinyModel.h: a complete tiny language model as numbers that follow from a seed, before any container.
//
// Everything here is integer arithmetic and exact powers of two, so that every machine and compiler writes the same
// bytes; nothing is shared with the readers under test, which would only repeat their faults. A weight is
//   float types:  n * 2^-shift with |n| <= 127, exact in f32, f16 and bf16 alike: one golden serves the three;
//   q8_0 ... q6_k: random codes and scales, exact in f16; the Hugging Face container stores the decoded f32 values.
// A model is therefore (family, type, seed, sizes); containers, shards and spellings change its bytes, never its
// numbers (llama3 frequency factors in GGUF, which are rounded to f32, aside).
#ifndef ADZE_TEST_FIXTURES_TINYMODEL_H
#define ADZE_TEST_FIXTURES_TINYMODEL_H

#include <cstdint>
#include <string>
#include <vector>

namespace fixture {

struct Options {
  std::string family = "llama", container = "hf", type = "f32", embeddingType, rope = "none", preSplit, out;
  uint64_t seed = 1;
  int64_t hidden = 0, layers = 2, heads = 4, kvHeads = 2, headDim = 0, feedForward = 0, vocabulary = 320, window = -1;
  int64_t context = 512, shards = 1, spelling = 4;
  int tied = -1;         // 1: --tied, 0: --untied, -1: the family's usual
  bool keepHead = false; // write the head's tensor even when tied (a copy of the embedding)
};

enum class Kind { Matrix, Norm, Bias };

struct Tensor {
  std::string hfName, ggufName, type;
  Kind kind;
  int64_t rows, columns; // a vector has one row
  int shift;             // values are about 127 * 2^-shift at most
  uint64_t stream;       // which random stream
  int64_t permutedHeads; // > 0: GGUF stores the rows of so many heads interleaved
};

struct Model {
  Options options; // with every default filled in
  std::string ggufArchitecture;
  std::vector<Tensor> tensors;
};

// Fills in defaults and lists the tensors; exits with a message when the sizes do not fit the type.
Model makeModel(Options options);

// One stored row in the tensor's type, and the f32 values that it decodes to.
std::vector<uint8_t> encodeRow(const Model &model, const Tensor &tensor, int64_t row);
std::vector<float> rowValues(const Model &model, const Tensor &tensor, int64_t row);
std::vector<uint8_t> floatRow(const std::vector<float> &values, const std::string &type);

// Bytes of one row of that type; 0 where the columns do not fit.
int64_t rowBytes(const std::string &type, int64_t columns);

// The divisors of the inverse frequencies that llama3 scaling stands for (factor 8, low 1, high 4, old length 64).
std::vector<float> llama3Divisors(int64_t headDim);

// The vocabulary: 256 byte symbols, merges, three control tokens; `unused` fills it to the model's size.
struct Vocabulary {
  std::vector<std::string> tokens;
  std::vector<std::string> merges; // "left right"
  std::vector<int> types;          // GGUF: 1 normal, 3 control, 5 unused
  int64_t used;                    // tokens before the unused ones
  int64_t endOfText, start, end;
};
Vocabulary makeVocabulary(int64_t size);
extern const char *const chatTemplate;

[[noreturn]] void fail(const std::string &message);
void writeBytes(const std::string &path, const std::string &bytes);
std::string quoted(const std::string &text); // as a JSON string

void writeHuggingFace(const Model &model);
void writeGguf(const Model &model);

} // namespace fixture
#endif
