// Reduction.cpp: tries edits while the same pass stays wrong.
#include "adze/Pipeline/Execution/Reduction.h"

#include "Edits.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace adze::execution {

namespace {
class Reducer {
public:
  Reducer(const std::string &pipeline, const CheckOptions &options) : pipeline(pipeline), options(options) {}

  /// The pass that is wrong on this module, empty where none is.
  std::string judge(ModuleOp module, std::string *finding = nullptr) {
    ++trials;
    std::string text;
    llvm::raw_string_ostream stream(text);
    ScopedDiagnosticHandler quiet(module.getContext(), [&](Diagnostic &diagnostic) {
      if (finding && diagnostic.getSeverity() == DiagnosticSeverity::Error)
        stream << diagnostic << "\n";
      return success();
    });
    if (failed(verify(module)))
      return "";
    OwningOpRef<ModuleOp> copy(module.clone());
    PassManager manager(module.getContext());
    CheckReport report;
    addExecutionCheck(manager, options, report);
    if (failed(parsePassPipeline(pipeline, manager)))
      return "";
    (void)manager.run(*copy);
    if (finding)
      *finding = text;
    return report.numbersDiffer ? report.wrongPass : "";
  }

  /// Replaces `module` by what `change` makes of a copy, if the pass stays wrong.
  bool attempt(OwningOpRef<ModuleOp> &module, llvm::function_ref<void(ModuleOp)> change) {
    OwningOpRef<ModuleOp> copy(module->clone());
    change(*copy);
    if (judge(*copy) != pass)
      return false;
    module = std::move(copy);
    return true;
  }

  bool shrinkModule(OwningOpRef<ModuleOp> &module) {
    bool changed = false;
    for (const Edit &edit : moduleEdits())
      for (unsigned number = 0;;) {
        OwningOpRef<ModuleOp> copy(module->clone());
        if (!edit(*copy, number))
          break;
        // An edit that makes nothing smaller would be taken for ever.
        if (weigh(*copy) < weigh(*module) && judge(*copy) == pass) {
          module = std::move(copy); // the next place has moved here
          changed = true;
        } else {
          ++number;
        }
      }
    return changed;
  }

  bool shrinkScenario(OwningOpRef<ModuleOp> &module) {
    auto carried = scenarioOfModule(*module);
    for (const Scenario &smaller : smallerScenarios((*carried)->first))
      if (attempt(module, [&](ModuleOp copy) { setScenario(copy, smaller, (*carried)->second); }))
        return true;
    return false;
  }

  static void setScenario(ModuleOp module, const Scenario &scenario, uint64_t seed) {
    module->setAttr(kScenarioAttr, scenarioToAttr(module.getContext(), scenario, seed));
  }

  /// What gets smaller: ops, symbols, results and arguments.
  static int64_t weigh(ModuleOp module) {
    int64_t weight = module->getDiscardableAttrDictionary().size();
    module.walk([&](Operation *op) { weight += 16 + op->getNumOperands(); });
    return weight;
  }

  const std::string &pipeline;
  const CheckOptions &options;
  std::string pass;
  int64_t trials = 0;
};
} // namespace

Expected<Reduction> reduceWrongResult(ModuleOp original, const std::string &pipeline, const CheckOptions &options) {
  {
    PassManager manager(original.getContext());
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (failed(parsePassPipeline(pipeline, manager, stream)))
      return invalidInput("the pipeline '" + pipeline + "' cannot be built: " + text);
  }
  Reducer reducer(pipeline, options);
  Reduction reduction;
  OwningOpRef<ModuleOp> module(original.clone());
  reducer.pass = reducer.judge(*module);
  if (reducer.pass.empty())
    return notFound("no pass of '" + pipeline + "' gives a wrong result for --seed=" + std::to_string(options.seed) +
                    "; adze-opt --verify-each-by-execution says what ran");
  reduction.opsBefore = countOps(*module);
  if (!original->hasAttr(kScenarioAttr)) {
    // One scenario for all that follows, the smallest that shows it.
    std::vector<Scenario> scenarios = generatedScenarios();
    auto tokens = [](const Scenario &scenario) {
      int64_t sum = 0;
      for (const RequestShape &request : scenario.requests)
        sum += request.kvLength;
      return sum;
    };
    llvm::stable_sort(scenarios, [&](auto &a, auto &b) { return tokens(a) < tokens(b); });
    for (const Scenario &scenario : scenarios)
      if (reducer.attempt(module, [&](ModuleOp copy) { reducer.setScenario(copy, scenario, options.seed); }))
        break;
  }
  while (reducer.shrinkModule(module)) {
  }
  while (reducer.shrinkScenario(module)) {
  }
  while (reducer.shrinkModule(module)) {
  }
  reduction.pass = reducer.judge(*module, &reduction.finding);
  reduction.opsAfter = countOps(*module);
  reduction.trials = reducer.trials;
  reduction.module = std::move(module);
  return reduction;
}

} // namespace adze::execution
