// Assembler.cpp: runs NVIDIA's ptxas.
#include "adze/Support/ScratchOutput.h"
#include "adze/Target/GpuCode.h"
#include "adze/Target/LlvmCode.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace adze {

static constexpr StringLiteral kToolkit = "/usr/local/cuda/bin";

Expected<std::optional<GpuAssembler>> findGpuAssembler(const std::string &path) {
  GpuAssembler assembler{path, "", 0};
  if (path.empty()) {
    auto found = sys::findProgramByName("ptxas");
    if (!found)
      found = sys::findProgramByName("ptxas", {kToolkit});
    if (!found)
      return std::optional<GpuAssembler>();
    assembler.path = *found;
  }
  SmallString<128> log;
  if (std::error_code error = sys::fs::createTemporaryFile("adze-ptxas", "log", log))
    return systemError(error.value(), "cannot make a temporary file");
  FinishedTool told = runTool({assembler.path, "--version"}, log.str().str());
  // "Cuda compilation tools, release 13.0, V13.0.88"
  StringRef version =
      StringRef(told.output).split(", V").second.take_while([](char c) { return isDigit(c) || c == '.'; });
  SmallVector<StringRef> parts;
  version.split(parts, '.');
  int64_t major = 0, minor = 0;
  if (told.code != 0 || parts.size() < 2 || parts[0].getAsInteger(10, major) || parts[1].getAsInteger(10, minor))
    return invalidInput(assembler.path + " --version does not tell the release of NVIDIA's assembler" +
                        (told.output.empty() ? std::string() : " (it says: " + told.output + ")") +
                        "; name another one by --ptxas=PATH, or give --ptxas=none for PTX alone");
  assembler.version = version.str();
  assembler.driver = 1000 * major + 10 * minor;
  return std::optional(assembler);
}

Expected<std::string> assemblePtx(const std::string &ptx, const TargetInfo &target, const GpuAssembler &assembler,
                                  const std::string &scratch) {
  const std::string text = scratch + "/kernels.ptx", code = scratch + "/kernels.cubin.partial";
  auto clean = make_scope_exit([&] {
    sys::fs::remove(text);
    sys::fs::remove(code);
  });
  if (Status status = writeFile(text, ptx); !status.ok())
    return status;
  FinishedTool done = runTool({assembler.path, "-arch=" + std::string(target.name()), "-o", code, text}, text + ".log");
  if (done.code != 0)
    return internalError(
        assembler.path + " refuses the kernels' PTX: " + done.output +
        "\nlook at it with --emit=ptx, or go on with --ptxas=none, which leaves assembling to the driver");
  auto bytes = MemoryBuffer::getFile(code);
  if (!bytes)
    return systemError(bytes.getError().value(), "cannot read '" + code + "'");
  return (*bytes)->getBuffer().str();
}

} // namespace adze
