// ValueDump.h: --dump-values: what one layer computes, as a safetensors file.
//
// The file has one tensor for each value that a launch of the layer writes, a row for each token in the order of the
// sequence, and in front the value that the layer starts from. What a fused kernel keeps in registers is in no memory
// and so not in the file. The metadata says what `adze compile --compare-values` needs to compute the same values by
// the reference: tokens, layer, numerics, fusion, page, CPU level, and the files of the model.
#ifndef ADZE_TOOLS_ADZE_VALUEDUMP_H
#define ADZE_TOOLS_ADZE_VALUEDUMP_H

#include "adze/Format/StepValues.h"
#include "adze/Runtime/Artifact/Artifact.h"
#include "adze/Runtime/Device/Device.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace adze {

class ValueDump {
public:
  /// `manifest` is that of the artifact at `path` and outlives the dump. Refuses a layer that the model does not have
  /// and an artifact that does not say what its launches write.
  static Expected<std::unique_ptr<ValueDump>> create(const Manifest &manifest, const std::string &path, int64_t layer);

  /// Copies what the layer's launches write from now on. The dump must outlive the device's steps.
  void watch(Device &device);

  /// Writes the file beside its place and renames it. An existing file is replaced. Fails where a value could not be
  /// copied from the device.
  Status write(const std::string &path) const;

private:
  ValueDump(const Manifest &manifest, int64_t layer) : manifest(manifest), layer(layer) {}
  void take(Device &device, const FinishedLaunch &launch);
  /// Appends `bytes` bytes of the device's memory.
  void append(Device &device, std::string &to, const void *from, size_t bytes);

  struct Column {
    const StepValue *value;
    std::string bytes; // row after row
  };

  const Manifest &manifest;
  int64_t layer;
  StepValues values;
  std::map<int64_t, std::vector<size_t>> wanted; // numbers of columns, by number of launch
  std::vector<Column> columns;                   // in the order of the step
  std::string tokens;                            // of the rows, 32 bits each
  Status status;                                 // of the first copy that failed
};

} // namespace adze
#endif
