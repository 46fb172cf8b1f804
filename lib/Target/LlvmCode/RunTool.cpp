// RunTool.cpp: the linker and the assembler run alike.
#include "adze/Target/LlvmCode.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace adze {

FinishedTool runTool(const std::vector<std::string> &command, const std::string &log) {
  std::vector<StringRef> words(command.begin(), command.end());
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log), StringRef(log)};
  FinishedTool finished;
  finished.code = sys::ExecuteAndWait(command[0], words, std::nullopt, redirects, 0, 0, &finished.output);
  if (auto text = MemoryBuffer::getFile(log))
    finished.output += (*text)->getBuffer().rtrim().str();
  sys::fs::remove(log);
  return finished;
}

} // namespace adze
