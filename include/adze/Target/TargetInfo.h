//===- TargetInfo.h - what passes may know of a target
//---------------------------------------------------------------===//
//
// Passes see this class and never a target. A target is data: lanes, features, packs and schedule rows. No MLIR here.
//
// Packs. A weight tensor [N, K] is stored in blocks; inside a block the element address bits map to coordinates by
// the notation of adze/Layout/LinearMap.h ("c4 c1 c2 r1 r2 r4 c8 c16": address bit 0 adds 4 to dimension 1, ...).
// Blocks are row-major, edges padded with zeros. One pack serves every token count, every numerics mode of its
// encoding, and the embedding's row gather of a tied table.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_TARGET_TARGETINFO_H
#define ADZE_TARGET_TARGETINFO_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

/// How activations and products are computed: `--numerics`.
enum class Numerics { F32, Bf16, A8 };
std::optional<Numerics> parseNumerics(std::string_view text);
std::string_view toString(Numerics numerics);

/// Storage order of one part of a weight. `block` has one entry for each dimension.
struct WeightPack {
  std::vector<int64_t> block;
  std::string order;
  bool operator==(const WeightPack &other) const = default;
};

/// Tile sizes of a kernel family. Every field is a positive number of elements; what it cuts is said by family in the
/// description of #llm.schedule. The comments are those of a product.
struct ScheduleRow {
  int64_t tokens = 1;   ///< rows of activations that one block takes; see tile-peel-boundaries for the rest
  int64_t columns = 32; ///< outputs (n) of one block
  int64_t depth = 32;   ///< k of one step of the reduction loop; a multiple of the pack's block
  int64_t warps = 1;    ///< of a block, a power of two; 1 on a CPU, whose blocks are sequential
  int64_t stages = 1;   ///< slots of shared memory that copies of a loop's loads fill; 1: loads, as on a CPU
  int64_t rows = 0;     ///< of attention by matrix instructions: rows of a product, tokens x query heads; 0: none
  int64_t split = 0;    ///< of such attention: positions of one run of the rows after the prompt; 0: all of them
};

/// What a schedule row is chosen by. Zero: not known or not applicable.
struct ScheduleKey {
  std::string_view family;        ///< "linear", "quantized_linear", "paged_attention", "rms_norm", ...
  std::string_view encoding = ""; ///< of the weight: "f32", "bf16", "q4_1", ...
  Numerics numerics = Numerics::F32;
  int64_t outputs = 0; ///< N; of attention, query heads of a KV head
  int64_t inputs = 0;  ///< K; of attention, the width of a head
};

enum class KeyOrder { TokenDim, DimToken };

/// A matrix instruction that a GPU has for one type of operands. `name` is a row of adze/Layout/MmaLayouts.h.
struct MatrixInstruction {
  std::string_view name;    ///< "mma.m16n8k16"
  std::string_view element; ///< "bf16"
};

/// What a GPU is, as far as passes and checks ask. Sizes are bytes. Source: CUDA C++ programming guide 13, compute
/// capabilities; PTX ISA 9.0, release notes.
struct GpuFacts {
  int64_t warpLanes;             ///< threads of a warp
  int64_t threads;               ///< most of one block
  int64_t threadRegisters;       ///< most of one thread, 32 bits each
  int64_t registers;             ///< of a multiprocessor
  int64_t multiprocessorThreads; ///< resident on one
  int64_t sharedBytes;           ///< most of one block
  int64_t multiprocessorShared;  ///< of all blocks on one
  int64_t reservedShared;        ///< of each block, for the system
  std::string_view common;       ///< the GPU that PTX is written for: this one and all younger ones run it
  int64_t ptx;                   ///< PTX ISA that code is written in, 10 * major + minor
  int64_t driver;                ///< oldest driver that takes it, 1000 * major + 10 * minor of CUDA
  bool storeMatrix;              ///< stmatrix
  std::vector<MatrixInstruction> matrices;

  /// The first instruction of that family ("mma") for that element type, or null.
  const MatrixInstruction *matrix(std::string_view family, std::string_view element) const;
};

class TargetInfo {
public:
  virtual ~TargetInfo() = default;
  /// Name as `--cpu` ("x86-64-v3") or `--target` ("sm_90a") spells it.
  virtual std::string_view name() const = 0;
  /// 32-bit lanes of one vector register, or threads of a warp; the unit of tile layouts.
  virtual int64_t lanes() const = 0;
  /// Vector registers, or registers of a thread.
  virtual int64_t registers() const = 0;
  /// Null for a CPU.
  virtual const GpuFacts *gpu() const { return nullptr; }
  /// Features that an artifact for this target needs, as LLVM spells them ("avx2", "fma", ...; "ptx80").
  virtual const std::vector<std::string> &features() const = 0;
  bool has(std::string_view feature) const;
  /// Pack of part `part` ("data", "codes", "scales", "offsets", "outer") of a weight in `encoding` (a name of
  /// adze/Format/Encodings.h). Empty: plain row-major.
  virtual std::optional<WeightPack> weightPack(std::string_view encoding, std::string_view part,
                                               Numerics numerics) const = 0;
  virtual ScheduleRow scheduleRow(const ScheduleKey &key) const = 0;
  /// Rows of the same kernel for steps of at most their `tokens`, ascending, all below those of scheduleRow; warps and
  /// stages are those of scheduleRow. Empty: one row serves every step.
  virtual std::vector<ScheduleRow> smallSteps(const ScheduleKey &) const { return {}; }
  /// Order of a page's keys.
  virtual KeyOrder keyOrder() const = 0;
};

/// The target of that name, or null. Names: see targetNames().
const TargetInfo *findTarget(std::string_view name);
/// All names of CPU levels, weakest first.
std::vector<std::string_view> targetNames();
/// All names of GPUs, oldest first.
std::vector<std::string_view> gpuTargetNames();
/// "a, b, c", for messages.
std::string listOf(const std::vector<std::string_view> &names);

} // namespace adze

#endif // ADZE_TARGET_TARGETINFO_H
