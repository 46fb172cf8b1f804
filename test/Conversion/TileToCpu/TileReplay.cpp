// Kernels that TileKernelTest compiled and kept (TILE_KERNELS=FOLDER), run on a machine without a compiler:
//
//   TILE_KERNELS=FOLDER TileKernelTest          where the compiler is; instructions that it lacks are emulated
//   TILE_KERNELS=FOLDER TileKernelReplay        where the level's own instructions are
#include "TileRunner.h"

#include "adze/Runtime/Artifact/CpuFeatures.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace adze;
using namespace adze::test;

std::unique_ptr<TileKernel> TileKernel::compile(const std::string &text, const std::string &name,
                                                const TargetInfo &target) {
  const char *folder = std::getenv("TILE_KERNELS");
  if (!folder) {
    std::fprintf(stderr, "set TILE_KERNELS to the folder that TileKernelTest filled\n");
    return nullptr;
  }
  return load(storedKernel(folder, text, target), name);
}

std::vector<const TargetInfo *> adze::test::testedTargets() {
  std::vector<const TargetInfo *> targets;
  for (std::string_view name : targetNames()) {
    const TargetInfo *target = findTarget(name);
    if (std::ranges::all_of(target->features(),
                            [](const std::string &feature) { return cpuFeature(feature) == FeatureState::Present; }))
      targets.push_back(target);
  }
  return targets;
}

bool adze::test::runsHere(const TargetInfo &) { return true; }
