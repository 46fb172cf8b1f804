//===- SharedAccess.h - how a warp reads and writes shared memory -----------------------------------------------===//
//
// Shared memory is a map from address bits to coordinates (`storage`, register bits alone), registers are a map from
// (register, lane, warp, block) bits to coordinates. The address of register x is storage^-1(registers(x)): linear, so
// an access is a few numbers: what each lane and warp bit adds (XORs) to the address, and a constant for each
// instruction.
//
// Instructions. A vector access moves 1 to 16 bytes a lane. It needs the lowest address bits among the register bits,
// and lanes that leave them alone. ldmatrix and stmatrix move 8 x 8 matrices of 16-bit units: a row is 16 contiguous
// bytes whose address one lane supplies; lanes 4i to 4i + 3 hold row i, 4 bytes each. In terms of bits (bytes of the
// address):
//
//              register bits 0, 1   lane bits 0, 1            lane bits 2, 3, 4     other bits
//   plain      add 1, 2             add 4, 8                  multiples of 16       multiples of 16
//   transposed add 1, multiple of 16   multiples of 16        add 2, 4, 8           multiples of 16
//
// Banks. A warp's access is served in phases of at most 128 bytes: 32 lanes up to 4 bytes, 16 lanes of 8, 8 lanes of
// 16, one matrix. A phase takes as many steps ("wavefronts") as one of the 32 banks has different words to give. The
// words of a phase are an affine space; those of one bank are the kernel of "bits 0 to 4 of the word address", so the
// steps are 2^(rank of the words - rank of their low five bits). Equal words count once, for stores too.
//
//   storage "c1 c2 c4 c8 c16 c32 r1 r2 r4 .." of 16-bit elements (rows of 128 bytes), 8 rows of 16 bytes read by
//   ldmatrix: row bits add 128, 256, 512 bytes, all in bank 0: rank 3 + 2 against 2, 8 wavefronts for a matrix.
//   "c1 c2 c4 c8 c16 c32 r1+c8 r2+c16 r4+c32 ..", the 128-byte swizzle: rows add 144, 288, 576: rank 5 and 5, one.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_SHAREDACCESS_H
#define ADZE_LAYOUT_SHAREDACCESS_H

#include "adze/Layout/BytePermute.h"

namespace adze {

/// What a target offers.
struct SharedFacts {
  bool loadMatrix = true;  ///< ldmatrix
  bool storeMatrix = true; ///< stmatrix
};

struct SharedAccess {
  enum class Kind { Vector, Matrix, TransposedMatrix };
  Kind kind = Kind::Vector;
  /// A lane moves by one instruction; 4, 8 or 16 for one, two or four matrices. Fewer than 4 lie low in one word.
  unsigned bytes = 4;
  /// What each bit of the lane number, and of the bits above it (warp, then block), XORs to the address that the lane
  /// gives. For matrices this lane gives a row (lane bits 0 to 2) of a matrix (bits 3 and 4), which others will hold.
  std::vector<uint32_t> ofLane, ofThread;
  /// XOR constant of each instruction. Instruction j moves the words from j * max(1, bytes / 4) on.
  std::vector<uint32_t> ofInstruction;
  unsigned wavefronts = 0; ///< of one warp, all instructions
  unsigned minimum = 0;    ///< the same without any conflict
};

/// An access and what it does to the registers: before a store, after a load.
struct SharedTransfer {
  SharedAccess access;
  BytePermute permute;
};

/// The cheapest way to move `registers` to or from `storage`. Empty and `*reason` set when a coordinate of the
/// registers has no address, when there are not 5 lane bits, or when elements of 4 bits do not lie in the same pairs.
std::optional<SharedTransfer> planSharedTransfer(const LinearMap &storage, const LinearMap &registers,
                                                 unsigned elementBits, bool store, const SharedFacts &facts = {},
                                                 std::string *reason = nullptr);

/// The same by ldmatrix or stmatrix alone. `*reason` names the first bit that does not fit the table above.
std::optional<SharedTransfer> planMatrixTransfer(const LinearMap &storage, const LinearMap &registers,
                                                 unsigned elementBits, bool store, bool transposed,
                                                 std::string *reason = nullptr);

/// Wavefronts of one phase whose byte addresses are spanned by `addresses`.
unsigned wavefrontsOf(std::span<const BitVector> addresses);

} // namespace adze

#endif // ADZE_LAYOUT_SHAREDACCESS_H
