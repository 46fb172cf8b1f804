// Views, loads and stores: addresses, masks, partial registers.
#include "KernelEmitter.h"
#include "adze/Dialect/Tile/IR/KnownDivisor.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::tile;

void KernelEmitter::defineView(ViewOp op) {
  ViewState &view = views[op.getResult()];
  view.element = op.getResult().getType().getElementType();
  view.overread = op.getOverread();
  view.pointer = gep(scalars.lookup(op.getBase()), int64_t(op.getOffset()));
  for (Value extent : op.getExtents())
    view.extents.push_back(scalars.lookup(extent));
  if (StorageAttr storage = op.getStorageAttr()) {
    view.order = PackedOrder::make(storage.getBlock(), storage.getMap().str());
    return;
  }
  if (view.element.getIntOrFloatBitWidth() < 8) {
    refuse(op, "elements smaller than a byte need a `storage` order");
    return;
  }
  view.strides.assign(view.extents.size(), index(1));
  if (op.getStrides()) {
    for (auto [stride, value] : llvm::zip(view.strides, *op.getStrides()))
      stride = index(value);
    return;
  }
  for (int d = int(view.extents.size()) - 2; d >= 0; --d)
    view.strides[d] = mul(view.strides[d + 1], view.extents[d + 1]);
}

std::shared_ptr<Access> KernelEmitter::makeAccess(Operation *op, Value viewValue, ValueRange offsets,
                                                  RankedTensorType tile, std::optional<ArrayRef<int64_t>> dims,
                                                  std::optional<ArrayRef<int64_t>> inBounds, bool mayOverread) {
  auto found = views.find(viewValue);
  if (found == views.end()) {
    refuse(op, "its view is not made at the top of the kernel or of a region around it");
    return nullptr;
  }
  const ViewState &view = found->second;
  auto access = std::make_shared<Access>();
  access->element = view.element;
  access->shape.assign(tile.getShape().begin(), tile.getShape().end());
  size_t rank = view.extents.size(), lead = rank - tile.getRank();
  for (int64_t d = 0; d < tile.getRank(); ++d)
    access->dims.push_back(dims ? (*dims)[d] : lead + d);
  if (view.order) {
    access->order = &*view.order;
    if (!makePackedAccess(op, view, offsets, *access))
      return nullptr;
  } else {
    int64_t width = view.element.getIntOrFloatBitWidth() / 8;
    Value bytes = index(0);
    for (auto [offset, stride] : llvm::zip(offsets, view.strides))
      bytes = add(bytes, mul(scalars.lookup(offset), mul(stride, index(width))));
    access->pointer = gep(view.pointer, bytes);
    for (unsigned d : access->dims)
      access->strides.push_back(mul(view.strides[d], index(width)));
  }
  for (size_t d = 0; d < rank; ++d) {
    if (llvm::is_contained(inBounds.value_or(ArrayRef<int64_t>()), int64_t(d)) || (mayOverread && view.overread))
      continue;
    const auto *place = llvm::find(access->dims, d);
    bool spanned = place != access->dims.end();
    int64_t size = spanned ? access->shape[place - access->dims.begin()] : 1;
    Value offset = scalars.lookup(offsets[d]), extent = view.extents[d];
    std::optional<int64_t> fixedOffset = constantOf(offset), fixedExtent = constantOf(extent);
    if (fixedOffset && fixedExtent && *fixedOffset + size <= *fixedExtent)
      continue;
    if (size == 1) {
      Value in = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, offset, extent);
      access->inside = access->inside ? Value(arith::AndIOp::create(b, loc, access->inside, in)) : in;
      continue;
    }
    // Packed memory holds zeros up to whole blocks: only what lies beyond them is out of bounds.
    if (view.order && mayOverread) {
      int64_t block = view.order->block()[d];
      extent = mul(b.createOrFold<arith::DivUIOp>(loc, add(extent, index(block - 1)), index(block)), index(block));
    }
    access->bounds.push_back(
        {unsigned(place - access->dims.begin()), b.createOrFold<arith::SubIOp>(loc, extent, offset)});
  }
  return access;
}

