// ConformanceKernels.h: the kernels of the suite, for a CPU as functions and for a GPU as PTX text, with the same
// argument block.
//
//   add_one         values[i] += 1
//   sum_neighbours  sums[i] = values[i] + values[count - 1 - i]
//   do_nothing      for timing launches
//   trap            a fault of the program
//   write_to_null   a fault of an address
//   run_long        ends after `count` nanoseconds: longer than the time limit of the test, and never endless
//
// A block has kPerBlock threads of one element each.
#ifndef ADZE_TEST_CONFORMANCE_CONFORMANCEKERNELS_H
#define ADZE_TEST_CONFORMANCE_CONFORMANCEKERNELS_H

#include "adze/Runtime/Device/Device.h"

#include <span>
#include <string_view>

namespace adze {

inline constexpr int64_t kPerBlock = 16;
enum ConformanceKernel : uint32_t { kAddOne, kSumNeighbours, kDoNothing, kTrap, kWriteToNull, kRunLong, kKernelCount };

struct ConformanceArguments {
  int64_t *values, *sums;
  int64_t count; // elements, a multiple of kPerBlock
};

/// A program with all kernels of the suite and this step. Kernels that fault exist on a GPU alone.
AdzeProgram conformanceProgram(int32_t (*step)(const AdzeStep *, const AdzeServices *));
/// Their code for a GPU.
KernelImage conformanceImage();

} // namespace adze
#endif
