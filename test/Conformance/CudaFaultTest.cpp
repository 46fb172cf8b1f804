// What goes wrong on a GPU ends one step or the use of the device, with a message, within a limit. On the fake driver,
// and on a real GPU in processes of their own, since a fault there is for the life of a process.
#include "DeviceBench.h"
#include "FakeDriverLibrary.h"

#include <chrono>

using namespace adze;

namespace {
const AdzeProgram kAdd = conformanceProgram(launchAll<kAddOne>);
const AdzeProgram kTrapping = conformanceProgram(launchAll<kAddOne, kTrap>);
const AdzeProgram kNull = conformanceProgram(launchAll<kWriteToNull>);

// run_long reads its time from the place of the count.
int32_t longStep(const AdzeStep *, const AdzeServices *services) {
  ConformanceArguments arguments{nullptr, nullptr, 3'000'000'000};
  return services->launch(services->context, kRunLong, &arguments);
}
const AdzeProgram kLong = conformanceProgram(longStep);

Expected<std::unique_ptr<CudaDevice>> open(const CudaDeviceOptions &options) {
  Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::create(options);
  for (const AdzeProgram *program : {&kAdd, &kTrapping, &kNull, &kLong})
    if (device)
      if (Status status = (*device)->load(*program, conformanceImage()); !status.ok())
        return status;
  return device;
}

// Runs the faulty program several times over; true when all is as it must be, else it says what is not.
bool faultIsKept(CudaDevice &device, const AdzeProgram &faulty, std::string_view expected) {
  DeviceBench bench(device, 64);
  auto wrong = [](std::string_view what, const Status &status) {
    fprintf(stderr, "%.*s: %s\n", int(what.size()), what.data(), status.debugString().c_str());
    return false;
  };
  if (Status status = bench.run(device, kAdd, false, true); !status.ok())
    return wrong("a sound step", status);
  auto start = std::chrono::steady_clock::now();
  Status status = bench.run(device, faulty, false, true);
  auto passed = std::chrono::steady_clock::now() - start;
  if (status.ok() || status.message().find(expected) == std::string::npos)
    return wrong("the faulty step", status);
  if (passed > std::chrono::seconds(2))
    return wrong("the faulty step took too long", status);
  if (device.fault().ok())
    return wrong("fault()", device.fault());
  if (Status next = bench.run(device, kAdd, false, true); next.message() != status.message())
    return wrong("the step after it", next);
  if (Expected<DeviceBuffer> buffer = device.allocate(64, "a test", "--test"); buffer.ok())
    return wrong("memory after it", Status());
  if (Expected<DeviceBuffer> buffer = device.upload({}, "a test", "--test"); buffer.ok())
    return wrong("an upload after it", Status());
  if (device.fill(bench.arena, 1).ok() || device.load(kAdd, conformanceImage()).ok())
    return wrong("fill or load after it", Status());
  uint8_t byte = 0;
  if (device.read(bench.arena.data(), {&byte, 1}).ok() || device.availableBytes().ok())
    return wrong("read or the free memory after it", Status());
  return true;
}
} // namespace

TEST(CudaFault, OfAProgramEndsTheUseOfTheDevice) {
  for (const auto &[program, name] :
       {std::pair{&kTrapping, "CUDA_ERROR_LAUNCH_FAILED"}, std::pair{&kNull, "CUDA_ERROR_ILLEGAL_ADDRESS"}}) {
    FakeDriverControl &driver = freshFakeDriver();
    Expected<std::unique_ptr<CudaDevice>> device = open(fakeDriverOptions());
    ASSERT_TRUE(device.ok());
    EXPECT_TRUE(faultIsKept(**device, *program, name));
    EXPECT_NE((*device)->fault().message().find("finish a step of 64 tokens"), std::string::npos);
    EXPECT_NE((*device)->fault().message().find("start it again"), std::string::npos);
    device->reset();
    EXPECT_EQ(driver.counts.misuse, 0);
    EXPECT_EQ(driver.counts.liveContexts, 0);
  }
}

TEST(CudaFault, OfTheHardwareEndsTheUseOfTheDevice) {
  FakeDriverControl &driver = freshFakeDriver();
  driver.addKernel("trap", [](const void *, int64_t) { return 214; });
  Expected<std::unique_ptr<CudaDevice>> device = open(fakeDriverOptions());
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE(faultIsKept(**device, kTrapping, "CUDA_ERROR_ECC_UNCORRECTABLE"));
}

TEST(CudaFault, AStepPastItsLimitEndsTheUseOfTheDevice) {
  FakeDriverControl &driver = freshFakeDriver();
  Expected<std::unique_ptr<CudaDevice>> device = open(fakeDriverOptions());
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE(faultIsKept(**device, kLong, "within 300 ms"));
  EXPECT_NE((*device)->fault().message().find("--device-timeout"), std::string::npos);
  device->reset();
  EXPECT_GT(driver.counts.liveEvents, 0) << "freeing would wait for the work that does not end";
  driver.reset();
}

// Nothing is wrong with the GPU: the next step runs.
TEST(CudaFault, ARefusedLaunchEndsOneStep) {
  FakeDriverControl &driver = freshFakeDriver();
  Expected<std::unique_ptr<CudaDevice>> device = open(fakeDriverOptions());
  ASSERT_TRUE(device.ok());
  DeviceBench bench(**device, 64);
  driver.settings.launchResult = 701;
  Status status = bench.run(**device, kAdd, true, true);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("launch add_one with 4 blocks: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
            std::string::npos)
      << status.message();
  EXPECT_TRUE((*device)->fault().ok());
  driver.settings.launchResult = 0;
  ASSERT_TRUE(bench.run(**device, kAdd, false, true).ok());
  EXPECT_EQ(bench.values()[0], 1);
  EXPECT_EQ(driver.counts.misuse, 0);
}

TEST(CudaFault, AGridThatNoGpuHasEndsOneStep) {
  freshFakeDriver();
  Expected<std::unique_ptr<CudaDevice>> device = open(fakeDriverOptions());
  ASSERT_TRUE(device.ok());
  DeviceBench bench(**device, 64);
  Status status = bench.run(**device, kAdd, false, true, int64_t(1) << 40);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("kernel add asks for 68719476736 blocks"), std::string::npos) << status.message();
  EXPECT_TRUE((*device)->fault().ok());
}

