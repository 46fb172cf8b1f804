// FakeDriverLibrary.h: where the fake driver's libraries are, and a fresh one for each test.
#ifndef ADZE_TEST_CONFORMANCE_FAKEDRIVERLIBRARY_H
#define ADZE_TEST_CONFORMANCE_FAKEDRIVERLIBRARY_H

#include "FakeDriver.h"

#include "adze/Runtime/Device/Cuda/CudaDevice.h"

#include <string>

namespace adze {

enum class FakeKind { Whole, WithoutGraphs };

/// The file of the build, or the one in lib/ beside the program (a bundle for another machine).
std::string fakeDriverPath(FakeKind kind = FakeKind::Whole);

/// The fake driver with its settings as at the start and the kernels of the suite in it.
FakeDriverControl &freshFakeDriver(FakeKind kind = FakeKind::Whole);

/// Options that use it, with a time limit that a test can wait for.
CudaDeviceOptions fakeDriverOptions();

} // namespace adze
#endif
