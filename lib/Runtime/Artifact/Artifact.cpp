// Opening and verifying an artifact.
#include "adze/Runtime/Artifact/Artifact.h"

#include "adze/Support/Hash.h"
#include "adze/Support/RootedFolder.h"

#include <fmt/format.h>

using namespace adze;

namespace {
constexpr uint64_t kManifestLimit = 16 << 20;
constexpr const char *kTriple = "x86_64-unknown-linux-gnu";
constexpr const char *kCompileAgain = "compile the model again with this release";

struct OpenedFolder {
  RootedFolder folder;
  Manifest manifest;
};

Expected<OpenedFolder> openFolder(const std::string &path) {
  Expected<RootedFolder> folder = RootedFolder::open(path);
  if (!folder)
    return folder.takeStatus().withContext("cannot open the artifact");
  if (!folder->contains(kManifestFile))
    return invalidInput(fmt::format(
        "{} is no artifact: it holds no {}; make one with: adze compile MODEL -o model.adze", path, kManifestFile));
  Expected<std::string> text = folder->readText(kManifestFile, kManifestLimit);
  if (!text)
    return text.status();
  Expected<Manifest> manifest = readManifest(*text, folder->path() + "/" + kManifestFile);
  if (!manifest)
    return manifest.status();
  return OpenedFolder{std::move(*folder), std::move(*manifest)};
}

Status checkMachine(const Manifest &manifest, const std::string &path, const ArtifactOptions &options) {
  if (manifest.programVersion != ADZE_PROGRAM_VERSION)
    return unsupported(fmt::format("{} was compiled for version {} of the program interface; this runtime takes {}; {}",
                                   path, manifest.programVersion, ADZE_PROGRAM_VERSION, kCompileAgain));
  if (manifest.target.triple != kTriple)
    return unsupported(fmt::format("{} was compiled for {}; this runtime takes {}; compile the model for this machine",
                                   path, manifest.target.triple, kTriple));
  for (const std::string &name : manifest.target.features) {
    FeatureState state = options.feature(name);
    if (state == FeatureState::Absent)
      return unsupported(
          fmt::format("{} was compiled for {} and this CPU lacks the feature {}; compile the model on this "
                      "machine, or with --cpu for a lower level",
                      path, manifest.target.cpu, name));
    if (state == FeatureState::Unknown)
      return unsupported(
          fmt::format("{} needs the CPU feature {}, which this runtime does not know; {}", path, name, kCompileAgain));
  }
  return Status();
}

Expected<MappedFile> mapSection(const RootedFolder &folder, const Manifest &manifest, const char *name) {
  const ManifestSection *section = manifest.section(name);
  if (!section)
    return invalidInput(
        fmt::format("{}/{} names no section {}; {}", folder.path(), kManifestFile, name, kCompileAgain));
  if (manifest.lacksWeights() && section->file == kWeightsFile)
    return invalidInput(
        fmt::format("{0}/{1} is not there: the artifact was compiled without weights, for measurements. "
                    "Generate some (adze bench weights {0} --seed N), which makes it as fast as the "
                    "model and its answers senseless, or compile the model with its weights",
                    folder.path(), name));
  Expected<MappedFile> file = folder.map(name);
  if (!file && file.status().code() == ErrorCode::NotFound)
    return notFound(fmt::format("{} is not complete: its file {} is missing; copy the artifact again or compile the "
                                "model again",
                                folder.path(), name));
  if (!file)
    return file;
  if (file->size() != uint64_t(section->size))
    return invalidInput(
        fmt::format("{}/{} has {} bytes and its manifest says {}: the file is {}; copy the artifact again "
                    "or compile the model again",
                    folder.path(), name, file->size(), section->size,
                    file->size() < uint64_t(section->size) ? "cut short" : "not the one of this artifact"));
  return file;
}

Status checkHash(const MappedFile &file, const ManifestSection &section) {
  std::string hash = hashBytes(file.bytes());
  if (hash == section.hash)
    return Status();
  return invalidInput(
      fmt::format("{} is damaged: its XXH3-128 is {} and its manifest says {}; copy the artifact again or "
                  "compile the model again",
                  file.path(), hash, section.hash));
}

// The tables inside the program against those of the manifest: a program of another artifact must not run with these
// weights, even where every file by itself is sound.
Status checkTables(const AdzeProgram &program, const Manifest &manifest, const std::string &path) {
  auto mismatch = [&](const char *what, int64_t found, int64_t expected) {
    return invalidInput(
        fmt::format("{}/{} has {} {} and its manifest says {}: the files are of different artifacts; {}", path,
                    kProgramFile, found, what, expected, kCompileAgain));
  };
  if (program.kernel_count != manifest.kernels.size())
    return mismatch("kernels", program.kernel_count, int64_t(manifest.kernels.size()));
  if (program.slot_count != manifest.memory.slots.size())
    return mismatch("memory slots", program.slot_count, int64_t(manifest.memory.slots.size()));
  if (int64_t(program.logits_slot) != manifest.memory.logitsSlot)
    return mismatch("as its slot of logits", program.logits_slot, manifest.memory.logitsSlot);
  if (int64_t choice = manifest.memory.choiceSlot.value_or(-1); program.choice_slot != choice)
    return mismatch("as its slot of tokens", program.choice_slot, choice);
  for (uint32_t i = 0; i < program.kernel_count; ++i) {
    const AdzeKernel &kernel = program.kernels[i];
    // The kernels of a GPU are in kernels.bin; the program only knows their grids.
    if (!manifest.gpu && !kernel.entry)
      return invalidInput(fmt::format("{}/{}: kernel {} has no code for a CPU and the manifest has no key 'gpu': the "
                                      "files are of different artifacts; {}",
                                      path, kProgramFile, i, kCompileAgain));
    if (!kernel.name || !kernel.blocks || manifest.kernels[i].name != kernel.name)
      return invalidInput(fmt::format("{}/{}: kernel {} is {} and its manifest says {}: the files are of different "
                                      "artifacts; {}",
                                      path, kProgramFile, i, kernel.name ? kernel.name : "unnamed",
                                      manifest.kernels[i].name, kCompileAgain));
  }
  return Status();
}
} // namespace

