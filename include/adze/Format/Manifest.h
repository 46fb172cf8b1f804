// Manifest.h: manifest.json of an artifact, the one description of a compiled model that compiler and runtime share.
//
// The compiler writes it, the runtime and `adze inspect` read it, both through this file. Reading is strict: every key
// must be known, present and of its type, and an error names the key, what was found and what is accepted. The format
// version is looked at first, so a manifest of a later release is refused by its version and not by some unknown key.
// The last key holds the hash of all others: a flipped digit in a size would otherwise be believed.
//
// Units: sizes are bytes. T tokens, B requests and R rows of logits are one step's; C is the context limit of the
// engine.
#ifndef ADZE_FORMAT_MANIFEST_H
#define ADZE_FORMAT_MANIFEST_H

#include "adze/Format/GenerationDefaults.h"
#include "adze/Support/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adze {

inline constexpr int64_t kManifestFormatVersion = 3;

/// Limits of one engine, from which the memory plan becomes numbers.
struct SizeLimits {
  int64_t tokens = 0;     // T: --step-tokens
  int64_t requests = 0;   // B: --requests
  int64_t rows = 0;       // R: --logit-rows
  int64_t context = 0;    // C: --context
  int64_t pageTokens = 1; // of the artifact
};

/// A coefficient of a size form: fixed + perPage * ceil(C / page).
struct Coefficient {
  int64_t fixed = 0;
  int64_t perPage = 0;
  friend bool operator==(const Coefficient &, const Coefficient &) = default;
};

/// A buffer's size in bytes: constant + tokens T + requests B + rows R, rounded up to 256.
struct SizeForm {
  Coefficient constant, tokens, requests, rows;
  /// The rounded size, or ResourceExhausted when it does not fit 63 bits.
  Expected<int64_t> evaluate(const SizeLimits &limits) const;
  friend bool operator==(const SizeForm &, const SizeForm &) = default;
};

/// A kernel's work: constant + tokens T + requests B + rows R + kv * (sum of kv lengths) + pairs * (sum over tokens of
/// the keys each may see, position + 1).
struct CostForm {
  int64_t constant = 0, tokens = 0, requests = 0, rows = 0, kv = 0, pairs = 0;
  double evaluate(double t, double b, double r, double kvLengths, double visiblePairs) const {
    return double(constant) + double(tokens) * t + double(requests) * b + double(rows) * r + double(kv) * kvLengths +
           double(pairs) * visiblePairs;
  }
  friend bool operator==(const CostForm &, const CostForm &) = default;
};

struct ManifestTarget {
  std::string triple; // x86_64-unknown-linux-gnu
  std::string cpu;    // the level's name, for example x86-64-v3
  std::vector<std::string>
      features;        // what the machine must have, as the runtime's CPU probe names them: avx2, fma, ...
  int64_t kvSplit = 0; // S of docs/Numerics.md; 0: rows after the prompt fold left to right as well
  std::string product; // what forms products of floats: f32-fma, vdpbf16ps or tdpbf16ps
};

struct ManifestModel {
  std::string family, name;
  int64_t layers = 0, hidden = 0, heads = 0, kvHeads = 0, headDim = 0;
  int64_t vocabulary = 0;  // rows of the table and width of a row of logits
  int64_t legalTokens = 0; // ids 0 .. legalTokens-1 may be read or chosen; at most vocabulary
  int64_t context = 0;     // the longest sequence that the model was made for
};

struct ManifestKv {
  int64_t pageTokens = 0, pageBytes = 0, bytesPerToken = 0;
  std::string element; // f32, bf16, ...
};

/// The plan of the arena: slot i holds at least the maximum of its forms; offsets are the running sum in order.
struct ManifestMemory {
  std::vector<std::vector<SizeForm>> slots;
  int64_t logitsSlot = 0;
  std::optional<int64_t> choiceSlot; // of the best token of each row; absent: the program chooses none
};

/// How a kernel's work is cut, for people: tile sizes and order of sums of llm.kernel's schedule.
struct ManifestSchedule {
  int64_t tokens = 0, columns = 0, depth = 0;
  std::string sums; // invariant
};

/// One generated function; costs are those of one launch.
struct ManifestKernel {
  std::string name, family;
  ManifestSchedule schedule;
  int64_t launches = 0;
  CostForm bytes, operations;
};

/// How one kernel is launched on a GPU: `threads` and `shared_bytes` (dynamic shared memory) of one block, and the size
/// of the argument block, which is its one parameter, by value.
struct ManifestGpuKernel {
  std::string function; // its name in the code
  int64_t threads = 0, sharedBytes = 0, argumentBytes = 0;
};

