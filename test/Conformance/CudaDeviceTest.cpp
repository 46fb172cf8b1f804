// Opening a GPU and loading code onto it: every machine that cannot is told why and what to do.
#include "DeviceBench.h"
#include "FakeDriverLibrary.h"

using namespace adze;

namespace {
// The message of a refusal to open.
std::string refusal(const CudaDeviceOptions &options, ErrorCode code = ErrorCode::Unsupported) {
  Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::create(options);
  EXPECT_FALSE(device.ok());
  if (device)
    return "";
  EXPECT_EQ(device.status().code(), code);
  return device.status().message();
}
void expectAll(const std::string &message, std::initializer_list<const char *> parts) {
  for (const char *part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
}

const AdzeProgram kProgram = conformanceProgram(launchAll<kAddOne>);

struct Loading : testing::Test {
  FakeDriverControl &driver = freshFakeDriver();
  KernelImage image = conformanceImage();

  Status load() {
    Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::create(fakeDriverOptions());
    EXPECT_TRUE(device.ok());
    Status status = (*device)->load(kProgram, image);
    EXPECT_TRUE((*device)->fault().ok());
    return status;
  }
  void expectRefusal(ErrorCode code, std::initializer_list<const char *> parts) {
    Status status = load();
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.code(), code);
    expectAll(status.message(), parts);
    EXPECT_EQ(driver.counts.liveModules, 0);
    EXPECT_EQ(driver.counts.misuse, 0);
  }
};
} // namespace

TEST(CudaOpening, SaysThatThereIsNoDriver) {
  CudaDeviceOptions options;
  options.driver = "libcuda-that-is-not-there.so.1";
  expectAll(refusal(options),
            {"no NVIDIA driver", "libcuda-that-is-not-there.so.1", "CUDA 12.0 or later", "--device cpu"});
}

TEST(CudaOpening, SaysThatALibraryIsNoDriver) {
  CudaDeviceOptions options;
  options.driver = "libm.so.6";
  expectAll(refusal(options), {"libm.so.6", "cuDriverGetVersion", "--device cpu"});
}

TEST(CudaOpening, SaysThatTheDriverIsTooOld) {
  freshFakeDriver().settings.version = 11080;
  expectAll(refusal(fakeDriverOptions()), {"is for CUDA 11.8", "CUDA 12.0 or later", "newer driver"});
}

TEST(CudaOpening, NamesEachMissingFunction) {
  freshFakeDriver(FakeKind::WithoutGraphs);
  CudaDeviceOptions options;
  options.driver = fakeDriverPath(FakeKind::WithoutGraphs);
  expectAll(refusal(options), {"lacks cuGraphLaunch, cuGraphExecDestroy:", "CUDA 13.0", "again"});
}

TEST(CudaOpening, SaysWhyTheDriverDoesNotStart) {
  FakeDriverControl &driver = freshFakeDriver();
  driver.settings.initResult = 100;
  expectAll(refusal(fakeDriverOptions()), {"CUDA_ERROR_NO_DEVICE", "CUDA_VISIBLE_DEVICES", "--device cpu"});
  driver.settings.initResult = 803;
  expectAll(refusal(fakeDriverOptions()), {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "restart the machine"});
  driver.settings.initResult = 802;
  expectAll(refusal(fakeDriverOptions()), {"error 802", "fabric manager"});
}

TEST(CudaOpening, NamesTheGpusThatThereAre) {
  FakeDriverControl &driver = freshFakeDriver();
  CudaDeviceOptions options = fakeDriverOptions();
  options.ordinal = 2;
  driver.settings.devices = 2;
  expectAll(refusal(options, ErrorCode::InvalidInput), {"no GPU 2", "has 2", "cuda:0 to cuda:1"});
  driver.settings.devices = 0;
  expectAll(refusal(options, ErrorCode::InvalidInput), {"sees no GPU", "nvidia-smi"});
}

TEST(CudaOpening, NamesTheGpuAndReturnsEverything) {
  FakeDriverControl &driver = freshFakeDriver();
  {
    Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::create(fakeDriverOptions());
    ASSERT_TRUE(device.ok()) << device.status().message();
    EXPECT_EQ((*device)->name(), "GPU 0 (Fake GPU, sm_90) with 1.0 GiB, driver for CUDA 13.0");
    EXPECT_EQ((*device)->availableBytes()->value(), (int64_t(1) << 29) - (1 << 20)) << "the reserve is left out";
    ASSERT_TRUE((*device)->load(kProgram, conformanceImage()).ok());
    DeviceBench bench(**device, 64);
    for (int i = 0; i < 4; ++i)
      ASSERT_TRUE(bench.run(**device, kProgram, true, true).ok());
    EXPECT_EQ((*device)->availableBytes()->value() + 1024, (int64_t(1) << 29) - (1 << 20));
  }
  const FakeDriverCounts &left = driver.counts;
  EXPECT_EQ(left.liveMemory + left.livePinned + left.liveModules + left.liveGraphs + left.liveEvents +
                left.liveStreams + left.liveContexts,
            0);
  EXPECT_EQ(left.misuse, 0);
}

