//===- KernelBuilder.cpp - builds the tile function of one group --------------------------------------------------===//

#include "KernelBuilder.h"
#include "adze/Support/Mutant.h"

#include "llvm/ADT/TypeSwitch.h"

#include <bit>

using namespace mlir;
using namespace adze;

KernelBuilder::KernelBuilder(llm::KernelOp group, func::FuncOp kernel, const TargetInfo &target, KernelAbi abi)
    : group(group), kernel(kernel), target(target), builder(kernel.getContext()), location(group.getLoc()),
      abi(std::move(abi)), memo(1), entry(&kernel.getBody().front()) {
  builder.setInsertionPointToEnd(entry);
}

// ---------------------------------------------------------------- scalars and constants
Value KernelBuilder::index(int64_t value) {
  Value &constant = indices[value];
  if (!constant) {
    OpBuilder start = OpBuilder::atBlockBegin(entry);
    constant = arith::ConstantIndexOp::create(start, location, value);
  }
  return constant;
}

Value KernelBuilder::tokens() { return entry->getArgument(abi.pointers.size()); }
Value KernelBuilder::requests() { return entry->getArgument(abi.pointers.size() + 1); }
Value KernelBuilder::layer() { return entry->getArgument(abi.pointers.size() + 3); }
Value KernelBuilder::resultExtent() {
  return resultRows(group) == Rows::OutputRows ? entry->getArgument(abi.pointers.size() + 2) : tokens();
}

static std::optional<int64_t> constantOf(Value value) {
  if (auto constant = value.getDefiningOp<arith::ConstantIndexOp>())
    return constant.value();
  return std::nullopt;
}

Value KernelBuilder::addIndex(Value a, Value b) {
  auto left = constantOf(a), right = constantOf(b);
  if (left && right)
    return index(*left + *right);
  if (left && *left == 0)
    return b;
  if (right && *right == 0)
    return a;
  return arith::AddIOp::create(builder, location, a, b);
}

Value KernelBuilder::mulIndex(Value a, int64_t b) {
  if (auto value = constantOf(a))
    return index(*value * b);
  return b == 1 ? a : arith::MulIOp::create(builder, location, a, index(b));
}

Value KernelBuilder::divIndex(Value a, int64_t b) {
  if (auto value = constantOf(a))
    return index(*value / b);
  return b == 1 ? a : arith::DivUIOp::create(builder, location, a, index(b));
}

Value KernelBuilder::remIndex(Value a, int64_t b) {
  if (auto value = constantOf(a))
    return index(*value % b);
  return arith::RemUIOp::create(builder, location, a, index(b));
}

Value KernelBuilder::columnOf(const Place &place) {
  return place.column ? addIndex(place.column, place.offset) : index(place.offset);
}

Value KernelBuilder::toI32(Value value) { return arith::IndexCastOp::create(builder, location, i32(), value); }

// ---------------------------------------------------------------- tiles
Value KernelBuilder::constant(llvm::ArrayRef<int64_t> shape, double value) {
  return arith::ConstantOp::create(builder, location,
                                   DenseElementsAttr::get(tile(shape, f32()), static_cast<float>(value)));
}

Value KernelBuilder::constantBf16(llvm::ArrayRef<int64_t> shape, double value) {
  Type element = builder.getBF16Type();
  return arith::ConstantOp::create(
      builder, location, DenseElementsAttr::get(tile(shape, element), Attribute(builder.getFloatAttr(element, value))));
}

Value KernelBuilder::constantI32(llvm::ArrayRef<int64_t> shape, int32_t value) {
  return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(tile(shape, i32()), value));
}

Value KernelBuilder::splat(llvm::ArrayRef<int64_t> shape, Value scalar) {
  return tile::SplatOp::create(builder, location, tile(shape, scalar.getType()), scalar);
}

Value KernelBuilder::broadcast(Value value, int64_t dim, int64_t extent) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + dim, extent);
  return tile::BroadcastOp::create(builder, location, tile(shape, type.getElementType()), value, dim);
}

Value KernelBuilder::reduce(llvm::StringRef kind, Value value, int64_t dim) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  return tile::ReduceOp::create(builder, location, tile(shape, type.getElementType()), kind, value, dim);
}

Value KernelBuilder::reshape(Value value, llvm::ArrayRef<int64_t> shape) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return tile::ReshapeOp::create(builder, location, tile(shape, type.getElementType()), value);
}