Expected<Manifest> adze::readArtifactManifest(const std::string &path) {
  Expected<OpenedFolder> opened = openFolder(path);
  if (!opened)
    return opened.status();
  return std::move(opened->manifest);
}

Expected<std::string> adze::readArtifactSection(const std::string &path, const char *file) {
  Expected<OpenedFolder> opened = openFolder(path);
  if (!opened)
    return opened.status();
  auto &[folder, manifest] = *opened;
  Expected<MappedFile> section = mapSection(folder, manifest, file);
  if (!section)
    return section.status();
  if (Status status = checkHash(*section, *manifest.section(file)); !status.ok())
    return status;
  return std::string(reinterpret_cast<const char *>(section->bytes().data()), section->bytes().size());
}

Expected<std::shared_ptr<const Artifact>> Artifact::open(const std::string &path, const ArtifactOptions &options) {
  Expected<OpenedFolder> opened = openFolder(path);
  if (!opened)
    return opened.status();
  auto &[folder, manifest] = *opened;
  if (Status status = checkMachine(manifest, path, options); !status.ok())
    return status;

  Expected<MappedFile> program = mapSection(folder, manifest, kProgramFile);
  if (!program)
    return program.status();
  Expected<MappedFile> weights = mapSection(folder, manifest, kWeightsFile);
  if (!weights)
    return weights.status();
  Expected<MappedFile> tokenizer = mapSection(folder, manifest, kTokenizerFile);
  if (!tokenizer)
    return tokenizer.status();
  MappedFile gpuCode, gpuCubin;
  for (auto [wanted, name, place] : {std::tuple(manifest.gpu.has_value(), kGpuCodeFile, &gpuCode),
                                     std::tuple(manifest.gpu && manifest.gpu->cubin, kGpuCubinFile, &gpuCubin)}) {
    if (!wanted)
      continue;
    Expected<MappedFile> file = mapSection(folder, manifest, name);
    if (!file)
      return file.status();
    *place = std::move(*file);
    if (Status status = checkHash(*place, *manifest.section(name)); !status.ok())
      return status;
  }
  if (Status status = checkHash(*program, *manifest.section(kProgramFile)); !status.ok())
    return status;
  if (Status status = checkHash(*tokenizer, *manifest.section(kTokenizerFile)); !status.ok())
    return status;
  if (reinterpret_cast<uintptr_t>(weights->data()) % 256 != 0)
    return internalError(fmt::format("{} was mapped at an address that is no multiple of 256", weights->path()));

  Expected<LoadedProgram> code = LoadedProgram::open(folder.path() + "/" + kProgramFile);
  if (!code)
    return code.status();
  if (Status status = checkTables(code->program(), manifest, path); !status.ok())
    return status;
  return std::shared_ptr<const Artifact>(new Artifact(path, std::move(manifest), std::move(*code), std::move(*weights),
                                                      std::move(*tokenizer), std::move(gpuCode), std::move(gpuCubin)));
}

Expected<std::vector<SectionCheck>> adze::verifyArtifact(const std::string &path) {
  Expected<OpenedFolder> opened = openFolder(path);
  if (!opened)
    return opened.status();
  auto &[folder, manifest] = *opened;
  std::vector<SectionCheck> checks;
  for (const ManifestSection &section : manifest.sections) {
    SectionCheck check{section.file, section.size, Status()};
    Expected<MappedFile> file = mapSection(folder, manifest, section.file.c_str());
    check.status = file ? checkHash(*file, section) : file.status();
    checks.push_back(std::move(check));
  }
  return checks;
}
