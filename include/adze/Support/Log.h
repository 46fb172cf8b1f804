// Log.h: diagnostics for people who run or debug Adze; never an answer, never an error of the user's.
//
// Lines go to standard error. The one environment variable ADZE_LOG sets the level: trace, debug, info, warn, error,
// off; "warn" where it is unset, and an unknown word is reported once and treated as "warn". Arguments follow fmt:
//
//   ADZE_LOG_INFO("mapped {} with {} bytes", path, size);
//
// The arguments are not evaluated when the level is off. Safe from any thread. Nothing here throws.
#ifndef ADZE_SUPPORT_LOG_H
#define ADZE_SUPPORT_LOG_H

#include <string_view>

#include <fmt/format.h>

namespace adze {

enum class LogLevel { Trace, Debug, Info, Warn, Error, Off };

bool logEnabled(LogLevel level);
void logLine(LogLevel level, std::string_view text);

} // namespace adze

#define ADZE_LOG_AT(level, ...)                                                                                        \
  do {                                                                                                                 \
    if (::adze::logEnabled(level))                                                                                     \
      ::adze::logLine(level, ::fmt::format(__VA_ARGS__));                                                              \
  } while (false)
#define ADZE_LOG_TRACE(...) ADZE_LOG_AT(::adze::LogLevel::Trace, __VA_ARGS__)
#define ADZE_LOG_DEBUG(...) ADZE_LOG_AT(::adze::LogLevel::Debug, __VA_ARGS__)
#define ADZE_LOG_INFO(...) ADZE_LOG_AT(::adze::LogLevel::Info, __VA_ARGS__)
#define ADZE_LOG_WARN(...) ADZE_LOG_AT(::adze::LogLevel::Warn, __VA_ARGS__)
#define ADZE_LOG_ERROR(...) ADZE_LOG_AT(::adze::LogLevel::Error, __VA_ARGS__)

#endif // ADZE_SUPPORT_LOG_H
