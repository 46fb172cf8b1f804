// CompiledModel.h: models of the end-to-end tests, written and compiled by the programs that users run.
//
// ADZE_TEST_LEVEL=LEVEL in the environment compiles for that CPU level and no other. ADZE_PREPARED=FOLDER keeps models
// and artifacts there by their flags alone, so that a machine with the level's instructions and without a compiler runs
// what another one made:
//
//   ADZE_PREPARED=FOLDER ADZE_TEST_LEVEL=amx adze-end-to-end-tests --gtest_filter=...    on either machine; where the
//   level is lacking the tests fail once the artifacts are made
#ifndef ADZE_TEST_ENDTOEND_COMPILEDMODEL_H
#define ADZE_TEST_ENDTOEND_COMPILEDMODEL_H

#include "adze/Runtime/Artifact/Artifact.h"

#include <memory>
#include <string>

namespace adze::test {

/// Runs a shell command; on failure a test failure shows its output. Returns what it printed.
std::string runCommand(const std::string &command);

/// The folder or file that `write-model flags` makes, written once.
std::string tinyModel(const std::string &flags, const std::string &container);

/// The artifact of `model` compiled with `options` (flags of adze-compile). Made once for each state of the compiler
/// and the model; several test processes may ask at the same time. Tiny models share most of their kernels, which are
/// compiled once.
std::string compiledModel(const std::string &model, const std::string &options);

/// Opens an artifact; a test failure and null where it cannot be opened.
std::shared_ptr<const Artifact> openArtifact(const std::string &path);

/// SmolLM2's GGUF file, or empty where it is absent.
std::string smolLm2File();

/// The CPU levels (--cpu) that this machine can run, lowest first, or the one that ADZE_TEST_LEVEL names.
std::vector<std::string> machineLevels();

} // namespace adze::test
#endif
