// Scenario.h: generated inputs for functions of the llm dialect.
//
// A scenario says what a step holds (requests, their lengths) and what the numbers are like. The inputs of a function
// follow from a scenario, a seed and the function's own types, in a form that passes do not touch: what lies in the
// cache is a function of request, position, layer and head, so that a pass that changes the page, the order of keys or
// the element gets the same numbers again. A module may carry one scenario in `adze.scenario`, which then is the only
// one that runs: adze-reduce writes it.
#ifndef ADZE_PIPELINE_EXECUTION_SCENARIO_H
#define ADZE_PIPELINE_EXECUTION_SCENARIO_H

#include "adze/Dialect/Llm/Reference/Evaluator.h"
#include "adze/Support/Status.h"

#include <optional>
#include <string>
#include <vector>

namespace adze::execution {

/// One request of a step: tokens in this step, tokens in the cache after it, tokens of its prompt.
struct RequestShape {
  int64_t queries = 0, kvLength = 0, promptLength = 0;
  bool allRows = false; ///< logits of every token instead of the last one
};

enum class Numbers {
  Units,    ///< in -1 .. 1
  Integers, ///< small whole numbers, for a person to read
  Extremes  ///< among them rows of zeros, -0, subnormal, large and equal numbers
};

struct Scenario {
  std::string name;
  std::vector<RequestShape> requests;
  Numbers numbers = Numbers::Units;
};

/// Odd sizes, one token, nothing at all, extremes.
std::vector<Scenario> generatedScenarios();

inline constexpr llvm::StringLiteral kScenarioAttr = "adze.scenario";
/// {name, numbers = "units", requests = [[queries, kv_length, prompt_length, all_rows], ...], seed = 1}
mlir::DictionaryAttr scenarioToAttr(mlir::MLIRContext *context, const Scenario &scenario, uint64_t seed);
/// The scenario and seed that the module carries; none where it carries none; a failure names what is wrong with it.
Expected<std::optional<std::pair<Scenario, uint64_t>>> scenarioOfModule(mlir::ModuleOp module);

struct Inputs {
  llm::reference::Values values;
  llm::reference::Batch batch;
  int64_t page = 16, pages = 1;
};

/// Inputs for the function's arguments. A leading dynamic extent is the tokens of the step, or its output rows where
/// the argument meets rows that llm.gather_rows made. Fails for a type that no step takes.
Expected<Inputs> makeInputs(mlir::func::FuncOp function, const Scenario &scenario, uint64_t seed);

/// A stored tensor that no file is needed for: its numbers follow from file, offset and part alone.
llm::reference::Tensor generatedSource(llm::SourceTensorOp op, uint64_t seed);

} // namespace adze::execution

#endif // ADZE_PIPELINE_EXECUTION_SCENARIO_H
