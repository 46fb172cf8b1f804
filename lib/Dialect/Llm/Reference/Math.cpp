// math ops on scalars and tensors: the f64 function, rounded once to the result's type.
#include "Operations.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace adze::llm::reference {

namespace {

template <class Op, double (*function)(double)>
struct FunctionModel : ReferenceEval::ExternalModel<FunctionModel<Op, function>, Op> {
  LogicalResult evaluate(Operation *op, Operands operands, Results &results, Machine &) const {
    const Tensor &in = operands[0].tensor();
    Tensor out = Tensor::zeros(in.element, in.shape);
    for (int64_t i = 0; i < in.size(); ++i)
      out.floats[i] = roundTo(out.element, function(in.floats[i]));
    results.push_back(std::move(out));
    return success();
  }
};

struct FmaModel : ReferenceEval::ExternalModel<FmaModel, math::FmaOp> {
  LogicalResult evaluate(Operation *op, Operands operands, Results &results, Machine &) const {
    const Tensor &a = operands[0].tensor(), &b = operands[1].tensor(), &c = operands[2].tensor();
    if (a.shape != b.shape || a.shape != c.shape)
      return op->emitOpError() << "has operands of different extents";
    Tensor out = Tensor::zeros(a.element, a.shape);
    for (int64_t i = 0; i < a.size(); ++i) {
      // f32 needs the one rounding of fmaf; what is narrower has an exact product and sum in f64 but for huge ratios,
      // where the rounding of the sum does not matter.
      out.floats[i] = a.element == Element::F32
                          ? std::fma(a.floats[i], b.floats[i], c.floats[i])
                          : roundTo(a.element, std::fma(double(a.floats[i]), double(b.floats[i]), double(c.floats[i])));
    }
    results.push_back(std::move(out));
    return success();
  }
};

double exponential(double x) { return std::exp(x); }
double squareRoot(double x) { return std::sqrt(x); }
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double hyperbolicTangent(double x) { return std::tanh(x); }
double magnitude(double x) { return std::fabs(x); }
double toEven(double x) { return std::nearbyint(x); }

} // namespace

void attachMath(MLIRContext &context) {
  using namespace math;
  ExpOp::attachInterface<FunctionModel<ExpOp, exponential>>(context);
  SqrtOp::attachInterface<FunctionModel<SqrtOp, squareRoot>>(context);
  RsqrtOp::attachInterface<FunctionModel<RsqrtOp, reciprocalRoot>>(context);
  SinOp::attachInterface<FunctionModel<SinOp, sine>>(context);
  CosOp::attachInterface<FunctionModel<CosOp, cosine>>(context);
  TanhOp::attachInterface<FunctionModel<TanhOp, hyperbolicTangent>>(context);
  AbsFOp::attachInterface<FunctionModel<AbsFOp, magnitude>>(context);
  RoundEvenOp::attachInterface<FunctionModel<RoundEvenOp, toEven>>(context);
  FmaOp::attachInterface<FmaModel>(context);
}

} // namespace adze::llm::reference
