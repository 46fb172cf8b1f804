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

const MatrixInstruction *GpuFacts::matrix(std::string_view family, std::string_view element) const {
  for (const MatrixInstruction &row : matrices)
    if (row.name.substr(0, row.name.find('.')) == family && row.element == element)
      return &row;
  return nullptr;
}

const TargetInfo *adze::findTarget(std::string_view name) {
  for (std::span<const TargetInfo *const> table : {x86Targets(), nvidiaTargets()})
    for (const TargetInfo *target : table)
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

std::vector<std::string_view> adze::gpuTargetNames() {
  std::vector<std::string_view> names;
  for (const TargetInfo *target : nvidiaTargets())
    names.push_back(target->name());
  return names;
}

std::string adze::listOf(const std::vector<std::string_view> &names) {
  std::string all;
  for (std::string_view name : names)
    all.append(all.empty() ? "" : ", ").append(name);
  return all;
}