TEST_F(Loading, TakesWhatFits) {
  EXPECT_TRUE(load().ok());
  image.code.architecture = "sm_90";
  EXPECT_TRUE(load().ok());
  image.code.architecture = "sm_90a";
  EXPECT_TRUE(load().ok());
}

TEST_F(Loading, RefusesAnotherArchitecture) {
  driver.settings.major = 8;
  image.code.architecture = "sm_90a";
  expectRefusal(ErrorCode::Unsupported, {"compiled for sm_90a", "Fake GPU", "is sm_80", "compile it for sm_80"});
  driver.settings.major = 10;
  expectRefusal(ErrorCode::Unsupported, {"compiled for sm_90a", "is sm_100"});
  image.code.architecture = "sm_90"; // text: runs on what came later
  EXPECT_TRUE(load().ok());
  const uint8_t cubin[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0};
  image.code.bytes = cubin;
  expectRefusal(ErrorCode::Unsupported, {"compiled for sm_90 ", "is sm_100"});
}

TEST_F(Loading, TakesMachineCodeWhereItRunsAndTextElsewhere) {
  std::vector<uint8_t> cubin(image.code.bytes.begin(), image.code.bytes.end());
  std::copy_n("\x7f"
              "ELF",
              4, cubin.begin()); // over a comment: the fake driver finds the entries as in the text
  image.cubin = {"sm_90a", 13000, cubin};
  EXPECT_TRUE(load().ok());
  EXPECT_EQ(driver.counts.cubins, 1);
  image.cubin.driver = 13010; // newer than the driver
  EXPECT_TRUE(load().ok());
  image.cubin.driver = 13000;
  driver.settings.major = 10;
  EXPECT_TRUE(load().ok());
  driver.settings.major = 9;
  image.cubin.bytes = image.code.bytes; // no machine code
  EXPECT_TRUE(load().ok());
  EXPECT_EQ(driver.counts.cubins, 1) << "text was loaded";
  image.code.architecture = "sm_100"; // machine code alone is enough
  image.cubin.bytes = cubin;
  EXPECT_TRUE(load().ok());
  EXPECT_EQ(driver.counts.cubins, 2);
}

TEST_F(Loading, RefusesCodeForANewerDriver) {
  image.code.driver = 13020;
  expectRefusal(ErrorCode::Unsupported, {"driver for CUDA 13.2", "this one is for CUDA 13.0"});
  image.code.driver = 0;
  driver.settings.loadResult = 222;
  expectRefusal(ErrorCode::Unsupported, {"newer than the NVIDIA driver", "13.0", "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"});
}

TEST_F(Loading, PassesOnWhatTheDriverSaysOfBadCode) {
  driver.settings.loadResult = 218;
  expectRefusal(ErrorCode::Internal, {"CUDA_ERROR_INVALID_PTX", "line 7: an instruction that is none"});
}

TEST_F(Loading, RefusesADescriptionThatIsNotTheCodes) {
  image.kernels.pop_back();
  expectRefusal(ErrorCode::InvalidInput, {"describes 5 GPU kernels", "has 6"});
  image = conformanceImage();
  image.kernels[1].function = "sum_neighbors";
  expectRefusal(ErrorCode::InvalidInput, {"kernel sum", "no function sum_neighbors"});
  image = conformanceImage();
  image.kernels[0].threads = 2048;
  expectRefusal(ErrorCode::InvalidInput, {"kernel add", "at most as many threads as 1024", "2048"});
  image = conformanceImage();
  image.kernels[0].threads = 0;
  expectRefusal(ErrorCode::InvalidInput, {"kernel add", "says 0"});
  image = conformanceImage();
  image.kernels[2].argumentBytes = 32;
  expectRefusal(ErrorCode::InvalidInput, {"kernel nothing", "argument block of 24", "says 32"});
  image = conformanceImage();
  image.kernels[1].argumentBytes = 8; // three parameters of 8 bytes
  expectRefusal(ErrorCode::InvalidInput, {"kernel sum", "argument block of 24", "says 8"});
  image = conformanceImage();
  image.kernels[2].sharedBytes = 300000;
  expectRefusal(ErrorCode::Unsupported, {"kernel nothing", "300000 bytes of shared memory", "232448"});
  image = conformanceImage();
  image.code.architecture = "gfx942";
  expectRefusal(ErrorCode::InvalidInput, {"'gfx942'"});
  image = conformanceImage();
  image.code.bytes = image.code.bytes.first(image.code.bytes.size() - 1);
  expectRefusal(ErrorCode::InvalidInput, {"zero byte"});
}

TEST_F(Loading, AStepOfAProgramThatWasNotLoadedIsRefused) {
  Expected<std::unique_ptr<CudaDevice>> device = CudaDevice::create(fakeDriverOptions());
  ASSERT_TRUE(device.ok());
  EXPECT_EQ((*device)->runStep(kProgram, AdzeStep{}).code(), ErrorCode::Internal);
}