KernelEmitter::Mask KernelEmitter::mask(const Access &access, ArrayRef<At> at, int laneDim, bool scalar) {
  Mask mask{access.inside, Value()};
  for (auto [dim, rest] : access.bounds) {
    Value coordinate = this->at(at[dim]);
    if (int(dim) == laneDim && !scalar && !access.order) {
      Value left = b.createOrFold<arith::SubIOp>(loc, rest, coordinate);
      left = arith::MaxSIOp::create(b, loc, arith::MinSIOp::create(b, loc, left, index(lanes)), index(0));
      SmallVector<int32_t> steps = llvm::to_vector(llvm::seq<int32_t>(0, lanes));
      VectorType type = vectorOf(b.getI32Type());
      Value numbers = arith::ConstantOp::create(b, loc, type, DenseElementsAttr::get(type, ArrayRef(steps)));
      Value limit = splat(arith::IndexCastOp::create(b, loc, b.getI32Type(), left), type);
      mask.lanes = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, numbers, limit);
      continue;
    }
    Value in = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, coordinate, rest);
    mask.condition = mask.condition ? Value(arith::AndIOp::create(b, loc, mask.condition, in)) : in;
  }
  return mask;
}

Value KernelEmitter::pointerAt(const Access &access, ArrayRef<At> at) {
  Value pointer = access.pointer;
  int64_t fixed = 0;
  for (auto [coordinate, stride] : llvm::zip(at, access.strides)) {
    std::optional<int64_t> step = constantOf(stride);
    if (coordinate.dyn)
      pointer = gep(pointer, mul(coordinate.dyn, stride));
    if (coordinate.fixed && !step)
      pointer = gep(pointer, mul(index(coordinate.fixed), stride));
    if (step)
      fixed += coordinate.fixed * *step;
  }
  return gep(pointer, fixed);
}

static int64_t validLanes(const Access &access, ArrayRef<At> at, int lane, int64_t lanes) {
  if (lane < 0)
    return 1;
  return at[lane].dyn ? lanes : std::clamp<int64_t>(access.shape[lane] - at[lane].fixed, 1, lanes);
}

Value KernelEmitter::load(const Access &access, ArrayRef<At> at, int lane, bool scalar) {
  if (!scalar && lane < 0)
    scalar = true;
  int64_t valid = scalar ? 1 : validLanes(access, at, lane, lanes);
  Mask masked = mask(access, at, lane, scalar);
  if (!masked.condition && !masked.lanes)
    return loadUnmasked(access, at, lane, scalar, valid);
  Type type = scalar ? access.element : Type(vectorOf(access.element));
  if (!masked.condition)
    masked.condition = constant(b.getI1Type(), 1);
  // Bits go through the branch: a bf16 that is one of two values LLVM makes wider, and rounds again where it is stored,
  // by a call of __truncsfbf2, which a program does not have.
  Type bits = type;
  if (access.element.isBF16())
    bits = scalar ? Type(b.getI16Type()) : Type(vectorOf(b.getI16Type()));
  auto branch = scf::IfOp::create(b, loc, TypeRange{bits}, masked.condition, true);
  OpBuilder::InsertionGuard guard(b);
  auto fill = [&](Block *block, llvm::function_ref<Value()> value) {
    if (!block->empty())
      block->back().erase();
    b.setInsertionPointToEnd(block);
    Scope scope(*this);
    scf::YieldOp::create(b, loc, bitcast(value(), bits));
  };
  fill(branch.thenBlock(), [&]() -> Value {
    if (!masked.lanes)
      return loadUnmasked(access, at, lane, scalar, valid);
    if (constantOf(access.strides[lane]) == access.element.getIntOrFloatBitWidth() / 8)
      return LLVM::MaskedLoadOp::create(b, loc, bits, pointerAt(access, at), masked.lanes, constant(bits, 0),
                                        b.getI32IntegerAttr(access.element.getIntOrFloatBitWidth() / 8), UnitAttr());
    Value result = constant(type, 0);
    for (int64_t i = 0; i < valid; ++i) {
      Ats place(at);
      place[lane].fixed += i;
      result = vector::InsertOp::create(b, loc, load(access, place, lane, true), result, ArrayRef<int64_t>{i});
    }
    return result;
  });
  fill(branch.elseBlock(), [&] { return constant(bits, 0); });
  b.setInsertionPointAfter(branch);
  return bitcast(branch.getResult(0), type);
}

