// Terminal.h: what people see, and Ctrl-C.
//
// Answers go to standard output as they are; when that is a terminal, control characters other than line ends and tabs
// are shown as U+FFFD, since a model's text must not steer the terminal. Everything else goes to standard error.
#ifndef ADZE_TOOLS_ADZE_TERMINAL_H
#define ADZE_TOOLS_ADZE_TERMINAL_H

#include "adze/Support/Status.h"

#include <string>
#include <string_view>

namespace adze {

/// "adze: error: ..." on standard error; returns the exit code: 1, or 2 where it is our fault.
int reportError(const Status &status);

/// Text of an answer, written at once.
void writeAnswer(std::string_view text);
/// A line on standard error.
void writeNote(std::string_view line);

/// What a long job has reached: on a terminal it replaces what the last call wrote, elsewhere it is a line of its own
/// (only where `milestone` is set). An empty text ends the line on a terminal.
void writeProgress(std::string_view text, bool milestone);

bool inputIsTerminal();
bool outputIsTerminal();
/// Control characters replaced, as writeAnswer does for a terminal.
std::string withoutControls(std::string_view text);

/// While one exists, the first Ctrl-C only sets requested(); the second ends the process as usual.
class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard();
  static bool requested();
  static void clear();
};

/// Lines of standard input. A Ctrl-C ends the waiting whenever it comes, also between the look at requested() and the
/// read, which a plain read would then sleep through.
class InputLines {
public:
  /// False at the end of the input and after a Ctrl-C. The last line needs no line end.
  bool next(std::string &line);

private:
  std::string pending; // read and not yet returned
  bool ended = false;
};
inline constexpr int kInterruptedExitCode = 130;

} // namespace adze
#endif
