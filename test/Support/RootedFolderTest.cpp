#include "adze/Support/RootedFolder.h"
#include "TemporaryFolder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace adze;
using adze::test::TemporaryFolder;

static std::string mapText(const RootedFolder &folder, const std::string &name) {
  Expected<MappedFile> file = folder.map(name);
  return file ? std::string(file->text()) : "refused: " + file.status().message();
}

static ErrorCode refusal(const RootedFolder &folder, std::string_view name) {
  Expected<MappedFile> file = folder.map(name);
  EXPECT_FALSE(file) << name;
  return file.status().code();
}

TEST(RootedFolder, MapsFilesBelowTheFolder) {
  TemporaryFolder place;
  place.write("config.json", "{}");
  place.write("onnx/model.bin", "data");
  place.write("empty", "");
  RootedFolder folder = std::move(*RootedFolder::open(place.path()));
  EXPECT_EQ(mapText(folder, "config.json"), "{}");
  EXPECT_EQ(mapText(folder, "onnx/model.bin"), "data");
  EXPECT_EQ(mapText(folder, "empty"), "");
  EXPECT_TRUE(folder.contains("config.json"));
  EXPECT_FALSE(folder.contains("onnx"));
  EXPECT_EQ(*folder.list(), (std::vector<std::string>{"config.json", "empty", "onnx"}));
}

TEST(RootedFolder, RefusesNamesThatClimbOrStartAtTheRoot) {
  TemporaryFolder place;
  place.write("secret", "secret");
  place.write("model/config.json", "{}");
  place.write("model/sub/x", "x");
  RootedFolder folder = std::move(*RootedFolder::open(place / "model"));
  for (std::string_view name : {"../secret", "sub/../../secret", "sub/../config.json", "/etc/passwd", "", "..", ".",
                                "sub/", "sub//x", "./config.json", "//etc/passwd"}) {
    EXPECT_EQ(refusal(folder, name), ErrorCode::InvalidInput) << name;
    EXPECT_FALSE(folder.contains(name)) << name;
  }
  EXPECT_EQ(refusal(folder, std::string_view("config.json\0.txt", 16)), ErrorCode::InvalidInput);
}

TEST(RootedFolder, NamesFolderAndFileWhenItIsMissing) {
  TemporaryFolder place;
  RootedFolder folder = std::move(*RootedFolder::open(place.path()));
  Expected<MappedFile> file = folder.map("model-00002-of-00002.safetensors");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.status().code(), ErrorCode::NotFound);
  EXPECT_NE(file.status().message().find("'model-00002-of-00002.safetensors' in '" + place.path() + "'"),
            std::string::npos);
}

TEST(RootedFolder, FollowsLinksInsideAndRefusesLinksThatLeave) {
  TemporaryFolder place;
  place.write("secret", "secret");
  place.write("model/real", "real");
  place.link("real", "model/inside");
  place.link("../model/real", "model/out-and-back");
  place.link("../secret", "model/relative");
  place.link(place / "secret", "model/absolute");
  place.link(place / "model/real", "model/absolute-inside");
  place.link("..", "model/parent");
  place.link("circle", "model/circle");
  RootedFolder folder = std::move(*RootedFolder::open(place / "model"));
  EXPECT_EQ(mapText(folder, "inside"), "real");
  for (std::string_view name : {"out-and-back", "relative", "absolute", "absolute-inside", "parent/secret", "circle"})
    EXPECT_EQ(refusal(folder, name), ErrorCode::InvalidInput) << name;
}

TEST(RootedFolder, ReadsAHubCacheSnapshot) {
  TemporaryFolder cache;
  cache.write("blobs/abc123", "weights");
  cache.link("../../blobs/abc123", "snapshots/rev1/model.safetensors");
  cache.link("../../../blobs/abc123", "snapshots/rev1/onnx/model.onnx");
  RootedFolder folder = std::move(*RootedFolder::open(cache / "snapshots/rev1"));
  EXPECT_EQ(mapText(folder, "model.safetensors"), "weights");
  EXPECT_EQ(mapText(folder, "onnx/model.onnx"), "weights");
  EXPECT_TRUE(folder.contains("model.safetensors"));
  // The user's own path may be a link to the snapshot.
  cache.link("snapshots/rev1", "current");
  RootedFolder linked = std::move(*RootedFolder::open(cache / "current"));
  EXPECT_EQ(mapText(linked, "model.safetensors"), "weights");
}

