// `adze inspect`: what an artifact is made of and what it needs. Everything comes from the manifest; no code is loaded,
// so an artifact for another machine can be described as well.
#include "Session.h"
#include "Terminal.h"

#include "adze/Support/Json.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

using namespace adze;

namespace {
// Two steps that stand for the rest: one token behind `length` others, and a whole prompt piece.
struct Work {
  double tokens, kv, pairs;
  double of(const CostForm &form) const { return form.evaluate(tokens, 1, 1, kv, pairs); }
};

struct Family {
  int64_t kernels = 0, launches = 0;
  double decodeBytes = 0, decodeOperations = 0, prefillBytes = 0, prefillOperations = 0;
};

struct Report {
  const Manifest &manifest;
  EngineLimits limits;
  MemoryFigures memory;
  int64_t decodeLength, prefillTokens;
  std::map<std::string, Family> families;
};

Expected<Report> makeReport(const Manifest &manifest, EngineLimits asked) {
  Expected<EngineLimits> limits = resolveLimits(asked, manifest);
  if (!limits)
    return limits.status();
  Expected<MemoryFigures> memory = evaluateMemory(manifest, *limits);
  if (!memory)
    return memory.status();
  Report report{manifest, *limits, *memory, std::min<int64_t>(512, limits->context), limits->stepTokens, {}};
  double length = double(report.decodeLength), count = double(report.prefillTokens);
  Work decode{1, length, length}, prefill{count, count, count * (count + 1) / 2};
  for (const ManifestKernel &kernel : manifest.kernels) {
    Family &family = report.families[kernel.family];
    double launches = double(kernel.launches);
    ++family.kernels;
    family.launches += kernel.launches;
    family.decodeBytes += launches * decode.of(kernel.bytes);
    family.decodeOperations += launches * decode.of(kernel.operations);
    family.prefillBytes += launches * prefill.of(kernel.bytes);
    family.prefillOperations += launches * prefill.of(kernel.operations);
  }
  return report;
}

Json toJson(const Report &r) {
  const Manifest &m = r.manifest;
  Json families = Json::array(), kernels = Json::array(), weights = Json::array(), fusion = Json::array();
  for (const auto &[name, f] : r.families)
    families.push_back({{"family", name},
                        {"kernels", f.kernels},
                        {"launches", f.launches},
                        {"decode_bytes", f.decodeBytes},
                        {"decode_operations", f.decodeOperations},
                        {"prefill_bytes", f.prefillBytes},
                        {"prefill_operations", f.prefillOperations}});
  for (const ManifestKernel &k : m.kernels)
    kernels.push_back({{"name", k.name},
                       {"family", k.family},
                       {"launches", k.launches},
                       {"schedule",
                        {{"tokens", k.schedule.tokens},
                         {"columns", k.schedule.columns},
                         {"depth", k.schedule.depth},
                         {"sums", k.schedule.sums}}}});
  int64_t weightBytes = 0;
  for (const ManifestWeights &w : m.weights) {
    weights.push_back({{"form", w.form}, {"segments", w.segments}, {"bytes", w.bytes}});
    weightBytes += w.bytes;
  }
  for (const ManifestFusion &f : m.fusion)
    fusion.push_back({{"rule", f.rule}, {"fused", f.fused}, {"count", f.count}, {"reason", f.reason}});
  Json sources = Json::array(), sections = Json::array(), options = Json::object();
  for (const ManifestSource &s : m.sources)
    sources.push_back({{"name", s.name}, {"size", s.size}, {"hash", s.hash}});
  for (const ManifestSection &s : m.sections)
    sections.push_back({{"file", s.file}, {"size", s.size}, {"hash", s.hash}});
  for (const auto &[key, value] : m.options)
    options[key] = value;
  return {{"model",
           {{"name", m.model.name},
            {"family", m.model.family},
            {"layers", m.model.layers},
            {"hidden", m.model.hidden},
            {"heads", m.model.heads},
            {"kv_heads", m.model.kvHeads},
            {"head_dim", m.model.headDim},
            {"vocabulary", m.model.vocabulary},
            {"legal_tokens", m.model.legalTokens},
            {"context", m.model.context}}},
          {"adze_version", m.adzeVersion},
          {"numerics", m.numerics},
          {"target",
           {{"triple", m.target.triple},
            {"cpu", m.target.cpu},
            {"features", m.target.features},
            {"product", m.target.product},
            {"kv_split", m.target.kvSplit}}},
          {"sources", sources},
          {"options", options},
          {"licence", m.licence},
          {"families", families},
          {"kernels", kernels},
          {"decode_length", r.decodeLength},
          {"prefill_tokens", r.prefillTokens},
          {"weights", weights},
          {"stand_in", !m.standIn ? Json() : Json{{"seed", m.standIn->seed ? Json(*m.standIn->seed) : Json()}}},
          {"weight_bytes", weightBytes},
          {"kv",
           {{"element", m.kv.element},
            {"bytes_per_token", m.kv.bytesPerToken},
            {"page_tokens", m.kv.pageTokens},
            {"page_bytes", m.kv.pageBytes}}},
          {"limits",
           {{"context", r.limits.context},
            {"requests", r.limits.requests},
            {"step_tokens", r.limits.stepTokens},
            {"logit_rows", r.limits.logitRows},
            {"kv_memory", r.limits.kvMemory}}},
          {"memory",
           {{"arena", r.memory.arena},
            {"step_arrays", r.memory.stepArrays},
            {"kv_pool", r.memory.kvPool},
            {"kv_pages", r.memory.kvPages},
            {"device", r.memory.deviceBytes()},
            {"weights", r.memory.weights},
            {"total", r.memory.total()}}},
          {"fusion", fusion},
          {"sections", sections}};
}

Json toJson(const ManifestGpu &gpu) {
  Json kernels = Json::array();
  for (const ManifestGpuKernel &k : gpu.kernels)
    kernels.push_back({{"function", k.function},
                       {"threads", k.threads},
                       {"shared_bytes", k.sharedBytes},
                       {"argument_bytes", k.argumentBytes}});
  Json json = {{"architecture", gpu.architecture}, {"driver", gpu.driver}, {"kernels", kernels}};
  if (gpu.cubin)
    json["cubin"] = {
        {"architecture", gpu.cubin->architecture}, {"driver", gpu.cubin->driver}, {"assembler", gpu.cubin->assembler}};
  return json;
}

std::string mega(double value) { return fmt::format("{:.2f} M", value * 1e-6); }

std::string toText(const Report &r) {
  const Manifest &m = r.manifest;
  std::string text;
  auto line = [&](const std::string &content) { text += content + "\n"; };
  line(fmt::format("{}: {}, {} layers, hidden {}, {} heads of {} ({} for K and V), vocabulary {}, context {}",
                   m.model.name, m.model.family, m.model.layers, m.model.hidden, m.model.heads, m.model.headDim,
                   m.model.kvHeads, m.model.legalTokens, m.model.context));
  line(fmt::format("numerics {}, products by {}; compiled by Adze {} for {} ({})", m.numerics, m.target.product,
                   m.adzeVersion, m.target.cpu, fmt::join(m.target.features, ", ")));
  auto driver = [](int64_t oldest) {
    return oldest == 0 ? "any driver"
                       : fmt::format("a driver for CUDA {}.{} or later", oldest / 1000, oldest % 1000 / 10);
  };
  if (m.gpu)
    line(fmt::format("kernels for NVIDIA GPUs, {} and later, with {}", m.gpu->architecture, driver(m.gpu->driver)));
  if (m.gpu && m.gpu->cubin)
    line(fmt::format("machine code for {} by {}, with {}", m.gpu->cubin->architecture, m.gpu->cubin->assembler,
                     driver(m.gpu->cubin->driver)));
  for (const ManifestSource &source : m.sources)
    line(fmt::format("source {}  {} bytes  {}", source.name, source.size, source.hash));
  if (!m.licence.empty())
    line(fmt::format("licence {}", m.licence.substr(0, m.licence.find('\n'))));

  line(fmt::format("\nkernels (one decoded token behind {} others; one piece of {} prompt tokens)", r.decodeLength,
                   r.prefillTokens));
  line(fmt::format("  {:<26}{:>8}{:>9}{:>13}{:>13}{:>14}{:>14}", "family", "kernels", "launches", "decode B",
                   "decode op", "prefill B", "prefill op"));
  for (const auto &[name, f] : r.families)
    line(fmt::format("  {:<26}{:>8}{:>9}{:>13}{:>13}{:>14}{:>14}", name, f.kernels, f.launches, mega(f.decodeBytes),
                     mega(f.decodeOperations), mega(f.prefillBytes), mega(f.prefillOperations)));

  line("\nschedules (what a block of each kernel takes)");
  for (const ManifestKernel &k : m.kernels)
    line(fmt::format("  {:<46}{:>5} tokens{:>6} columns{:>6} depth  {}", k.name, k.schedule.tokens, k.schedule.columns,
                     k.schedule.depth, k.schedule.sums));

  if (m.gpu) {
    line("\nlaunches on the GPU (one block of each kernel)");
    for (size_t i = 0; i < m.gpu->kernels.size(); ++i)
      line(fmt::format("  {:<46}{:>5} threads{:>9} bytes of shared memory", m.kernels[i].name,
                       m.gpu->kernels[i].threads, m.gpu->kernels[i].sharedBytes));
  }

  line("\nweights");
  for (const ManifestWeights &w : m.weights)
    line(fmt::format("  {:<40}{:>6} segments{:>16} bytes", w.form, w.segments, w.bytes));
  if (m.standIn)
    line(m.standIn->seed
             ? fmt::format("  generated from seed {}: the model is as fast as with its own, and says nothing",
                           *m.standIn->seed)
             : "  absent: the artifact was compiled without them (adze bench weights generates some)");
  line(fmt::format("\nKV cache: {} bytes per token in {}, pages of {} tokens", m.kv.bytesPerToken, m.kv.element,
                   m.kv.pageTokens));

  line(fmt::format("\nmemory for --context {} --requests {} --step-tokens {} --logit-rows {}", r.limits.context,
                   r.limits.requests, r.limits.stepTokens, r.limits.logitRows));
  auto bytes = [&](const char *name, int64_t value) { line(fmt::format("  {:<26}{:>16} bytes", name, value)); };
  bytes("activations", r.memory.arena);
  bytes("step arrays", r.memory.stepArrays);
  bytes(fmt::format("KV pool, {} pages", r.memory.kvPages).c_str(), r.memory.kvPool);
  bytes("allocated by the engine", r.memory.deviceBytes());
  bytes(m.gpu ? "weights, uploaded" : "weights, mapped", r.memory.weights);
  bytes("total", r.memory.total());

  line("\nfusion");
  for (const ManifestFusion &f : m.fusion)
    line(f.fused ? fmt::format("  {:<26}{:>6} fused", f.rule, f.count)
                 : fmt::format("  {:<26}{:>6} not fused: {}", f.rule, f.count, f.reason));
  return text;
}
} // namespace

int adze::runInspect(const ToolOptions &options) {
  Expected<Manifest> manifest = readArtifactManifest(options.artifact);
  if (!manifest)
    return reportError(manifest.status());
  Expected<Report> report = makeReport(*manifest, options.limits);
  if (!report)
    return reportError(report.status());
  Json json = toJson(*report);
  if (manifest->gpu)
    json["gpu"] = toJson(*manifest->gpu);
  writeAnswer(options.json ? writeJson(json) : toText(*report));
  return 0;
}
