#include "Terminal.h"

#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

using namespace adze;

namespace {
volatile std::sig_atomic_t interrupted = 0; // the one variable that a signal handler may write
struct sigaction previousAction;

void onInterrupt(int) { interrupted = 1; }

void writeAll(FILE *stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}
} // namespace

int adze::reportError(const Status &status) {
  writeNote("adze: error: " + status.message());
  return status.code() == ErrorCode::Internal ? 2 : 1;
}

std::string adze::withoutControls(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    // C0, DEL, and the C1 set, which UTF-8 spells as C2 80 .. C2 9F.
    bool c1 = c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || c1) {
      result += "\xef\xbf\xbd";
      i += c1;
    } else {
      result += text[i];
    }
  }
  return result;
}

void adze::writeAnswer(std::string_view text) {
  if (text.empty())
    return;
  if (outputIsTerminal())
    writeAll(stdout, withoutControls(text));
  else
    writeAll(stdout, text);
}

void adze::writeNote(std::string_view line) { writeAll(stderr, fmt::format("{}\n", line)); }

bool adze::inputIsTerminal() { return isatty(STDIN_FILENO); }
bool adze::outputIsTerminal() { return isatty(STDOUT_FILENO); }

InterruptGuard::InterruptGuard() {
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  action.sa_flags = SA_RESETHAND; // the next one has its usual effect; no SA_RESTART, so that a read ends
  sigaction(SIGINT, &action, &previousAction);
}

InterruptGuard::~InterruptGuard() { sigaction(SIGINT, &previousAction, nullptr); }

bool InterruptGuard::requested() { return interrupted; }
void InterruptGuard::clear() { interrupted = 0; }