namespace {
// In a process that starts afresh: 0 when the fault was reported as it must be.
[[noreturn]] void faultOnTheGpu(const AdzeProgram &faulty, std::string_view expected) {
  CudaDeviceOptions options;
  options.timeoutMilliseconds = 500;
  Expected<std::unique_ptr<CudaDevice>> device = open(options);
  bool right = device.ok() && faultIsKept(**device, faulty, expected);
  if (right)
    fprintf(stderr, "%s\n", (*device)->fault().message().c_str());
  if (device)
    device->reset(); // must not block either
  std::_Exit(right ? 0 : 1);
}

struct GpuFault : testing::Test {
  // A new process for each fault: this style starts the program again, since the driver does not survive a fork.
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::create();
    if (!device)
      GTEST_SKIP() << device.status().message();
  }
};
} // namespace

TEST_F(GpuFault, ATrapIsReported) {
  EXPECT_EXIT(faultOnTheGpu(kTrapping, "could not finish a step of 64 tokens"), testing::ExitedWithCode(0), "GPU 0");
}
TEST_F(GpuFault, AnIllegalAddressIsReported) {
  EXPECT_EXIT(faultOnTheGpu(kNull, "CUDA_ERROR_ILLEGAL_ADDRESS"), testing::ExitedWithCode(0), "GPU 0");
}
TEST_F(GpuFault, AStepPastItsLimitIsReported) {
  EXPECT_EXIT(faultOnTheGpu(kLong, "within 500 ms"), testing::ExitedWithCode(0), "GPU 0");
}
