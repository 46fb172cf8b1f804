// Attaches the evaluations to the ops.
#include "Operations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

namespace adze::llm::reference {

namespace {

template <class Op> struct Evaluation : ReferenceEval::ExternalModel<Evaluation<Op>, Op> {
  LogicalResult evaluate(Operation *op, Operands operands, Results &results, Machine &machine) const {
    return reference::evaluate(cast<Op>(op), operands, results, machine);
  }
};

template <class... Ops> void attach(MLIRContext &context) {
  (Ops::template attachInterface<Evaluation<Ops>>(context), ...);
}

} // namespace

void registerReferenceEvaluator(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LlmDialect *) {
    attach<EmbeddingOp, QuantizedEmbeddingOp, LinearOp, QuantizedLinearOp, RmsNormOp, RopeOp, KvAppendOp,
           PagedAttentionOp, MakeBatchOp, GatherRowsOp, SliceColumnsOp, SiluOp, MulOp, AddOp, QuantizeOp, KernelOp,
           GetWeightOp, SourceTensorOp, PermuteRowsOp, ConcatRowsOp, SliceRowsOp, ConvertOp, RepackOp>(*context);
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
