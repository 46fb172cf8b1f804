// Phase.h: the phases between a checkpoint and native code.
//
// Each phase takes a module and leaves it in a form that its last pass, a Verify pass, states. A module that is dumped
// carries the phase that it has passed in `adze.phase` and the settled options in `adze.options`, so that a person can
// look at it, change it and go on from there.
#ifndef ADZE_PIPELINE_PHASE_H
#define ADZE_PIPELINE_PHASE_H

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace mlir {
class DialectRegistry;
}

namespace adze {

enum class Phase {
  Import,  // the model as llm ops in f32, weights as expressions over files
  Llm,     // numerics, fusion, packs and groups settled
  Kernels, // a tile function for each distinct group
  Exec,    // launches and the memory plan
  Native   // program.so
};

inline constexpr std::array<Phase, 5> kPhases = {Phase::Import, Phase::Llm, Phase::Kernels, Phase::Exec, Phase::Native};

std::string_view phaseName(Phase phase);
std::optional<Phase> parsePhase(std::string_view name);
/// "import, llm, kernels, exec, native"
std::string phaseNames();

/// What the pipelines depend on, settled. Empty numerics leave the module's types as they are: for modules that say
/// themselves what is rounded.
struct PhaseSettings {
  std::string numerics, cpu, fuse;
  int64_t kvPage = 64;
  std::string gpu; // empty: kernels run on the CPU

  /// What kernels are made for.
  const std::string &target() const { return gpu.empty() ? cpu : gpu; }
};

/// The passes of a phase in MLIR's textual form; empty for a phase that is no pass pipeline (import). The native phase
/// has two: one for the module of each kernel and one for the module that has the program.
std::string phasePipeline(Phase phase, const PhaseSettings &settings);
std::string kernelPipeline(const PhaseSettings &settings);
/// The Verify passes alone that end a phase, for a module that a person says has passed it; empty for import and
/// native.
std::string phaseContract(Phase phase, const PhaseSettings &settings);

/// Registers every pass that the pipelines name. Safe to call more than once.
void registerPipelinePasses();

/// The dialects that a module of any phase may be written in.
void insertPipelineDialects(mlir::DialectRegistry &registry);

} // namespace adze

#endif
