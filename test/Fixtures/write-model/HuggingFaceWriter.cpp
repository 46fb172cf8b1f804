// The Hugging Face container: config.json in the spelling of transformers 4 or 5, tokenizer files, safetensors.
#include "TinyModel.h"

#include <sys/stat.h>

namespace fixture {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

std::string config(const Model &model) {
  const Options &o = model.options;
  bool four = o.spelling == 4;
  Vocabulary v = makeVocabulary(o.vocabulary);
  std::string type = o.type == "f16" ? "float16" : o.type == "bf16" ? "bfloat16" : "float32";
  std::string architecture = o.family == "llama"     ? "LlamaForCausalLM"
                             : o.family == "mistral" ? "MistralForCausalLM"
                             : o.family == "qwen2"   ? "Qwen2ForCausalLM"
                                                     : "Qwen3ForCausalLM";
  std::string llama3 = "\"factor\": 8.0, \"low_freq_factor\": 1.0, \"high_freq_factor\": 4.0, "
                       "\"original_max_position_embeddings\": 64, \"rope_type\": \"llama3\"";
  std::string text = "{\n  \"architectures\": [\"" + architecture + "\"],\n";
  auto add = [&](const std::string &key, const std::string &value) { text += "  \"" + key + "\": " + value + ",\n"; };
  add("attention_dropout", "0.0");
  if (o.family == "llama") {
    add("attention_bias", "false");
    add("mlp_bias", "false");
    add("pretraining_tp", "1");
  }
  if (o.family == "qwen3")
    add("attention_bias", "false");
  add("bos_token_id", number(v.endOfText));
  add("eos_token_id", o.spelling == 5 ? "[" + number(v.end) + ", " + number(v.endOfText) + "]" : number(v.end));
  if (o.headDim * o.heads != o.hidden || o.family == "qwen3")
    add("head_dim", number(o.headDim));
  add("hidden_act", "\"silu\"");
  add("hidden_size", number(o.hidden));
  add("initializer_range", "0.02");
  add("intermediate_size", number(o.feedForward));
  add("max_position_embeddings", number(o.context));
  bool qwen = o.family[0] == 'q';
  if (qwen)
    add("max_window_layers", number(o.window ? 1 : o.layers));
  if (qwen && !four) {
    std::string types;
    for (int64_t i = 0; i < o.layers; ++i)
      types += std::string(i ? ", " : "") + (o.window && i >= 1 ? "\"sliding_attention\"" : "\"full_attention\"");
    add("layer_types", "[" + types + "]");
  }
  add("model_type", "\"" + o.family + "\"");
  add("num_attention_heads", number(o.heads));
  add("num_hidden_layers", number(o.layers));
  add("num_key_value_heads", number(o.kvHeads));
  add("rms_norm_eps", "1e-05");
  if (four) {
    add("rope_scaling", o.rope == "llama3" ? "{" + llama3 + "}" : "null");
    add("rope_theta", "10000.0");
  } else {
    add("rope_parameters", o.rope == "llama3" ? "{\"rope_theta\": 10000.0, " + llama3 + "}"
                                              : "{\"rope_theta\": 10000.0, \"rope_type\": \"default\"}");
  }
  if (o.family != "llama")
    add("sliding_window", o.window ? number(o.window) : "null");
  add("tie_word_embeddings", o.tied ? "true" : "false");
  add(four ? "torch_dtype" : "dtype", "\"" + type + "\"");
  add("transformers_version", four ? "\"4.46.3\"" : "\"5.0.0\"");
  add("use_cache", "true");
  if (qwen)
    add("use_sliding_window", o.window ? "true" : "false");
  add("vocab_size", number(o.vocabulary));
  text.erase(text.size() - 2); // the last comma
  return text + "\n}\n";
}

std::string splitRule(const std::string &name) {
  const std::string byteLevel = "{\"type\": \"ByteLevel\", \"add_prefix_space\": false, \"trim_offsets\": true, ";
  auto split = [&](const std::string &pattern) {
    return "{\"type\": \"Sequence\", \"pretokenizers\": [{\"type\": \"Split\", \"pattern\": {\"Regex\": " +
           quoted(pattern) + "}, \"behavior\": \"Isolated\", \"invert\": false}, " + byteLevel +
           "\"use_regex\": false}]}";
  };
  const std::string words = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|";
  const std::string rest = "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
  if (name == "llama-bpe")
    return split(words + "\\p{N}{1,3}" + rest);
  if (name == "qwen2")
    return split(words + "\\p{N}" + rest);
  if (name == "smollm")
    return "{\"type\": \"Sequence\", \"pretokenizers\": [{\"type\": \"Digits\", \"individual_digits\": true}, " +
           byteLevel + "\"use_regex\": true}]}";
  if (name == "gpt-2")
    return byteLevel + "\"use_regex\": true}";
  fail("unknown pre-split rule " + name + "; accepted: llama-bpe, qwen2, smollm, gpt-2");
}

std::string tokenizer(const Model &model) {
  Vocabulary v = makeVocabulary(model.options.vocabulary);
  std::string added, vocabulary, merges;
  for (int64_t id = 0; id < v.used; ++id) {
    if (v.types[size_t(id)] == 3)
      added +=
          std::string(added.empty() ? "" : ", ") + "{\"id\": " + number(id) +
          ", \"content\": " + quoted(v.tokens[size_t(id)]) +
          ", \"single_word\": false, \"lstrip\": false, \"rstrip\": false, \"normalized\": false, \"special\": true}";
    else
      vocabulary += std::string(id ? ", " : "") + quoted(v.tokens[size_t(id)]) + ": " + number(id);
  }
  for (const std::string &merge : v.merges) {
    size_t gap = merge.find(' ');
    merges += merges.empty() ? "" : ", ";
    merges += model.options.spelling == 4
                  ? quoted(merge)
                  : "[" + quoted(merge.substr(0, gap)) + ", " + quoted(merge.substr(gap + 1)) + "]";
  }
  return "{\n\"version\": \"1.0\", \"truncation\": null, \"padding\": null,\n\"added_tokens\": [" + added +
         "],\n\"normalizer\": null,\n\"pre_tokenizer\": " + splitRule(model.options.preSplit) +
         ",\n\"post_processor\": null,\n\"decoder\": {\"type\": \"ByteLevel\", \"add_prefix_space\": true, "
         "\"trim_offsets\": true, \"use_regex\": true},\n\"model\": {\"type\": \"BPE\", \"dropout\": null, "
         "\"unk_token\": null, \"continuing_subword_prefix\": null, \"end_of_word_suffix\": null, "
         "\"fuse_unk\": false, \"byte_fallback\": false, \"ignore_merges\": " +
         (model.options.preSplit == "llama-bpe" ? "true" : "false") + ",\n\"vocab\": {" + vocabulary +
         "},\n\"merges\": [" + merges + "]}\n}\n";
}

std::string tokenizerConfig(const Model &model) {
  std::string text = "{\n  \"add_bos_token\": false,\n  \"add_prefix_space\": false,\n  \"bos_token\": "
                     "\"<|endoftext|>\",\n";
  if (model.options.spelling == 4)
    text += "  \"chat_template\": " + quoted(chatTemplate) + ",\n";
  return text +
         "  \"clean_up_tokenization_spaces\": false,\n  \"eos_token\": \"<|im_end|>\",\n  \"model_max_length\": " +
         number(model.options.context) +
         ",\n  \"pad_token\": \"<|im_end|>\",\n  \"tokenizer_class\": \"PreTrainedTokenizerFast\"\n}\n";
}

// One safetensors file with the tensors [first, last).
std::string safetensors(const Model &model, size_t first, size_t last) {
  std::string header = "{\"__metadata__\": {\"format\": \"pt\"}", data;
  for (size_t i = first; i < last; ++i) {
    const Tensor &tensor = model.tensors[i];
    bool quantized = tensor.type[0] == 'q';
    std::string stored = quantized ? "f32" : tensor.type;
    size_t begin = data.size();
    for (int64_t row = 0; row < tensor.rows; ++row) {
      std::vector<uint8_t> bytes = floatRow(rowValues(model, tensor, row), stored);
      data.append(bytes.begin(), bytes.end());
    }
    std::string shape =
        tensor.kind == Kind::Matrix ? number(tensor.rows) + ", " + number(tensor.columns) : number(tensor.columns);
    header += ", " + quoted(tensor.hfName) + ": {\"dtype\": \"" +
              (stored == "f32"   ? "F32"
               : stored == "f16" ? "F16"
                                 : "BF16") +
              "\", \"shape\": [" + shape + "], \"data_offsets\": [" + number(int64_t(begin)) + ", " +
              number(int64_t(data.size())) + "]}";
  }
  header += "}";
  while (header.size() % 8 != 0)
    header += ' ';
  std::string length(8, '\0');
  for (int i = 0; i < 8; ++i)
    length[size_t(i)] = char(uint64_t(header.size()) >> (8 * i));
  return length + header + data;
}

std::string shardName(int64_t shard, int64_t shards) {
  auto five = [](int64_t value) {
    std::string digits = number(value);
    return std::string(5 - digits.size(), '0') + digits;
  };
  return "model-" + five(shard) + "-of-" + five(shards) + ".safetensors";
}

} // namespace

