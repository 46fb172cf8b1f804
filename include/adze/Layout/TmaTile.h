//===- TmaTile.h - what the tensor memory accelerator copies ----------------------------------------------------===//
//
// One copy moves a box of a global tensor to (or from) contiguous shared memory, innermost dimension first, and
// exchanges 16-byte pieces as a swizzle says (SharedSwizzle.h). So an order in shared memory is made by copies when,
// with the exchange undone, its address bits run along one dimension after another: those of the first box, then the
// bits that number the boxes.
//
//   "c1 c2 c4 c8 c16 c32 r1+c8 r2+c16 r4+c32 r8 c64" of 16-bit elements: swizzle 128, box 64 x 16 (c, r), two boxes
//   "c64".
//
// Sources: CUDA driver API, cuTensorMapEncodeTiled; PTX ISA 9.0, 5.5 (tensors), 9.7.9.25 (cp.async.bulk.tensor).
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_TMATILE_H
#define ADZE_LAYOUT_TMATILE_H

#include "adze/Layout/LinearMap.h"

namespace adze {

struct TmaDimension {
  unsigned dim;    ///< of the tile
  uint32_t extent; ///< of the box, elements
  bool operator==(const TmaDimension &) const = default;
};

struct TmaTile {
  unsigned swizzle = 0;          ///< bytes; the box begins on a multiple of 8 x swizzle, at least 128
  std::vector<TmaDimension> box; ///< innermost first, 1 to 5
  LinearMap origins;             ///< number of the box -> coordinate of its first element
  uint32_t boxBytes = 0;
};

/// Empty and `*reason` set when no sequence of copies makes that order.
std::optional<TmaTile> tmaTileOf(const LinearMap &storage, unsigned elementBits, std::string *reason = nullptr);

/// Whether a tensor map of that box can be encoded. `strides` are the bytes from one element to the next in global
/// memory along the second and later dimensions of the box. `*reason` names the dimension, what was found and what is
/// accepted.
bool tmaBoxIsLegal(const TmaTile &tile, unsigned elementBits, std::span<const uint64_t> strides,
                   std::string *reason = nullptr);

} // namespace adze

#endif // ADZE_LAYOUT_TMATILE_H
