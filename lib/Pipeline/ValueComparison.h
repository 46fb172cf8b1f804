// ValueComparison.h: --compare-values: what a compiled layer computed beside the reference evaluator on the model
// itself.
#ifndef ADZE_LIB_PIPELINE_VALUECOMPARISON_H
#define ADZE_LIB_PIPELINE_VALUECOMPARISON_H

#include "adze/Dialect/Llm/Reference/Values.h"
#include "adze/Pipeline/CompileOptions.h"
#include "adze/Support/Status.h"

#include <map>
#include <string>
#include <vector>

namespace adze {

/// A file of `adze run --dump-values`.
struct DumpedValues {
  int64_t layer = 0;
  std::vector<int64_t> tokens;
  std::map<std::string, std::string> options; ///< of the compilation: numerics, fuse, cpu, kv-page
  std::vector<std::string> sources;           ///< hashes of the model's files, ascending
  std::vector<std::pair<std::string, llm::reference::Tensor>> values;

  static Expected<DumpedValues> read(const std::string &path);
};

/// Computes the values that `options.compareValues` holds from `options.model`, once with the roundings that the
/// artifact states and once in f32, and prints both comparisons. Fails where file and model do not belong together.
Status compareValues(const CompileOptions &options);

} // namespace adze

#endif // ADZE_LIB_PIPELINE_VALUECOMPARISON_H