void writeHuggingFace(const Model &model) {
  const Options &o = model.options;
  mkdir(o.out.c_str(), 0777);
  writeBytes(o.out + "/config.json", config(model));
  writeBytes(o.out + "/tokenizer.json", tokenizer(model));
  writeBytes(o.out + "/tokenizer_config.json", tokenizerConfig(model));
  Vocabulary v = makeVocabulary(o.vocabulary);
  writeBytes(o.out + "/generation_config.json",
             "{\n  \"_from_model_config\": true,\n  \"bos_token_id\": " + number(v.endOfText) +
                 ",\n  \"do_sample\": true,\n  \"eos_token_id\": [" + number(v.end) + ", " + number(v.endOfText) +
                 "],\n  \"repetition_penalty\": 1.05,\n  \"temperature\": 0.7,\n  \"top_k\": 20,\n  \"top_p\": 0.8,\n" +
                 "  \"transformers_version\": \"4.46.3\"\n}\n");
  if (o.spelling == 5)
    writeBytes(o.out + "/chat_template.jinja", chatTemplate);
  size_t count = model.tensors.size();
  if (o.shards == 1) {
    writeBytes(o.out + "/model.safetensors", safetensors(model, 0, count));
    return;
  }
  std::string map;
  uint64_t total = 0;
  for (int64_t shard = 0; shard < o.shards; ++shard) {
    size_t first = count * size_t(shard) / size_t(o.shards), last = count * size_t(shard + 1) / size_t(o.shards);
    std::string name = shardName(shard + 1, o.shards);
    writeBytes(o.out + "/" + name, safetensors(model, first, last));
    for (size_t i = first; i < last; ++i) {
      const Tensor &tensor = model.tensors[i];
      map += std::string(map.empty() ? "" : ",") + "\n    " + quoted(tensor.hfName) + ": " + quoted(name);
      total += uint64_t(tensor.rows * rowBytes(tensor.type[0] == 'q' ? "f32" : tensor.type, tensor.columns));
    }
  }
  writeBytes(o.out + "/model.safetensors.index.json", "{\n  \"metadata\": {\"total_size\": " + number(int64_t(total)) +
                                                          "},\n  \"weight_map\": {" + map + "\n  }\n}\n");
}

} // namespace fixture
