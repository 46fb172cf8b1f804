#include "adze/Format/Manifest.h"

#include "StrictJson.h"
#include "adze/Support/Hash.h"
#include "adze/Support/Json.h"

#include <algorithm>

namespace adze {

// The keys of manifest.json, each once; StrictJson.h reads and writes with these lists.
template <class V> void fields(V &v, Coefficient &c) { v("fixed", c.fixed), v("per_page", c.perPage); }
template <class V> void fields(V &v, SizeForm &f) {
  v("constant", f.constant), v("tokens", f.tokens), v("requests", f.requests), v("rows", f.rows);
}
template <class V> void fields(V &v, CostForm &f) {
  v("constant", f.constant), v("tokens", f.tokens), v("requests", f.requests), v("rows", f.rows);
  v("kv", f.kv), v("pairs", f.pairs);
}
template <class V> void fields(V &v, ManifestTarget &t) {
  v("triple", t.triple), v("cpu", t.cpu), v("features", t.features), v("kv_split", t.kvSplit);
  v("product", t.product);
}
template <class V> void fields(V &v, ManifestModel &m) {
  v("family", m.family), v("name", m.name), v("layers", m.layers), v("hidden", m.hidden), v("heads", m.heads);
  v("kv_heads", m.kvHeads), v("head_dim", m.headDim), v("vocabulary", m.vocabulary);
  v("legal_tokens", m.legalTokens), v("context", m.context);
}
template <class V> void fields(V &v, ManifestKv &k) {
  v("page_tokens", k.pageTokens), v("page_bytes", k.pageBytes), v("bytes_per_token", k.bytesPerToken);
  v("element", k.element);
}
template <class V> void fields(V &v, ManifestMemory &m) {
  v("slots", m.slots), v("logits_slot", m.logitsSlot), v("choice_slot", m.choiceSlot);
}
template <class V> void fields(V &v, ManifestSchedule &s) {
  v("tokens", s.tokens), v("columns", s.columns), v("depth", s.depth), v("sums", s.sums);
}
template <class V> void fields(V &v, ManifestKernel &k) {
  v("name", k.name), v("family", k.family), v("schedule", k.schedule), v("launches", k.launches), v("bytes", k.bytes);
  v("operations", k.operations);
}
template <class V> void fields(V &v, ManifestGpuKernel &k) {
  v("function", k.function), v("threads", k.threads), v("shared_bytes", k.sharedBytes);
  v("argument_bytes", k.argumentBytes);
}
template <class V> void fields(V &v, ManifestCubin &c) {
  v("architecture", c.architecture), v("driver", c.driver), v("assembler", c.assembler);
}
template <class V> void fields(V &v, ManifestGpu &g) {
  v("architecture", g.architecture), v("driver", g.driver), v("kernels", g.kernels), v("cubin", g.cubin);
}
template <class V> void fields(V &v, ManifestWeights &w) {
  v("form", w.form), v("segments", w.segments), v("bytes", w.bytes);
}
template <class V> void fields(V &v, ManifestStandInWeight &w) {
  v("weight", w.weight), v("offset", w.offset), v("bytes", w.bytes), v("element", w.element), v("kind", w.kind);
  v("center", w.center), v("spread", w.spread), v("values", w.values);
}
template <class V> void fields(V &v, ManifestStandIn &s) { v("seed", s.seed), v("weights", s.weights); }
template <class V> void fields(V &v, ManifestFusion &f) {
  v("rule", f.rule), v("fused", f.fused), v("count", f.count), v("reason", f.reason);
}
template <class V> void fields(V &v, ManifestSource &s) { v("name", s.name), v("size", s.size), v("hash", s.hash); }
template <class V> void fields(V &v, ManifestSection &s) { v("file", s.file), v("size", s.size), v("hash", s.hash); }
template <class V> void fields(V &v, GenerationDefaults &g) {
  v("end_tokens", g.endTokens), v("sample", g.sample), v("temperature", g.temperature), v("top_k", g.topK);
  v("top_p", g.topP), v("min_p", g.minP), v("repetition_penalty", g.repetitionPenalty);
}

namespace {
/// The whole file: the manifest behind its format version.
struct ManifestDocument {
  int64_t formatVersion = kManifestFormatVersion;
  Manifest manifest;
  std::string hash;
};
} // namespace

template <class V> void fields(V &v, ManifestDocument &d) {
  Manifest &m = d.manifest;
  v("format_version", d.formatVersion), v("program_version", m.programVersion), v("adze_version", m.adzeVersion);
  v("target", m.target), v("numerics", m.numerics), v("model", m.model), v("kv", m.kv), v("memory", m.memory);
  v("kernels", m.kernels), v("gpu", m.gpu), v("weights", m.weights), v("stand_in", m.standIn), v("fusion", m.fusion);
  v("sources", m.sources), v("licence", m.licence), v("generation", m.generation), v("options", m.options),
      v("sections", m.sections);
  v("hash", d.hash);
}

const ManifestSection *Manifest::section(std::string_view file) const {
  auto found = std::find_if(sections.begin(), sections.end(), [&](const auto &s) { return s.file == file; });
  return found == sections.end() ? nullptr : &*found;
}

// Bytes that are no UTF-8 (a licence in another encoding) are replaced rather than refused: this text is for people.
static std::string textOf(const ManifestDocument &document) {
  return StrictWriter::record(document).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Of the content and not of the file's bytes, so that another indentation does no harm. A reader knows every key, so
// what it read and writes again is all that the file says.
static std::string hashOf(const Manifest &manifest) { return hashText(textOf({kManifestFormatVersion, manifest, ""})); }

std::string writeManifest(const Manifest &manifest) {
  return textOf({kManifestFormatVersion, manifest, hashOf(manifest)});
}

/// What stands in for weights: each inside weights.bin, behind the one before it, of a known kind.
static void checkStandIn(StrictReader &reader, const Manifest &m) {
  const ManifestSection *section = m.section(kWeightsFile);
  if (!section)
    return reader.fail("key 'stand_in' describes weights and 'sections' has no " + std::string(kWeightsFile));
  if (m.standIn->seed.has_value() == section->hash.empty())
    reader.fail("key 'stand_in' has " + std::string(m.standIn->seed ? "a" : "no") + " seed and the section of " +
                kWeightsFile + (section->hash.empty() ? " no" : " a") + " hash; both or neither is accepted");
  int64_t end = 0;
  for (size_t i = 0; i < m.standIn->weights.size(); ++i) {
    const ManifestStandInWeight &w = m.standIn->weights[i];
    auto fail = [&](const std::string &what) {
      reader.fail("key 'stand_in.weights[" + std::to_string(i) + "]' (" + w.weight + ") " + what);
    };
    if (w.offset < end || w.offset % 256 != 0 || w.bytes < 0 || w.bytes > section->size - w.offset)
      return fail("takes the bytes from " + std::to_string(w.offset) + " to " + std::to_string(w.offset + w.bytes) +
                  "; a multiple of 256 from " + std::to_string(end) + " on, to " + std::to_string(section->size) +
                  " at most, is accepted");
    end = w.offset + w.bytes;
    const bool integers = w.element == "i8" || w.element == "i4";
    const int64_t unit = w.element == "f32" ? 4 : w.element == "f16" || w.element == "bf16" ? 2 : integers ? 1 : 0;
    if (unit == 0)
      return fail("has the element '" + w.element + "'; f32, bf16, f16, i8 or i4 is accepted");
    if (w.bytes % unit != 0)
      return fail("has " + std::to_string(w.bytes) + " bytes, which are no whole number of " + w.element);
    if (w.kind == "given" ? w.values.size() != size_t(w.bytes) * 2 ||
                                w.values.find_first_not_of("0123456789abcdef") != std::string::npos
                          : !w.values.empty())
      return fail("has " + std::to_string(w.values.size()) +
                  " characters of 'values'; two hexadecimal digits for each " +
                  "byte of a weight of kind 'given', and none for another, are accepted");
    if (w.kind != "given" && w.kind != "uniform" && (w.kind != "normal" || integers))
      return fail("is of kind '" + w.kind + "'; uniform, given, or, for floats, normal is accepted");
    const double least = w.element == "i4" ? 0 : -128, most = w.element == "i4" ? 15 : 127;
    if (w.spread < 0 || (integers && (w.center - w.spread < least || w.center + w.spread > most)))
      return fail("goes from center - spread = " + std::to_string(w.center - w.spread) + " to " +
                  std::to_string(w.center + w.spread) + ", which " + w.element + " cannot hold");
  }
}

/// The numbers against each other, so that no reader has to ask again.
static void checkAgreement(StrictReader &reader, const Manifest &m) {
  auto atLeast = [&](const char *key, int64_t value, int64_t least) {
    if (value < least)
      reader.fail("key '" + std::string(key) + "' is " + std::to_string(value) + "; " + std::to_string(least) +
                  " or more is accepted");
  };
  auto atMost = [&](const char *key, int64_t value, int64_t most, const char *mostKey) {
    if (value > most)
      reader.fail("key '" + std::string(key) + "' is " + std::to_string(value) + "; at most '" + mostKey +
                  "' = " + std::to_string(most) + " is accepted");
  };
  atLeast("model.layers", m.model.layers, 1);
  atLeast("model.vocabulary", m.model.vocabulary, 1);
  atLeast("model.legal_tokens", m.model.legalTokens, 1);
  atMost("model.legal_tokens", m.model.legalTokens, m.model.vocabulary, "model.vocabulary");
  atLeast("model.context", m.model.context, 1);
  atLeast("kv.page_tokens", m.kv.pageTokens, 1);
  atLeast("kv.bytes_per_token", m.kv.bytesPerToken, 1);
  atLeast("target.kv_split", m.target.kvSplit, 0);
  if (m.kv.pageTokens > 0 && m.kv.pageBytes / m.kv.pageTokens != m.kv.bytesPerToken)
    reader.fail("key 'kv.page_bytes' is " + std::to_string(m.kv.pageBytes) +
                "; kv.page_tokens * kv.bytes_per_token is accepted");
  auto isSlot = [&](const char *key, int64_t slot) {
    atLeast(key, slot, 0);
    if (slot >= int64_t(m.memory.slots.size()))
      reader.fail("key '" + std::string(key) + "' is " + std::to_string(slot) + "; a slot below " +
                  std::to_string(m.memory.slots.size()) + " is accepted");
  };
  isSlot("memory.logits_slot", m.memory.logitsSlot);
  if (m.memory.choiceSlot) {
    isSlot("memory.choice_slot", *m.memory.choiceSlot);
    if (*m.memory.choiceSlot == m.memory.logitsSlot)
      reader.fail("key 'memory.choice_slot' is " + std::to_string(m.memory.logitsSlot) +
                  ", the slot of the logits; another slot is accepted");
  }
  for (size_t s = 0; s < m.memory.slots.size(); ++s)
    for (const SizeForm &form : m.memory.slots[s])
      for (const Coefficient &c : {form.constant, form.tokens, form.requests, form.rows})
        if (c.fixed < 0 || c.perPage < 0)
          reader.fail("key 'memory.slots[" + std::to_string(s) + "]' holds a negative coefficient");
  for (size_t t = 0; t < m.generation.endTokens.size(); ++t)
    if (int64_t id = m.generation.endTokens[t]; id < 0 || id >= m.model.legalTokens)
      reader.fail("key 'generation.end_tokens[" + std::to_string(t) + "]' is " + std::to_string(id) +
                  "; a token id below 'model.legal_tokens' = " + std::to_string(m.model.legalTokens) + " is accepted");
  if (m.gpu) {
    // What any GPU of the supported kind can launch; the device checks against the one that it has.
    auto within = [&](size_t k, const char *key, int64_t value, int64_t least, int64_t most) {
      if (value < least || value > most)
        reader.fail("key 'gpu.kernels[" + std::to_string(k) + "]." + key + "' is " + std::to_string(value) + "; " +
                    std::to_string(least) + " to " + std::to_string(most) + " is accepted");
    };
    atLeast("gpu.driver", m.gpu->driver, 0);
    if (m.gpu->architecture.empty())
      reader.fail("key 'gpu.architecture' is empty; a name such as sm_90 is accepted");
    if (m.gpu->cubin) {
      atLeast("gpu.cubin.driver", m.gpu->cubin->driver, 0);
      if (m.gpu->cubin->architecture.empty())
        reader.fail("key 'gpu.cubin.architecture' is empty; a name such as sm_90a is accepted");
    }
    if (m.gpu->kernels.size() != m.kernels.size())
      reader.fail("key 'gpu.kernels' has " + std::to_string(m.gpu->kernels.size()) + " entries; one for each of the " +
                  std::to_string(m.kernels.size()) + " of 'kernels' is accepted");
    for (size_t k = 0; k < m.gpu->kernels.size(); ++k) {
      within(k, "threads", m.gpu->kernels[k].threads, 1, 1024);
      within(k, "shared_bytes", m.gpu->kernels[k].sharedBytes, 0, 1 << 20);
      within(k, "argument_bytes", m.gpu->kernels[k].argumentBytes, 0, 4096);
    }
  }
  if (m.standIn && reader.status().ok())
    checkStandIn(reader, m);
  for (const auto &[key, sizes] : {std::pair{"sections", m.sections}})
    for (const ManifestSection &s : sizes)
      if (s.size < 0)
        reader.fail("key '" + std::string(key) + "' gives the file " + s.file + " a negative size");
}

Expected<Manifest> readManifest(std::string_view text, std::string_view fileName, ManifestHash hash) {
  auto json = parseJson(text, fileName);
  if (!json)
    return json.status();
  StrictReader reader(fileName);
  ManifestDocument document;
  if (!json->is_object() || !json->contains("format_version"))
    return invalidInput(std::string(fileName) + ": key 'format_version' is missing: this is no manifest of Adze");
  reader.read((*json)["format_version"], "format_version", document.formatVersion);
  if (reader.status().ok() && document.formatVersion != kManifestFormatVersion)
    reader.fail("key 'format_version' is " + std::to_string(document.formatVersion) + "; this release of Adze reads " +
                std::to_string(kManifestFormatVersion) + "; compile the model again with this release");
  if (!reader.status().ok())
    return reader.status();
  reader.record(*json, "", document);
  if (reader.status().ok())
    checkAgreement(reader, document.manifest);
  if (!reader.status().ok())
    return reader.status();
  if (std::string found = hashOf(document.manifest); hash == ManifestHash::Check && found != document.hash)
    return invalidInput(std::string(fileName) + " is damaged: the XXH3-128 of its content is " + found +
                        " and its key 'hash' says " + document.hash +
                        "; copy the artifact again or compile the model again");
  return std::move(document.manifest);
}

Expected<int64_t> SizeForm::evaluate(const SizeLimits &l) const {
  const int64_t pages = l.pageTokens > 0 ? (l.context + l.pageTokens - 1) / l.pageTokens : 0;
  // All terms are at least zero, so 128 bits hold any sum of four products of 63 bits each, and one test is enough.
  auto coefficient = [&](const Coefficient &c) { return __int128(c.fixed) + __int128(c.perPage) * pages; };
  auto tooLarge = [] {
    return resourceExhausted("a buffer of these limits needs more than 2^62 bytes; lower --step-tokens, --requests, "
                             "--logit-rows or --context");
  };
  __int128 total = 0;
  const std::pair<Coefficient, int64_t> terms[] = {
      {constant, 1}, {tokens, l.tokens}, {requests, l.requests}, {rows, l.rows}};
  for (const auto &[c, count] : terms) {
    __int128 factor = coefficient(c);
    if (factor > (__int128(1) << 62) || count < 0)
      return tooLarge();
    total += factor * count;
  }
  total = (total + 255) / 256 * 256;
  if (total > (__int128(1) << 62))
    return tooLarge();
  return int64_t(total);
}

} // namespace adze
