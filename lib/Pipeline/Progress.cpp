#include "Progress.h"

#include <cstdio>
#include <unistd.h>

namespace adze {

Progress::Progress(bool quiet) : shown(!quiet && isatty(STDERR_FILENO)) {}
Progress::~Progress() { clear(); }

void Progress::stage(const std::string &stage) {
  name = stage;
  lastPercent = -1;
  draw(name);
}

void Progress::update(int64_t done, int64_t all) {
  int percent = all > 0 ? int(double(done) / double(all) * 100) : 100;
  if (percent == lastPercent)
    return;
  lastPercent = percent;
  draw(name + " " + std::to_string(percent) + " %");
}

void Progress::clear() { draw(""); }

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Progress::draw(const std::string &text) {
  if (shown)
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
}

} // namespace adze
