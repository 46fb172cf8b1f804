// Registers of lazy tiles, and elementwise ops on registers.
#include "KernelEmitter.h"
#include "adze/Conversion/MathFunctions.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::tile;

Value KernelEmitter::splat(Value scalar, Type type) {
  if (!isa<VectorType>(type))
    return scalar;
  return vector::BroadcastOp::create(b, loc, type, scalar);
}

Value KernelEmitter::get(Value tile, ArrayRef<At> at, bool scalar) {
  Type type = tile.getType();
  int lane = laneDim(type);
  scalar |= lane < 0;
  SmallVector<std::pair<void *, int64_t>, 4> place;
  for (const At &coordinate : at)
    place.push_back({coordinate.dyn ? coordinate.dyn.getAsOpaquePointer() : nullptr, coordinate.fixed});
  Key key{tile.getAsOpaquePointer(), scalar, place};
  for (auto &scope : llvm::reverse(emitted))
    if (auto found = scope.find(key); found != scope.end())
      return found->second;
  TileState state = tiles[tile];
  Value result;
  bool dynamic = llvm::any_of(at, [](const At &coordinate) { return bool(coordinate.dyn); });
  if (state.kind == TileState::Registers) {
    if (dynamic || (!scalar && at[lane].fixed % lanes)) {
      result = readBuffer(type, spill(tile), at, scalar);
    } else {
      result = state.registers[flatRegister(type, at)];
      if (scalar && lane >= 0)
        result = vector::ExtractOp::create(b, loc, result, ArrayRef<int64_t>{at[lane].fixed % lanes});
    }
  } else if (state.kind == TileState::Buffer) {
    result = readBuffer(type, state.buffer, at, scalar);
  } else {
    result = evaluate(tile, at, scalar);
  }
  if (!result) // refused: keep the IR whole until the walk ends
    result = constant(registerType(type, scalar), 0);
  emitted.back()[key] = result;
  return result;
}

static int64_t remaining(RankedTensorType tile, int lane, ArrayRef<At> at, int64_t lanes) {
  if (at[lane].dyn)
    return lanes;
  return std::min(lanes, tile.getDimSize(lane) - at[lane].fixed);
}

/// The place in `from` of the element that is at `at` in `to`, both counted row by row.
Ats KernelEmitter::reshaped(RankedTensorType to, RankedTensorType from, ArrayRef<At> at) {
  int64_t same = 0; // trailing dimensions that both have
  while (same < std::min(to.getRank(), from.getRank()) &&
         to.getDimSize(to.getRank() - 1 - same) == from.getDimSize(from.getRank() - 1 - same))
    ++same;
  int64_t fixed = 0;
  Value dyn;
  for (int64_t d = 0; d < to.getRank() - same; ++d) {
    fixed = fixed * to.getDimSize(d) + at[d].fixed;
    if (dyn)
      dyn = mul(dyn, index(to.getDimSize(d)));
    if (at[d].dyn)
      dyn = dyn ? add(dyn, at[d].dyn) : at[d].dyn;
  }
  if (dyn)
    dyn = add(dyn, index(fixed));
  Ats place(from.getRank());
  for (int64_t d = from.getRank() - same - 1; d >= 0; --d) {
    int64_t extent = from.getDimSize(d);
    if (!dyn) {
      place[d].fixed = fixed % extent;
      fixed /= extent;
      continue;
    }
    place[d].dyn = d ? b.createOrFold<arith::RemUIOp>(loc, dyn, index(extent)) : dyn;
    dyn = b.createOrFold<arith::DivUIOp>(loc, dyn, index(extent));
  }
  for (int64_t i = 1; i <= same; ++i)
    place[from.getRank() - i] = at[to.getRank() - i];
  return place;
}

