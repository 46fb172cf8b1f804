// `adze compile`: this program has no compiler in it and becomes the one that has. An installed tree keeps it in
// ../libexec/adze, a build tree beside this program.
#include "Session.h"
#include "Terminal.h"

#include <cerrno>
#include <climits>
#include <fmt/format.h>
#include <unistd.h>

using namespace adze;

int adze::runCompiler(int argc, char **argv) {
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (length < 0)
    return reportError(systemError(errno, "/proc/self/exe"));
  std::string folder(self, size_t(length));
  folder.resize(folder.rfind('/'));
  std::string places[] = {folder + "/../libexec/adze/adze-compile", folder + "/adze-compile"};
  for (const std::string &place : places) {
    if (access(place.c_str(), X_OK) != 0)
      continue;
    std::vector<char *> arguments(argv + 1, argv + argc); // argv[1] is "compile": it becomes the program's name
    std::string name = place;
    arguments[0] = name.data();
    arguments.push_back(nullptr);
    execv(place.c_str(), arguments.data());
    return reportError(systemError(errno, place));
  }
  return reportError(
      notFound(fmt::format("the compiler is not installed: neither {} nor {} exists; a machine that only runs "
                           "models does not need it, compile elsewhere and copy the artifact",
                           places[0], places[1])));
}
