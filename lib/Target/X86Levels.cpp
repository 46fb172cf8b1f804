// CPU levels: features, packs and schedule rows as data.
//
// Packs. Lanes of a product's result run along n, so a pack puts L (lanes) neighbouring n into one vector load:
//   f32, f16       block [L, 8], n fastest: "r1 .. c1 c2 c4". For each k one aligned vector of L weights.
//   bf16           the same; where the level has vdpbf16ps, pairs of k are innermost ("c1 r1 .. c2 c4"). Neighbouring
//                  blocks along k then are the rows of the second operand of tdpbf16ps, 64 bytes each.
//   8-bit codes    "c1 c2 r1 .. c4 c8 c16": a 32-bit lane holds four neighbouring k of one n, as pmaddubsw/pmaddwd and
//                  vpdpbusd want, and as the rows of tdpbssd's second operand are. A float product reads
//                  lane >> 8 (k % 4).
//   4-bit codes    "c4 c1 c2 r1 .. c8 c16": the same bytes; the low half of a byte is k, the high half k + 4, so that
//                  one load, one mask and one shift give two such registers.
//   scales         [N, K / group]: block [L, 1]: one load gives the scales of L neighbouring n.
// One order serves every numerics mode and the row gather of an embedding table.
#include "Targets.h"

#include "adze/Layout/LinearMap.h"

#include <algorithm>
#include <array>

using namespace adze;

namespace {

struct Level {
  std::string_view name;
  int64_t lanes;
  int64_t registers;
  std::vector<std::string> features;
};

/// Order with bits `first`, then the lanes along dimension 0, then `rest`.
std::string order(std::string_view first, int64_t lanes, std::string_view rest) {
  std::string text(first);
  for (int64_t step = 1; step < lanes; step *= 2)
    text += (text.empty() ? "r" : " r") + std::to_string(step);
  if (!rest.empty())
    text += " " + std::string(rest);
  return text;
}

class X86Level final : public TargetInfo {
public:
  explicit X86Level(Level level) : level(std::move(level)) {}
  std::string_view name() const override { return level.name; }
  int64_t lanes() const override { return level.lanes; }
  int64_t registers() const override { return level.registers; }
  const std::vector<std::string> &features() const override { return level.features; }
  KeyOrder keyOrder() const override { return KeyOrder::DimToken; }

  std::optional<WeightPack> weightPack(std::string_view encoding, std::string_view part, Numerics) const override {
    int64_t lanes = level.lanes;
    if (part == "data") {
      if (encoding == "bf16" && has("avx512bf16"))
        return WeightPack{{lanes, 8}, order("c1", lanes, "c2 c4")};
      return WeightPack{{lanes, 8}, order("", lanes, "c1 c2 c4")};
    }
    if (part == "codes") {
      if (encoding == "q4_0" || encoding == "q4_1")
        return WeightPack{{lanes, 32}, order("c4 c1 c2", lanes, "c8 c16")};
      return WeightPack{{lanes, 32}, order("c1 c2", lanes, "c4 c8 c16")};
    }
    return WeightPack{{lanes, 1}, order("", lanes, "")};
  }

  ScheduleRow scheduleRow(const ScheduleKey &key) const override {
    // Rows of activations times vectors of outputs stay within the registers: 4 x 2 of 16 with 256 bits leaves room
    // for the weights and one broadcast; 32 registers take 4 x 4.
    int64_t vectors = level.registers >= 32 ? 4 : 2;
    // One token, one head of the cache, and the 64 positions that the order of sums fixes.
    if (key.family == "paged_attention")
      return {8, 1, 64};
    if (key.family == "quantized_linear" && key.numerics == Numerics::A8 && level.registers >= 32)
      // Many rows take one vector of outputs: a sum in int32 and one in f32 for each output fill the registers (8 x 1).
      // Few rows take four, as that many streams of weights (Product.cpp). Tile registers take 16 rows; 4-bit codes
      // stay with vpdpbusd, whose prefill measured 1.16 times as fast: unpacking into registers costs less than into
      // tiles (docs/Performance.md).
      return {has("amx-int8") && !key.encoding.starts_with("q4_") ? 16 : 8, vectors * level.lanes, 32};
    if (key.family == "linear" && key.encoding == "bf16" && key.numerics == Numerics::Bf16 && has("amx-bf16"))
      // All of K in one product, so that its sums stay in tile registers.
      return {16, 2 * level.lanes, std::max<int64_t>(32, (key.inputs + 31) / 32 * 32)};
    if (key.family == "linear" || key.family == "quantized_linear")
      return {4, vectors * level.lanes, 32};
    return {1, 64, 64};
  }

private:
  Level level;
};

} // namespace

std::span<const TargetInfo *const> adze::x86Targets() {
  using Features = std::vector<std::string>;
  static const Features base{"sse4.2", "avx", "avx2", "fma", "f16c", "bmi", "bmi2", "lzcnt", "movbe", "popcnt"};
  static const auto with = [](const Features &low, std::initializer_list<const char *> more) {
    Features all = low;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  static const Features wide = with(base, {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  static const X86Level v3({"x86-64-v3", 8, 16, base});
  static const X86Level v4({"avx512", 16, 32, wide});
  static const X86Level vnni({"avx512vnni", 16, 32, with(wide, {"avx512vnni"})});
  static const X86Level bf16({"avx512bf16", 16, 32, with(wide, {"avx512vnni", "avx512bf16"})});
  static const X86Level amx(
      {"amx", 16, 32, with(wide, {"avx512vnni", "avx512bf16", "amx-tile", "amx-int8", "amx-bf16"})});
  static const std::array<const TargetInfo *, 5> all{&v3, &v4, &vnni, &bf16, &amx};
  return all;
}
