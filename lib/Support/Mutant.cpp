#include "adze/Support/Mutant.h"

#include <string>

namespace adze {

#ifdef ADZE_MUTANTS

// The only mutable global of the project, and absent from every build that users get.
static std::string &activeName() {
  static std::string name;
  return name;
}

Status setActiveMutant(std::string_view name) {
  activeName() = name;
  return Status::success();
}
bool mutantsBuilt() { return true; }
bool mutantActive(std::string_view name) { return activeName() == name; }

#else

Status setActiveMutant(std::string_view name) {
  if (name.empty())
    return Status::success();
  return unsupported("mutant '" + std::string(name) +
                     "' was asked for, but this build has none; configure with "
                     "-DADZE_MUTANTS=ON");
}
bool mutantsBuilt() { return false; }

#endif

Status takeMutantFlag(int &argc, char **argv) {
  constexpr std::string_view flag = "--mutant=";
  int kept = 0;
  Status status;
  for (int i = 0; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (i > 0 && argument.starts_with(flag))
      status = setActiveMutant(argument.substr(flag.size()));
    else
      argv[kept++] = argv[i];
  }
  argc = kept;
  argv[argc] = nullptr;
  return status;
}

} // namespace adze
