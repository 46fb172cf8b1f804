#include "adze/Text/StopMatcher.h"

#include "adze/Support/Mutant.h"

#include <algorithm>
#include <fmt/format.h>

using namespace adze;

Expected<StopMatcher> StopMatcher::create(std::vector<std::string> stops) {
  if (stops.size() > stopStringCountLimit)
    return resourceExhausted(
        fmt::format("{} stop strings; at most {} are accepted", stops.size(), stopStringCountLimit));
  for (const std::string &stop : stops) {
    if (stop.empty())
      return invalidInput("a stop string is empty");
    if (stop.size() > stopStringByteLimit)
      return resourceExhausted(
          fmt::format("a stop string has {} bytes; at most {} are accepted", stop.size(), stopStringByteLimit));
  }
  StopMatcher matcher;
  matcher.stops = std::move(stops);
  return matcher;
}

StopMatcher::Result StopMatcher::push(std::string_view piece) {
  if (found)
    return {{}, found};
  held += piece;
  // The match that ends first, the longest of those that end there.
  size_t bestEnd = std::string::npos, bestStart = 0;
  for (size_t i = 0; i < stops.size(); ++i) {
    size_t start = held.find(stops[i]);
    if (start == std::string::npos)
      continue;
    size_t end = start + stops[i].size();
    if (end < bestEnd || (end == bestEnd && start < bestStart)) {
      bestEnd = end;
      bestStart = start;
      found = i;
    }
  }
  if (found) {
    std::string text = held.substr(0, bestStart);
    held.clear();
    return {std::move(text), found};
  }
  // Keep the longest tail that begins a stop string.
  size_t keep = 0;
  for (const std::string &stop : stops) {
    size_t longest = std::min(stop.size() - 1, held.size());
    for (size_t size = longest; size > keep; --size)
      if (std::string_view(held).substr(held.size() - size) == std::string_view(stop).substr(0, size)) {
        keep = size;
        break;
      }
  }
  if (ADZE_MUTANT("show-start-of-stop-text"))
    keep = 0;
  std::string text = held.substr(0, held.size() - keep);
  held.erase(0, held.size() - keep);
  return {std::move(text), std::nullopt};
}

std::string StopMatcher::finish() { return std::exchange(held, std::string()); }
