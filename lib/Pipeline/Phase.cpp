// Phase.cpp: names and pipelines. One line of text for each phase, so that --print-pipeline, a failed phase's command
// and the compiler itself cannot disagree.
#include "adze/Pipeline/Phase.h"

namespace adze {

static constexpr std::array<std::string_view, 5> kNames = {"import", "llm", "kernels", "exec", "native"};

std::string_view phaseName(Phase phase) { return kNames[size_t(phase)]; }

std::optional<Phase> parsePhase(std::string_view name) {
  for (Phase phase : kPhases)
    if (phaseName(phase) == name)
      return phase;
  return std::nullopt;
}

std::string phaseNames() {
  std::string all;
  for (std::string_view name : kNames)
    all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

std::string phasePipeline(Phase phase, const PhaseSettings &s) {
  const std::string target = "target=" + s.target();
  switch (phase) {
  case Phase::Import:
    return "";
  case Phase::Llm:
    return (s.numerics.empty() ? "" : "llm-assign-numerics{numerics=" + s.numerics + "},") +
           "llm-assign-kv-order{page=" + std::to_string(s.kvPage) + " " + target +
           "},llm-fuse-qkv,llm-fuse-gate-up,llm-assign-weight-packs{" + target + "},llm-insert-choice{" + target +
           "},llm-form-kernels{rules=" + s.fuse + " " + target + "},llm-verify-kernels";
  case Phase::Kernels:
    return "llm-choose-schedules{" + target + "},convert-llm-to-tile{" + target + "},tile-verify-kernels{" + target +
           "}";
  case Phase::Exec:
    return "convert-llm-to-exec,exec-verify-launches,exec-plan-memory,exec-verify-memory";
  case Phase::Native:
    return s.gpu.empty() ? "convert-exec-to-llvm" : "convert-exec-to-llvm{gpu=true}";
  }
  return "";
}

std::string phaseContract(Phase phase, const PhaseSettings &s) {
  switch (phase) {
  case Phase::Llm:
    return "llm-verify-kernels";
  case Phase::Kernels:
    return "tile-verify-kernels{target=" + s.target() + "}";
  case Phase::Exec:
    return "exec-verify-launches,exec-verify-memory";
  default:
    return "";
  }
}

std::string kernelPipeline(const PhaseSettings &s) { return "tile-to-llvm{target=" + s.cpu + "}"; }

} // namespace adze
