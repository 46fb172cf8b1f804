// ExecutionCheck.cpp: the instrumentation of a pass manager.
#include "adze/Pipeline/Execution/ExecutionCheck.h"

#include "Culprit.h"
#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Transforms/NumericEffect.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;

namespace adze::execution {

namespace {

/// docs/Numerics.md, "Passes": a whole step of kernels against the evaluator.
constexpr double kReordered = 64 * 4e-6, kReorderedRounded = 0.03;

/// What ran at one moment of the pipeline.
struct Moment {
  OwningOpRef<ModuleOp> module; // a copy: the pipeline's own goes on changing
  std::optional<OperationFingerPrint> print;
  std::unique_ptr<ModuleRunner> runner;
  std::map<std::pair<std::string, size_t>, Expected<Execution>> executions; // by entry and number of the scenario
};

class ExecutionCheck final : public PassInstrumentation {
public:
  ExecutionCheck(const CheckOptions &options, CheckReport &report) : options(options), report(report) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (report.failed || now)
      return;
    ModuleOp module = rootOf(op);
    auto carried = scenarioOfModule(module);
    if (!carried) {
      module.emitError() << carried.status().message();
      report.failed = true;
      return;
    }
    scenarios = generatedScenarios();
    if (*carried) {
      scenarios = {(*carried)->first};
      options.seed = (*carried)->second;
    }
    now = execute(module);
    // A kernel that has no native form yet may get one; everything else that stands here must run.
    std::set<std::string> kernels;
    for (const Entry &entry : now->runner->entries())
      if (entry.kind == Entry::Kind::Kernel)
        kernels.insert(entry.name);
    for (auto &[key, execution] : now->executions)
      if (!execution && kernels.count(key.first)) {
        report.left.insert("@" + key.first + " (" + execution.status().message() + ")");
      } else if (!execution && execution.status().code() != ErrorCode::Unsupported && !report.failed) {
        module.emitError() << "@" << key.first << " cannot be executed before pass '" << nameOf(pass)
                           << "': " << execution.status().message();
        report.failed = true;
      }
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (report.failed || !now)
      return;
    ModuleOp module = rootOf(op);
    if (OperationFingerPrint(module) == *now->print)
      return;
    std::unique_ptr<Moment> next = execute(module);
    ++report.passes;
    compare(pass, module, *now, *next);
    now = std::move(next);
  }

private:
  static ModuleOp rootOf(Operation *op) {
    auto module = dyn_cast<ModuleOp>(op);
    return module ? module : op->getParentOfType<ModuleOp>();
  }
  static StringRef nameOf(Pass *pass) { return pass->getArgument().empty() ? pass->getName() : pass->getArgument(); }

  std::unique_ptr<Moment> execute(ModuleOp module) {
    auto moment = std::make_unique<Moment>();
    moment->print.emplace(module);
    moment->module = module.clone();
    moment->runner = std::make_unique<ModuleRunner>(*moment->module, *options.cpu, kernels);
    for (const Entry &entry : moment->runner->entries()) {
      if (entry.kind == Entry::Kind::Function)
        forms[entry.name] = StepForm::of(cast<func::FuncOp>(entry.op));
      ++report.entries;
      for (size_t i = 0; i < scenarios.size(); ++i) {
        auto execution = moment->runner->run(entry, scenarios[i], options.seed, forms);
        if (!execution && execution.status().code() == ErrorCode::Unsupported)
          report.left.insert("@" + entry.name + " (" + execution.status().message() + ")");
        report.runs += execution.ok();
        moment->executions.emplace(std::pair(entry.name, i), std::move(execution));
      }
    }
    return moment;
  }

  Tolerance toleranceFor(Pass *pass, const Moment &next, NumericEffect *effect) {
    auto *numeric = dynamic_cast<NumericPass *>(pass);
    NumericPromise promise = numeric ? numeric->numericPromise() : NumericPromise();
    *effect = promise.effect;
    switch (promise.effect) {
    case NumericEffect::Exact:
      return {};
    case NumericEffect::Reorders:
      return {next.runner->rounds() ? kReorderedRounded : kReordered};
    case NumericEffect::Rounds:
      return {promise.bound, /*ofRow=*/false};
    }
    return {};
  }

