// Doors.h: one function per container. Each gives a Checkpoint whose configuration, tensors and tokenizer were all
// checked; which tensors a family needs is checked by the family's builder. Failures name the file and the key or
// tensor.
#ifndef ADZE_IMPORT_DOORS_H
#define ADZE_IMPORT_DOORS_H

#include "adze/Import/Checkpoint.h"

namespace adze::import {

// A folder as Hugging Face lays it out, a hub cache's snapshot included: config.json, tokenizer.json, one safetensors
// file or several with an index; generation_config.json, tokenizer_config.json, chat_template.jinja, LICENSE where
// present.
Expected<Checkpoint> openHuggingFace(const std::string &folder);

// A GGUF file of version 2 or 3.
Expected<Checkpoint> openGguf(const std::string &path);

} // namespace adze::import
#endif
