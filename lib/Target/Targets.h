// The tables of targets that TargetInfo.cpp searches; a new target adds one line here and one file.
#ifndef ADZE_LIB_TARGET_TARGETS_H
#define ADZE_LIB_TARGET_TARGETS_H

#include "adze/Target/TargetInfo.h"

#include <span>

namespace adze {
std::span<const TargetInfo *const> x86Targets();
std::span<const TargetInfo *const> nvidiaTargets();
} // namespace adze

#endif // ADZE_LIB_TARGET_TARGETS_H
