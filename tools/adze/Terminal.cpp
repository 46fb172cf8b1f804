#include "Terminal.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

using namespace adze;

namespace {
volatile std::sig_atomic_t interrupted = 0; // the one variable that a signal handler may write
int wakeUp[2] = {-1, -1};                   // a pipe that it fills, so that waiting for input ends as well
struct sigaction previousAction;

void onInterrupt(int) {
  int error = errno;
  interrupted = 1;
  [[maybe_unused]] ssize_t written = ::write(wakeUp[1], "!", 1);
  errno = error;
}

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

void adze::writeProgress(std::string_view text, bool milestone) {
  if (!isatty(STDERR_FILENO)) {
    if (milestone && !text.empty())
      writeNote(text);
  } else if (text.empty()) {
    writeNote("");
  } else {
    writeAll(stderr, fmt::format("\r{}\x1b[K", text));
  }
}

bool adze::inputIsTerminal() { return isatty(STDIN_FILENO); }
bool adze::outputIsTerminal() { return isatty(STDOUT_FILENO); }

InterruptGuard::InterruptGuard() {
  if (wakeUp[0] < 0 && pipe2(wakeUp, O_CLOEXEC | O_NONBLOCK) != 0)
    wakeUp[0] = wakeUp[1] = -1; // no descriptor is left: Ctrl-C then waits for the next line
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  action.sa_flags = SA_RESETHAND; // the next one has its usual effect; no SA_RESTART, so that a read ends
  sigaction(SIGINT, &action, &previousAction);
}

InterruptGuard::~InterruptGuard() { sigaction(SIGINT, &previousAction, nullptr); }

bool InterruptGuard::requested() { return interrupted; }
void InterruptGuard::clear() {
  interrupted = 0;
  char byte;
  while (::read(wakeUp[0], &byte, 1) > 0) {
  }
}

bool InputLines::next(std::string &line) {
  while (true) {
    if (InterruptGuard::requested())
      return false;
    if (size_t end = pending.find('\n'); end != std::string::npos || (ended && !pending.empty())) {
      line = pending.substr(0, end);
      pending.erase(0, end == std::string::npos ? end : end + 1);
      return true;
    }
    if (ended)
      return false;
    pollfd sources[] = {{STDIN_FILENO, POLLIN, 0}, {wakeUp[0], POLLIN, 0}};
    if (poll(sources, 2, -1) < 0 || sources[1].revents)
      continue;
    char bytes[4096];
    ssize_t count = ::read(STDIN_FILENO, bytes, sizeof(bytes));
    if (count > 0)
      pending.append(bytes, size_t(count));
    else
      ended = count == 0 || errno != EINTR;
  }
}
