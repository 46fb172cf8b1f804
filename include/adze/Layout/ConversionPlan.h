//===- ConversionPlan.h - how a value gets from one register layout to another ----------------------------------===//
//
// A plan says, for a warp, which instructions move a tile from layout `from` to layout `to`, in enough detail to emit
// them and to execute them (PlanExecutor.h). It has at most three steps:
//
//   before   each lane puts its own bytes together anew       renaming, byte permutes
//   move     words go between lanes, or through shared memory shuffles and selects; stores, barrier, loads
//   after    each lane puts its bytes together for `to`       renaming, byte permutes
//
// The cheapest form that reaches the goal is chosen:
//
// Nothing          every register of `to` holds what `from` has there.
// RenameRegisters  lanes and warps agree, whole words change their names: no instruction.
// PermuteBytes     the same, but words are mixed: prmt.
// Shuffle          warps agree. A word must hold what both layouts keep in one lane: up to two bits that are register
//                  bits of both (16-bit pairs, 8-bit quads); otherwise words carry less. One shuffle for each word of
//                  the result: in round t lane l receives the word t + K l of its result, from lane L l + lane_t, which
//                  sends its word S (sender) + send_t. Everything is linear, so that a round is three constants. K is
//                  chosen so that no lane has to send two different words in one round, and lanes read themselves where
//                  they can (such a round is no shuffle, only a selection). This is always possible: see
//                  ShuffleRounds.cpp.
// Shared           otherwise. The order in shared memory is made for the two layouts: as many bytes as both (or one)
// can
//                  move at once lie together, or the 16-byte rows of ldmatrix and stmatrix; the bits above the banks
//                  are a common complement of what either warp touches in one phase, so neither side has bank
//                  conflicts. Warps that keep their data use memory of their own and need no barrier among each other.
//                  Tiles that exceed the memory allowed go in slices.
//
// Examples (16-bit elements):
//   "c1 r8 | c2 c4 r1 r2 r4" to "r8 c1 | ..."                       PermuteBytes: two prmt
//   d of m16n8k16 rounded to 16 bits to a of the next product       Nothing: the same map
//   "c1 c2 c4 | r1 r2 r4 r8 r16" to "r1 r2 r4 | c1 c2 c4 r8 r16"    a transpose: words carry one element, 8 shuffles,
//   or
//                                                                   shared memory with ldmatrix.trans
//
// Costs are throughput on one multiprocessor, in clocks a warp: one for a shuffle and a wavefront of shared memory,
// half for a byte permute and a selection; a barrier counts what ConversionTarget says. They are estimates for
// choosing.
//
// Layouts: 5 lane bits, equally many warp and block bits. `from` may hold copies (any of equals is read); `to` may ask
// for copies. Data does not cross blocks of a cluster. Elements of 8 to 64 bits, or 4 where both keep the same pairs.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_CONVERSIONPLAN_H
#define ADZE_LAYOUT_CONVERSIONPLAN_H

#include "adze/Layout/SharedAccess.h"

namespace adze {

struct ConversionTarget {
  SharedFacts shared;
  unsigned scratchBytes = 32768; ///< shared memory that a conversion may use; 0: none
  bool shuffles = true;
  unsigned warpBarrier = 16, blockBarrier = 40; ///< clocks
};

/// Words are numbered after `before` (sent) and before `after` (received). Values of up to 32 bits are XORed.
struct ShuffleStep {
  struct Round {
    uint32_t lane, send, keep;
  };
  /// What each bit of the receiving lane, and of the bits above it, adds to the lane that it reads from.
  std::vector<uint32_t> laneOfLane, laneOfThread;
  /// What each bit of the sending lane, and of the bits above it, adds to the word that it sends.
  std::vector<uint32_t> sendOfLane, sendOfThread;
  /// What each bit of the receiving lane adds to the word that it has received.
  std::vector<uint32_t> keepOfLane;
  std::vector<Round> rounds;

  /// Whether every lane reads itself in that round.
  bool isLocal(const Round &round) const;
  unsigned shuffles() const;
  /// Two-way selections of a word: of what is sent, and of where it is put.
  unsigned selects() const;
};

struct SharedStep {
  unsigned bytes = 0;   ///< of one slice, of one warp if perWarp, else of one block
  bool perWarp = false; ///< memory at warp * bytes, barriers of the warp alone
  unsigned slices = 1; ///< store, barrier, load, barrier; slice s takes the s-th equal part of the words of either side
  SharedAccess store, load;
};

struct ConversionPlan {
  enum class Kind { Nothing, RenameRegisters, PermuteBytes, Shuffle, Shared };
  Kind kind = Kind::Nothing;
  BytePermute before, after;
  std::optional<ShuffleStep> shuffle; ///< of kind Shuffle
  std::optional<SharedStep> shared;   ///< of kind Shared
  unsigned warpBits = 0, blockBits = 0;
  double cost = 0; ///< clocks
};

/// Empty and `*reason` set when the layouts do not hold the same tile or the target offers no way.
std::optional<ConversionPlan> planConversion(const LinearMap &from, const LinearMap &to, unsigned elementBits,
                                             const ConversionTarget &target = {}, std::string *reason = nullptr);

/// "shuffle: 4 rounds, 3 shuffles, ..." for remarks and tests.
std::string describe(const ConversionPlan &plan);

} // namespace adze

#endif // ADZE_LAYOUT_CONVERSIONPLAN_H
