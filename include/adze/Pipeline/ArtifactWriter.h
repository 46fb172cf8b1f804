// ArtifactWriter.h: the folder that a compilation leaves.
#ifndef ADZE_PIPELINE_ARTIFACTWRITER_H
#define ADZE_PIPELINE_ARTIFACTWRITER_H

#include "adze/Format/Manifest.h"
#include "adze/Support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace adze {

/// One weight's place, kept when the module has become native code.
struct SegmentPlace {
  std::string weight;
  int64_t offset = 0, size = 0;
};

/// The segments of a module, in order of their offsets.
std::vector<SegmentPlace> segmentPlaces(mlir::ModuleOp module);

/// Bytes of weights.bin.
int64_t weightsBytes(const std::vector<SegmentPlace> &segments);

/// Streams the weight expressions of the module to `path`. `weightsFolder` holds the source files. `progress` is called
/// with (bytes written, all). Needs no more memory than a few pieces. Returns the section.
Expected<ManifestSection> writeWeights(mlir::ModuleOp module, const std::vector<SegmentPlace> &segments,
                                       const std::string &weightsFolder, const std::string &path,
                                       const std::function<void(int64_t, int64_t)> &progress);

/// Writes `bytes` as FOLDER/FILE and returns its section.
Expected<ManifestSection> writeSection(const std::string &folder, const std::string &file, std::string_view bytes);

/// The section of a file that is there already.
Expected<ManifestSection> sectionOf(const std::string &folder, const std::string &file);

/// Says on stderr how much an artifact will take and refuses when the file system of `output` has less.
Status checkDiskSpace(const std::string &output, int64_t bytes, bool quiet);

} // namespace adze

#endif
