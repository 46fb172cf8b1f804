// CompileOptions.h: everything that adze-compile can be told, in one struct, checked in one place.
#ifndef ADZE_PIPELINE_COMPILEOPTIONS_H
#define ADZE_PIPELINE_COMPILEOPTIONS_H

#include "adze/Pipeline/Phase.h"
#include "adze/Support/Status.h"
#include "adze/Target/TargetInfo.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace adze {

enum class Emit { Dir, So, Ptx };

struct CompileOptions {
  std::string model;         // a Hugging Face folder or a GGUF file; may be empty with startFrom
  std::string output;        // an artifact, or the text of a phase with compileTo
  std::string startFrom;     // a dumped module, instead of importing
  std::string weights;       // where the source files lie, if they moved; empty: where the model is
  std::string numerics;      // f32, bf16 or a8; empty: a8 for group-quantized weights, else bf16
  std::string cpu;           // a name of targetNames(); empty: the strongest that this machine has
  std::string target;        // a name of gpuTargetNames(); empty: kernels run on the CPU
  std::string ptxas;         // NVIDIA's assembler for target; empty: the one that is found; none: PTX alone
  std::string fuse = "all";  // grouping rules: all, none, or names joined by +
  int64_t kvPage = 64;       // tokens of a KV page: 16, 32 or 64
  std::string compareValues; // a file of `adze run --dump-values` to compare with the reference, instead of compiling
  std::string kernelCache;   // folder of compiled kernels, see KernelCache.h; empty: none
  Emit emit = Emit::Dir;
  bool withoutWeights = false; // leave weights.bin out and read no tensor's data; the manifest says how to stand in
  bool force = false;
  bool quiet = false;
  bool printPipeline = false; // and stop
  bool listCpus = false;      // and stop
  unsigned threads = 0;       // 0: as many as affinity and cgroup allow
  std::optional<Phase> compileTo;
  std::vector<Phase> dumpAfter;
  /// Which of numerics, cpu, target, kvPage and fuse the user gave: a module to start from has settled them already.
  std::vector<std::string> given;

  /// Refuses combinations that have no meaning, naming the options.
  Status check() const;
  /// The command line that runs these options, for messages.
  std::string commandLine() const;
};

} // namespace adze

#endif
