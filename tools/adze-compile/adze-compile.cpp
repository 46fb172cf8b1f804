// adze-compile: a model in, an artifact out. Flags in, one library call out.
//
// Exit codes: 0 done, 1 the input, the options or the machine do not allow it, 2 a fault of Adze.
#include "adze/Pipeline/Compiler.h"
#include "adze/Support/Mutant.h"
#include "adze/Support/ScratchOutput.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using namespace adze;

namespace {

/// The flags. They live as long as parse() does; CompileOptions is what is left of them.
struct Flags {
  cl::OptionCategory category{"adze-compile options"};
  cl::opt<std::string> model{cl::Positional, cl::desc("MODEL"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("artifact to write, or the text of a phase"), cl::value_desc("PATH"),
                              cl::cat(category)};
  cl::opt<std::string> numerics{
      "numerics", cl::desc("f32, bf16 or a8; a8 when absent and the weights are group-quantized, else bf16"),
      cl::value_desc("NAME"), cl::cat(category)};
  cl::opt<std::string> cpu{"cpu", cl::desc("CPU level to generate code for; this machine's when absent"),
                           cl::value_desc("LEVEL"), cl::cat(category)};
  cl::opt<std::string> target{"target", cl::desc("GPU to generate kernels for, as sm_90a; absent: the CPU runs them"),
                              cl::value_desc("NAME"), cl::cat(category)};
  cl::opt<std::string> ptxas{
      "ptxas",
      cl::desc("NVIDIA's assembler, for machine code beside the PTX (default: the one on the PATH, "
               "else of /usr/local/cuda, where there is one); none: PTX alone"),
      cl::value_desc("PATH"), cl::cat(category)};
  cl::opt<int64_t> kvPage{"kv-page", cl::desc("tokens of a page of the KV cache: 16, 32 or 64 (default)"),
                          cl::value_desc("N"), cl::init(64), cl::cat(category)};
  cl::opt<std::string> fuse{"fuse", cl::desc("grouping rules: all (default), none, or names joined by +"),
                            cl::value_desc("RULES"), cl::init("all"), cl::cat(category)};
  cl::opt<std::string> emit{"emit",
                            cl::desc("dir (default): an artifact; so: its program alone; ptx: the kernels of --target"),
                            cl::value_desc("FORM"), cl::init("dir"), cl::cat(category)};
  cl::opt<bool> withoutWeights{
      "without-weights",
      cl::desc("leave the weights out, for measurements elsewhere (adze bench weights); tensor "
               "data is not read, so MODEL's files may be holes of the right size"),
      cl::cat(category)};
  cl::opt<bool> force{"force", cl::desc("replace an existing output"), cl::cat(category)};
  cl::opt<bool> quiet{"quiet", cl::desc("no progress and no notes"), cl::cat(category)};
  cl::opt<unsigned> threads{"jobs", cl::desc("threads that compile kernels; all cores when absent"),
                            cl::value_desc("N"), cl::init(0), cl::cat(category)};
  cl::opt<std::string> kernelCache{"kernel-cache",
                                   cl::desc("keep compiled kernels in this folder, and take equal ones from it; it "
                                            "holds code that will run"),
                                   cl::value_desc("DIR"), cl::cat(category)};
  cl::opt<std::string> compileTo{"compile-to", cl::desc("stop after this phase and write its module"),
                                 cl::value_desc("PHASE"), cl::cat(category)};
  cl::list<std::string> dumpAfter{"dump-after", cl::desc("print the module after these phases to stderr"),
                                  cl::value_desc("PHASE,..."), cl::CommaSeparated, cl::cat(category)};
  cl::opt<std::string> startFrom{"start-from", cl::desc("go on from a module that --compile-to wrote"),
                                 cl::value_desc("FILE.mlir"), cl::cat(category)};
  cl::opt<std::string> weights{"weights", cl::desc("where the source files of --start-from's module lie"),
                               cl::value_desc("DIR"), cl::cat(category)};
  cl::opt<std::string> compareValues{
      "compare-values", cl::desc("compare a file of 'adze run --dump-values' with the reference on MODEL and stop"),
      cl::value_desc("FILE"), cl::cat(category)};
  cl::opt<bool> printPipeline{"print-pipeline", cl::desc("print the passes of each phase and stop"), cl::cat(category)};
  cl::opt<bool> listCpus{"list-cpus", cl::desc("print the levels that --cpu takes and stop"), cl::cat(category)};
};

Expected<CompileOptions> parse(int argc, char **argv) {
  Flags flags;
  cl::HideUnrelatedOptions(flags.category);
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &out) { out << "adze-compile " ADZE_VERSION " (LLVM " LLVM_VERSION_STRING ")\n"; });
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a language model (MODEL: a Hugging Face folder or a GGUF file) ahead of time into one artifact.\n");

  CompileOptions options;
  options.model = flags.model;
  options.output = flags.output;
  options.numerics = flags.numerics;
  options.cpu = flags.cpu;
  options.target = flags.target;
  options.ptxas = flags.ptxas;
  options.kvPage = flags.kvPage;
  options.fuse = flags.fuse;
  options.withoutWeights = flags.withoutWeights;
  options.force = flags.force;
  options.quiet = flags.quiet;
  options.threads = flags.threads;
  options.kernelCache = flags.kernelCache;
  options.startFrom = flags.startFrom;
  options.weights = flags.weights;
  options.compareValues = flags.compareValues;
  options.printPipeline = flags.printPipeline;
  options.listCpus = flags.listCpus;
  auto given = [&](const cl::Option &flag, const char *name) {
    if (flag.getNumOccurrences() > 0)
      options.given.push_back(name);
  };
  given(flags.numerics, "numerics");
  given(flags.cpu, "cpu");
  given(flags.target, "target");
  given(flags.kvPage, "kv-page");
  given(flags.fuse, "fuse");

  if (flags.emit == "so")
    options.emit = Emit::So;
  else if (flags.emit == "ptx")
    options.emit = Emit::Ptx;
  else if (flags.emit != "dir")
    return invalidInput("--emit=" + flags.emit + ": dir, so or ptx is accepted");
  auto phase = [](const std::string &option, const std::string &name) -> Expected<Phase> {
    if (auto found = parsePhase(name))
      return *found;
    return invalidInput("--" + option + "=" + name + ": " + phaseNames() + " are accepted");
  };
  if (flags.compileTo.getNumOccurrences() > 0) {
    auto found = phase("compile-to", flags.compileTo);
    if (!found)
      return found.status();
    options.compileTo = *found;
  }
  for (const std::string &name : flags.dumpAfter) {
    auto found = phase("dump-after", name);
    if (!found)
      return found.status();
    options.dumpAfter.push_back(*found);
  }
  return options;
}

int fail(const Status &status) {
  llvm::errs() << "adze-compile: error: " << status.message() << "\n";
  return status.code() == ErrorCode::Internal ? 2 : 1;
}

} // namespace

int main(int argc, char **argv) {
  installScratchSignalHandler();
  if (Status status = takeMutantFlag(argc, argv); !status.ok())
    return fail(status);
  auto options = parse(argc, argv);
  if (!options)
    return fail(options.status());
  if (Status status = compile(*options); !status.ok())
    return fail(status);
  return 0;
}