Value KernelEmitter::evaluate(Value tile, ArrayRef<At> at, bool scalar) {
  Operation *op = tile.getDefiningOp();
  auto type = cast<RankedTensorType>(tile.getType());
  int lane = laneDim(type);
  Type made = registerType(type, scalar);
  if (!op) {
    refuse(kernel, "a tile as argument");
    return Value();
  }
  if (isa<LoadOp>(op))
    return load(*tiles[tile].access, at, lane, scalar);
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constantOp.getValue());
    if (!dense || !dense.isSplat()) {
      refuse(op, "constant tiles hold one value everywhere");
      return Value();
    }
    auto element = dense.getSplatValue<TypedAttr>();
    if (auto vector = dyn_cast<VectorType>(made))
      return arith::ConstantOp::create(b, loc, vector, DenseElementsAttr::get(vector, Attribute(element)));
    return arith::ConstantOp::create(b, loc, made, element);
  }
  if (auto splatOp = dyn_cast<SplatOp>(op))
    return splat(scalars.lookup(splatOp.getValue()), made);
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    Ats inner(at);
    inner.erase(inner.begin() + broadcast.getDim());
    // Along the lanes itself: one scalar everywhere. Else the operand has the same lanes, one dimension less.
    bool alongLanes = lane == int(broadcast.getDim());
    int innerLane = laneDim(broadcast.getValue().getType());
    int expected = alongLanes ? -1 : lane - (lane > int(broadcast.getDim()));
    if (scalar || alongLanes || innerLane == expected)
      return splat(get(broadcast.getValue(), inner, scalar || alongLanes), made);
    refuse(op, "operand and result have different lanes");
    return Value();
  }
  if (auto iota = dyn_cast<IotaOp>(op)) {
    Type element = type.getElementType();
    Value first = add(scalars.lookup(iota.getBase()), this->at(at[iota.getDim()]));
    Value start = splat(arith::IndexCastOp::create(b, loc, element, first), made);
    if (scalar || int(iota.getDim()) != lane)
      return start;
    SmallVector<Attribute> steps;
    for (int64_t i = 0; i < lanes; ++i)
      steps.push_back(b.getIntegerAttr(element, i));
    Value step = arith::ConstantOp::create(b, loc, cast<VectorType>(made),
                                           DenseElementsAttr::get(cast<VectorType>(made), steps));
    return ADZE_MUTANT("count-no-lanes") ? start : arith::AddIOp::create(b, loc, start, step).getResult();
  }
  if (isa<TransposeOp, ExtractOp, ConvertLayoutOp, ReshapeOp>(op)) {
    Value operand = op->getOperand(0);
    Ats inner(at);
    int wanted = lane;
    if (isa<ReshapeOp>(op)) {
      auto from = cast<RankedTensorType>(operand.getType());
      inner = reshaped(type, from, at);
      // Lanes stay along a dimension that both shapes end in; elsewhere elements come one by one.
      wanted = lane < 0 ? lane : lane - int(type.getRank()) + int(from.getRank());
      if (!scalar && lane >= 0 && (lane + 1 != type.getRank() || from.getShape().back() != type.getShape().back())) {
        Value result = constant(made, 0);
        for (int64_t i = 0, n = remaining(type, lane, at, lanes); i < n; ++i) {
          Ats place(at);
          place[lane].fixed += i;
          Value element = get(operand, reshaped(type, from, place), true);
          result = vector::InsertOp::create(b, loc, element, result, ArrayRef<int64_t>{i});
        }
        return result;
      }
    } else if (isa<TransposeOp>(op)) {
      std::swap(inner[0], inner[1]);
      wanted = lane < 0 ? lane : 1 - lane;
    } else if (auto extract = dyn_cast<ExtractOp>(op)) {
      for (auto [coordinate, offset] : llvm::zip(inner, extract.getOffsets()))
        coordinate.fixed += offset;
    }
    if (scalar || laneDim(operand.getType()) == wanted)
      return get(operand, inner, scalar);
    // Other lanes: a load can be made along them, everything else goes element by element.
    auto found = tiles.find(operand);
    if (operand.getDefiningOp<LoadOp>() && found != tiles.end() && found->second.kind == TileState::Lazy)
      return load(*found->second.access, inner, wanted, false);
    Value result = constant(made, 0);
    for (int64_t i = 0, n = remaining(type, lane, at, lanes); i < n; ++i) {
      Ats place(inner);
      place[wanted].fixed += i;
      result = vector::InsertOp::create(b, loc, get(operand, place, true), result, ArrayRef<int64_t>{i});
    }
    return result;
  }
  if (!OpTrait::hasElementwiseMappableTraits(op)) {
    refuse(op, "not an elementwise op");
    return Value();
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isTile(operand) ? get(operand, at, scalar) : scalars.lookup(operand));
  return elementwise(op, operands, made);
}

Value KernelEmitter::elementwise(Operation *op, ArrayRef<Value> operands, Type type) {
  Type element = getElementTypeOrSelf(type), from = getElementTypeOrSelf(operands.front().getType());
  auto withElement = [&](Type other) -> Type { return isa<VectorType>(type) ? Type(vectorOf(other)) : other; };
  Type i32 = withElement(b.getI32Type());
  MathFunctions math(b, loc);
  if (isa<arith::TruncFOp>(op) && element.isBF16() && from.isF32())
    return math.roundToBf16(operands[0]);
  if (isa<arith::ExtFOp>(op) && from.isBF16() && element.isF32())
    return math.extendBf16(operands[0]);
  // By its bits, as under the masks of loads.
  if (isa<arith::SelectOp>(op) && element.isBF16()) {
    Type bits = withElement(b.getI16Type());
    Value chosen = arith::SelectOp::create(b, loc, operands[0], bitcast(operands[1], bits), bitcast(operands[2], bits));
    return bitcast(chosen, type);
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && from.getIntOrFloatBitWidth() < 32) {
    Value wide = isa<arith::SIToFPOp>(op) ? Value(arith::ExtSIOp::create(b, loc, i32, operands[0]))
                                          : Value(arith::ExtUIOp::create(b, loc, i32, operands[0]));
    return arith::SIToFPOp::create(b, loc, type, wide);
  }
  // A broadcast integer: LLVM would convert the scalar and broadcast the result, three instructions for one.
  if (isa<arith::SIToFPOp>(op) && lanes == 16 && from.isInteger(32) && element.isF32() &&
      operands[0].getDefiningOp<vector::BroadcastOp>())
    return intrinsic("llvm.x86.avx512.sitofp.round.v16f32.v16i32", type,
                     {operands[0], constant(b.getI32Type(), /*to nearest even, no exceptions*/ 8)});
  if (isa<arith::FPToSIOp>(op) && element.getIntOrFloatBitWidth() < 32)
    return arith::TruncIOp::create(b, loc, type, arith::FPToSIOp::create(b, loc, i32, operands[0]));
  Value value = math.rebuild(op, operands, type);
  if (!value)
    refuse(op, MathFunctions::kNoGeneratedForm);
  return value;
}
