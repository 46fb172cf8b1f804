//===- SharedPlanning.h - accesses to a storage given by its columns --------------------------------------------===//
//
// `columns[i]` is what address bit i (in bytes) adds to the coordinate: a basis of everything that is accessed.
// Internal to this library.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LIB_LAYOUT_SHAREDPLANNING_H
#define ADZE_LIB_LAYOUT_SHAREDPLANNING_H

#include "ByteMap.h"

#include "adze/Layout/SharedAccess.h"

namespace adze {

/// An access, and which registers its words are.
struct PlannedAccess {
  SharedAccess access;
  WordRegisters registers;
  BitVectors phase; ///< coordinates that one phase spans, besides the piece that a lane moves
};

/// As many bytes a lane as possible, but not more than 2^mostBits.
PlannedAccess vectorAccess(const BitVectors &columns, const ByteMap &map, unsigned mostBits);
std::optional<PlannedAccess> matrixAccess(const BitVectors &columns, const ByteMap &map, bool transposed,
                                          std::string *reason);
/// The one with the fewest wavefronts, then the fewest instructions and byte permutes.
PlannedAccess cheapestAccess(const BitVectors &columns, const ByteMap &map, bool matrices);

} // namespace adze

#endif // ADZE_LIB_LAYOUT_SHAREDPLANNING_H
