// arith ops on scalars and tensors. Float results are formed in f64, where a sum, product or quotient of two numbers of
// at most 24 bits rounds to f32 and below as the exact result would, and rounded once to their type.
#include "Operations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace adze::llm::reference {

namespace {

/// Wraps an integer to the width of its element type, sign-extended (i1 is 0 or 1).
int64_t wrap(Element element, int64_t value) {
  switch (element) {
  case Element::I1:
    return value & 1;
  case Element::I4:
    return ((value & 15) ^ 8) - 8;
  case Element::I8:
    return int8_t(value);
  case Element::I32:
    return int32_t(value);
  default:
    return value;
  }
}

uint64_t asUnsigned(Element element, int64_t value) {
  switch (element) {
  case Element::I1:
    return value & 1;
  case Element::I4:
    return value & 15;
  case Element::I8:
    return uint8_t(value);
  case Element::I32:
    return uint32_t(value);
  default:
    return uint64_t(value);
  }
}

LogicalResult checkExtents(Operation *op, Operands operands) {
  for (const Value &operand : operands)
    if (operand.tensor().shape != operands[0].tensor().shape)
      return op->emitOpError() << "has operands of different extents";
  return success();
}

/// Float operands to a float result of the result's type.
template <class Op, double (*function)(double, double)>
struct FloatModel : ReferenceEval::ExternalModel<FloatModel<Op, function>, Op> {
  LogicalResult evaluate(Operation *op, Operands operands, Results &results, Machine &) const {
    if (failed(checkExtents(op, operands)))
      return failure();
    const Tensor &a = operands[0].tensor(), &b = operands.back().tensor();
    Tensor out = Tensor::zeros(resultElement(op->getResult(0)), a.shape);
    for (int64_t i = 0; i < a.size(); ++i)
      out.floats[i] = roundTo(out.element, function(a.floats[i], b.floats[i]));
    results.push_back(std::move(out));
    return success();
  }
};

template <class Op, int64_t (*function)(int64_t, int64_t)>
struct IntegerModel : ReferenceEval::ExternalModel<IntegerModel<Op, function>, Op> {
  LogicalResult evaluate(Operation *op, Operands operands, Results &results, Machine &) const {
    if (failed(checkExtents(op, operands)))
      return failure();
    const Tensor &a = operands[0].tensor(), &b = operands.back().tensor();
    Tensor out = Tensor::zeros(resultElement(op->getResult(0)), a.shape);
    for (int64_t i = 0; i < a.size(); ++i)
      out.ints[i] = wrap(out.element, function(a.ints[i], b.ints[i]));
    results.push_back(std::move(out));
    return success();
  }
};

/// One operand of either kind to a result of either kind, element by element.
template <class Op, void (*convert)(const Tensor &, Tensor &, int64_t)>
struct CastModel : ReferenceEval::ExternalModel<CastModel<Op, convert>, Op> {
  LogicalResult evaluate(Operation *op, Operands operands, Results &results, Machine &) const {
    const Tensor &in = operands[0].tensor();
    Tensor out = Tensor::zeros(resultElement(op->getResult(0)), in.shape);
    for (int64_t i = 0; i < in.size(); ++i)
      convert(in, out, i);
    results.push_back(std::move(out));
    return success();
  }
};

double add(double a, double b) { return a + b; }
double subtract(double a, double b) { return a - b; }
double multiply(double a, double b) { return a * b; }
double divide(double a, double b) { return a / b; }
double negate(double a, double) { return -a; }
double first(double a, double) { return a; }
double largest(double a, double b) { // NaN where either is, +0 above -0
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
double smallest(double a, double b) { return -largest(-a, -b); }
int64_t addIntegers(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
int64_t subtractIntegers(int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); }
int64_t multiplyIntegers(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

void signedToFloat(const Tensor &in, Tensor &out, int64_t i) {
  out.floats[i] = roundTo(out.element, double(in.ints[i]));
}
void unsignedToFloat(const Tensor &in, Tensor &out, int64_t i) {
  out.floats[i] = roundTo(out.element, double(asUnsigned(in.element, in.ints[i])));
}
void floatToSigned(const Tensor &in, Tensor &out, int64_t i) { // what does not fit is 0: arith leaves it open
  double value = std::trunc(double(in.floats[i]));
  out.ints[i] = std::abs(value) < 9.2e18 && wrap(out.element, int64_t(value)) == int64_t(value) ? int64_t(value) : 0;
}
void copySigned(const Tensor &in, Tensor &out, int64_t i) {
  int64_t value = in.element == Element::I1 ? -in.ints[i] : in.ints[i];
  out.ints[i] = wrap(out.element, value);
}
void copyUnsigned(const Tensor &in, Tensor &out, int64_t i) {
  out.ints[i] = wrap(out.element, int64_t(asUnsigned(in.element, in.ints[i])));
}

struct ConstantModel : ReferenceEval::ExternalModel<ConstantModel, arith::ConstantOp> {
  LogicalResult evaluate(Operation *op, Operands, Results &results, Machine &) const {
    Attribute value = cast<arith::ConstantOp>(op).getValue();
    if (auto elements = dyn_cast<ElementsAttr>(value)) {
      FailureOr<Tensor> tensor = tensorOfAttribute(elements);
      if (failed(tensor))
        return op->emitOpError() << "has elements that the reference evaluator does not know";
      results.push_back(std::move(*tensor));
      return success();
    }
    if (failed(elementOf(op->getResult(0).getType())))
      return op->emitOpError() << "has a type that the reference evaluator does not know";
    Tensor scalar = Tensor::zeros(resultElement(op->getResult(0)), {});
    if (auto number = dyn_cast<FloatAttr>(value))
      scalar.floats[0] = roundTo(scalar.element, number.getValueAsDouble());
    else
      scalar.ints[0] = wrap(scalar.element, cast<IntegerAttr>(value).getValue().getSExtValue());
    results.push_back(std::move(scalar));
    return success();
  }
};

bool compareFloats(arith::CmpFPredicate predicate, float a, float b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !unordered;
  case P::UNO:
    return unordered;
  case P::OEQ:
    return !unordered && a == b;
  case P::ONE:
    return !unordered && a != b;
  case P::OLT:
    return !unordered && a < b;
  case P::OLE:
    return !unordered && a <= b;
  case P::OGT:
    return !unordered && a > b;
  case P::OGE:
    return !unordered && a >= b;
  case P::UEQ:
    return unordered || a == b;
  case P::UNE:
    return unordered || a != b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  }
  return false;
}

bool compareIntegers(arith::CmpIPredicate predicate, int64_t a, int64_t b, uint64_t ua, uint64_t ub) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return ua < ub;
  case P::ule:
    return ua <= ub;
  case P::ugt:
    return ua > ub;
  case P::uge:
    return ua >= ub;
  }
  return false;
}