/// The same kernels as machine code, in the file kernels.cubin.
struct ManifestCubin {
  std::string architecture; // sm_90a
  int64_t driver = 0;       // as of ManifestGpu
  std::string assembler;    // "ptxas 13.0.88"
};

/// Code for a GPU, in the file kernels.bin: PTX text with a zero byte behind it.
struct ManifestGpu {
  std::string architecture;               // sm_90: the least that runs it
  int64_t driver = 0;                     // the oldest driver that loads it, 1000 * major + 10 * minor of CUDA; 0: any
  std::vector<ManifestGpuKernel> kernels; // in the order of Manifest::kernels
  std::optional<ManifestCubin> cubin;     // used where GPU and driver take it, kernels.bin elsewhere
};

/// Weights of one stored form, for people.
struct ManifestWeights {
  std::string form; // element type and order, for example "i4 [8, 32]"
  int64_t segments = 0, bytes = 0;
};

/// What a grouping rule did, or why it did not.
struct ManifestFusion {
  std::string rule;
  bool fused = false;
  int64_t count = 0;
  std::string reason; // empty when fused
};

/// A file that the model was made from.
struct ManifestSource {
  std::string name;
  int64_t size = 0;
  std::string hash; // XXH3-128, 32 hexadecimal digits; empty: its content was not read (ManifestStandIn)
};

/// A file of the artifact.
struct ManifestSection {
  std::string file;
  int64_t size = 0;
  std::string hash;
};

/// What a stand-in for one weight is made of: its bytes [offset, offset + bytes) of weights.bin hold numbers of
/// `element` (f32, bf16, f16, i8, or i4, two in a byte). kind: normal (mean `center`, standard deviation `spread`),
/// uniform (center - spread to center + spread, ends included where the numbers are integers), or given (`values`, the
/// bytes themselves in hexadecimal: tables that no file holds).
struct ManifestStandInWeight {
  std::string weight;
  int64_t offset = 0, bytes = 0;
  std::string element, kind;
  double center = 0, spread = 0;
  std::string values;
};

/// Of an artifact that was compiled without its weights. Until they are made, weights.bin is absent and its section has
/// no hash; then they are generated from `seed`: such a model is as fast as the real one and says nothing.
struct ManifestStandIn {
  std::optional<uint64_t> seed;
  std::vector<ManifestStandInWeight> weights; // by offset, without overlap
};

struct Manifest {
  int64_t programVersion = 0; // ADZE_PROGRAM_VERSION that program.so was generated for
  std::string adzeVersion;
  ManifestTarget target;
  std::string numerics;
  ManifestModel model;
  ManifestKv kv;
  ManifestMemory memory;
  std::vector<ManifestKernel> kernels; // in the order of AdzeProgram::kernels
  std::optional<ManifestGpu> gpu;      // absent: the kernels are functions of program.so, for a CPU
  std::vector<ManifestWeights> weights;
  std::optional<ManifestStandIn> standIn; // absent: the weights are those of `sources`
  std::vector<ManifestFusion> fusion;
  std::vector<ManifestSource> sources;
  std::string licence;
  GenerationDefaults generation;
  std::vector<std::pair<std::string, std::string>> options; // as given or defaulted when it was compiled, sorted
  std::vector<ManifestSection> sections;                    // sorted by file

  /// The section of that file, or null.
  const ManifestSection *section(std::string_view file) const;
  /// Whether weights.bin has still to be made (ManifestStandIn).
  bool lacksWeights() const { return standIn && !standIn->seed; }
};

/// The text of manifest.json; equal manifests give equal bytes.
std::string writeManifest(const Manifest &manifest);

/// Reads the text of manifest.json. `fileName` appears in messages. Checks types, ranges and agreement of the numbers
/// (slots in range, legal tokens within the vocabulary, page bytes a multiple of the page) and the hash of the content,
/// not the other files.
enum class ManifestHash { Check, Ignore }; // Ignore: for fuzzing, which would never get past it
Expected<Manifest> readManifest(std::string_view text, std::string_view fileName,
                                ManifestHash hash = ManifestHash::Check);

inline constexpr const char *kManifestFile = "manifest.json";
inline constexpr const char *kProgramFile = "program.so";
inline constexpr const char *kGpuCodeFile = "kernels.bin";    // only where the manifest has `gpu`
inline constexpr const char *kGpuCubinFile = "kernels.cubin"; // only where the manifest has `gpu.cubin`
inline constexpr const char *kWeightsFile = "weights.bin";
inline constexpr const char *kTokenizerFile = "tokenizer.bin";

} // namespace adze
#endif
