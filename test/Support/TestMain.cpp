// The main of every GoogleTest program: GoogleTest's own, with --mutant=NAME in the builds that have mutants.
#include "adze/Support/Mutant.h"

#include <cstdio>
#include <gtest/gtest.h>

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  if (adze::Status status = adze::takeMutantFlag(argc, argv); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return 2;
  }
  return RUN_ALL_TESTS();
}
