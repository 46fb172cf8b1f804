// adze-evaluate FILE.mlir: runs every public function without arguments on the reference evaluator. Each must hold an
// expectation (check.expect_*), else a test that checks nothing would pass. Prints one line for each function; exits
// with 1 when a file does not parse or an expectation fails.
#include "Check.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

static bool hasExpectation(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        return isa<adze::check::ExpectEqOp, adze::check::ExpectAlmostEqOp>(op) ? WalkResult::interrupt()
                                                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: adze-evaluate FILE.mlir\n";
    return 1;
  }
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, adze::llm::LlmDialect,
                  adze::check::CheckDialect>();
  adze::llm::reference::registerReferenceEvaluator(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], sources, &context);
  if (!module)
    return 1;
  adze::llm::reference::Evaluator evaluator(*module);
  int failures = 0, count = 0;
  for (auto function : module->getOps<func::FuncOp>()) {
    if (function.getNumArguments() > 0 || function.isPrivate() || function.isDeclaration())
      continue;
    ++count;
    if (!hasExpectation(function)) {
      llvm::errs() << "@" << function.getName() << ": expects nothing\n";
      ++failures;
      continue;
    }
    auto results = evaluator.run(function, {});
    llvm::outs() << (results ? "holds: @" : "fails: @") << function.getName() << "\n";
    if (!results) {
      llvm::errs() << results.status().message() << "\n";
      ++failures;
    }
  }
  if (count == 0)
    llvm::errs() << argv[1] << ": there is no function without arguments to run\n";
  return failures > 0 || count == 0;
}
