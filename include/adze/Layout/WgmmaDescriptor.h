//===- WgmmaDescriptor.h - operands of wgmma in shared memory ----------------------------------------------------===//
//
// wgmma reads an operand of 8 x 16-byte core matrices from shared memory through a descriptor of a start address, two
// distances (leading and stride byte offset) and a swizzle. With the exchange of the swizzle undone, the byte address
// of element (row, k) must be, S being the swizzle (16 where there is none) and "piece" 16 bytes:
//
//            inside a piece   pieces                               8 rows / 8 k    rows or k beyond
//   K-major  k                the two of 32 bytes of k:            row: S each     8 rows: stride
//                             16 apart (none: leading)
//   MN-major rows             S / 16 next to each other, then      k: S each       8 k: stride (none: leading)
//   (16-bit)                  leading (none: stride)
//
// Each of these is one condition on the image of one coordinate bit, so a storage map either is such an order, and the
// distances are read off, or the first bit that differs is named.
//
//   "c1 c2 c4 c8 c16 c32 r1+c8 r2+c16 r4+c32 r8 r16 r32", 16-bit: K-major, swizzle 128, stride 1024; the next 16 of k
//   lie 32 and 64 bytes further on.
//
// Source: PTX ISA 9.0, 9.7.15.5.1 (matrices in shared memory, strides, descriptor).
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_WGMMADESCRIPTOR_H
#define ADZE_LAYOUT_WGMMADESCRIPTOR_H

#include "adze/Layout/LinearMap.h"

namespace adze {

struct WgmmaDescriptor {
  unsigned swizzle = 0; ///< bytes; the operand begins on a multiple of 8 x swizzle, at least 16
  bool mnMajor = false;
  uint32_t leadingBytes = 16, strideBytes = 16;
  /// Bytes that each bit of the instruction's number along k, and along the rows, adds to the start address.
  std::vector<uint32_t> kAdvance, rowAdvance;

  /// The 64-bit operand for a start address in shared memory.
  uint64_t encode(uint32_t address) const;
};

/// `storage` maps address bits to [row, k] of the whole tile; an instruction takes `rows` (64 for a, n for b, a power
/// of two) and 32 bytes of k. Empty and `*reason` set when no descriptor fits.
std::optional<WgmmaDescriptor> wgmmaDescriptor(const LinearMap &storage, int64_t rows, unsigned elementBits,
                                               std::string *reason = nullptr);

} // namespace adze

#endif // ADZE_LAYOUT_WGMMADESCRIPTOR_H
