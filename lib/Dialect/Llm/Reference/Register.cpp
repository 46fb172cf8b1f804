// Attaches the evaluations to the ops: those of the dialect that Operations.h declares one for.
#include "Operations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectRegistry.h"

#include <type_traits>

using namespace mlir;

namespace adze::llm::reference {

namespace {

template <class Op> struct Evaluation : ReferenceEval::ExternalModel<Evaluation<Op>, Op> {
  LogicalResult evaluate(Operation *op, Operands operands, Results &results, Machine &machine) const {
    return reference::evaluate(cast<Op>(op), operands, results, machine);
  }
};

// Operations.h declares which ops have a meaning of their own; the others only hold some together.
template <class Op>
concept Evaluated = requires(Op op, Operands operands, Results &results, Machine &machine) {
  reference::evaluate(op, operands, results, machine);
};

template <class... Ops> void attach(MLIRContext &context) {
  auto one = [&]<class Op>(std::type_identity<Op>) {
    if constexpr (Evaluated<Op>)
      Op::template attachInterface<Evaluation<Op>>(context);
  };
  (one(std::type_identity<Ops>()), ...);
}

} // namespace

void registerReferenceEvaluator(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LlmDialect *) {
    attach<
#define GET_OP_LIST
#include "adze/Dialect/Llm/IR/LlmOps.cpp.inc"
        >(*context);
  });
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) { attachArith(*context); });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) { attachMath(*context); });
}

void registerReferenceEvaluator(MLIRContext &context) {
  context.loadDialect<LlmDialect>();
  if (RegisteredOperationName::lookup(TypeID::get<LinearOp>(), &context)->hasInterface<ReferenceEval>())
    return;
  DialectRegistry registry;
  registry.insert<LlmDialect, arith::ArithDialect, math::MathDialect, func::FuncDialect>();
  registerReferenceEvaluator(registry);
  context.appendDialectRegistry(registry);
}

} // namespace adze::llm::reference