Value KernelBuilder::widen(Value value) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getElementType().isF32())
    return value;
  return arith::ExtFOp::create(builder, location, tile(type.getShape(), f32()), value);
}

Value KernelBuilder::round(Value value, Type element) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return arith::TruncFOp::create(builder, location, tile(type.getShape(), element), value);
}

Value KernelBuilder::dot(Value a, Value b, Value acc, bool unsignedCodes) {
  return tile::DotOp::create(builder, location, acc.getType(), a, b, acc, /*a_unsigned=*/false, unsignedCodes);
}

// ---------------------------------------------------------------- memory
Value KernelBuilder::pointerOfOperand(unsigned number) { return entry->getArgument(abi.pointerOfOperand(number)); }
Value KernelBuilder::pointerOfResult(unsigned number) { return entry->getArgument(abi.pointerOfResult(number)); }

KernelBuilder::View KernelBuilder::makeView(Value pointer, llvm::ArrayRef<Value> extents, Type element,
                                            llvm::ArrayRef<int64_t> strides, bool constant, int64_t byteOffset) {
  OpBuilder::InsertionGuard guard(builder);
  // Before the grid, where its extents are known there.
  auto known = [&](Value extent) { return !gridOp->isAncestor(extent.getParentRegion()->getParentOp()); };
  if (gridOp && llvm::all_of(extents, known))
    builder.setInsertionPoint(gridOp);
  auto type = tile::ViewType::get(builder.getContext(), extents.size(), element);
  auto order = strides.empty() ? DenseI64ArrayAttr() : builder.getDenseI64ArrayAttr(strides);
  Value view = tile::ViewOp::create(builder, location, type, pointer, extents, static_cast<uint64_t>(byteOffset), order,
                                    constant, /*overread=*/false, /*storage=*/nullptr);
  return {view, element};
}

KernelBuilder::View KernelBuilder::viewOf(BlockArgument operand) {
  View &view = views[operand.getAsOpaquePointer()];
  if (view.value)
    return view;
  auto type = mlir::cast<RankedTensorType>(operand.getType());
  unsigned number = operand.getArgNumber();
  bool rows = operandRows(group, number) == Rows::OutputRows;
  bool weight = static_cast<bool>(group.getInputs()[number].getDefiningOp<llm::GetWeightOp>());
  llvm::SmallVector<Value> extents;
  for (int64_t extent : type.getShape())
    extents.push_back(mlir::ShapedType::isDynamic(extent) ? entry->getArgument(abi.pointers.size() + (rows ? 2 : 0))
                                                          : index(extent));
  view = makeView(pointerOfOperand(number), extents, type.getElementType(), {}, weight);
  if (auto packed = mlir::dyn_cast_or_null<llm::PackedAttr>(type.getEncoding()))
    view.value.getDefiningOp<tile::ViewOp>().setStorageAttr(
        tile::StorageAttr::get(builder.getContext(), packed.getBlock(), packed.getMap()));
  return view;
}

KernelBuilder::View KernelBuilder::viewOfResult(unsigned number) {
  View &view = resultViews[number];
  if (view.value)
    return view;
  auto type = mlir::cast<RankedTensorType>(group.getOutputs()[number].getType());
  llvm::SmallVector<Value> extents{resultExtent()};
  for (int64_t extent : type.getShape().drop_front())
    extents.push_back(index(extent));
  return view = makeView(pointerOfResult(number), extents, type.getElementType());
}

KernelBuilder::View KernelBuilder::viewOf(BatchArray array) {
  View &view = batchViews[static_cast<unsigned>(array)];
  if (view.value)
    return view;
  // Extents of tables serve no mask: look-ups lie inside. T and B stand for all of them but the rows and the pages.
  auto argument = [&](unsigned number) { return entry->getArgument(abi.pointers.size() + number); };
  Value extent = argument(1);
  switch (array) {
  case BatchArray::Position:
  case BatchArray::Request:
  case BatchArray::KvSlot:
    extent = argument(0);
    break;
  case BatchArray::OutputRow:
    extent = argument(2);
    break;
  case BatchArray::QueryStart:
  case BatchArray::PageStart:
  case BatchArray::Pages:
    extent = index(int64_t(1) << 40);
    break;
  default:
    break;
  }
  unsigned pointer = 0;
  while (abi.pointers[pointer].kind != KernelPointer::Kind::Batch || abi.pointers[pointer].array != array)
    ++pointer;
  return view = makeView(entry->getArgument(pointer), {extent}, builder.getIntegerType(bitsOf(array)));
}

