// Reading the choice and acting on it.
#include "adze/Runtime/Device/Choice/DeviceChoice.h"

#include <charconv>
#include <fmt/format.h>

using namespace adze;

Status adze::chooseDevice(std::string_view text, DeviceOptions &options) {
  constexpr std::string_view kCuda = "cuda";
  if (text == "cpu") {
    options.kind = DeviceKind::Cpu;
    return Status();
  }
  std::string_view rest = text.substr(0, kCuda.size()) == kCuda ? text.substr(kCuda.size()) : "?";
  int ordinal = 0;
  bool right = rest.empty();
  if (rest.size() > 1 && rest[0] == ':') {
    auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), ordinal);
    right = error == std::errc() && end == rest.data() + rest.size() && ordinal >= 0;
  }
  if (!right)
    return invalidInput(fmt::format("--device is '{}'; accepted: cpu, cuda, or cuda:N for GPU number N", text));
  options.kind = DeviceKind::Cuda;
  options.cuda.ordinal = ordinal;
  return Status();
}

Expected<std::unique_ptr<Device>> adze::openDevice(const DeviceOptions &options, bool modelIsForGpu) {
  if (options.kind == DeviceKind::Cpu || (options.kind == DeviceKind::AsCompiled && !modelIsForGpu))
    return std::make_unique<CpuDevice>(options.cpu);
  Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::create(options.cuda);
  if (!device)
    return device.status();
  return std::unique_ptr<Device>(std::move(*device));
}
