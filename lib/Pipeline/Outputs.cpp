// Outputs.cpp: what a session leaves on disk: the text of a phase, a program, or an artifact.
#include "Session.h"

#include "adze/Pipeline/ArtifactWriter.h"
#include "adze/Pipeline/Compiler.h"
#include "adze/Pipeline/Gpu/GpuProgram.h"
#include "adze/Pipeline/ManifestBuilder.h"
#include "adze/Pipeline/NativeProgram.h"
#include "adze/Pipeline/StandInFills.h"
#include "adze/Support/ScratchOutput.h"
#include "adze/Target/NativeCode.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <filesystem>

using namespace mlir;

namespace adze {

/// Room for the program, the manifest and rounding of files to blocks.
static constexpr int64_t kProgramAllowance = 4 << 20;

static Overwrite overwriteOf(const CompileOptions &options) {
  return options.force ? Overwrite::Replace : Overwrite::Refuse;
}

Status Session::checkOutput() const {
  if (options.output.empty() || options.output == "-")
    return Status::success();
  // What is made here is removed again at the end of the statement.
  return options.emit == Emit::Dir && !options.compileTo
             ? ScratchOutput::folder(options.output, overwriteOf(options), kManifestFile).takeStatus()
             : ScratchOutput::file(options.output, overwriteOf(options)).takeStatus();
}

Status Session::writeText(const std::string &path) {
  progress.clear();
  if (path.empty() || path == "-") {
    module->print(llvm::outs());
    llvm::outs() << "\n";
    return Status::success();
  }
  auto scratch = ScratchOutput::file(path, overwriteOf(options));
  if (!scratch)
    return scratch.status();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  stream << "\n";
  if (Status status = writeFile(scratch->scratchPath(), text); !status.ok())
    return status;
  return scratch->commit();
}

Status Session::writePtx() {
  progress.stage("generating kernels");
  auto program = buildGpuProgram(*module, *findTarget(settings.gpu));
  if (!program)
    return program.status();
  progress.clear();
  if (options.output == "-") {
    llvm::outs() << program->text();
    return Status::success();
  }
  auto scratch = ScratchOutput::file(options.output, overwriteOf(options));
  if (!scratch)
    return scratch.status();
  if (Status status = writeFile(scratch->scratchPath(), program->text()); !status.ok())
    return status;
  return scratch->commit();
}

Status Session::writeProgram(const std::string &scratchFolder, const std::string &output) {
  progress.stage("generating kernels");
  auto cache = KernelCache::open(options.kernelCache);
  if (!cache)
    return cache.status();
  return repeatable(buildNativeProgram(*module, settings, *target, options.threads, *cache, scratchFolder, output,
                                       [&](int64_t done, int64_t all) { progress.update(done, all); }));
}

Status Session::repeatable(const Status &status) const {
  if (status.ok())
    return status;
  return Status(status.code(), status.message() + "\nrepeat it with: " + reproduction(Phase::Native));
}

Status Session::writeGpuProgram(const std::string &place, Manifest &manifest) {
  progress.stage("generating kernels");
  const TargetInfo &gpu = *findTarget(settings.gpu);
  auto built = buildGpuProgram(*module, gpu);
  if (!built)
    return repeatable(built.status());
  if (Status status = describeGpu(manifest, gpu, built->kernels); !status.ok())
    return status;
  // The zero byte is the end of the text for the driver.
  auto section = writeSection(place, kGpuCodeFile, std::string_view(built->ptx.c_str(), built->ptx.size() + 1));
  if (!section)
    return section.status();
  manifest.sections.push_back(*section);
  if (Status status = writeCubin(place, built->ptx, gpu, manifest); !status.ok())
    return status;
  return repeatable(buildHostProgram(*module, *built->grids, settings, *target, place, place + "/" + kProgramFile));
}

Status Session::writeCubin(const std::string &place, const std::string &ptx, const TargetInfo &gpu,
                           Manifest &manifest) {
  if (options.ptxas == "none")
    return Status::success();
  auto assembler = findGpuAssembler(options.ptxas);
  if (!assembler)
    return assembler.status();
  if (!*assembler)
    return Status::success();
  progress.stage("assembling kernels");
  auto code = assemblePtx(ptx, gpu, **assembler, place);
  if (!code)
    return repeatable(code.status());
  auto section = writeSection(place, kGpuCubinFile, *code);
  if (!section)
    return section.status();
  manifest.sections.push_back(*section);
  manifest.gpu->cubin = {std::string(gpu.name()), (*assembler)->driver, "ptxas " + (*assembler)->version};
  return Status::success();
}

Status Session::writeWeightsOf(const std::vector<SegmentPlace> &segments, const std::string &place,
                               Manifest &manifest) {
  if (options.withoutWeights) {
    auto standIn = standInFills(*module, segments);
    if (!standIn)
      return standIn.status();
    manifest.standIn = std::move(*standIn);
    manifest.sections.push_back({kWeightsFile, weightsBytes(segments), ""});
    return Status::success();
  }
  progress.stage("packing weights");
  auto weights = writeWeights(*module, segments, weightsFolder, place + "/" + kWeightsFile,
                              [&](int64_t done, int64_t all) { progress.update(done, all); });
  if (!weights)
    return weights.status();
  manifest.sections.push_back(*weights);
  return Status::success();
}

Status Session::writeArtifact() {
  const bool folder = options.emit == Emit::Dir && !options.compileTo;
  std::vector<SegmentPlace> segments = segmentPlaces(*module);
  std::string table = tokenizer ? serialise(*tokenizer) : std::string();
  int64_t need = kProgramAllowance + (folder ? int64_t(table.size()) : 0) +
                 (folder && !options.withoutWeights ? weightsBytes(segments) : 0);
  progress.clear();
  if (Status status = checkDiskSpace(options.output, need, options.quiet); !status.ok())
    return status;

  if (!folder) {
    auto scratch = ScratchOutput::folder(options.output + ".objects", Overwrite::Refuse, "");
    if (!scratch)
      return scratch.status();
    auto file = ScratchOutput::file(options.output, overwriteOf(options));
    if (!file)
      return file.status();
    const std::string program = scratch->scratchPath() + "/" + kProgramFile;
    if (Status status = writeProgram(scratch->scratchPath(), program); !status.ok())
      return status;
    std::error_code error;
    std::filesystem::rename(program, file->scratchPath(), error);
    if (error)
      return systemError(error.value(), "cannot rename '" + program + "' to '" + file->scratchPath() + "'");
    return file->commit();
  }

  auto scratch = ScratchOutput::folder(options.output, overwriteOf(options), kManifestFile);
  if (!scratch)
    return scratch.status();
  const std::string place = scratch->scratchPath();
  auto manifest = buildManifest(*module, settings, *target);
  if (!manifest)
    return manifest.status();
  // A module that a person wrote may name fewer files than the model beside it.
  for (const ManifestSource &source : sources)
    if (llvm::none_of(manifest->sources, [&](const ManifestSource &known) { return known.name == source.name; }))
      manifest->sources.push_back(source);
  manifest->licence = licence;
  manifest->generation = generation;
  if (tokenizer)
    manifest->model.legalTokens = std::min<int64_t>(tokenizer->legalTokenCount(), manifest->model.vocabulary);

  // The weights first: native code consumes the module.
  if (Status status = writeWeightsOf(segments, place, *manifest); !status.ok())
    return status;
  if (tokenizer) {
    auto section = writeSection(place, kTokenizerFile, table);
    if (!section)
      return section.status();
    manifest->sections.push_back(*section);
  }
  auto values = writeSection(place, kValuesFile, writeStepValues(buildStepValues(*module)));
  if (!values)
    return values.status();
  manifest->sections.push_back(*values);
  if (Status status =
          settings.gpu.empty() ? writeProgram(place, place + "/" + kProgramFile) : writeGpuProgram(place, *manifest);
      !status.ok())
    return status;
  auto program = sectionOf(place, kProgramFile);
  if (!program)
    return program.status();
  manifest->sections.push_back(*program);
  std::sort(manifest->sections.begin(), manifest->sections.end(),
            [](const auto &a, const auto &b) { return a.file < b.file; });

  std::string text = writeManifest(*manifest);
  // What no reader would accept must not be left behind.
  if (auto again = readManifest(text, kManifestFile); !again)
    return internalError("the manifest that was made is not valid: " + again.status().message());
  if (Status status = writeFile(place + "/" + kManifestFile, text); !status.ok())
    return status;
  progress.stage("flushing to disk");
  if (Status status = scratch->commit(); !status.ok())
    return status;
  progress.clear();
  if (!options.quiet) {
    int64_t bytes = int64_t(text.size());
    for (const ManifestSection &section : manifest->sections)
      bytes += options.withoutWeights && section.file == kWeightsFile ? 0 : section.size;
    llvm::errs() << "adze-compile: wrote " << options.output << ": " << manifest->kernels.size() << " kernels, "
                 << llvm::format("%.1f MB, %.1f s", double(bytes) / 1e6, progress.seconds()) << "; numerics "
                 << settings.numerics << ", CPU " << settings.cpu
                 << (settings.gpu.empty() ? "" : ", GPU " + settings.gpu)
                 << (options.withoutWeights ? "; without weights (adze bench weights makes stand-ins)" : "") << "\n";
  }
  return Status::success();
}

Status compile(const CompileOptions &options) {
  if (Status status = options.check(); !status.ok())
    return status;
  if (options.listCpus) {
    const TargetInfo *host = hostTarget();
    bool reached = host != nullptr;
    for (std::string_view name : targetNames()) {
      llvm::outs() << name << (reached ? " (this machine runs it)" : "") << "\n";
      reached = reached && name != host->name();
    }
    return Status::success();
  }
  if (options.printPipeline) {
    PhaseSettings settings{options.numerics.empty() ? "a8" : options.numerics,
                           options.cpu.empty() ? "x86-64-v3" : options.cpu, options.fuse, options.kvPage,
                           options.target};
    for (Phase phase : kPhases) {
      if (std::string pipeline = phasePipeline(phase, settings); !pipeline.empty())
        llvm::outs() << phaseName(phase) << ": builtin.module(" << pipeline << ")\n";
      if (phase == Phase::Native && settings.gpu.empty())
        llvm::outs() << "native, each kernel: builtin.module(" << kernelPipeline(settings) << ")\n";
    }
    return Status::success();
  }
  if (!options.compareValues.empty())
    return compareValues(options);
  return Session(options).run();
}

} // namespace adze
