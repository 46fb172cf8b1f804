// Artifact.h: a compiled model, opened and checked, ready to run.
//
// A folder: manifest.json says what the other files are. Opening checks, in this order and each with its own message:
// the manifest's versions, the machine against the target, the sizes of all files, the hashes of GPU code, program and
// tokenizer, the program's own tables against the manifest. Weights are mapped and checked by size and alignment only,
// so opening takes milliseconds whatever their size; verifyArtifact reads and hashes everything.
//
// The hash finds damage, not malice: program.so is executable code and opening an artifact runs it (docs/Security.md).
// An opened artifact is immutable; any number of engines and threads may read one.
#ifndef ADZE_RUNTIME_ARTIFACT_ARTIFACT_H
#define ADZE_RUNTIME_ARTIFACT_ARTIFACT_H

#include "adze/Abi/Program.h"
#include "adze/Format/Manifest.h"
#include "adze/Runtime/Artifact/CpuFeatures.h"
#include "adze/Support/MappedFile.h"
#include "adze/Support/Status.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace adze {

/// program.so, loaded. Unloaded by its destructor.
class LoadedProgram {
public:
  /// Loads the file and reads its one symbol; says what is wrong with it as a program, not against a manifest.
  static Expected<LoadedProgram> open(const std::string &path);
  LoadedProgram(LoadedProgram &&other) noexcept;
  LoadedProgram &operator=(LoadedProgram &&other) noexcept;
  ~LoadedProgram();
  const AdzeProgram &program() const { return *table; }

private:
  LoadedProgram(void *handle, const AdzeProgram *table) : handle(handle), table(table) {}
  void *handle;
  const AdzeProgram *table;
};

struct ArtifactOptions {
  /// What the machine has; tests replace it.
  std::function<FeatureState(std::string_view)> feature = cpuFeature;
};

class Artifact {
public:
  static Expected<std::shared_ptr<const Artifact>> open(const std::string &path, const ArtifactOptions &options = {});

  const std::string &path() const { return folder; }
  const Manifest &manifest() const { return description; }
  const AdzeProgram &program() const { return code.program(); }
  std::span<const uint8_t> weights() const { return weightFile.bytes(); }
  /// kernels.bin, its hash checked; empty where the manifest has no `gpu`.
  std::span<const uint8_t> gpuCode() const { return gpuFile.bytes(); }
  /// kernels.cubin, its hash checked; empty where the manifest has no `gpu.cubin`.
  std::span<const uint8_t> gpuCubin() const { return cubinFile.bytes(); }
  /// tokenizer.bin, its hash checked.
  std::span<const uint8_t> tokenizer() const { return tokenizerFile.bytes(); }

private:
  Artifact(std::string folder, Manifest description, LoadedProgram code, MappedFile weightFile,
           MappedFile tokenizerFile, MappedFile gpuFile, MappedFile cubinFile)
      : folder(std::move(folder)), description(std::move(description)), code(std::move(code)),
        weightFile(std::move(weightFile)), tokenizerFile(std::move(tokenizerFile)), gpuFile(std::move(gpuFile)),
        cubinFile(std::move(cubinFile)) {}

  std::string folder;
  Manifest description;
  LoadedProgram code;
  MappedFile weightFile, tokenizerFile, gpuFile, cubinFile;
};

/// The manifest alone, for tools that only describe: no code is loaded and no machine is asked.
Expected<Manifest> readArtifactManifest(const std::string &path);

/// The bytes of a section that opening does not read, its hash checked. Failure says that the artifact has none.
Expected<std::string> readArtifactSection(const std::string &path, const char *file);

/// One section against its entry in the manifest.
struct SectionCheck {
  std::string file;
  int64_t size = 0;
  Status status;
};

/// Reads every section and hashes it. Fails as a whole only where the folder or its manifest cannot be read.
Expected<std::vector<SectionCheck>> verifyArtifact(const std::string &path);

} // namespace adze
#endif
