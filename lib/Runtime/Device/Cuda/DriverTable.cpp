// Loading the driver and finding its functions.
#include "DriverTable.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <vector>

using namespace adze;
using namespace adze::cuda;

std::string adze::cuda::versionText(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

Expected<std::shared_ptr<const DriverTable>> DriverTable::open(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return unsupported(fmt::format("this machine has no NVIDIA driver: {} cannot be loaded ({}); install the driver "
                                   "for CUDA {} or later, or run on the CPU (--device cpu)",
                                   path, reason ? reason : "no reason given", versionText(kNeededDriver)));
  }
  auto table = std::make_shared<DriverTable>();
  auto getVersion = reinterpret_cast<Result (*)(int *)>(dlsym(library, "cuDriverGetVersion"));
  if (!getVersion || getVersion(&table->version) != kSuccess)
    return unsupported(
        fmt::format("{} does not tell its version (cuDriverGetVersion), so it is no NVIDIA driver; install the driver "
                    "for CUDA {} or later, or run on the CPU (--device cpu)",
                    path, versionText(kNeededDriver)));
  // The version first: an old driver lacks functions, and its age is the better reason.
  if (table->version < kNeededDriver)
    return unsupported(fmt::format("the NVIDIA driver ({}) is for CUDA {} and Adze needs one for CUDA {} or later; "
                                   "install a newer driver, or run on the CPU (--device cpu)",
                                   path, versionText(table->version), versionText(kNeededDriver)));
  std::vector<std::string_view> missing;
  auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    if (!function)
      missing.push_back(symbol);
  };
#define ADZE_CUDA_FIND(name, symbol, parameters) find(table->name, #symbol);
  ADZE_CUDA_FUNCTIONS(ADZE_CUDA_FIND)
#undef ADZE_CUDA_FIND
  if (!missing.empty())
    return unsupported(fmt::format("the NVIDIA driver ({}) says that it is for CUDA {} and lacks {}: its installation "
                                   "is damaged; install the driver again, or run on the CPU (--device cpu)",
                                   path, versionText(table->version), fmt::join(missing, ", ")));
  table->functionGetParamInfo =
      reinterpret_cast<decltype(table->functionGetParamInfo)>(dlsym(library, "cuFuncGetParamInfo"));
  return std::shared_ptr<const DriverTable>(std::move(table));
}

std::string DriverTable::describe(Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != kSuccess || !name)
    return fmt::format("error {}", result);
  if (getErrorString(result, &text) != kSuccess || !text)
    return fmt::format("{}, error {}", name, result);
  return fmt::format("{} ({})", name, text);
}