  void compare(Pass *pass, ModuleOp module, Moment &before, Moment &after) {
    NumericEffect effect;
    Tolerance tolerance = toleranceFor(pass, after, &effect);
    for (auto &[key, was] : before.executions) {
      auto is = after.executions.find(key);
      // Extremes are for what must be exact: a rounding of a giant says nothing about its neighbours.
      if (!was || (tolerance.bound > 0 && scenarios[key.second].numbers == Numbers::Extremes))
        continue;
      if (is == after.executions.end()) {
        bool native = !module.getOps<LLVM::LLVMFuncOp>().empty();
        if (native)
          report.left.insert("@" + key.first + " (is native code)");
        else
          return complain(pass, module, "takes @" + key.first + " out of the module");
        continue;
      }
      if (!is->second) {
        if (is->second.status().code() != ErrorCode::Unsupported)
          return complain(pass, module,
                          "leaves @" + key.first + " so that it cannot be executed: " + is->second.status().message());
        continue;
      }
      // More results may come behind those that were there.
      if (was->results.size() > is->second->results.size())
        return complain(pass, module, "takes results of @" + key.first + " away");
      for (size_t i = 0; i < was->results.size(); ++i)
        if (auto difference = compareValues(was->results[i], was->inputs.batch, is->second->results[i],
                                            is->second->inputs.batch, tolerance))
          return explain(pass, effect, tolerance, key, i, *difference, before, after);
    }
  }

  void complain(Pass *pass, ModuleOp module, const std::string &what) {
    module.emitError() << "pass '" << nameOf(pass) << "' " << what;
    report.failed = true;
    report.wrongPass = nameOf(pass).str();
  }

  /// Runs both sides again, keeping every value, and says where they part.
  void explain(Pass *pass, NumericEffect effect, const Tolerance &tolerance, const std::pair<std::string, size_t> &key,
               unsigned result, const Difference &difference, Moment &before, Moment &after) {
    const Scenario &scenario = scenarios[key.second];
    std::optional<Entry> was, is;
    for (const Entry &entry : before.runner->entries())
      if (entry.name == key.first)
        was = entry;
    for (const Entry &entry : after.runner->entries())
      if (entry.name == key.first)
        is = entry;
    auto earlier = before.runner->run(*was, scenario, options.seed, forms, /*traced=*/true);
    auto later = after.runner->run(*is, scenario, options.seed, forms, /*traced=*/true);
    Culprit culprit{is->op, nullptr, result, difference};
    if (earlier && later)
      culprit = findCulprit(*is, *earlier, *later, result, difference, tolerance);
    const char *promise = effect == NumericEffect::Exact      ? "keeps every bit"
                          : effect == NumericEffect::Reorders ? "only reorders sums"
                                                              : "rounds within its bound";
    InFlightDiagnostic error = emitError(culprit.after->getLoc())
                               << "pass '" << nameOf(pass) << "' " << promise << " and yet changes @" << key.first
                               << ": '" << culprit.after->getName() << "' result " << culprit.result << ", "
                               << culprit.difference.text();
    if (tolerance.bound > 0)
      error << ", allowed are " << tolerance.bound << (tolerance.ofRow ? " of the row's largest" : " of the largest");
    if (culprit.before)
      error.attachNote(culprit.before->getLoc()) << "before the pass '" << culprit.before->getName() << "' stood here";
    error.attachNote(is->op->getLoc()) << "result " << result << " of @" << key.first << ", " << difference.text()
                                       << "; inputs \"" << scenario.name << "\", --seed=" << options.seed;
    report.failed = report.numbersDiffer = true;
    report.wrongPass = nameOf(pass).str();
  }

  CheckOptions options;
  CheckReport &report;
  std::vector<Scenario> scenarios;
  StepForms forms;
  KnownKernels kernels{*options.kernels, {}};
  std::unique_ptr<Moment> now;
};

} // namespace

std::string CheckReport::text() const {
  std::string text = std::to_string(entries) + " functions ran " + std::to_string(runs) + " times around " +
                     std::to_string(passes) + " passes that changed something";
  for (const std::string &name : left)
    text += (&name == &*left.begin() ? "; not run: " : ", ") + name;
  return text;
}

void registerExecution(DialectRegistry &registry) {
  registry.insert<llm::LlmDialect, tile::TileDialect, exec::ExecDialect, arith::ArithDialect, func::FuncDialect,
                  math::MathDialect, scf::SCFDialect, vector::VectorDialect, LLVM::LLVMDialect>();
  llm::reference::registerReferenceEvaluator(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void addExecutionCheck(PassManager &manager, const CheckOptions &options, CheckReport &report) {
  MLIRContext *context = manager.getContext();
  context->disableMultithreading();
  context->loadAllAvailableDialects(); // not while a pass runs
  manager.addInstrumentation(std::make_unique<ExecutionCheck>(options, report));
}

} // namespace adze::execution
