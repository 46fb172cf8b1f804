//===- PlanExecutor.h - conversions carried out as the hardware would -------------------------------------------===//
//
// Executes a ConversionPlan on actual registers: a shuffle moves one 32-bit word of one lane to each lane, ldmatrix and
// stmatrix move rows of matrices as the PTX manual says, shared memory counts what its banks deliver. It knows nothing
// of layouts, so a wrong plan gives wrong bytes. What a step leaves undefined is filled with 0xCD, and so is shared
// memory.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_PLANEXECUTOR_H
#define ADZE_LAYOUT_PLANEXECUTOR_H

#include "adze/Layout/ConversionPlan.h"

namespace adze {

/// Registers of all threads: `words` words for each lane; threads = 32 lanes of each warp of each block.
struct RegisterFile {
  unsigned words = 0;
  std::vector<uint32_t> data;

  RegisterFile(unsigned words, unsigned threads) : words(words), data(size_t(words) * threads, 0xCDCDCDCD) {}
  uint32_t &at(unsigned thread, unsigned word) { return data[size_t(thread) * words + word]; }
  uint32_t at(unsigned thread, unsigned word) const { return data[size_t(thread) * words + word]; }
};

/// Of all warps together. `fault` names the first thing that hardware would refuse: an address that is not aligned or
/// lies outside, a lane or word that does not exist.
struct ExecutionCounts {
  uint64_t shuffles = 0, storeWavefronts = 0, loadWavefronts = 0;
  std::string fault;
};

RegisterFile applyPermute(const BytePermute &permute, const RegisterFile &in);

/// One access of the warp that starts at `firstThread`, whose warp and block number is `above`. The words from
/// `firstWord` on are stored to or loaded from `memory` (bytes). Returns the wavefronts, counted bank by bank.
uint64_t applyAccess(const SharedAccess &access, bool store, std::span<uint8_t> memory, RegisterFile &registers,
                     unsigned firstThread, unsigned above, unsigned firstWord, std::string &fault);

RegisterFile applyPlan(const ConversionPlan &plan, const RegisterFile &in, ExecutionCounts &counts);

} // namespace adze

#endif // ADZE_LAYOUT_PLANEXECUTOR_H
