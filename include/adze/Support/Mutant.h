// Mutant.h: named faults that prove that the tests bite.
//
//   if (!ADZE_MUTANT("drop-causal-mask"))
//     applyMask();
//
// In every ordinary build ADZE_MUTANT(...) is the constant false and leaves no trace. In the one build made with
// -DADZE_MUTANTS=ON a tool's --mutant=NAME switches one fault on (setActiveMutant, called before any work starts), and
// test/Mutants requires that a named test then fails.
#ifndef ADZE_SUPPORT_MUTANT_H
#define ADZE_SUPPORT_MUTANT_H

#include "adze/Support/Status.h"

#include <string_view>

namespace adze {

// Switches one fault on for the whole process; an empty name switches it off. Refused with Unsupported in a build
// without mutants. Call it from main before threads start.
Status setActiveMutant(std::string_view name);

// True in the build with mutants.
bool mutantsBuilt();

#ifdef ADZE_MUTANTS
bool mutantActive(std::string_view name);
#define ADZE_MUTANT(name) (::adze::mutantActive(name))
#else
#define ADZE_MUTANT(name) (false)
#endif

} // namespace adze

#endif // ADZE_SUPPORT_MUTANT_H
