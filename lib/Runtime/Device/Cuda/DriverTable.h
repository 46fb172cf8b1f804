// DriverTable.h: the NVIDIA driver as a table of functions, found at run time.
//
// Nothing of Adze links the driver, so one binary starts on every machine. open() loads the library and says which of
// the things that can be wrong is wrong: no driver, a driver older than Adze needs, or a library that lacks functions
// (each missing one is named). A table is immutable; the library stays loaded until the process ends, since the driver
// has threads of its own. Safe from any thread.
#ifndef ADZE_LIB_RUNTIME_DEVICE_CUDA_DRIVERTABLE_H
#define ADZE_LIB_RUNTIME_DEVICE_CUDA_DRIVERTABLE_H

#include "DriverApi.h"

#include "adze/Support/Status.h"

#include <memory>
#include <string>
#include <string_view>

namespace adze::cuda {

/// The oldest driver that is accepted, as cuDriverGetVersion counts: 1000 * major + 10 * minor of CUDA.
inline constexpr int kNeededDriver = 12000;

/// "12.4" for 12040.
std::string versionText(int version);

struct DriverTable {
#define ADZE_CUDA_MEMBER(name, symbol, parameters) Result(*name) parameters = nullptr;
  ADZE_CUDA_FUNCTIONS(ADZE_CUDA_MEMBER)
#undef ADZE_CUDA_MEMBER
  /// cuFuncGetParamInfo came with CUDA 12.4: null on older drivers.
  Result (*functionGetParamInfo)(Function, size_t index, size_t *offset, size_t *size) = nullptr;

  int version = 0; // of CUDA, as kNeededDriver

  /// `path` is a library name or a file. Unsupported says what is missing and what to do.
  static Expected<std::shared_ptr<const DriverTable>> open(const std::string &path);

  /// "CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)".
  std::string describe(Result result) const;
};

} // namespace adze::cuda
#endif