Value KernelBuilder::load(const View &view, llvm::ArrayRef<Value> offsets, llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> inside) {
  return tile::LoadOp::create(builder, location, tile(shape, view.element), view.value, offsets,
                              builder.getDenseI64ArrayAttr(dims), builder.getDenseI64ArrayAttr(inside));
}

void KernelBuilder::store(Value value, const View &view, llvm::ArrayRef<Value> offsets, llvm::ArrayRef<int64_t> dims,
                          llvm::ArrayRef<int64_t> inside) {
  tile::StoreOp::create(builder, location, value, view.value, offsets, builder.getDenseI64ArrayAttr(dims),
                        builder.getDenseI64ArrayAttr(inside));
}

Value KernelBuilder::lookup(BatchArray array, Value offset) {
  return tile::LookupOp::create(builder, location, builder.getIndexType(), viewOf(array).value, offset);
}

Value KernelBuilder::rowLookup(const View &view, Value row) {
  Value &found = rowLookups[{view.value.getAsOpaquePointer(), row.getAsOpaquePointer()}];
  if (found)
    return found;
  // Right after the row is known, so that every loop inside may use it.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(row);
  return found = tile::LookupOp::create(builder, location, builder.getIndexType(), view.value, row);
}

// ---------------------------------------------------------------- control
llvm::SmallVector<Value> KernelBuilder::startGrid(llvm::ArrayRef<Value> extents, llvm::ArrayRef<int64_t> sizes) {
  auto grid = tile::GridOp::create(builder, location, extents, sizes);
  Block *body = builder.createBlock(&grid.getBody());
  llvm::SmallVector<Value> origins;
  for (size_t i = 0; i < extents.size(); ++i)
    origins.push_back(body->addArgument(builder.getIndexType(), location));
  gridOp = grid;
  builder.setInsertionPointToEnd(body);
  memo.emplace_back();
  return origins;
}

void KernelBuilder::endGrid() {
  memo.pop_back();
  builder.setInsertionPointAfter(gridOp);
  gridOp = nullptr;
}

void KernelBuilder::branch(Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(builder, location, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [block, body] : {std::pair(op.thenBlock(), then), std::pair(op.elseBlock(), otherwise)}) {
    builder.setInsertionPoint(block->getTerminator());
    Scope scope(*this);
    body();
  }
}

llvm::SmallVector<Value>
KernelBuilder::loop(Value lower, Value upper, int64_t step, llvm::ArrayRef<Value> init,
                    llvm::function_ref<llvm::SmallVector<Value>(Value, llvm::ArrayRef<Value>)> body) {
  auto op = scf::ForOp::create(builder, location, lower, upper, index(step), init);
  OpBuilder::InsertionGuard guard(builder);
  // A loop without carried values comes with its yield.
  if (init.empty())
    builder.setInsertionPoint(op.getBody()->getTerminator());
  else
    builder.setInsertionPointToEnd(op.getBody());
  Scope scope(*this);
  llvm::SmallVector<Value> carried(op.getRegionIterArgs().begin(), op.getRegionIterArgs().end());
  llvm::SmallVector<Value> next = body(op.getInductionVar(), carried);
  if (!init.empty())
    scf::YieldOp::create(builder, location, next);
  return llvm::SmallVector<Value>(op.getResults().begin(), op.getResults().end());
}

llvm::SmallVector<Value>
KernelBuilder::chunks(Place at, int64_t extent, int64_t chunk, llvm::ArrayRef<Value> init,
                      llvm::function_ref<llvm::SmallVector<Value>(const Place &, llvm::ArrayRef<Value>)> body,
                      int64_t least) {
  llvm::SmallVector<Value> carried(init);
  int64_t whole = extent / chunk * chunk;
  Value base = at.column;
  if (whole == chunk) {
    carried = body(at.resized(chunk), carried);
  } else if (whole) {
    carried = loop(index(0), index(whole), chunk, carried, [&](Value column, llvm::ArrayRef<Value> values) {
      Place place = at.resized(chunk);
      place.column = base ? addIndex(base, column) : column;
      return body(place, values);
    });
  }
  if (ADZE_MUTANT("skip-column-tail"))
    return carried;
  for (int64_t piece : piecesOf(extent - whole, least)) {
    Place place = at.shifted(whole).resized(piece);
    place.columnsInside &= whole + piece <= extent;
    carried = body(place, carried);
    whole += piece;
  }
  return carried;
}

