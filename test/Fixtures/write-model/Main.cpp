// write-model: writes a tiny but complete model in a container, from a seed. See TinyModel.h; usage below.
#include "TinyModel.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace fixture;

static const char usage[] =
    "usage: write-model --family llama|mistral|qwen2|qwen3 --container hf|gguf -o PATH\n"
    "  --type f32|f16|bf16|q8_0|q4_0|q4_1|q6_k   (hf: a q type stores its decoded f32 values)\n"
    "  --embedding-type TYPE  --seed N  --tied | --untied  --keep-head (write a tied head all the same)\n"
    "  --hidden --layers --heads --kv-heads --head-dim --ffn --vocab --context --window N  --shards N (hf)\n"
    "  --rope none|llama3  --spelling 4|5 (hf: config of transformers 4 or 5)\n"
    "  --pre llama-bpe|qwen2|smollm|gpt-2\n";

int main(int argc, char **argv) {
  Options o;
  struct Text {
    const char *flag;
    std::string *value;
  } texts[] = {{"--family", &o.family}, {"--container", &o.container}, {"--type", &o.type},
               {"--rope", &o.rope},     {"--pre", &o.preSplit},        {"--embedding-type", &o.embeddingType},
               {"-o", &o.out}};
  struct Number {
    const char *flag;
    int64_t *value;
  } numbers[] = {{"--hidden", &o.hidden},    {"--layers", &o.layers},    {"--heads", &o.heads},
                 {"--kv-heads", &o.kvHeads}, {"--head-dim", &o.headDim}, {"--ffn", &o.feedForward},
                 {"--vocab", &o.vocabulary}, {"--context", &o.context},  {"--window", &o.window},
                 {"--shards", &o.shards},    {"--spelling", &o.spelling}};
  for (int i = 1; i < argc; ++i) {
    std::string flag = argv[i];
    bool known = true;
    if (flag == "--tied")
      o.tied = 1;
    else if (flag == "--untied")
      o.tied = 0;
    else if (flag == "--keep-head")
      o.keepHead = true;
    else
      known = false;
    if (known)
      continue;
    if (i + 1 >= argc)
      fail("unknown flag or missing value: " + flag + "\n" + usage);
    const char *value = argv[++i];
    for (Text &text : texts)
      if (flag == text.flag) {
        *text.value = value;
        known = true;
      }
    for (Number &number : numbers)
      if (flag == number.flag) {
        *number.value = std::strtoll(value, nullptr, 10);
        known = true;
      }
    if (flag == "--seed") {
      o.seed = std::strtoull(value, nullptr, 10);
      known = true;
    }
    if (!known)
      fail("unknown flag " + flag + "\n" + usage);
  }
  if (o.out.empty())
    fail(std::string("no -o PATH\n") + usage);
  Model model = makeModel(o);
  if (o.container == "hf")
    writeHuggingFace(model);
  else if (o.container == "gguf")
    writeGguf(model);
  else
    fail("unknown container " + o.container + "; accepted: hf, gguf");
  return 0;
}
