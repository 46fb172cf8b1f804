#include "adze/Support/Status.h"
#include "adze/Support/Mutant.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <memory>

using namespace adze;

TEST(Status, IsOkByDefaultAndCarriesNoMessage) {
  Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.message(), "");
  EXPECT_EQ(status.debugString(), "ok");
}

TEST(Status, KeepsCodeMessageAndTheLineThatMadeIt) {
  Status status = invalidInput("'x.gguf': the version is 9; 2 and 3 are accepted");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), ErrorCode::InvalidInput);
  EXPECT_EQ(status.message(), "'x.gguf': the version is 9; 2 and 3 are accepted");
  EXPECT_NE(std::string(status.location().file_name()).find("StatusTest.cpp"), std::string::npos);
  EXPECT_NE(status.debugString().find("invalid-input: 'x.gguf'"), std::string::npos);
}

TEST(Status, CopiesAreIndependent) {
  Status first = notFound("a");
  Status second = first;
  first = Status();
  EXPECT_TRUE(first.ok());
  EXPECT_EQ(second.message(), "a");
}

TEST(Status, ContextIsPutInFrontAndNeverMakesAFailureOfSuccess) {
  EXPECT_EQ(notFound("no such key").withContext("'config.json'").message(), "'config.json': no such key");
  EXPECT_EQ(notFound("no such key").withContext("'config.json'").code(), ErrorCode::NotFound);
  EXPECT_TRUE(Status().withContext("reading").ok());
}

TEST(Status, SystemErrorsGetTheCodeThatTheCallerCanActOn) {
  EXPECT_EQ(systemError(ENOENT, "cannot open 'x'").code(), ErrorCode::NotFound);
  EXPECT_EQ(systemError(ENOSPC, "cannot write 'x'").code(), ErrorCode::ResourceExhausted);
  EXPECT_EQ(systemError(EACCES, "cannot open 'x'").code(), ErrorCode::Io);
  EXPECT_EQ(systemError(ENOENT, "cannot open 'x'").message(), "cannot open 'x': No such file or directory");
}

static Expected<int> half(int value) {
  if (value % 2)
    return invalidInput("odd");
  return value / 2;
}

TEST(Expected, HoldsAValueOrTheReasonForNone) {
  Expected<int> good = half(8);
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 4);
  EXPECT_TRUE(good.status().ok());
  Expected<int> bad = half(7);
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.status().message(), "odd");
}

TEST(Expected, MovesValuesThatCannotBeCopied) {
  struct Base {
    virtual ~Base() = default;
  };
  struct Derived : Base {};
  auto make = []() -> Expected<std::unique_ptr<Base>> { return std::make_unique<Derived>(); };
  Expected<std::unique_ptr<Base>> made = make();
  ASSERT_TRUE(made);
  std::unique_ptr<Base> taken = std::move(*made);
  EXPECT_NE(taken, nullptr);
}

TEST(Mutant, IsRefusedInABuildWithoutMutants) {
  if (mutantsBuilt())
    GTEST_SKIP() << "this build has mutants";
  EXPECT_TRUE(setActiveMutant("").ok());
  EXPECT_EQ(setActiveMutant("drop-causal-mask").code(), ErrorCode::Unsupported);
  EXPECT_FALSE(ADZE_MUTANT("drop-causal-mask"));
}

TEST(Mutant, TakesItsFlagOutOfTheArguments) {
  char program[] = "adze", flag[] = "--mutant=", model[] = "model.adze";
  char *arguments[] = {program, flag, model, nullptr};
  int count = 3;
  EXPECT_TRUE(takeMutantFlag(count, arguments).ok());
  ASSERT_EQ(count, 2);
  EXPECT_STREQ(arguments[1], "model.adze");
  EXPECT_EQ(arguments[2], nullptr);
}
