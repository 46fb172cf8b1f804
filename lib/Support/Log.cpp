#include "adze/Support/Log.h"

#include <cstdlib>
#include <cstring>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace adze {

static bool parseLevel(const char *word, spdlog::level::level_enum &level) {
  static constexpr struct {
    const char *word;
    spdlog::level::level_enum level;
  } levels[] = {{"trace", spdlog::level::trace}, {"debug", spdlog::level::debug}, {"info", spdlog::level::info},
                {"warn", spdlog::level::warn},   {"error", spdlog::level::err},   {"off", spdlog::level::off}};
  for (const auto &row : levels)
    if (std::strcmp(row.word, word) == 0) {
      level = row.level;
      return true;
    }
  return false;
}

// Made on first use, never destroyed: a worker may log while the process ends.
static spdlog::logger &logger() {
  static spdlog::logger *instance = [] {
    auto *made = new spdlog::logger("adze", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("[%H:%M:%S.%e %l] %v");
    made->set_level(spdlog::level::warn);
    if (const char *word = std::getenv("ADZE_LOG")) {
      spdlog::level::level_enum level;
      if (parseLevel(word, level))
        made->set_level(level);
      else
        made->warn("ADZE_LOG is '{}'; use trace, debug, info, warn, error or off", word);
    }
    return made;
  }();
  return *instance;
}

static spdlog::level::level_enum native(LogLevel level) {
  switch (level) {
  case LogLevel::Trace:
    return spdlog::level::trace;
  case LogLevel::Debug:
    return spdlog::level::debug;
  case LogLevel::Info:
    return spdlog::level::info;
  case LogLevel::Warn:
    return spdlog::level::warn;
  case LogLevel::Error:
    return spdlog::level::err;
  case LogLevel::Off:
    return spdlog::level::off;
  }
  return spdlog::level::off;
}

bool logEnabled(LogLevel level) { return level != LogLevel::Off && logger().should_log(native(level)); }

void logLine(LogLevel level, std::string_view text) {
  logger().log(native(level), spdlog::string_view_t(text.data(), text.size()));
}

} // namespace adze
