// `adze` and GPUs: it starts without driver and GPU, says exactly what is missing, and answers where nothing is. The
// driver is the fake one, under the real one's name in a folder where the loader looks first.
#include "ToolFixture.h"

#include <filesystem>

using namespace adze;
using namespace adze::test;

namespace {
struct GpuToolTest : ToolTest {
  GpuToolTest() {
    std::filesystem::create_directories(model.folder.file("none"));
    std::filesystem::create_directories(model.folder.file("fake"));
    std::filesystem::create_symlink(ADZE_FAKE_DRIVER, model.folder.file("fake/libcuda.so.1"));
    // A file that is no library: whatever driver this machine has is not found.
    putFile(model.folder.file("none/libcuda.so.1"), "no library");
  }
  // Settings are those of FakeDriver.cpp.
  Outcome onGpu(const std::string &settings, const std::string &flags) {
    return adze("run " + artifact() + " --prompt abc " + flags, "",
                "LD_LIBRARY_PATH=" + model.folder.file("fake") + " FAKE_DRIVER='" + settings + "' ");
  }
  void expectRefusal(const Outcome &outcome, std::initializer_list<const char *> parts) {
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    for (const char *part : parts)
      EXPECT_TRUE(contains(outcome.err, part)) << part << " is not in: " << outcome.err;
  }
};

// The same, with a model for sm_75.
struct GpuModelTest : GpuToolTest {
  GpuModelTest() { model.compileForGpu(); }
};
} // namespace

TEST_F(GpuModelTest, AnswersAsOnACpu) {
  Outcome outcome = onGpu("", "--profile");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "xyz\n");
  EXPECT_TRUE(contains(outcome.err, "attention")) << outcome.err;
  EXPECT_EQ(onGpu("", "--device cuda:0 --quiet").out, "xyz\n");
}

TEST_F(GpuModelTest, SaysThatThereIsNoDriver) {
  std::string none = "LD_LIBRARY_PATH=" + model.folder.file("none") + " ";
  expectRefusal(adze("run " + artifact() + " --prompt abc", "", none),
                {"no NVIDIA driver", "libcuda.so.1", "install the driver for CUDA 12.0 or later"});
  EXPECT_EQ(adze("inspect " + path, "", none).code, 0);
  EXPECT_EQ(adze("verify " + path, "", none).code, 0);
}

TEST_F(GpuModelTest, SaysThatTheDriverIsTooOld) {
  expectRefusal(onGpu("version=11080", ""), {"is for CUDA 11.8", "CUDA 12.0 or later", "install a newer driver"});
  model.manifest.gpu->driver = 13010;
  written = false;
  expectRefusal(onGpu("version=13000", ""), {"needs an NVIDIA driver for CUDA 13.1", "this one is for CUDA 13.0"});
}

TEST_F(GpuModelTest, SaysThatNoGpuIsVisible) {
  expectRefusal(onGpu("init=100", ""), {"CUDA_ERROR_NO_DEVICE", "CUDA_VISIBLE_DEVICES"});
  expectRefusal(onGpu("", "--device cuda:3"), {"there is no GPU 3", "--device cuda:0 to cuda:0"});
}

TEST_F(GpuModelTest, SaysThatTheModelIsForAnotherGpu) {
  model.manifest.gpu->architecture = "sm_90a";
  expectRefusal(onGpu("major=8", ""),
                {"model.adze: the model was compiled for sm_90a", "Fake GPU", "is sm_80", "compile it for sm_80"});
}

TEST_F(GpuModelTest, SaysThatTooLittleMemoryIsFree) {
  expectRefusal(onGpu("free=1000000", ""), {"bytes free", "weights", "activations", "end other programs"});
  expectRefusal(onGpu("", "--kv-memory 1G --requests 60000"), {"lower --kv-memory"});
}

TEST_F(GpuModelTest, IsRefusedOnACpu) {
  expectRefusal(onGpu("", "--device cpu"), {"compiled for the GPU architecture sm_75", "--device cuda"});
}

TEST_F(GpuModelTest, IsInspectedWithItsLaunches) {
  Outcome text = adze("inspect " + artifact());
  EXPECT_TRUE(contains(text.out, "kernels for NVIDIA GPUs, sm_75 and later, with a driver for CUDA 12.0 or later"))
      << text.out;
  EXPECT_TRUE(contains(text.out, "32 threads        0 bytes of shared memory")) << text.out;
  Json gpu = parse(adze("inspect --json " + path).out)["gpu"];
  EXPECT_EQ(gpu["architecture"], "sm_75");
  EXPECT_EQ(gpu["driver"], 12000);
  EXPECT_EQ(gpu["kernels"][2]["threads"], 32);
  EXPECT_EQ(gpu["kernels"][2]["argument_bytes"], FAKE_ARGUMENT_BYTES);
}

// A model for a CPU.
TEST_F(GpuToolTest, SaysThatAModelIsForACpu) {
  expectRefusal(onGpu("", "--device cuda"), {"compiled for a CPU", "--device cpu", "compile it for sm_90"});
  EXPECT_EQ(onGpu("version=11080", "").out, "xyz\n") << "no driver is looked for";
  EXPECT_FALSE(parse(adze("inspect --json " + artifact()).out).contains("gpu"));
}

TEST_F(GpuToolTest, RefusesOtherNamesOfDevicesAndTimes) {
  expectRefusal(onGpu("", "--device tpu"), {"--device is 'tpu'; accepted: cpu, cuda"});
  expectRefusal(onGpu("", "--device-timeout 0"), {"--device-timeout"});
}
