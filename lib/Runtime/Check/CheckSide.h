// CheckSide.h: one of the two artifacts of a check, with its device, its memory and its pages.
#ifndef ADZE_RUNTIME_CHECK_CHECKSIDE_H
#define ADZE_RUNTIME_CHECK_CHECKSIDE_H

#include "adze/Format/StepValues.h"
#include "adze/Runtime/Check/CheckPlan.h"
#include "adze/Runtime/Device/Choice/DeviceChoice.h"
#include "adze/Runtime/Engine/StepBuilder.h"

#include <memory>

namespace adze {

struct CheckSide {
  std::string path;
  std::shared_ptr<const Artifact> artifact;
  StepValues values;
  std::unique_ptr<Device> device;
  std::unique_ptr<StepBuilder> builder; // ends before its device
  std::unique_ptr<KvBlockAllocator> pages;
  std::vector<KvSequence> sequences; // of the round

  const Manifest &manifest() const { return artifact->manifest(); }

  /// The artifact and its values.
  static Expected<CheckSide> open(const std::string &path);
  /// The device, and memory for every round.
  Status prepare(const DeviceOptions &options, const std::vector<CheckRound> &plan, HandOut order);
  /// Fresh pages, all of the pool filled with NaN.
  Status startRound(const CheckRound &round);
  /// The arrays of the next step of the round, valid until the next call; the arena is filled with NaN.
  const AdzeStep &build(const CheckRound &round, const CheckStep &step);
};

} // namespace adze
#endif
