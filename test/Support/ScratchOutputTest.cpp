#include "adze/Support/ScratchOutput.h"
#include "TemporaryFolder.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace adze;
using adze::test::readAll;
using adze::test::TemporaryFolder;
namespace fs = std::filesystem;

static size_t entries(const std::string &folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ScratchOutput, AppearsWholeOnCommit) {
  TemporaryFolder place;
  {
    ScratchOutput output = std::move(*ScratchOutput::file(place / "out", Overwrite::Refuse));
    ASSERT_TRUE(writeFile(output.scratchPath(), "content").ok());
    EXPECT_FALSE(fs::exists(place / "out"));
    ASSERT_TRUE(output.commit().ok());
  }
  EXPECT_EQ(readAll(place / "out"), "content");
  EXPECT_EQ(entries(place.path()), 1u);
}

TEST(ScratchOutput, LeavesNothingBehindWithoutCommit) {
  TemporaryFolder place;
  {
    ScratchOutput output = std::move(*ScratchOutput::folder(place / "model.adze", Overwrite::Refuse, "manifest.json"));
    ASSERT_TRUE(writeFile(output.scratchPath() + "/weights.bin", "w").ok());
    fs::create_directory(output.scratchPath() + "/sub");
    ASSERT_TRUE(writeFile(output.scratchPath() + "/sub/x", "x").ok());
  }
  EXPECT_EQ(entries(place.path()), 0u);
}

TEST(ScratchOutput, RefusesAnExistingNameAndPointsToForce) {
  TemporaryFolder place;
  place.write("out", "old");
  Expected<ScratchOutput> output = ScratchOutput::file(place / "out", Overwrite::Refuse);
  ASSERT_FALSE(output);
  EXPECT_NE(output.status().message().find("--force"), std::string::npos);
  EXPECT_EQ(readAll(place / "out"), "old");
}

TEST(ScratchOutput, DoesNotReplaceANameThatAppearsMeanwhile) {
  TemporaryFolder place;
  ScratchOutput output = std::move(*ScratchOutput::file(place / "out", Overwrite::Refuse));
  place.write("out", "somebody else's");
  EXPECT_FALSE(output.commit().ok());
  EXPECT_EQ(readAll(place / "out"), "somebody else's");
}

TEST(ScratchOutput, ReplacesAFolderOnlyOnCommit) {
  TemporaryFolder place;
  place.write("model.adze/manifest.json", "old");
  place.write("model.adze/extra", "old");
  {
    ScratchOutput output =
        std::move(*ScratchOutput::folder(place / "model.adze/", Overwrite::Replace, "manifest.json"));
    ASSERT_TRUE(writeFile(output.scratchPath() + "/manifest.json", "new").ok());
    EXPECT_EQ(readAll(place / "model.adze/manifest.json"), "old");
    ASSERT_TRUE(output.commit().ok());
  }
  EXPECT_EQ(readAll(place / "model.adze/manifest.json"), "new");
  EXPECT_EQ(entries(place / "model.adze"), 1u);
  EXPECT_EQ(entries(place.path()), 1u);
}

TEST(ScratchOutput, NeverReplacesAFolderThatItDidNotWrite) {
  TemporaryFolder place;
  place.write("home/letters.txt", "dear");
  place.write("file", "text");
  EXPECT_FALSE(ScratchOutput::folder(place / "home", Overwrite::Replace, "manifest.json"));
  EXPECT_FALSE(ScratchOutput::folder(place / "file", Overwrite::Replace, "manifest.json"));
  EXPECT_FALSE(ScratchOutput::file(place / "home", Overwrite::Replace));
  EXPECT_EQ(readAll(place / "home/letters.txt"), "dear");
  EXPECT_EQ(entries(place.path()), 2u);
}

TEST(ScratchOutput, NamesThePlaceThatCannotBeWritten) {
  Expected<ScratchOutput> output = ScratchOutput::file("/nonexistent-folder/out", Overwrite::Refuse);
  ASSERT_FALSE(output);
  EXPECT_EQ(output.status().code(), ErrorCode::NotFound);
  EXPECT_NE(output.status().message().find("/nonexistent-folder/out"), std::string::npos);
}

