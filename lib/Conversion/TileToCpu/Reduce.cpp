//===- Reduce.cpp - sums and maxima along a dimension
//------------------------------------------------------------------===//
//
// Along the lanes, of an extent n with L lanes: register j of ceil(n / L) goes to partial result j mod 4, in ascending
// j (lanes beyond n hold the identity); the partial results meet as (p0 + p1) + (p2 + p3), with as many as there are;
// then halves of the vector meet until one lane is left: lane i with lane i + L/2, then L/4, ... . Along another
// dimension: ascending. The order so depends on n and L alone, never on the tile's other extents or on loops.
//
//===----------------------------------------------------------------------------------------------------------------===//
#include "KernelEmitter.h"

#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::tile;

Value KernelEmitter::combine(StringRef kind, Value x, Value y) {
  bool floats = isa<FloatType>(getElementTypeOrSelf(x.getType()));
  if (kind == "add")
    return floats ? Value(arith::AddFOp::create(b, loc, x, y)) : Value(arith::AddIOp::create(b, loc, x, y));
  return floats ? Value(arith::MaximumFOp::create(b, loc, x, y)) : Value(arith::MaxSIOp::create(b, loc, x, y));
}

/// Minus zero, for -0 + x is x for every x.
Value KernelEmitter::identity(StringRef kind, Type type) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr value;
  if (auto real = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    value = FloatAttr::get(real, kind == "add" ? APFloat::getZero(semantics, true) : APFloat::getInf(semantics, true));
  } else {
    unsigned bits = element.getIntOrFloatBitWidth();
    value = IntegerAttr::get(element, kind == "add" ? APInt(bits, 0) : APInt::getSignedMinValue(bits));
  }
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, loc, vector, DenseElementsAttr::get(vector, Attribute(value)));
  return arith::ConstantOp::create(b, loc, element, value);
}

Value KernelEmitter::reduceLanes(ReduceOp op, Ats at, int lane) {
  StringRef kind = op.getKind();
  auto type = op.getValue().getType();
  int64_t size = type.getDimSize(lane), whole = size / lanes, registers = llvm::divideCeil(size, lanes);
  int64_t parts = std::min<int64_t>(4, registers);
  VectorType vector = vectorOf(type.getElementType());
  SmallVector<Value> partial(parts, identity(kind, vector));
  int64_t done = 0;
  if (registers > 16) {
    done = whole / 4 * 4;
    partial = loop(index(0), index(done * lanes), index(4 * lanes), partial, [&](Value counter, ValueRange carried) {
      SmallVector<Value> next;
      for (int64_t part = 0; part < 4; ++part) {
        at[lane] = {counter, part * lanes, 4 * lanes};
        next.push_back(combine(kind, carried[part], get(op.getValue(), at)));
      }
      return next;
    });
  }
  for (int64_t j = done; j < registers; ++j) {
    at[lane] = {Value(), j * lanes, 1};
    Value value = get(op.getValue(), at);
    if (j >= whole && !ADZE_MUTANT("reduce-lanes-beyond-the-tile")) {
      SmallVector<int64_t> order;
      for (int64_t i = 0; i < lanes; ++i)
        order.push_back(i < size - j * lanes ? i : lanes);
      value = shuffle(value, identity(kind, vector), order);
    }
    partial[j % parts] = combine(kind, partial[j % parts], value);
  }
  while (partial.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < partial.size(); i += 2)
      next.push_back(combine(kind, partial[i], partial[i + 1]));
    if (partial.size() % 2)
      next.push_back(partial.back());
    partial = next;
  }
  Value value = partial[0];
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low = llvm::to_vector(llvm::seq<int64_t>(0, half));
    SmallVector<int64_t> high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    value = combine(kind, shuffle(value, value, low), shuffle(value, value, high));
  }
  return vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{0});
}

void KernelEmitter::reduce(ReduceOp op) {
  StringRef kind = op.getKind();
  auto from = op.getValue().getType();
  Type to = op.getResult().getType();
  int lane = laneDim(from), resultLane = laneDim(to);
  unsigned dim = op.getDim();
  int64_t size = from.getDimSize(dim);
  bool alongLanes = int(dim) == lane;
  if (resultLane != (alongLanes ? -1 : lane - (lane > int(dim)))) {
    refuse(op, "operand and result have different lanes (run tile-assign-layouts)");
    return;
  }
  auto one = [&](ArrayRef<At> at) -> Value {
    Ats inner(at);
    inner.insert(inner.begin() + dim, At());
    if (alongLanes)
      return reduceLanes(op, inner, lane);
    if (size <= 32) {
      Value value = get(op.getValue(), inner);
      for (int64_t i = 1; i < size; ++i) {
        inner[dim].fixed = i;
        value = combine(kind, value, get(op.getValue(), inner));
      }
      return value;
    }
    return loop(index(0), index(size), index(1), identity(kind, registerType(to, false)),
                [&](Value counter, ValueRange carried) {
                  inner[dim] = {counter, 0, 1};
                  return SmallVector<Value>{combine(kind, carried[0], get(op.getValue(), inner))};
                })[0];
  };
  int64_t work = registersOf(to) * (alongLanes ? llvm::divideCeil(size, lanes) : std::min<int64_t>(size, 32));
  if (registersOf(to) <= 16 && work <= 256) {
    SmallVector<Value> registers;
    forEachStatic(to, [&](ArrayRef<At> at) { registers.push_back(one(at)); });
    setRegisters(op.getResult(), registers);
    return;
  }
  Value buffer = allocate(to);
  forEachRegister(to, [&](ArrayRef<At> at) { writeBuffer(to, buffer, at, one(at)); });
  setBuffer(op.getResult(), buffer);
}
