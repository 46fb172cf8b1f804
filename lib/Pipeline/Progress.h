// Progress.h: one line on a terminal that says what the compiler is doing.
#ifndef ADZE_LIB_PIPELINE_PROGRESS_H
#define ADZE_LIB_PIPELINE_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <string>

namespace adze {

/// Writes to stderr when that is a terminal, else nothing. For one thread at a time.
class Progress {
public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void stage(const std::string &name);
  void update(int64_t done, int64_t all);
  /// Removes the line, so that a message can stand there.
  void clear();
  /// Since construction.
  double seconds() const;

private:
  void draw(const std::string &text);
  bool shown;
  std::string name;
  int lastPercent = -1;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

} // namespace adze

#endif
