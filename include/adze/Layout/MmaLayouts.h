//===- MmaLayouts.h - register layouts of matrix instructions ---------------------------------------------------===//
//
// One row for each shape and element width: which element of its operands and result a lane holds, as maps. A block's
// tile is the instruction repeated, so its layout is a product, and whether a given layout is an operand of the
// instruction is a division (LinearMap.h). A new instruction is a new row.
//
// Coordinates: a is [m, k], b is [n, k], d is [m, n] (d += a b^T, as tile.dot). In the PTX manual b is [k, n]: read its
// row as our c and its column as our r.
//
// A tile of m x n x k is spread over groups of warps, one warp for mma.sync, four for wgmma: first the instruction,
// then repetitions in registers (a: along k, then m; b: along k, then n; d: along n, then m), then groups along m, then
// groups along n. So each group has neighbouring rows, and dropping top register bits leaves a smaller tile.
//
//   mma.m16n8k16 of 16-bit elements on 64 x 32 x 16 with 2 x 2 warps:
//     a  "c1 r8 c8 r16 | c2 c4 r1 r2 r4 | r32 0"     both warps along n hold the same rows of a
//     b  "c1 c8 r8 | c2 c4 r1 r2 r4 | 0 r16"
//     d  "c1 r8 c8 r16 | c2 c4 r1 r2 r4 | r32 c16"
//   wgmma.m64k32 of bytes on 128 x 16 x 128 with two warpgroups along m:
//     a  "c1 c2 r8 c16 c32 c64 | c4 c8 r1 r2 r4 | r16 r32 r64"     d  "c1 r8 c8 | c2 c4 r1 r2 r4 | r16 r32 r64"
//
// b of wgmma always lies in shared memory (Legality.h has its descriptor), so it has no layout here. The n of a wgmma
// instruction is any of `mmaWidths`; layouts have the powers of two among them, others are sums of such tiles.
//
// Source: PTX ISA 9.0, 9.7.14.5 (fragments of mma.sync), 9.7.15.5 (register fragments of wgmma).
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_MMALAYOUTS_H
#define ADZE_LAYOUT_MMALAYOUTS_H

#include "adze/Layout/LinearMap.h"

namespace adze {

struct MmaInstruction {
  std::string_view name;     ///< "mma.m16n8k16"; unique together with elementBits
  std::string_view elements; ///< operand types that it takes, separated by spaces
  unsigned elementBits;      ///< of a and b; d has 32
  int64_t m, n, k;           ///< n of wgmma: the smallest; k elements
  unsigned groupWarps;       ///< warps that execute it together
  std::string_view a, b, d;  ///< maps of one instruction; b empty: shared memory
};

/// Layouts of a tile's operands and result.
struct MmaLayouts {
  LinearMap a;
  std::optional<LinearMap> b; ///< empty where b lies in shared memory
  LinearMap d;
};

enum class MmaRole { A, B, D };

std::span<const MmaInstruction> mmaInstructions();
/// The row of that family ("mma" or "wgmma") for that element type ("bf16"); null when there is none.
const MmaInstruction *findMma(std::string_view family, std::string_view element);
/// Values of n that the instruction has, ascending.
std::vector<int64_t> mmaWidths(const MmaInstruction &instruction);

/// `m`, `n`, `k` elements of the tile, `groupsM` x `groupsN` groups of warps. Empty and `*error` set when the groups do
/// not divide the tile into instructions or an extent is no power of two.
std::optional<MmaLayouts> mmaLayouts(const MmaInstruction &instruction, int64_t m, int64_t n, int64_t k,
                                     int64_t groupsM, int64_t groupsN, std::string *error = nullptr);

/// How instructions are repeated to make `layout` their operand or result: a map that counts in instructions, registers
/// and warps (and blocks) alone. Empty and `*reason` set when the layout is not the instruction's, or when warps split
/// k.
std::optional<LinearMap> mmaTiling(const MmaInstruction &instruction, MmaRole role, const LinearMap &layout,
                                   std::string *reason = nullptr);

} // namespace adze

#endif // ADZE_LAYOUT_MMALAYOUTS_H
