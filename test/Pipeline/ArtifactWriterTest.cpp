#include "adze/Pipeline/ArtifactWriter.h"
#include "adze/Pipeline/CompileOptions.h"

#include <gtest/gtest.h>

using namespace adze;

TEST(ArtifactWriter, RefusesAnOutputThatDoesNotFitTheDisk) {
  Status status = checkDiskSpace("model.adze", int64_t(1) << 60, /*quiet=*/true);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), ErrorCode::ResourceExhausted);
  EXPECT_NE(status.message().find("model.adze needs about"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("are free there"), std::string::npos) << status.message();
  EXPECT_TRUE(checkDiskSpace("model.adze", 1, /*quiet=*/true).ok());
}

TEST(ArtifactWriter, CountsWeightsInWholeUnits) {
  EXPECT_EQ(weightsBytes({}), 0);
  EXPECT_EQ(weightsBytes({{"a", 0, 256}}), 256);
  EXPECT_EQ(weightsBytes({{"a", 0, 256}, {"b", 256, 1}}), 512);
}

TEST(CompileOptions, PrintsACommandThatRepeatsThem) {
  CompileOptions options;
  options.model = "my model";
  options.numerics = "f32";
  options.given = {"numerics"};
  options.kvPage = 16; // not given: it is the default of somebody else
  EXPECT_EQ(options.commandLine(), "adze-compile 'my model' --numerics=f32");
}
