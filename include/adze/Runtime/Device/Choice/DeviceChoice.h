// DeviceChoice.h: from what a user says (--device cuda:1) to an opened device.
//
// The one place that knows every kind of device, so that the engine and whoever owns it know none. No driver is looked
// for unless a GPU is asked for, by the user or by the model.
#ifndef ADZE_RUNTIME_DEVICE_CHOICE_DEVICECHOICE_H
#define ADZE_RUNTIME_DEVICE_CHOICE_DEVICECHOICE_H

#include "adze/Runtime/Device/CpuDevice.h"
#include "adze/Runtime/Device/Cuda/CudaDevice.h"

#include <memory>
#include <string_view>

namespace adze {

enum class DeviceKind { AsCompiled, Cpu, Cuda };

struct DeviceOptions {
  DeviceKind kind = DeviceKind::AsCompiled; // whatever the model was compiled for
  CpuDeviceOptions cpu;
  CudaDeviceOptions cuda;
};

/// Reads "cpu", "cuda" or "cuda:N" into `options`. InvalidInput: anything else.
Status chooseDevice(std::string_view text, DeviceOptions &options);

/// `modelIsForGpu`: whether the artifact has GPU code. Errors are those of the device.
Expected<std::unique_ptr<Device>> openDevice(const DeviceOptions &options, bool modelIsForGpu);

} // namespace adze
#endif
