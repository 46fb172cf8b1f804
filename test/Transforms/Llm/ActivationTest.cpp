// An activation that the dialect does not have is fused like its own, with no word about it in a pass.
#include "adze/Dialect/Llm/IR/Llm.h"
#include "adze/Transforms/Llm/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace adze::llm;

namespace {

struct TanhActivation : Activation::ExternalModel<TanhActivation, math::TanhOp> {
  Value getInput(Operation *op) const { return op->getOperand(0); }
};

/// A feed-forward block; `$` stands for the op between the gate and the product with up.
constexpr llvm::StringLiteral kText = R"(
  llm.weight @g : tensor<96x64xf32> { %0 = arith.constant dense<1.0> : tensor<96x64xf32> llm.yield %0 : tensor<96x64xf32> }
  llm.weight @u : tensor<96x64xf32> { %0 = arith.constant dense<1.0> : tensor<96x64xf32> llm.yield %0 : tensor<96x64xf32> }
  func.func @f(%x: tensor<?x64xf32>) -> tensor<?x96xf32> {
    %wg = llm.get_weight @g : tensor<96x64xf32>
    %wu = llm.get_weight @u : tensor<96x64xf32>
    %g = llm.linear %x, %wg : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32>
    %u = llm.linear %x, %wu : (tensor<?x64xf32>, tensor<96x64xf32>) -> tensor<?x96xf32>
    %s = $ %g : tensor<?x96xf32>
    %m = llm.mul %s, %u : tensor<?x96xf32>
    return %m : tensor<?x96xf32>
  })";

/// The family of each kernel and the rules that made it, a line for each kernel.
std::string kernelsOf(llvm::StringRef function, bool attached = false) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, LlmDialect>();
  if (attached)
    registry.addExtension(
        +[](MLIRContext *context, math::MathDialect *) { math::TanhOp::attachInterface<TanhActivation>(*context); });
  MLIRContext context(registry);
  auto [before, after] = kText.split('$');
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>((before + function + after).str(), &context);
  EXPECT_TRUE(module);
  PassManager manager(&context);
  manager.addPass(createFuseGateUpPass());
  manager.addPass(createFormKernelsPass());
  EXPECT_TRUE(succeeded(manager.run(*module)));
  std::string text;
  module->walk([&](KernelOp kernel) {
    text += kernel.getFamily()->str() + ":";
    if (auto fused = kernel->getAttrOfType<ArrayAttr>("fused"))
      for (StringRef rule : fused.getAsValueRange<StringAttr>())
        text += " " + rule.str();
    text += "\n";
  });
  return text;
}

TEST(Activation, OfTheDialectIsFusedIntoItsGate) { EXPECT_EQ(kernelsOf("llm.silu"), "linear: slice gate\n"); }

TEST(Activation, OfAnotherDialectIsFusedIntoItsGate) {
  EXPECT_EQ(kernelsOf("math.tanh", /*attached=*/true), "linear: slice gate\n");
}

TEST(Activation, WhatIsNoneKeepsItsProductsApart) {
  EXPECT_EQ(kernelsOf("math.tanh"), "linear:\nlinear:\nelementwise:\nelementwise:\n");
}

} // namespace
