#include "adze/Target/TargetInfo.h"

#include "Targets.h"

#include <algorithm>

using namespace adze;

std::optional<Numerics> adze::parseNumerics(std::string_view text) {
  for (Numerics numerics : {Numerics::F32, Numerics::Bf16, Numerics::A8})
    if (toString(numerics) == text)
      return numerics;
  return std::nullopt;
}

std::string_view adze::toString(Numerics numerics) {
  switch (numerics) {
  case Numerics::F32:
    return "f32";
  case Numerics::Bf16:
    return "bf16";
  case Numerics::A8:
    return "a8";
  }
  return "f32";
}

bool TargetInfo::has(std::string_view feature) const {
  return std::ranges::find(features(), feature) != features().end();
}

const TargetInfo *adze::findTarget(std::string_view name) {
  for (const TargetInfo *target : x86Targets())
    if (target->name() == name)
      return target;
  return nullptr;
}

std::vector<std::string_view> adze::targetNames() {
  std::vector<std::string_view> names;
  for (const TargetInfo *target : x86Targets())
    names.push_back(target->name());
  return names;
}
