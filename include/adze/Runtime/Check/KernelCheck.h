// KernelCheck.h: each kernel of an artifact against an artifact of the same model for another target, on random steps.
//
// Both run the same steps (CheckPlan.h), each on its own device: the reference first. After each launch of the artifact
// under test, every value that the launch wrote is compared with the reference's value of that name (values.json) and
// then overwritten by it. So every kernel starts from the reference's numbers, errors do not add up, a difference is
// that of one kernel, and the KV cache is filled from the reference's numbers too. Outputs are filled with NaN before
// their launch, so that an element that is not written shows; where a launch writes over an input, which a residual
// does, they are not. The arena is NaN before each step, the KV pool before each round.
//
// Two values need no reference of that name: chosen tokens follow from the logits, sums of codes from the codes. Keys
// and values in the cache have no name, and their order differs by target: they show in the attention that reads them.
//
// Errors name the option of `adze check` that they come from. One thread at a time.
#ifndef ADZE_RUNTIME_CHECK_KERNELCHECK_H
#define ADZE_RUNTIME_CHECK_KERNELCHECK_H

#include "adze/Runtime/Artifact/Artifact.h"
#include "adze/Runtime/Check/CheckPlan.h"
#include "adze/Runtime/Check/ValueComparison.h"
#include "adze/Runtime/Device/Choice/DeviceChoice.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace adze {

struct CheckOptions {
  int64_t rounds = 8;
  uint64_t seed = 0;
  DeviceOptions device;    ///< of the artifact under test
  DeviceOptions reference; ///< of the other
};

/// One kernel, all its launches together.
struct CheckedKernel {
  std::string name, family;
  int64_t launches = 0;        ///< with anything to do
  int64_t elements = 0;        ///< that were compared
  int64_t differences = 0;     ///< of them, beyond the bound
  double worst = 0, bound = 0; ///< error of the element that is nearest to its bound or farthest beyond it, and that
  std::string value;           ///< whose it is
};

/// The first difference of a run.
struct CheckDifference {
  int64_t step = 0;     ///< counted from 0
  std::string stepText; ///< CheckStep::text
  int64_t launch = 0;   ///< of the step
  std::string kernel, value;
  ElementDifference element;
  int64_t differences = 0; ///< of this value
  double bound = 0;
};

struct CheckReport {
  int64_t steps = 0, differences = 0;
  std::vector<CheckedKernel> kernels; ///< in the order of the manifest
  std::optional<CheckDifference> first;
};

class KernelCheck {
public:
  /// Opens both and takes memory. Refuses artifacts of different models or numerics, and one without values.json.
  static Expected<std::unique_ptr<KernelCheck>> open(const std::string &path, const std::string &reference,
                                                     const CheckOptions &options);
  ~KernelCheck();

  const Manifest &manifest() const;
  const Manifest &referenceManifest() const;
  const Device &device() const;
  const Device &referenceDevice() const;
  /// Values that one of both writes and the other does not, or with other columns or another element.
  const std::vector<std::string> &onlyTested() const;
  const std::vector<std::string> &onlyReference() const;

  /// Runs all rounds; once. Fails where a device does.
  Expected<CheckReport> run();

private:
  struct State;
  explicit KernelCheck(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace adze
#endif
