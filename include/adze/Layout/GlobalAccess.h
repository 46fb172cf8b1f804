//===- GlobalAccess.h - how a layout reads memory ---------------------------------------------------------------===//
//
// A tile is read from (or written to) memory whose `innermost` dimension is contiguous. A lane reads several elements
// at once when the units 1, 2, 4, ... of that dimension are sums of its register bits; lanes follow each other where
// the next units are sums of lane bits.
//
//   "c1 c2 c4 | c8 c16 r1 r2 r4", 16-bit: 8 elements = 16 bytes a lane, 4 lanes follow each other (64 bytes of a row),
//                                         8 rows: 16 sectors of 32 bytes, the least for 512 bytes.
//   "c1 r8 c8 | c2 c4 r1 r2 r4", 16-bit:  4 bytes a lane (c8 lies apart), 4 lanes = 16 bytes: 8 sectors for 128 bytes.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_GLOBALACCESS_H
#define ADZE_LAYOUT_GLOBALACCESS_H

#include "adze/Layout/LinearMap.h"

namespace adze {

struct GlobalAccess {
  unsigned elements; ///< neighbours that one lane moves by one instruction, at most 16 bytes
  unsigned bytes;    ///< of these
  unsigned lanes;    ///< lanes whose pieces make one contiguous, aligned run
  unsigned sectors;  ///< of 32 bytes that one instruction of a warp touches, rows starting on sectors
};

/// `elementBits` 4 to 64; 4-bit elements move in pairs at least, so their `bytes` is 0 where the low bit is no
/// register's.
GlobalAccess globalAccess(const LinearMap &layout, unsigned innermost, unsigned elementBits);

} // namespace adze

#endif // ADZE_LAYOUT_GLOBALACCESS_H
