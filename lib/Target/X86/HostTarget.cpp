// HostTarget.cpp: which level this machine reaches.
#include "adze/Support/TileRegisters.h"
#include "adze/Target/NativeCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

const adze::TargetInfo *adze::hostTarget() {
  const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  auto reached = [&](const TargetInfo &target) {
    return llvm::all_of(target.features(), [&](const std::string &feature) { return host.lookup(feature); }) &&
           (!target.has("amx-tile") || requestTileRegisters());
  };
  const TargetInfo *best = nullptr;
  for (std::string_view name : targetNames())
    if (const TargetInfo *target = findTarget(name); target && reached(*target))
      best = target;
  return best;
}
