// Config.h: config.json and generation_config.json of a Hugging Face folder.
#ifndef ADZE_LIB_IMPORT_HUGGINGFACE_CONFIG_H
#define ADZE_LIB_IMPORT_HUGGINGFACE_CONFIG_H

#include "KeyReader.h"
#include "adze/Import/Family.h"

namespace adze::import {

// Fills config and the end tokens that config.json states. Spellings of transformers 4 and 5.
Status readConfig(const Json &json, const std::string &where, ModelConfig &config, GenerationDefaults &generation);

// The rotary keys of config.json; needs config.context and config.headDim.
Status readRope(KeyReader &keys, ModelConfig &config);

Status readGenerationConfig(const Json &json, const std::string &where, GenerationDefaults &generation);

} // namespace adze::import
#endif
