//===- BytePermute.h - a lane's registers put together anew -----------------------------------------------------===//
//
// A lane's registers are 32-bit words; byte 4 w + i is byte i of word w. An element of 2^b bytes has b byte bits below
// its register bits, so layouts of any element are maps of bytes, and one instruction (prmt: any four bytes of two
// words) does whatever has to be done inside words.
//
//===------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LAYOUT_BYTEPERMUTE_H
#define ADZE_LAYOUT_BYTEPERMUTE_H

#include "adze/Layout/LinearMap.h"

namespace adze {

struct BytePermute {
  /// Source byte of every byte of the result; -1: any. Four for each word.
  std::vector<int32_t> source;

  unsigned words() const { return source.size() / 4; }
  /// Words are taken as they are, in place.
  bool isIdentity() const;
  /// Byte permutes that it costs: none for a word that stays whole, else one less than the words that it takes from.
  unsigned instructions() const;
};

} // namespace adze

#endif // ADZE_LAYOUT_BYTEPERMUTE_H
