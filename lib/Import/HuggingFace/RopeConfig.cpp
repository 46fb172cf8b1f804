// Rotary settings in their four spellings: rope_theta with rope_scaling {type} or {rope_type}, or one rope_parameters
// object; all must agree where several are given.
#include "Config.h"

namespace adze::import {
namespace {

// The members of rope_scaling or rope_parameters.
Status readScaling(const Json &object, const std::string &where, ModelConfig &config, bool &hasBase) {
  if (!object.is_object())
    return invalidInput(where + " is not an object");
  KeyReader keys(object, where);
  RopeSettings &rope = config.rope;
  Expected<std::optional<std::string>> oldType = keys.string("type"), newType = keys.string("rope_type");
  if (!oldType)
    return oldType.takeStatus();
  if (!newType)
    return newType.takeStatus();
  if (*oldType && *newType && **oldType != **newType)
    return invalidInput(where + ": 'type' and 'rope_type' disagree: '" + **oldType + "' and '" + **newType + "'");
  std::string type = *newType ? **newType : *oldType ? **oldType : "default";

  double base = rope.base;
  if (Status s = keys.read("rope_theta", base); !s.ok())
    return s;
  if (keys.has("rope_theta")) {
    if (hasBase && base != rope.base)
      return invalidInput(where + ": 'rope_theta' disagrees with the 'rope_theta' beside it");
    rope.base = base;
    hasBase = true;
  }
  if (Status s = keys.requireValue("partial_rotary_factor", 1.0, "a partial rotary factor is not supported"); !s.ok())
    return s;

  auto positive = [&](const char *key, double &target) {
    Expected<std::optional<double>> value = keys.number(key);
    if (!value)
      return value.takeStatus();
    if (!*value || !(**value > 0))
      return keys.refuse(key, "a number above 0 for rope type '" + type + "'");
    target = **value;
    return Status::success();
  };
  if (type == "default")
    return keys.finish({});
  if (type == "linear") {
    rope.kind = RopeSettings::Kind::Linear;
    if (Status s = positive("factor", rope.factor); !s.ok())
      return s;
    return keys.finish({});
  }
  if (type != "llama3")
    return unsupported(where + ": rope type '" + type + "' is not supported; accepted are default, linear, llama3");
  rope.kind = RopeSettings::Kind::Llama3;
  rope.originalContext = double(config.context); // what transformers takes where it is unsaid
  if (Status s = positive("factor", rope.factor); !s.ok())
    return s;
  if (Status s = positive("low_freq_factor", rope.lowFrequency); !s.ok())
    return s;
  if (Status s = positive("high_freq_factor", rope.highFrequency); !s.ok())
    return s;
  if (Status s = keys.read("original_max_position_embeddings", rope.originalContext); !s.ok())
    return s;
  if (!(rope.originalContext > 0))
    return keys.refuse("original_max_position_embeddings", "a number above 0");
  if (!(rope.highFrequency > rope.lowFrequency))
    return keys.refuse("high_freq_factor", "a number above 'low_freq_factor'");
  return keys.finish({});
}

} // namespace

Status readRope(KeyReader &keys, ModelConfig &config) {
  bool hasBase = keys.has("rope_theta");
  if (Status s = keys.read("rope_theta", config.rope.base); !s.ok())
    return s;
  if (Status s = keys.requireValue("partial_rotary_factor", 1.0, "a partial rotary factor is not supported"); !s.ok())
    return s;
  if (Status s = keys.requireValue("rope_interleaved", false, "only halves are rotated, not neighbouring pairs");
      !s.ok())
    return s;
  const Json *scaling = keys.take("rope_scaling"), *parameters = keys.take("rope_parameters");
  if (scaling && parameters && *scaling != *parameters)
    return invalidInput(keys.name() + ": 'rope_scaling' and 'rope_parameters' are both given and differ");
  if (parameters)
    return readScaling(*parameters, keys.name() + ": 'rope_parameters'", config, hasBase);
  if (scaling)
    return readScaling(*scaling, keys.name() + ": 'rope_scaling'", config, hasBase);
  return Status::success();
}

} // namespace adze::import