TEST(ScratchOutput, IsRemovedBySignals) {
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    TemporaryFolder place;
    pid_t child = fork();
    if (child == 0) {
      installScratchSignalHandler();
      Expected<ScratchOutput> output = ScratchOutput::folder(place / "model.adze", Overwrite::Refuse, "manifest.json");
      (void)writeFile(output->scratchPath() + "/weights.bin", "w");
      fs::create_directory(output->scratchPath() + "/sub");
      (void)writeFile(output->scratchPath() + "/sub/x", "x");
      raise(number);
      _exit(0);
    }
    int state = 0;
    ASSERT_EQ(waitpid(child, &state, 0), child);
    EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == number);
    EXPECT_EQ(entries(place.path()), 0u);
  }
}

TEST(ScratchOutput, IsRemovedWhileAnotherThreadWritesIntoIt) {
  for (int round = 0; round < 20; ++round) {
    TemporaryFolder place;
    pid_t child = fork();
    if (child == 0) {
      installScratchSignalHandler();
      ScratchOutput output = std::move(*ScratchOutput::folder(place / "model.adze", Overwrite::Refuse, "x"));
      // One thread fills the folder, one makes outputs without end: neither may leave any.
      std::thread fills([&] {
        for (int i = 0;; ++i)
          (void)writeFile(output.scratchPath() + "/" + std::to_string(i), "w");
      });
      std::thread makes([&] {
        for (;;)
          (void)ScratchOutput::file(place / "file", Overwrite::Refuse);
      });
      usleep(2000);
      raise(SIGTERM);
      _exit(0);
    }
    int state = 0;
    ASSERT_EQ(waitpid(child, &state, 0), child);
    EXPECT_TRUE(WIFSIGNALED(state) && WTERMSIG(state) == SIGTERM);
    EXPECT_EQ(entries(place.path()), 0u) << "round " << round;
  }
}

TEST(ScratchOutput, SignalsThatTheCallerIgnoresStayIgnored) {
  TemporaryFolder place;
  pid_t child = fork();
  if (child == 0) {
    signal(SIGHUP, SIG_IGN);
    installScratchSignalHandler();
    ScratchOutput output = std::move(*ScratchOutput::file(place / "out", Overwrite::Refuse));
    raise(SIGHUP);
    _exit(writeFile(output.scratchPath(), "content").ok() && output.commit().ok() ? 0 : 1);
  }
  int state = 0;
  ASSERT_EQ(waitpid(child, &state, 0), child);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  EXPECT_EQ(readAll(place / "out"), "content");
}

TEST(FileWriter, ReportsAFullDisk) {
  Expected<FileWriter> writer = FileWriter::create("/dev/full");
  ASSERT_TRUE(writer);
  Status status = writer->write("content");
  EXPECT_EQ(status.code(), ErrorCode::ResourceExhausted);
  EXPECT_NE(status.message().find("/dev/full"), std::string::npos);
}

TEST(FileWriter, PadsWithZeros) {
  TemporaryFolder place;
  FileWriter writer = std::move(*FileWriter::create(place / "out"));
  ASSERT_TRUE(writer.write("abc").ok());
  ASSERT_TRUE(writer.padTo(256).ok());
  EXPECT_EQ(writer.offset(), 256u);
  ASSERT_TRUE(writer.padTo(256).ok());
  ASSERT_TRUE(writer.padTo(0).ok());
  ASSERT_TRUE(writer.close().ok());
  EXPECT_EQ(readAll(place / "out"), "abc" + std::string(253, '\0'));
}

TEST(FreeDiskBytes, AnswersForAPlaceThatDoesNotExistYet) {
  TemporaryFolder place;
  Expected<uint64_t> free = freeDiskBytes(place / "a/b/c");
  ASSERT_TRUE(free);
  EXPECT_GT(*free, 0u);
}
