// StopMatcher.h: ends an answer at a stop string without ever showing a part of it.
//
// Text arrives in pieces of any size; what could still turn out to be the start of a stop string is held back. Cutting
// the text differently never changes the result: the stop string that ends first counts, the longest of those that end
// at the same place, and the text before it is what the caller gets. For one thread.
#ifndef ADZE_TEXT_STOPMATCHER_H
#define ADZE_TEXT_STOPMATCHER_H

#include "adze/Support/Status.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

inline constexpr size_t stopStringCountLimit = 16;
inline constexpr size_t stopStringByteLimit = 1024;

class StopMatcher {
public:
  StopMatcher() = default; // no stop strings: passes everything through
  // InvalidInput for an empty string, ResourceExhausted over the limits above.
  static Expected<StopMatcher> create(std::vector<std::string> stops);

  struct Result {
    std::string text;           // safe to show
    std::optional<size_t> stop; // index of the stop string that ended the text
  };
  // After a stop has been found every further push returns nothing but that stop.
  Result push(std::string_view piece);
  // The text held back, when the answer ended for another reason.
  std::string finish();

private:
  std::vector<std::string> stops;
  std::string held;
  std::optional<size_t> found;
};

} // namespace adze

#endif // ADZE_TEXT_STOPMATCHER_H
