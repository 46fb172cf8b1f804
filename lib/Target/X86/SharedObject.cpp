// SharedObject.cpp: runs the linker.
#include "adze/Target/LlvmCode.h"
#include "adze/Target/NativeCode.h"

#include "llvm/Support/Program.h"

using namespace llvm;

namespace adze {

/// The linker of the LLVM that this compiler was built with, else the one on the PATH.
static std::string findLinker() {
  for (StringRef folder : {StringRef(ADZE_LLVM_TOOLS), StringRef()})
    for (StringRef name : {"ld.lld", "ld.lld-22"}) {
      auto found = folder.empty() ? sys::findProgramByName(name) : sys::findProgramByName(name, {folder});
      if (found)
        return *found;
    }
  return {};
}

static std::string quote(const std::vector<std::string> &command) {
  std::string text;
  for (const std::string &word : command)
    text += (text.empty() ? "" : " ") + (word.find_first_of(" '\"$") == std::string::npos ? word : "'" + word + "'");
  return text;
}

Status linkSharedObject(const std::vector<std::string> &objectFiles, const std::string &output) {
  std::string linker = findLinker();
  if (linker.empty())
    return notFound("no linker: neither " ADZE_LLVM_TOOLS "/ld.lld nor ld.lld on the PATH; install the package lld-22");
  // No build id and no comment: equal inputs give equal bytes. Relative relocations only, done before anything runs.
  std::vector<std::string> command = {
      linker, "-shared", "-o", output,        "--no-undefined",   "--build-id=none", "-z",  "now",
      "-z",   "relro",   "-z", "noexecstack", "--hash-style=gnu", "--gc-sections",   "-O1", "--strip-all"};
  command.insert(command.end(), objectFiles.begin(), objectFiles.end());

  // Beside the output, so that whoever removes its folder (a signal, too) removes this.
  const std::string log = output + ".log";
  FinishedTool linked = runTool(command, log);
  if (linked.code != 0)
    return internalError("the linker failed: " + linked.output + "\nrepeat it with: " + quote(command));
  return Status::success();
}

} // namespace adze