struct CompareFloatsModel : ReferenceEval::ExternalModel<CompareFloatsModel, arith::CmpFOp> {
  LogicalResult evaluate(Operation *op, Operands operands, Results &results, Machine &) const {
    if (failed(checkExtents(op, operands)))
      return failure();
    const Tensor &a = operands[0].tensor(), &b = operands[1].tensor();
    Tensor out = Tensor::zeros(Element::I1, a.shape);
    for (int64_t i = 0; i < a.size(); ++i)
      out.ints[i] = compareFloats(cast<arith::CmpFOp>(op).getPredicate(), a.floats[i], b.floats[i]);
    results.push_back(std::move(out));
    return success();
  }
};

struct CompareIntegersModel : ReferenceEval::ExternalModel<CompareIntegersModel, arith::CmpIOp> {
  LogicalResult evaluate(Operation *op, Operands operands, Results &results, Machine &) const {
    if (failed(checkExtents(op, operands)))
      return failure();
    const Tensor &a = operands[0].tensor(), &b = operands[1].tensor();
    Tensor out = Tensor::zeros(Element::I1, a.shape);
    for (int64_t i = 0; i < a.size(); ++i)
      out.ints[i] = compareIntegers(cast<arith::CmpIOp>(op).getPredicate(), a.ints[i], b.ints[i],
                                    asUnsigned(a.element, a.ints[i]), asUnsigned(b.element, b.ints[i]));
    results.push_back(std::move(out));
    return success();
  }
};

struct SelectModel : ReferenceEval::ExternalModel<SelectModel, arith::SelectOp> {
  LogicalResult evaluate(Operation *op, Operands operands, Results &results, Machine &) const {
    const Tensor &condition = operands[0].tensor();
    if (condition.shape.empty()) {
      results.push_back(std::move(operands[condition.ints[0] ? 1 : 2]));
      return success();
    }
    if (failed(checkExtents(op, operands)))
      return failure();
    Tensor out = operands[2].tensor();
    const Tensor &chosen = operands[1].tensor();
    for (int64_t i = 0; i < out.size(); ++i)
      if (condition.ints[i] && isFloat(out.element))
        out.floats[i] = chosen.floats[i];
      else if (condition.ints[i])
        out.ints[i] = chosen.ints[i];
    results.push_back(std::move(out));
    return success();
  }
};

} // namespace

void attachArith(MLIRContext &context) {
  using namespace arith;
  ConstantOp::attachInterface<ConstantModel>(context);
  SelectOp::attachInterface<SelectModel>(context);
  CmpFOp::attachInterface<CompareFloatsModel>(context);
  CmpIOp::attachInterface<CompareIntegersModel>(context);
  AddFOp::attachInterface<FloatModel<AddFOp, add>>(context);
  SubFOp::attachInterface<FloatModel<SubFOp, subtract>>(context);
  MulFOp::attachInterface<FloatModel<MulFOp, multiply>>(context);
  DivFOp::attachInterface<FloatModel<DivFOp, divide>>(context);
  NegFOp::attachInterface<FloatModel<NegFOp, negate>>(context);
  MaximumFOp::attachInterface<FloatModel<MaximumFOp, largest>>(context);
  MinimumFOp::attachInterface<FloatModel<MinimumFOp, smallest>>(context);
  ExtFOp::attachInterface<FloatModel<ExtFOp, first>>(context);
  TruncFOp::attachInterface<FloatModel<TruncFOp, first>>(context);
  AddIOp::attachInterface<IntegerModel<AddIOp, addIntegers>>(context);
  SubIOp::attachInterface<IntegerModel<SubIOp, subtractIntegers>>(context);
  MulIOp::attachInterface<IntegerModel<MulIOp, multiplyIntegers>>(context);
  SIToFPOp::attachInterface<CastModel<SIToFPOp, signedToFloat>>(context);
  UIToFPOp::attachInterface<CastModel<UIToFPOp, unsignedToFloat>>(context);
  FPToSIOp::attachInterface<CastModel<FPToSIOp, floatToSigned>>(context);
  ExtSIOp::attachInterface<CastModel<ExtSIOp, copySigned>>(context);
  ExtUIOp::attachInterface<CastModel<ExtUIOp, copyUnsigned>>(context);
  TruncIOp::attachInterface<CastModel<TruncIOp, copySigned>>(context);
  IndexCastOp::attachInterface<CastModel<IndexCastOp, copySigned>>(context);
}

} // namespace adze::llm::reference
