#include "adze/Pipeline/ArtifactWriter.h"

#include "adze/Dialect/Exec/IR/Exec.h"
#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Pipeline/WeightEvaluator.h"
#include "adze/Support/Hash.h"
#include "adze/Support/MappedFile.h"
#include "adze/Support/RootedFolder.h"
#include "adze/Support/ScratchOutput.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;

namespace adze {

std::vector<SegmentPlace> segmentPlaces(ModuleOp module) {
  std::vector<SegmentPlace> places;
  for (exec::SegmentOp segment : module.getOps<exec::SegmentOp>())
    places.push_back({segment.getWeight().str(), int64_t(segment.getOffset()), int64_t(segment.getSize())});
  std::sort(places.begin(), places.end(), [](const auto &a, const auto &b) { return a.offset < b.offset; });
  return places;
}

int64_t weightsBytes(const std::vector<SegmentPlace> &segments) {
  // Whole 256-byte units, so that a kernel may read past a segment's end up to the next unit.
  return segments.empty() ? 0 : (segments.back().offset + segments.back().size + 255) / 256 * 256;
}

Expected<ManifestSection> writeWeights(ModuleOp module, const std::vector<SegmentPlace> &segments,
                                       const std::string &weightsFolder, const std::string &path,
                                       const std::function<void(int64_t, int64_t)> &progress) {
  auto file = FileWriter::create(path);
  if (!file)
    return file.status();
  StreamHash hash;
  const int64_t total = weightsBytes(segments);
  static constexpr uint8_t zeros[256] = {};
  auto pad = [&](uint64_t to) -> Status {
    while (file->offset() < to) {
      std::span<const uint8_t> piece(zeros, std::min<uint64_t>(sizeof(zeros), to - file->offset()));
      hash.update(piece);
      if (Status status = file->write(piece); !status.ok())
        return status;
    }
    return Status::success();
  };
  if (!segments.empty()) {
    auto evaluator = WeightEvaluator::open(module, weightsFolder);
    if (!evaluator)
      return evaluator.status();
    for (const SegmentPlace &segment : segments) {
      auto weight = dyn_cast_or_null<llm::WeightOp>(SymbolTable::lookupSymbolIn(module, segment.weight));
      if (!weight)
        return internalError("segment of @" + segment.weight + ": the module has no such weight");
      if (Status status = pad(segment.offset); !status.ok())
        return status;
      Status written = evaluator->write(weight, [&](std::span<const uint8_t> bytes) -> Status {
        hash.update(bytes);
        Status status = file->write(bytes);
        progress(int64_t(file->offset()), total);
        return status;
      });
      if (!written.ok())
        return written.withContext("weight @" + segment.weight);
      if (int64_t(file->offset()) != segment.offset + segment.size)
        return internalError("weight @" + segment.weight + " takes " +
                             std::to_string(int64_t(file->offset()) - segment.offset) + " bytes; its segment has " +
                             std::to_string(segment.size));
    }
  }
  if (Status status = pad(total); !status.ok())
    return status;
  if (Status status = file->close(); !status.ok())
    return status;
  return ManifestSection{kWeightsFile, total, hash.hex()};
}

Expected<ManifestSection> writeSection(const std::string &folder, const std::string &file, std::string_view bytes) {
  if (Status status = writeFile(folder + "/" + file, bytes); !status.ok())
    return status;
  return ManifestSection{file, int64_t(bytes.size()), hashText(bytes)};
}

Expected<ManifestSection> sectionOf(const std::string &folder, const std::string &file) {
  auto root = RootedFolder::open(folder);
  if (!root)
    return root.status();
  auto mapped = root->map(file);
  if (!mapped)
    return mapped.status();
  return ManifestSection{file, int64_t(mapped->bytes().size()), hashBytes(mapped->bytes())};
}

Status checkDiskSpace(const std::string &output, int64_t bytes, bool quiet) {
  auto megabytes = [](double count) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.1f MB", count / 1e6);
    return text;
  };
  auto available = freeDiskBytes(output);
  if (!available)
    return available.status();
  if (!quiet)
    llvm::errs() << "adze-compile: " << output << " needs about " << megabytes(bytes) << " of disk; "
                 << megabytes(double(*available)) << " are free\n";
  if (uint64_t(bytes) > *available)
    return resourceExhausted(output + " needs about " + megabytes(bytes) + " of disk and " +
                             megabytes(double(*available)) + " are free there; make room or give another -o");
  return Status::success();
}

} // namespace adze
