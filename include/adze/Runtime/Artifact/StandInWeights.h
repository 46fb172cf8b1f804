// StandInWeights.h: completes an artifact that was compiled without its weights, with numbers from a seed.
//
// A model's speed does not depend on what its weights say, only on their sizes, their order and on being ordinary
// numbers (a GPU clocks higher on zeros). An artifact without weights is a few megabytes; this makes the file that it
// lacks where it is measured, at the speed of memory. What each weight holds is said by the manifest
// (ManifestStandIn): sizes that keep activations finite through all layers.
//
// The bytes are a function of the manifest and the seed: never of the number of threads or of the machine. The file is
// made of pieces with a generator each (SplitMix64, Steele et al., OOPSLA 2014); a normal number is the sum of four
// random bytes, which ends at 3.4 standard deviations.
#ifndef ADZE_RUNTIME_ARTIFACT_STANDINWEIGHTS_H
#define ADZE_RUNTIME_ARTIFACT_STANDINWEIGHTS_H

#include "adze/Format/Manifest.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace adze {

inline constexpr int64_t kStandInPiece = 1 << 20;

/// Writes bytes [piece * kStandInPiece, ...) of weights.bin: all of `out`, at most a piece. What belongs to no weight
/// is zero. Pure; any thread.
void generateStandInPiece(const ManifestStandIn &standIn, uint64_t seed, int64_t piece, std::span<uint8_t> out);

/// Makes weights.bin of the artifact in folder `path` and completes its manifest; weights that were generated before
/// are replaced. `threads` 0: as many as are allowed. `progress` is called with (bytes written, all) from this thread.
/// InvalidInput where the artifact has weights of its own; nothing is changed by a failure.
Status makeStandInWeights(const std::string &path, uint64_t seed, unsigned threads,
                          const std::function<void(int64_t, int64_t)> &progress);

} // namespace adze
#endif
