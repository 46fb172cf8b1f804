#include "adze/Layout/MmaLayouts.h"

#include <bit>

using namespace adze;

// clang-format off
static constexpr MmaInstruction kInstructions[] = {
    // name            elements            bits  m   n  k  warps  a, b, d of one instruction
    {"mma.m16n8k16",   "f16 bf16",           16, 16, 8, 16, 1, "c1 r8 c8 | c2 c4 r1 r2 r4",
     "c1 c8 | c2 c4 r1 r2 r4",     "c1 r8 | c2 c4 r1 r2 r4"},
    {"mma.m16n8k8",    "tf32",               32, 16, 8, 8,  1, "r8 c4 | c1 c2 r1 r2 r4",
     "c4 | c1 c2 r1 r2 r4",        "c1 r8 | c2 c4 r1 r2 r4"},
    {"mma.m16n8k32",   "s8 u8 e4m3 e5m2",     8, 16, 8, 32, 1, "c1 c2 r8 c16 | c4 c8 r1 r2 r4",
     "c1 c2 c16 | c4 c8 r1 r2 r4", "c1 r8 | c2 c4 r1 r2 r4"},
    {"wgmma.m64k16",   "f16 bf16",           16, 64, 8, 16, 4, "c1 r8 c8 | c2 c4 r1 r2 r4 | r16 r32",
     "",                           "c1 r8 | c2 c4 r1 r2 r4 | r16 r32"},
    {"wgmma.m64k8",    "tf32",               32, 64, 8, 8,  4, "r8 c4 | c1 c2 r1 r2 r4 | r16 r32",
     "",                           "c1 r8 | c2 c4 r1 r2 r4 | r16 r32"},
    {"wgmma.m64k32",   "s8 u8 e4m3 e5m2",     8, 64, 8, 32, 4, "c1 c2 r8 c16 | c4 c8 r1 r2 r4 | r16 r32",
     "",                           "c1 r8 | c2 c4 r1 r2 r4 | r16 r32"},
};
// clang-format on

std::span<const MmaInstruction> adze::mmaInstructions() { return kInstructions; }

const MmaInstruction *adze::findMma(std::string_view family, std::string_view element) {
  for (const MmaInstruction &row : kInstructions) {
    std::string elements = " " + std::string(row.elements) + " ";
    if (row.name.substr(0, row.name.find('.')) == family &&
        elements.find(" " + std::string(element) + " ") != std::string::npos)
      return &row;
  }
  return nullptr;
}

std::vector<int64_t> adze::mmaWidths(const MmaInstruction &instruction) {
  if (instruction.groupWarps == 1)
    return {instruction.n};
  std::vector<int64_t> widths;
  bool integer = instruction.elements.starts_with("s8");
  for (int64_t n = 8; n <= 256; n += 8)
    if (!integer || n <= 24 || n % 16 == 0)
      widths.push_back(n);
  return widths;
}

/// "r1 r2 r4" for dimension 0 and 8 repetitions.
static std::vector<Coord> repeats(unsigned dim, int64_t count) {
  std::vector<Coord> bits;
  for (int64_t step = 1; step < count; step *= 2) {
    bits.push_back({});
    if (dim < kMaxDims)
      bits.back()[dim] = step;
  }
  return bits;
}
static constexpr unsigned kCopies = kMaxDims; ///< no dimension: the bits are 0

/// The instruction's map, repeated first along `inner` then along `outer` in registers, then over the groups.
static LinearMap tiled(std::string_view instruction, unsigned inner, int64_t innerCount, unsigned outer,
                       int64_t outerCount, unsigned dimOfGroupsM, int64_t groupsM, unsigned dimOfGroupsN,
                       int64_t groupsN) {
  LinearMap innerRepeats, outerRepeats, overM, overN;
  innerRepeats.reg = repeats(inner, innerCount);
  outerRepeats.reg = repeats(outer, outerCount);
  overM.warp = repeats(dimOfGroupsM, groupsM);
  overN.warp = repeats(dimOfGroupsN, groupsN);
  return LinearMap::parse(instruction)->product(innerRepeats).product(outerRepeats).product(overM).product(overN);
}

std::optional<MmaLayouts> adze::mmaLayouts(const MmaInstruction &row, int64_t m, int64_t n, int64_t k, int64_t groupsM,
                                           int64_t groupsN, std::string *error) {
  std::string unfit;
  auto repetitions = [&](const char *what, int64_t extent, int64_t step, int64_t groups) {
    bool whole = extent > 0 && groups > 0 && extent % (step * groups) == 0;
    int64_t count = whole ? extent / (step * groups) : 0;
    if (unfit.empty() && !(std::has_single_bit(uint64_t(count)) && std::has_single_bit(uint64_t(groups))))
      unfit = std::string(row.name) + " over " + std::to_string(groups) + " groups of warps along " + what +
              " needs an extent of " + std::to_string(step) + " x " + std::to_string(groups) +
              " x a power of two, groups a power of two as well; found " + std::to_string(extent);
    return count;
  };
  int64_t alongM = repetitions("m", m, row.m, groupsM), alongN = repetitions("n", n, row.n, groupsN);
  int64_t alongK = repetitions("k", k, row.k, 1);
  if (!unfit.empty()) {
    if (error)
      *error = unfit;
    return std::nullopt;
  }
  MmaLayouts layouts;
  layouts.a = tiled(row.a, 1, alongK, 0, alongM, 0, groupsM, kCopies, groupsN);
  layouts.d = tiled(row.d, 1, alongN, 0, alongM, 0, groupsM, 1, groupsN);
  if (!row.b.empty())
    layouts.b = tiled(row.b, 1, alongK, 0, alongN, kCopies, groupsM, 0, groupsN);
  return layouts;
}

std::optional<LinearMap> adze::mmaTiling(const MmaInstruction &row, MmaRole role, const LinearMap &layout,
                                         std::string *reason) {
  auto refuse = [&](std::string text) -> std::optional<LinearMap> {
    if (reason)
      *reason = std::move(text);
    return std::nullopt;
  };
  std::string_view map = role == MmaRole::A ? row.a : role == MmaRole::B ? row.b : row.d;
  std::string what = std::string(role == MmaRole::A   ? "a"
                                 : role == MmaRole::B ? "b"
                                                      : "d") +
                     " of " + std::string(row.name) + " (" + std::to_string(row.elementBits) + "-bit elements)";
  if (map.empty())
    return refuse(what + " lies in shared memory, not in registers");
  std::optional<LinearMap> rest = layout.divide(*LinearMap::parse(map));
  if (!rest)
    return refuse(what + " begins with \"" + std::string(map) + "\"; found \"" + layout.str() + "\"");
  if (!rest->lane.empty())
    return refuse(what + " has 5 lane bits; found " + std::to_string(layout.lane.size()) + " in \"" + layout.str() +
                  "\"");
  if (role != MmaRole::D)
    for (const std::vector<Coord> *group : {&rest->warp, &rest->block})
      for (const Coord &basis : *group)
        if (basis[1])
          return refuse(what + " needs all of k in each warp; \"" + layout.str() + "\" splits k over warps or blocks");
  return rest;
}