TEST(RootedFolder, RefusesHubLinksThatGoAnywhereElse) {
  TemporaryFolder cache;
  cache.write("secret", "secret");
  cache.write("refs/main", "rev1");
  cache.write("blobs/folder/deep", "deep");
  cache.write("blobs/good", "good");
  cache.link("../secret", "blobs/evil");
  cache.link("../../blobs/evil", "snapshots/rev1/blob-is-a-link");
  cache.link("../../blobs/../secret", "snapshots/rev1/climbs");
  cache.link("../../blobs/folder/deep", "snapshots/rev1/deeper");
  cache.link("../../refs/main", "snapshots/rev1/other-folder");
  cache.link("../../../blobs/good", "snapshots/rev1/wrong-depth");
  cache.link(cache / "blobs/good", "snapshots/rev1/absolute");
  RootedFolder folder = std::move(*RootedFolder::open(cache / "snapshots/rev1"));
  for (std::string_view name : {"blob-is-a-link", "climbs", "deeper", "other-folder", "wrong-depth", "absolute"})
    EXPECT_EQ(refusal(folder, name), ErrorCode::InvalidInput) << name;
}

TEST(RootedFolder, SaysThatACacheIsIncompleteWhenABlobIsGone) {
  TemporaryFolder cache;
  cache.write("blobs/other", "other");
  cache.link("../../blobs/gone", "snapshots/rev1/model.safetensors");
  RootedFolder folder = std::move(*RootedFolder::open(cache / "snapshots/rev1"));
  Expected<MappedFile> file = folder.map("model.safetensors");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.status().code(), ErrorCode::NotFound);
  EXPECT_NE(file.status().message().find("the cache is incomplete"), std::string::npos);
}

TEST(RootedFolder, AllowsHubLinksOnlyInSnapshots) {
  TemporaryFolder place;
  place.write("blobs/abc123", "weights");
  place.link("../../blobs/abc123", "models/mine/model.safetensors");
  RootedFolder folder = std::move(*RootedFolder::open(place / "models/mine"));
  EXPECT_EQ(refusal(folder, "model.safetensors"), ErrorCode::InvalidInput);
}

TEST(RootedFolder, RefusesPipesWithoutWaitingForAWriter) {
  TemporaryFolder place;
  ASSERT_EQ(mkfifo((place / "pipe").c_str(), 0600), 0);
  RootedFolder folder = std::move(*RootedFolder::open(place.path()));
  EXPECT_EQ(refusal(folder, "pipe"), ErrorCode::InvalidInput);
  EXPECT_FALSE(folder.contains("pipe"));
}

TEST(RootedFolder, LimitsTextByName) {
  TemporaryFolder place;
  place.write("config.json", "0123456789");
  RootedFolder folder = std::move(*RootedFolder::open(place.path()));
  EXPECT_EQ(*folder.readText("config.json", 10), "0123456789");
  Expected<std::string> text = folder.readText("config.json", 9);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.status().code(), ErrorCode::ResourceExhausted);
  EXPECT_NE(text.status().message().find("config.json"), std::string::npos);
}

TEST(RootedFolder, RefusesAFileAsAFolder) {
  TemporaryFolder place;
  std::string file = place.write("model.gguf", "x");
  Expected<RootedFolder> folder = RootedFolder::open(file);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.status().code(), ErrorCode::InvalidInput);
  EXPECT_EQ(RootedFolder::open(place / "absent").status().code(), ErrorCode::NotFound);
}

TEST(MappedFile, OpensAUsersPathThroughLinksAndRefusesFolders) {
  TemporaryFolder place;
  place.write("real", "text");
  place.link("real", "link");
  Expected<MappedFile> file = MappedFile::open(place / "link");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->text(), "text");
  file->dropRange(0, UINT64_MAX);
  file->willNeedRange(2, 100);
  EXPECT_EQ(file->text(), "text");
  EXPECT_EQ(MappedFile::open(place.path()).status().code(), ErrorCode::InvalidInput);
  EXPECT_EQ(MappedFile::open(place / "absent").status().code(), ErrorCode::NotFound);
}
