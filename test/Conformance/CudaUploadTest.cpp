// Files of every awkward size by one thread and by several, and what happens where something is refused.
#include "DeviceBench.h"
#include "FakeDriverLibrary.h"

#include <cstring>
#include <sys/mman.h>

using namespace adze;

namespace {
const AdzeProgram kNothing = conformanceProgram([](const AdzeStep *, const AdzeServices *) { return int32_t(0); });

// Memory that looks like a mapped file: whole pages, the last one partly used.
struct Pages {
  explicit Pages(size_t size) : size(size), start(static_cast<uint8_t *>(map())) {
    for (size_t i = 0; i < size; ++i)
      start[i] = uint8_t(i * 31 + i / 4096);
  }
  ~Pages() { munmap(start, size); }
  void *map() const { return mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
  std::span<const uint8_t> bytes() const { return {start, size}; }

  size_t size;
  uint8_t *start;
};

struct CudaUpload : testing::TestWithParam<unsigned> {
  void open() {
    CudaDeviceOptions options = fakeDriverOptions();
    options.uploadThreads = GetParam();
    Expected<std::unique_ptr<CudaDevice>> made = CudaDevice::create(options);
    ASSERT_TRUE(made.ok());
    device = std::move(*made);
    ASSERT_TRUE(device->load(kNothing, conformanceImage()).ok());
  }
  void expectArrives(const Pages &pages) {
    Expected<DeviceBuffer> buffer = device->upload(pages.bytes(), "weights", "--context");
    ASSERT_TRUE(buffer.ok()) << buffer.status().message();
    EXPECT_EQ(device->uploadReport().bytes, int64_t(pages.size));
    Expected<HostWindow> window = device->openWindow(*buffer, 0, int64_t(pages.size), "a test");
    WindowRange all{&*window, 0, window->size()};
    ASSERT_TRUE(device->runStep(kNothing, AdzeStep{}, {{}, {&all, 1}}).ok());
    EXPECT_EQ(memcmp(window->data(), pages.start, pages.size), 0) << pages.size << " bytes";
  }
  void TearDown() override {
    device.reset();
    EXPECT_EQ(driver.counts.misuse, 0);
    EXPECT_EQ(driver.counts.livePinned + driver.counts.liveEvents, 0);
  }

  FakeDriverControl &driver = freshFakeDriver();
  std::unique_ptr<CudaDevice> device;
};
} // namespace

TEST_P(CudaUpload, TakesEverySize) {
  open();
  for (size_t size : {1, 255, 4096, 4097, 65536, 65537, 3 * 65536, 3 * 65536 + 1, 1000003})
    expectArrives(Pages(size));
}

TEST_P(CudaUpload, TakesNothing) {
  open();
  Expected<DeviceBuffer> buffer = device->upload({}, "weights", "--context");
  ASSERT_TRUE(buffer.ok());
  EXPECT_EQ(buffer->data(), nullptr);
}

TEST_P(CudaUpload, RefusesWhatTheGpuCannotHold) {
  open();
  driver.settings.freeBytes = 1 << 20;
  Expected<DeviceBuffer> buffer = device->upload(Pages(2 << 20).bytes(), "weights", "--context");
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.status().code(), ErrorCode::ResourceExhausted);
  EXPECT_NE(buffer.status().message().find("weights"), std::string::npos) << buffer.status().message();
}

TEST_P(CudaUpload, EndsWithinTheLimitWhereTheGpuIsLost) {
  open();
  Pages pages(1 << 20);
  driver.settings.neverEnds = 1;
  Expected<DeviceBuffer> buffer = device->upload(pages.bytes(), "weights", "--context");
  ASSERT_FALSE(buffer.ok());
  EXPECT_NE(buffer.status().message().find("within 300 ms"), std::string::npos) << buffer.status().message();
  EXPECT_FALSE(device->fault().ok());
  device.reset();
  driver.reset(); // what the lost GPU holds is left to the end of the process
}

TEST_P(CudaUpload, SaysThatThereIsNoPageLockedMemory) {
  open();
  driver.settings.refusePinned = 1;
  Expected<DeviceBuffer> buffer = device->upload(Pages(1 << 20).bytes(), "weights", "--context");
  ASSERT_FALSE(buffer.ok());
  EXPECT_NE(buffer.status().message().find("page-locked"), std::string::npos) << buffer.status().message();
  EXPECT_EQ(device->allocatedBytes(), 0);
  Expected<HostWindow> window = device->openWindow(*device->allocate(4096, "a test", "--test"), 0, 4096, "step arrays");
  ASSERT_FALSE(window.ok());
  EXPECT_NE(window.status().message().find("step arrays"), std::string::npos) << window.status().message();
}

// One piece among many is refused: the others that were given are waited for, since they read memory that is freed.
TEST_P(CudaUpload, GoesOnAfterARefusedPiece) {
  open();
  Pages pages(1000003);
  driver.settings.refuseCopyAfter = 5;
  Expected<DeviceBuffer> buffer = device->upload(pages.bytes(), "the weights", "the model");
  ASSERT_FALSE(buffer.ok());
  EXPECT_NE(buffer.status().message().find("the weights: GPU 0"), std::string::npos) << buffer.status().message();
  EXPECT_TRUE(device->fault().ok());
  driver.settings.refuseCopyAfter = -1;
  expectArrives(pages);
}

INSTANTIATE_TEST_SUITE_P(Threads, CudaUpload, testing::Values(1u, 3u));
