// --device, read and obeyed.
#include "adze/Runtime/Device/Choice/DeviceChoice.h"

#include "FakeDriverLibrary.h"

#include <gtest/gtest.h>

using namespace adze;

TEST(DeviceChoice, ReadsEveryForm) {
  DeviceOptions options;
  EXPECT_EQ(options.kind, DeviceKind::AsCompiled);
  ASSERT_TRUE(chooseDevice("cpu", options).ok());
  EXPECT_EQ(options.kind, DeviceKind::Cpu);
  ASSERT_TRUE(chooseDevice("cuda:3", options).ok());
  EXPECT_EQ(options.kind, DeviceKind::Cuda);
  EXPECT_EQ(options.cuda.ordinal, 3);
  ASSERT_TRUE(chooseDevice("cuda", options).ok());
  EXPECT_EQ(options.cuda.ordinal, 0);
}

TEST(DeviceChoice, RefusesEverythingElseByName) {
  for (const char *text :
       {"", "gpu", "CPU", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda1", "cuda:99999999999", "cud"}) {
    DeviceOptions options;
    Status status = chooseDevice(text, options);
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_EQ(status.code(), ErrorCode::InvalidInput);
    EXPECT_NE(status.message().find("'" + std::string(text) + "'"), std::string::npos) << status.message();
    EXPECT_NE(status.message().find("cuda:N"), std::string::npos);
    EXPECT_EQ(options.kind, DeviceKind::AsCompiled);
  }
}

TEST(DeviceChoice, LooksForADriverOnlyWhereAGpuIsMeant) {
  freshFakeDriver().settings.initResult = 100;
  DeviceOptions options;
  options.cuda = fakeDriverOptions();
  EXPECT_TRUE(openDevice(options, false).ok());
  EXPECT_EQ(openDevice(options, true).status().code(), ErrorCode::Unsupported);
  options.kind = DeviceKind::Cuda;
  EXPECT_EQ(openDevice(options, false).status().code(), ErrorCode::Unsupported);
  options.kind = DeviceKind::Cpu;
  EXPECT_TRUE(openDevice(options, true).ok());
  freshFakeDriver();
  options.kind = DeviceKind::AsCompiled;
  Expected<std::unique_ptr<Device>> device = openDevice(options, true);
  ASSERT_TRUE(device.ok());
  EXPECT_NE((*device)->name().find("Fake GPU"), std::string::npos);
}
