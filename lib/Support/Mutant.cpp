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

} // namespace adze
