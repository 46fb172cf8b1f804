// NVIDIA GPUs as data: what a block may use, which matrix instructions there are, packs and schedule rows. Targets
// differ in the rows of this file and nowhere else.
//
// Packs. A float weight of two bytes is the second operand of mma.m16n8k16, "c1 c8 | c2 c4 r1 r2 r4" for 8 outputs by
// 16 k. Two such instructions along k make a block: a lane's eight numbers lie together, the lanes of a warp follow
// each other, so that the operand comes from global memory by one load of 16 bytes a lane, all 512 bytes of a warp in
// one run, and needs no shared memory:
//   bf16, f16      block [8, 32], "c1 c8 c16 c2 c4 r1 r2 r4"
// Codes of a group are the second operand of mma.m16n8k32, "c1 c2 c16 | c4 c8 r1 r2 r4", so kept alike, but for bf16
// activations, which they are multiplied by as bf16: in the order above. Numbers of groups follow each other along the
// outputs, 32 at a time. A weight in f32 is multiplied without matrix instructions,
// from shared memory, and stays in rows.
//
// Rows of products. A large step is bound by products: each of four warps owns 64 x 32 outputs, two blocks of them
// where a gate and its values are made together, in registers. A small step is bound by reading weights: many narrow
// blocks, with deep iterations and many of them in flight. In between a block takes 64 tokens. Where outputs or depth
// are no whole tiles, masks and rests cost registers, and one row of few tokens serves all. A row is an order of work
// and never of sums, so a token gets the same bits in each.
#include "Targets.h"

#include <array>
#include <bit>

using namespace adze;

namespace {

class NvidiaTarget final : public TargetInfo {
public:
  /// `stages`: of products in bf16, whose blocks then leave shared memory for a second one.
  NvidiaTarget(std::string_view name, GpuFacts facts, int64_t stages)
      : label(name), facts(std::move(facts)), needs{"ptx" + std::to_string(this->facts.ptx)}, stages(stages) {}
  std::string_view name() const override { return label; }
  int64_t lanes() const override { return facts.warpLanes; }
  int64_t registers() const override { return facts.threadRegisters; }
  const GpuFacts *gpu() const override { return &facts; }
  const std::vector<std::string> &features() const override { return needs; }
  // A key of a page is a row of the second operand of the scores.
  KeyOrder keyOrder() const override { return KeyOrder::TokenDim; }

  std::optional<WeightPack> weightPack(std::string_view encoding, std::string_view part,
                                       Numerics numerics) const override {
    bool half = encoding == "bf16" || encoding == "f16";
    if ((part == "data" && half) || (part == "codes" && numerics == Numerics::Bf16))
      return WeightPack{{8, 32}, "c1 c8 c16 c2 c4 r1 r2 r4"};
    if (part == "codes")
      return WeightPack{{8, 32}, "c1 c2 c16 c4 c8 r1 r2 r4"};
    if (part != "data")
      return WeightPack{{32, 1}, "r1 r2 r4 r8 r16"};
    return std::nullopt;
  }

  ScheduleRow scheduleRow(const ScheduleKey &key) const override {
    // In bf16 four warps multiply 64 rows, tokens times query heads of a KV head, by keys and values that come once for
    // all of them; a row's softmax stays inside its warp. A run of a token after a prompt has a block, whose warps
    // share its keys and columns; so do pairs of warps where queries are too wide, or masks of heads and columns too
    // many, for the registers of one: 32 rows. Where shared memory has no room for two tiles of keys and values (heads
    // of 256 on Ada), keys take registers as well: 16 rows, and still ptxas spills some.
    if (key.family == "paged_attention" && key.numerics == Numerics::Bf16)
      return {.tokens = 1,
              .columns = 1,
              .depth = 64,
              .warps = 4,
              .stages = stagesOfKeys(key.inputs),
              .rows = attentionRows(key),
              .split = 256};
    if (key.family == "paged_attention")
      return {.tokens = 1, .columns = 1, .depth = 64, .warps = 1};
    if (isOfBf16(key))
      return {.tokens = isWhole(key) ? 128 : 32, .columns = 64, .depth = 32, .warps = 4, .stages = stages};
    if (isOfCodes(key))
      return {.tokens = isWhole(key) ? 64 : 16, .columns = 64, .depth = 32, .warps = 4, .stages = kGroupStages};
    if (key.family == "linear" || key.family == "quantized_linear")
      return {.tokens = 16, .columns = 64, .depth = 32, .warps = 4};
    // A few heads a block, which one warp holds piece by piece.
    if (key.family == "rope_append")
      return {.tokens = 1, .columns = 512, .depth = 64, .warps = 1};
    // A block reads a whole row of logits, bound by what it has in flight: 16 numbers a thread, four loads of 16 bytes.
    if (key.family == "best_token")
      return {.tokens = 1, .columns = 8192, .depth = 8192, .warps = 16};
    // Eight numbers a thread: two loads of 16 bytes in f32, one in bf16.
    return {.tokens = 1, .columns = 1024, .depth = 1024, .warps = 4};
  }

