// Session.h: one compilation: the module on its way through the phases and what goes beside it.
#ifndef ADZE_LIB_PIPELINE_SESSION_H
#define ADZE_LIB_PIPELINE_SESSION_H

#include "Progress.h"
#include "ValueComparison.h"

#include "adze/Format/GenerationDefaults.h"
#include "adze/Format/Manifest.h"
#include "adze/Format/TokenizerTable.h"
#include "adze/Pipeline/ArtifactWriter.h"
#include "adze/Pipeline/CompileOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace adze {

class Session {
public:
  explicit Session(const CompileOptions &options);

  Status run();

  /// Takes the model through phase llm and computes the named values for the tokens of a dump by the reference.
  Expected<std::map<std::string, std::vector<llm::reference::Tensor>>>
  referenceValues(const DumpedValues &dump, const std::map<std::string, bool> &wanted);

private:
  /// Whether the output may be made, before anything is read: a long compile must not end in "exists already".
  Status checkOutput() const;
  /// Imports the model, or reads the module to start from; both where both are given.
  Status load();
  Status importFrom();
  Status readModule();
  /// Settles numerics, CPU, page and fusion from the options, the module's own record and the machine.
  Status settle();
  Status runPasses(const std::string &pipeline, const std::string &failure);
  /// A module that a person gives as one that has passed a phase is what that phase ends with.
  Status checkContract();
  Status runPhase(Phase phase);
  /// The command that repeats a phase alone.
  std::string reproduction(Phase phase) const;
  /// The status of the native phase, with that command where it failed.
  Status repeatable(const Status &status) const;
  void record(Phase phase);
  Status dump(Phase phase);
  Status writeText(const std::string &path);
  Status writePtx();
  Status writeArtifact();
  /// weights.bin in the folder `place`, or what stands in for it.
  Status writeWeightsOf(const std::vector<SegmentPlace> &segments, const std::string &place, Manifest &manifest);
  Status writeProgram(const std::string &scratchFolder, const std::string &output);
  /// The program's host code, kernels.bin, and what the manifest says of it.
  Status writeGpuProgram(const std::string &place, Manifest &manifest);
  /// kernels.cubin beside it, where there is an assembler.
  Status writeCubin(const std::string &place, const std::string &ptx, const TargetInfo &gpu, Manifest &manifest);

  const CompileOptions &options;
  Progress progress;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  PhaseSettings settings;
  const TargetInfo *target = nullptr;
  std::optional<Phase> passed; // the last phase that the module has been through
  std::optional<TokenizerTable> tokenizer;
  GenerationDefaults generation;
  std::string licence, weightsFolder;
  std::vector<ManifestSource> sources; // files of the model, where one was imported
};

} // namespace adze

#endif
