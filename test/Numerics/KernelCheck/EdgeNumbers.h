// EdgeNumbers.h: numbers at the ends of int8 (kernel-check --edges).
#ifndef ADZE_TEST_NUMERICS_KERNELCHECK_EDGENUMBERS_H
#define ADZE_TEST_NUMERICS_KERNELCHECK_EDGENUMBERS_H

#include <cstdint>

/// An activation that is at an end once it is quantized. Rows take turns: zeros of both signs, codes of 127, of -127,
/// of both, and one giant whose neighbours become 0.
inline double edgeNumber(uint64_t row, int64_t column) {
  switch (row % 5) {
  case 0:
    return column % 2 ? -0.0 : 0.0;
  case 1:
    return 0.75;
  case 2:
    return -0.75;
  case 3:
    return column % 2 ? 0.75 : -0.75;
  default:
    return column == 40 ? -3e4 : 1e-3;
  }
}

/// A code of a weight. Rows take turns: the least, the greatest, both, and all codes.
inline int64_t edgeCode(int64_t row, int64_t column, int64_t least, int64_t greatest) {
  switch (row % 4) {
  case 0:
    return least;
  case 1:
    return greatest;
  case 2:
    return column % 2 ? least : greatest;
  default:
    return least + (row + column) % (greatest - least + 1);
  }
}

#endif // ADZE_TEST_NUMERICS_KERNELCHECK_EDGENUMBERS_H
