//===- AssignNumerics.cpp - says what is rounded ------------------------------------------------------------------===//

#include "WeightExpressions.h"
#include "adze/Support/Mutant.h"
#include "adze/Target/TargetInfo.h"
#include "adze/Transforms/Llm/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

namespace adze::llm {
#define GEN_PASS_DEF_ASSIGNNUMERICSPASS
#include "adze/Transforms/Llm/Passes.h.inc"
} // namespace adze::llm

#define DEBUG_TYPE "llm-assign-numerics"

using namespace mlir;
using namespace adze::llm;

namespace {
RankedTensorType withElement(Type type, Type element) {
  auto tensor = mlir::cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), element, tensor.getEncoding());
}

struct AssignNumerics : adze::llm::impl::AssignNumericsPassBase<AssignNumerics> {
  using AssignNumericsPassBase::AssignNumericsPassBase;

  /// bf16 keeps 8 bits, a code of a8 is off by at most 1/254 of its group's largest; sums and layers let that grow.
  adze::NumericPromise numericPromise() const override {
    if (numerics.getValue() == "f32")
      return {adze::NumericEffect::Exact};
    return {adze::NumericEffect::Rounds, numerics.getValue() == "bf16" ? 0.05 : 0.15};
  }

  void runOnOperation() override {
    auto parsed = adze::parseNumerics(numerics.getValue());
    if (!parsed) {
      getOperation().emitError() << "there are no numerics named '" << numerics << "'; accepted are f32, bf16 and a8";
      return signalPassFailure();
    }
    if (failed(checkUnassigned()))
      return signalPassFailure();
    mode = *parsed;
    bool narrow = mode != adze::Numerics::F32;
    setCacheElement(narrow ? Type(BFloat16Type::get(&getContext())) : Type(Float32Type::get(&getContext())));
    if (!narrow)
      return;
    WeightExpressions expressions(getOperation());
    weights = &expressions;
    getOperation().walk([&](Operation *op) {
      if (auto linear = mlir::dyn_cast<LinearOp>(op))
        assign(linear);
      else if (auto quantized = mlir::dyn_cast<QuantizedLinearOp>(op))
        assign(quantized);
      else if (auto append = mlir::dyn_cast<KvAppendOp>(op))
        assign(append);
      else if (auto attention = mlir::dyn_cast<PagedAttentionOp>(op))
        assign(attention);
    });
    for (arith::ExtFOp widened : exact)
      if (widened->use_empty())
        widened.erase();
  }

  /// Every activation is f32 before this pass.
  LogicalResult checkUnassigned() {
    WalkResult result = getOperation().walk([&](func::FuncOp step) {
      for (Operation &op : step.getOps()) {
        if (mlir::isa<GetWeightOp>(op))
          continue;
        for (Value value : op.getResults()) {
          auto type = mlir::dyn_cast<RankedTensorType>(value.getType());
          if (type && type.getRank() == 2 && !type.getElementType().isF32()) {
            op.emitOpError("has an activation of type ")
                << type << "; llm-assign-numerics runs once, on activations of f32";
            return WalkResult::interrupt();
          }
        }
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  void setCacheElement(Type element) {
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](KvType type) -> std::optional<Type> {
      return KvType::get(type.getContext(), type.getLayers(), type.getHeads(), type.getDim(), element, type.getPage(),
                         type.getKeys());
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }

  /// The value rounded to bf16, made once, right after it.
  Value rounded(Value value) {
    if (mlir::getElementTypeOrSelf(value).isBF16())
      return value;
    Value &known = roundings[value];
    if (!known || ADZE_MUTANT("round-for-each-reader")) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(value);
      Type type = withElement(value.getType(), builder.getBF16Type());
      known = arith::TruncFOp::create(builder, value.getLoc(), type, value);
      ++casts;
    }
    return known;
  }

  void assign(LinearOp linear) {
    linear.getInputMutable().assign(rounded(linear.getInput()));
    WeightOp weight = weights->weightOf(linear.getWeight());
    Type element = mlir::getElementTypeOrSelf(linear.getWeight());
    if (!weight || element.isBF16())
      return;
    auto type = withElement(weight.getType(), BFloat16Type::get(&getContext()));
    weights->append(weight, type, [&](OpBuilder &builder, Location location, Value value) -> Value {
      return ConvertOp::create(builder, location, type, value);
    });
    ++conversions;
  }

  void assign(QuantizedLinearOp linear) {
    if (mode != adze::Numerics::A8) {
      linear.getInputMutable().assign(rounded(linear.getInput()));
      return;
    }
    Value input = linear.getInput();
    if (auto widened = input.getDefiningOp<arith::ExtFOp>())
      input = widened.getIn();
    QuantizeOp &known = quantized[{input, linear.getGroup()}];
    if (!known) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(input);
      known = QuantizeOp::create(builder, input.getLoc(), input, linear.getGroup());
      ++quantizations;
    }
    linear.getInputMutable().assign(known.getCodes());
    linear.getInputScaleMutable().assign(known.getScale());
    linear.getInputSumMutable().assign(known.getSum());
  }

  void assign(KvAppendOp append) {
    append.getKeyMutable().assign(rounded(append.getKey()));
    append.getValueMutable().assign(rounded(append.getValue()));
  }

  void assign(PagedAttentionOp attention) {
    attention.getQueryMutable().assign(rounded(attention.getQuery()));
    // The result has the query's type; whoever wants f32 reads it widened, which is exact.
    Value result = attention.getResult();
    Type wide = result.getType();
    result.setType(attention.getQuery().getType());
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(attention);
    auto widened = arith::ExtFOp::create(builder, attention.getLoc(), wide, result);
    result.replaceAllUsesExcept(widened, widened);
    roundings[widened] = result;
    exact.push_back(widened);
  }

  adze::Numerics mode = adze::Numerics::F32;
  WeightExpressions *weights = nullptr;
  llvm::DenseMap<Value, Value> roundings;
  llvm::DenseMap<std::pair<Value, uint64_t>, QuantizeOp> quantized;
  llvm::SmallVector<arith::ExtFOp> exact;
};
} // namespace