  std::vector<ScheduleRow> smallSteps(const ScheduleKey &key) const override {
    if (!isWhole(key))
      return {};
    if (isOfBf16(key))
      return {{.tokens = 16, .columns = 32, .depth = 128, .warps = 4, .stages = stages},
              {.tokens = 64, .columns = 64, .depth = 64, .warps = 4, .stages = stages}};
    if (isOfCodes(key))
      return {{.tokens = 16, .columns = 64, .depth = 32, .warps = 4, .stages = kGroupStages}};
    return {};
  }

private:
  /// Slots for keys and values of a tile of positions, of one head of that width: up to three, so that two blocks fit a
  /// multiprocessor; two where one fits; none where it does not.
  int64_t stagesOfKeys(int64_t dim) const {
    constexpr int64_t kPositions = 64;
    int64_t slot = kPositions * 2 * ((dim + 15) / 16 * 16) * 2; // whole steps of a matrix instruction
    for (int64_t stages : {3, 2})
      if (2 * (stages * slot + facts.reservedShared) <= facts.multiprocessorShared)
        return stages;
    return 2 * slot <= facts.sharedBytes ? 2 : 1;
  }
  int64_t attentionRows(const ScheduleKey &key) const {
    bool whole = std::has_single_bit(uint64_t(key.outputs)) && std::has_single_bit(uint64_t(key.inputs));
    return whole && key.inputs <= 128 ? 64 : stagesOfKeys(key.inputs) > 1 ? 32 : 16;
  }
  /// An iteration is one group: little to copy, so many of them.
  static constexpr int64_t kGroupStages = 8;
  static bool isOfBf16(const ScheduleKey &key) {
    return key.family == "linear" && key.encoding == "bf16" && key.numerics == Numerics::Bf16;
  }
  static bool isOfCodes(const ScheduleKey &key) {
    return key.family == "quantized_linear" && key.numerics != Numerics::F32;
  }
  static bool isWhole(const ScheduleKey &key) { return key.outputs % 64 == 0 && key.inputs % 32 == 0; }

  std::string_view label;
  GpuFacts facts;
  std::vector<std::string> needs;
  int64_t stages;
};

} // namespace

std::span<const TargetInfo *const> adze::nvidiaTargets() {
  // What all of them have.
  static const std::vector<MatrixInstruction> synchronous{{"mma.m16n8k16", "bf16"},
                                                          {"mma.m16n8k16", "f16"},
                                                          {"mma.m16n8k8", "tf32"},
                                                          {"mma.m16n8k32", "s8"},
                                                          {"mma.m16n8k32", "u8"}};
  static const auto with = [](std::initializer_list<MatrixInstruction> more) {
    std::vector<MatrixInstruction> all = synchronous;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  static const NvidiaTarget ampere("sm_80",
                                   {.warpLanes = 32,
                                    .threads = 1024,
                                    .threadRegisters = 255,
                                    .registers = 65536,
                                    .multiprocessorThreads = 2048,
                                    .sharedBytes = 163 << 10,
                                    .multiprocessorShared = 164 << 10,
                                    .reservedShared = 1 << 10,
                                    .common = "sm_80",
                                    .ptx = 80,
                                    .driver = 12000,
                                    .storeMatrix = false,
                                    .matrices = synchronous},
                                   4);
  static const NvidiaTarget ada("sm_89",
                                {.warpLanes = 32,
                                 .threads = 1024,
                                 .threadRegisters = 255,
                                 .registers = 65536,
                                 .multiprocessorThreads = 1536,
                                 .sharedBytes = 99 << 10,
                                 .multiprocessorShared = 100 << 10,
                                 .reservedShared = 1 << 10,
                                 .common = "sm_89",
                                 .ptx = 80,
                                 .driver = 12000,
                                 .storeMatrix = false,
                                 .matrices = synchronous},
                                3);
  static const NvidiaTarget hopper("sm_90a",
                                   {.warpLanes = 32,
                                    .threads = 1024,
                                    .threadRegisters = 255,
                                    .registers = 65536,
                                    .multiprocessorThreads = 2048,
                                    .sharedBytes = 227 << 10,
                                    .multiprocessorShared = 228 << 10,
                                    .reservedShared = 1 << 10,
                                    .common = "sm_90",
                                    .ptx = 80,
                                    .driver = 12000,
                                    .storeMatrix = true,
                                    .matrices = with({{"wgmma.m64k16", "bf16"},
                                                      {"wgmma.m64k16", "f16"},
                                                      {"wgmma.m64k8", "tf32"},
                                                      {"wgmma.m64k32", "s8"},
                                                      {"wgmma.m64k32", "u8"},
                                                      {"wgmma.m64k32", "e4m3"}})},
                                   4);
  static const std::array<const TargetInfo *, 3> all{&ampere, &ada, &hopper};
  return all;
}