Value KernelEmitter::loadUnmasked(const Access &access, ArrayRef<At> at, int lane, bool scalar, int64_t valid) {
  if (access.order)
    return packedLoad(access, at, lane, scalar, valid);
  if (scalar)
    return loadRaw(access.element, pointerAt(access, at));
  if (constantOf(access.strides[lane]) == access.element.getIntOrFloatBitWidth() / 8) {
    Value value = loadRaw(vectorOf(access.element, valid), pointerAt(access, at));
    if (valid == lanes)
      return value;
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < lanes; ++i)
      order.push_back(i < valid ? i : valid); // beyond the tile: zeros
    return shuffle(value, constant(value.getType(), 0), order);
  }
  Value result = constant(vectorOf(access.element), 0);
  for (int64_t i = 0; i < valid; ++i) {
    Ats place(at);
    place[lane].fixed += i;
    result = vector::InsertOp::create(b, loc, loadRaw(access.element, pointerAt(access, place)), result,
                                      ArrayRef<int64_t>{i});
  }
  return result;
}

void KernelEmitter::store(const Access &access, ArrayRef<At> at, int lane, Value value) {
  bool scalar = lane < 0;
  int64_t valid = validLanes(access, at, lane, lanes);
  // Bits are stored: where a CPU has no masked store of 16 bits LLVM stores lane by lane, and a lane of bf16 it would
  // first make wider and then round by a call of __truncsfbf2, which a program does not have.
  if (access.element.isBF16())
    value = bitcast(value, scalar ? Type(b.getI16Type()) : Type(vectorOf(b.getI16Type())));
  Mask masked = mask(access, at, lane, scalar);
  if (access.order) {
    refuse(kernel, "stores into packed memory");
    return;
  }
  if (!masked.condition && !masked.lanes)
    return storeUnmasked(access, at, lane, value, valid);
  if (!masked.condition)
    masked.condition = constant(b.getI1Type(), 1);
  auto branch = scf::IfOp::create(b, loc, masked.condition, false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Scope scope(*this);
  if (!masked.lanes)
    return storeUnmasked(access, at, lane, value, valid);
  int64_t width = access.element.getIntOrFloatBitWidth() / 8;
  if (constantOf(access.strides[lane]) == width) {
    if (valid < lanes) {
      SmallVector<bool> keep;
      for (int64_t i = 0; i < lanes; ++i)
        keep.push_back(i < valid);
      VectorType type = vectorOf(b.getI1Type());
      Value inTile = arith::ConstantOp::create(b, loc, type, DenseElementsAttr::get(type, ArrayRef(keep)));
      masked.lanes = arith::AndIOp::create(b, loc, masked.lanes, inTile);
    }
    LLVM::MaskedStoreOp::create(b, loc, value, pointerAt(access, at), masked.lanes, b.getI32IntegerAttr(width));
    return;
  }
  for (int64_t i = 0; i < valid; ++i) {
    Value keep = vector::ExtractOp::create(b, loc, masked.lanes, ArrayRef<int64_t>{i});
    auto one = scf::IfOp::create(b, loc, keep, false);
    OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(one.thenBlock());
    Ats place(at);
    place[lane].fixed += i;
    storeRaw(vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{i}), pointerAt(access, place));
  }
}

void KernelEmitter::storeUnmasked(const Access &access, ArrayRef<At> at, int lane, Value value, int64_t valid) {
  if (lane < 0)
    return storeRaw(value, pointerAt(access, at));
  if (constantOf(access.strides[lane]) == access.element.getIntOrFloatBitWidth() / 8) {
    if (valid < lanes && !ADZE_MUTANT("store-beyond-the-tile"))
      value = shuffle(value, value, llvm::to_vector(llvm::seq<int64_t>(0, valid)));
    return storeRaw(value, pointerAt(access, at));
  }
  for (int64_t i = 0; i < valid; ++i) {
    Ats place(at);
    place[lane].fixed += i;
    storeRaw(vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{i}), pointerAt(access, place));
  }
}
