// Small pieces of IR.
#include "KernelEmitter.h"

using namespace mlir;
using namespace adze::tile;

std::optional<int64_t> KernelEmitter::constantOf(Value value) {
  IntegerAttr attribute;
  if (value && matchPattern(value, m_Constant(&attribute)))
    return attribute.getValue().getSExtValue();
  return std::nullopt;
}

Value KernelEmitter::index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

Value KernelEmitter::constant(Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr scalar = isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, double(value)))
                                             : TypedAttr(b.getIntegerAttr(element, value));
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, loc, vector, DenseElementsAttr::get(vector, Attribute(scalar)));
  return arith::ConstantOp::create(b, loc, type, scalar);
}

Value KernelEmitter::add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
Value KernelEmitter::mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }

Value KernelEmitter::toI64(Value value) {
  return value.getType().isInteger(64) ? value : b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), value);
}

Value KernelEmitter::at(const At &coordinate) {
  if (!coordinate.dyn)
    return index(coordinate.fixed);
  return coordinate.fixed ? add(coordinate.dyn, index(coordinate.fixed)) : coordinate.dyn;
}

Value KernelEmitter::gep(Value pointer, Value bytes) {
  if (std::optional<int64_t> fixed = constantOf(bytes))
    return gep(pointer, *fixed);
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, ValueRange{toI64(bytes)});
}

Value KernelEmitter::gep(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  // Constant indices of the op are stored in so many bits.
  if (!llvm::isInt<LLVM::kGEPConstantBitWidth>(bytes))
    return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                               ValueRange{constant(b.getI64Type(), bytes)});
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
}

static unsigned alignmentOf(Type type) { return std::max(1u, getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8); }

Value KernelEmitter::loadRaw(Type type, Value pointer) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::LoadOp::create(b, loc, type, pointer, 8);
  return LLVM::LoadOp::create(b, loc, type, pointer, alignmentOf(type));
}

void KernelEmitter::storeRaw(Value value, Value pointer) {
  // Bits, as load() gives them: nothing may be left between a load under a mask and a store that is a bf16 to LLVM.
  if (getElementTypeOrSelf(value.getType()).isBF16()) {
    Type bits = b.getI16Type();
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      bits = VectorType::get(vector.getShape(), bits);
    value = bitcast(value, bits);
  }
  LLVM::StoreOp::create(b, loc, value, pointer, alignmentOf(value.getType()));
}

VectorType KernelEmitter::vectorOf(Type element, int64_t count) {
  return VectorType::get({count ? count : lanes}, element);
}

Value KernelEmitter::shuffle(Value x, Value y, ArrayRef<int64_t> order) {
  return vector::ShuffleOp::create(b, loc, x, y, order);
}

Value KernelEmitter::bitcast(Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<VectorType>(type) && isa<VectorType>(value.getType()))
    return vector::BitCastOp::create(b, loc, type, value);
  return arith::BitcastOp::create(b, loc, type, value);
}

Value KernelEmitter::intrinsic(StringRef name, Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name), operands).getResult(0);
}

void KernelEmitter::instruction(StringRef name, ValueRange operands) {
  LLVM::CallIntrinsicOp::create(b, loc, b.getStringAttr(name), operands);
}

Value KernelEmitter::fence(Value value) {
  if (!isa<VectorType>(value.getType()))
    return value;
  StringRef constraints = target.has("avx512f") ? "=v,0,~{memory}" : "=x,0,~{memory}";
  return LLVM::InlineAsmOp::create(b, loc, value.getType(), value, "", constraints, /*has_side_effects=*/true,
                                   /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

SmallVector<Value> KernelEmitter::loop(Value from, Value to, Value step, ValueRange carried,
                                       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto op = scf::ForOp::create(b, loc, from, to, step, carried);
  OpBuilder::InsertionGuard guard(b);
  Scope scope(*this);
  if (!op.getBody()->empty())
    op.getBody()->back().erase();
  b.setInsertionPointToEnd(op.getBody());
  if (std::optional<int64_t> s = constantOf(step))
    if (std::optional<int64_t> f = constantOf(from))
      divisors[op.getInductionVar()] = *f ? std::min(*f & -*f, *s & -*s) : *s & -*s;
  SmallVector<Value> results = body(op.getInductionVar(), op.getRegionIterArgs());
  scf::YieldOp::create(b, loc, results);
  return SmallVector<Value>(op.getResults());
}

InFlightDiagnostic KernelEmitter::refuse(Operation *op, const Twine &what) {
  failed = true;
  return op->emitOpError("has no CPU form: ") << what;
}
