// Mutant.h: named faults that prove that the tests bite.
//
//   if (!ADZE_MUTANT("drop-causal-mask"))
//     applyMask();
//
// In every ordinary build ADZE_MUTANT(...) is the constant false and leaves no trace. In the builds made with
// -DADZE_MUTANTS=ON the flag --mutant=NAME of every tool and of every test program switches one fault on, before any
// work starts, and test/Mutants/mutants.txt says which test must then fail.
#ifndef ADZE_SUPPORT_MUTANT_H
#define ADZE_SUPPORT_MUTANT_H

#include "adze/Support/Status.h"

#include <string_view>

namespace adze {

// Switches one fault on for the whole process; an empty name switches it off. Refused with Unsupported in a build
// without mutants. Call it from main before threads start.
Status setActiveMutant(std::string_view name);

// For a tool's main: removes --mutant=NAME from the arguments and switches NAME on.
Status takeMutantFlag(int &argc, char **argv);

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
