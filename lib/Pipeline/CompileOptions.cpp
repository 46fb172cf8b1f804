#include "adze/Pipeline/CompileOptions.h"

#include "adze/Transforms/Llm/GroupingRules.h"

#include <algorithm>

namespace adze {

static Status checkFuse(const std::string &fuse) {
  const std::vector<std::string_view> rules = groupingRuleNames();
  for (size_t at = 0; at <= fuse.size();) {
    size_t end = std::min(fuse.find('+', at), fuse.size());
    std::string_view name = std::string_view(fuse).substr(at, end - at);
    at = end + 1;
    if (name == "all" || name == "none" || std::find(rules.begin(), rules.end(), name) != rules.end())
      continue;
    std::string names;
    for (std::string_view rule : rules)
      names += (names.empty() ? "" : ", ") + std::string(rule);
    return invalidInput("--fuse=" + fuse + ": '" + std::string(name) + "' is no grouping rule; all, none, or some of " +
                        names + " joined by + are accepted");
  }
  return Status::success();
}

Status CompileOptions::check() const {
  if (printPipeline || listCpus)
    return Status::success();
  if (model.empty() && startFrom.empty())
    return invalidInput("no model: give a Hugging Face folder or a GGUF file, or --start-from FILE.mlir");
  if (!compareValues.empty()) {
    if (model.empty() || !output.empty() || compileTo || !startFrom.empty() || !given.empty())
      return invalidInput("--compare-values=" + compareValues +
                          " takes the model and nothing else: the file says how its artifact was compiled");
    return Status::success();
  }
  if (!numerics.empty() && !parseNumerics(numerics))
    return invalidInput("--numerics=" + numerics + ": f32, bf16 or a8 is accepted");
  auto listed = [](const std::vector<std::string_view> &all, const std::string &wanted, const std::string &option) {
    std::string names;
    for (std::string_view name : all) {
      if (name == wanted)
        return Status::success();
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return invalidInput("--" + option + "=" + wanted + ": " + names + " are accepted");
  };
  if (!cpu.empty())
    if (Status status = listed(targetNames(), cpu, "cpu"); !status.ok())
      return status;
  if (!target.empty())
    if (Status status = listed(gpuTargetNames(), target, "target"); !status.ok())
      return status;
  if (!ptxas.empty() && target.empty())
    return invalidInput("--ptxas=" + ptxas + " assembles code for a GPU; name the GPU by --target");
  if (kvPage != 16 && kvPage != 32 && kvPage != 64)
    return invalidInput("--kv-page=" + std::to_string(kvPage) + ": 16, 32 or 64 is accepted");
  if (Status status = checkFuse(fuse); !status.ok())
    return status;
  const bool text = compileTo && *compileTo != Phase::Native;
  const std::string wanted = emit == Emit::So ? "so" : "ptx";
  if (emit != Emit::Dir && text)
    return invalidInput("--emit=" + wanted + " makes native code, and --compile-to=" +
                        std::string(phaseName(*compileTo)) + " stops before it; give one of them");
  if (emit == Emit::Ptx && target.empty())
    return invalidInput("--emit=ptx makes code for a GPU; name it by --target");
  if (!target.empty() && (emit == Emit::So || compileTo == Phase::Native))
    return invalidInput("--target=" + target +
                        ": a GPU's code does not lie in program.so: leave --emit and --compile-to out for an artifact, "
                        "or give --emit=ptx for the code");
  if (!text && output.empty())
    return invalidInput("no output: give -o PATH");
  if (!weights.empty() && startFrom.empty())
    return invalidInput("--weights says where the files of a module lie that --start-from reads; without --start-from "
                        "the model's own folder is used");
  if (text)
    for (Phase phase : dumpAfter)
      if (phase > *compileTo)
        return invalidInput("--dump-after=" + std::string(phaseName(phase)) +
                            " comes after --compile-to=" + std::string(phaseName(*compileTo)));
  for (Phase phase : dumpAfter)
    if (phase == Phase::Native)
      return invalidInput("--dump-after=native: native code is no text; use --emit=so and a disassembler");
  return Status::success();
}

static std::string quoted(const std::string &word) {
  bool plain = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                                       "_-+=./:,@") == std::string::npos;
  if (plain)
    return word;
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string CompileOptions::commandLine() const {
  std::string line = "adze-compile";
  auto add = [&](const std::string &word) { line += " " + quoted(word); };
  if (!model.empty())
    add(model);
  if (!startFrom.empty())
    add("--start-from=" + startFrom);
  if (!weights.empty())
    add("--weights=" + weights);
  if (withoutWeights)
    add("--without-weights");
  auto givenByUser = [&](const char *name) { return std::find(given.begin(), given.end(), name) != given.end(); };
  if (givenByUser("numerics"))
    add("--numerics=" + numerics);
  if (givenByUser("cpu"))
    add("--cpu=" + cpu);
  if (givenByUser("target"))
    add("--target=" + target);
  if (givenByUser("kv-page"))
    add("--kv-page=" + std::to_string(kvPage));
  if (givenByUser("fuse"))
    add("--fuse=" + fuse);
  return line;
}

} // namespace adze
