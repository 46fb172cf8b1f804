// NativeCode.h: from an LLVM module to a freestanding shared object.
//
// The program must have no undefined symbol and no NEEDED entry (docs/Architecture.md): the object's undefined symbols
// are listed before linking and a stray library call is an error that names it, rather than something the loader of
// another machine finds out.
#ifndef ADZE_TARGET_NATIVECODE_H
#define ADZE_TARGET_NATIVECODE_H

#include "adze/Support/Status.h"
#include "adze/Target/TargetInfo.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace adze {

/// The triple of every generated module.
inline constexpr const char *kX86Triple = "x86_64-unknown-linux-gnu";

/// Optimises the module for the target and returns the object file's bytes. Sets triple, data layout and the function
/// attributes of freestanding code; every definition but those in `exported` becomes hidden. Thread-safe for modules
/// of different LLVM contexts. The same module and target give the same bytes.
Expected<std::string> compileToObject(llvm::Module &module, const TargetInfo &target,
                                      const std::vector<std::string> &exported);

/// Links object files, in that order, into a shared object without dependencies. Failure of the linker names the
/// command that repeats it. The linker writes temporary files beside `output`, which so belongs into a folder of its
/// own where it must not leave any: it is a process apart, and a signal that ends this one may not reach it.
Status linkSharedObject(const std::vector<std::string> &objectFiles, const std::string &output);

/// Names that the object file uses and does not define.
Expected<std::vector<std::string>> undefinedSymbols(const std::string &object);

/// The strongest target whose features this machine has, or null.
const TargetInfo *hostTarget();

} // namespace adze

#endif
