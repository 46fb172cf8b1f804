// generation_config.json to GenerationDefaults.
#include "Config.h"

namespace adze::import {
namespace {

constexpr IgnoredKey ignoredKeys[] = {
    {"_from_model_config", "how the file was made"},
    {"transformers_version", "which release wrote the file"},
    {"bos_token_id", "the tokenizer says which token begins a text"},
    {"pad_token_id", "a ragged batch has no padding"},
    {"max_length", "the runtime's --max-tokens and --context are the limits"},
    {"max_new_tokens", "the runtime's --max-tokens and --context are the limits"},
    {"use_cache", "the runtime always keeps the KV cache"},
    {"cache_implementation", "how another runtime keeps its cache"},
    {"output_attentions", "what a caller gets back besides tokens"},
    {"output_hidden_states", "what a caller gets back besides tokens"},
    {"return_dict_in_generate", "what a caller gets back besides tokens"},
    {"output_scores", "what a caller gets back besides tokens"},
    {"chat_format", "a note of the model's makers; the chat template decides"},
    {"max_window_size", "a note of the model's makers on training"},
};

} // namespace

Status readGenerationConfig(const Json &json, const std::string &where, GenerationDefaults &generation) {
  if (!json.is_object())
    return invalidInput(where + ": not a JSON object");
  KeyReader keys(json, where);
  if (Status s = keys.readIds("eos_token_id", generation.endTokens); !s.ok())
    return s;
  if (Status s = keys.read("do_sample", generation.sample); !s.ok())
    return s;
  if (Status s = keys.read("temperature", generation.temperature); !s.ok())
    return s;
  if (Status s = keys.read("top_k", generation.topK); !s.ok())
    return s;
  for (auto [key, target] : {std::pair{"top_p", &generation.topP},
                             {"min_p", &generation.minP},
                             {"repetition_penalty", &generation.repetitionPenalty}})
    if (Status s = keys.read(key, *target); !s.ok())
      return s;
  // temperature 0 is how some makers write "greedy".
  if (generation.temperature == 0) {
    generation.temperature = 1;
    generation.sample = false;
  }
  const char *why = "no other way of choosing tokens is built";
  for (auto &[key, accepted] : {std::pair<const char *, Json>{"num_beams", 1},
                                {"num_beam_groups", 1},
                                {"no_repeat_ngram_size", 0},
                                {"typical_p", 1.0},
                                {"diversity_penalty", 0.0},
                                {"penalty_alpha", 0.0},
                                {"length_penalty", 1.0},
                                {"early_stopping", false},
                                {"num_return_sequences", 1},
                                {"min_length", 0},
                                {"epsilon_cutoff", 0.0},
                                {"eta_cutoff", 0.0},
                                {"encoder_repetition_penalty", 1.0}})
    if (Status s = keys.requireValue(key, accepted, why); !s.ok())
      return s;
  return keys.finish(ignoredKeys);
}

} // namespace adze::import