llvm::SmallVector<int64_t> KernelBuilder::piecesOf(int64_t rest, int64_t least) const {
  llvm::SmallVector<int64_t> pieces;
  while (rest > 0) {
    pieces.push_back(target.gpu() ? std::max(least, int64_t(std::bit_floor(uint64_t(rest)))) : rest);
    rest -= pieces.back();
  }
  return pieces;
}

int64_t KernelBuilder::rowChunk(int64_t ofCpu, int64_t width) const {
  return target.gpu() ? std::bit_floor(uint64_t(std::min(width, schedule.columns))) : ofCpu;
}

// ---------------------------------------------------------------- values of the group
Value KernelBuilder::pull(Value value, const Place &place) {
  if (Value tile = bound.lookup(value))
    return tile;
  return remember(value.getAsOpaquePointer(), place, [&] { return make(value, place); });
}

Value KernelBuilder::remember(const void *what, const Place &place, llvm::function_ref<Value()> make) {
  Key key{what,         place.row.getAsOpaquePointer(),
          place.rows,   place.column ? place.column.getAsOpaquePointer() : nullptr,
          place.offset, place.width};
  for (auto &scope : llvm::reverse(memo))
    if (auto found = scope.find(key); found != scope.end())
      return found->second;
  Value tile = make();
  memo.back()[key] = tile;
  return tile;
}

Value KernelBuilder::make(Value value, const Place &place) {
  if (auto operand = mlir::dyn_cast<BlockArgument>(value)) {
    llvm::SmallVector<int64_t> inside;
    if (place.allRowsInside())
      inside.push_back(0);
    if (place.columnsInside)
      inside.push_back(1);
    return load(viewOf(operand), {place.row, columnOf(place)}, {place.rows, place.width}, {0, 1}, inside);
  }
  Operation *op = value.getDefiningOp();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](llm::SliceColumnsOp slice) {
        return pull(slice.getInput(),
                    ADZE_MUTANT("slice-from-the-first-column") ? place : place.shifted(slice.getOffset()));
      })
      .Case([&](llm::EmbeddingOp embedding) { return makeEmbedding(*this, embedding, place); })
      .Case([&](llm::QuantizedEmbeddingOp embedding) { return makeQuantizedEmbedding(*this, embedding, place); })
      .Case([&](llm::LinearOp linear) { return makeLinear(*this, linear, place); })
      .Case([&](llm::QuantizedLinearOp linear) { return makeQuantizedLinear(*this, linear, place); })
      .Case([&](llm::RmsNormOp norm) { return makeRmsNorm(*this, norm, place); })
      .Case([&](llm::RopeOp rope) { return makeRope(*this, rope, place); })
      .Case([&](llm::GatherRowsOp gather) { return makeGatherRows(*this, gather, place); })
      .Case([&](llm::BestTokenOp best) { return rowValues[best][0]; })
      .Case([&](llm::QuantizeOp quantize) {
        return makeQuantize(*this, quantize, mlir::cast<OpResult>(value).getResultNumber(), place);
      })
      .Default([&](Operation *other) { return makeElementwise(*this, other, place); });
}

Value KernelBuilder::vectorAt(Value operand, const Place &place) {
  llvm::SmallVector<int64_t> inside;
  if (place.columnsInside)
    inside.push_back(0);
  return widen(load(viewOf(mlir::cast<BlockArgument>(operand)), {columnOf(place)}, {place.width}, {0}, inside));
}

void KernelBuilder::prepareRow(const Place &row) {
  for (Operation &op : group.getBody().front())
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](llm::RmsNormOp norm) { prepareRmsNorm(*this, norm, row); })
        .Case([&](llm::RopeOp rope) { prepareRope(*this, rope, row); })
        .Case([&](llm::QuantizeOp quantize) { prepareQuantize(*this, quantize, row); })
        .Case([&](llm::BestTokenOp best) { prepareBestToken(*this, best, row); });
}
