// Entry points and structure: a block finds its work item by its number, loops carry registers.
#include "ThreadEmitter.h"

#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze;
using namespace adze::tile;

static constexpr unsigned kGlobal = 1, kShared = 3; ///< address spaces

ThreadEmitter::ThreadEmitter(func::FuncOp kernel, const TargetInfo &target)
    : b(kernel.getContext()), loc(kernel.getLoc()), kernel(kernel), target(target), gpu(*target.gpu()),
      threads(kernel->getAttrOfType<IntegerAttr>(kThreadsAttr).getInt()) {
  kernel.walk([&](StoreOp store) {
    if (auto view = store.getView().getDefiningOp<ViewOp>())
      storedPointers.insert(view.getBase());
  });
}

void ThreadEmitter::unpackArguments(Value arguments, bool onDevice) {
  Type i64Type = b.getI64Type();
  for (BlockArgument argument : kernel.getArguments()) {
    bool pointer = isa<PtrType>(argument.getType());
    if (!pointer && !argument.getType().isIndex()) {
      refuse(kernel, "arguments are !tile.ptr and index");
      continue;
    }
    Value word = loadRaw(i64Type, gep(arguments, i64(int64_t(argument.getArgNumber()) * 8)), 8);
    if (!pointer)
      scalars.map(argument, Value(arith::IndexCastOp::create(b, loc, b.getIndexType(), word)));
    else if (onDevice)
      scalars.map(argument,
                  Value(LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobal), word)));
  }
}

SmallVector<Value> ThreadEmitter::blockCounts(GridOp grid) {
  SmallVector<Value> counts;
  for (auto [extent, size] : llvm::zip(grid.getExtents(), grid.getTile())) {
    Value mapped = scalars.lookup(extent);
    int64_t more = ADZE_MUTANT("gpu-count-whole-tiles-alone") ? 0 : size - 1;
    counts.push_back(size == 1 ? mapped : b.createOrFold<arith::DivUIOp>(loc, add(mapped, index(more)), index(size)));
  }
  return counts;
}

/// i64 name_blocks(ptr arguments), run by the host.
func::FuncOp ThreadEmitter::blocksFunction() {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  b.setInsertionPoint(kernel);
  auto function =
      func::FuncOp::create(b, loc, kernel.getName().str() + "_blocks", b.getFunctionType({pointer}, {b.getI64Type()}));
  OpBuilder::InsertionGuard guard(b);
  Block *block = function.addEntryBlock();
  b.setInsertionPointToEnd(block);
  unpackArguments(block->getArgument(0), /*onDevice=*/false);
  Value total = index(0);
  for (Operation &op : kernel.front()) {
    if (failed)
      break;
    if (auto grid = dyn_cast<GridOp>(op)) {
      Value all = index(1);
      for (Value count : blockCounts(grid))
        all = mul(all, count);
      total = add(total, all);
    } else if (!isa<ViewOp, func::ReturnOp>(op)) {
      emitScalar(op);
    }
  }
  func::ReturnOp::create(b, loc, toI64(total));
  return function;
}

/// void name_entry(arguments by value), run by each thread.
LogicalResult ThreadEmitter::emit() {
  blocksFunction();
  if (failed)
    return failure();
  scalars.clear();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  b.setInsertionPoint(kernel);
  auto entry = func::FuncOp::create(b, loc, kernel.getName().str() + "_entry", b.getFunctionType({pointer}, {}));
  int64_t words = kernel.getNumArguments();
  entry.setArgAttr(0, LLVM::LLVMDialect::getByValAttrName(),
                   TypeAttr::get(LLVM::LLVMArrayType::get(b.getI64Type(), words)));
  entry.setArgAttr(0, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(8));
  Block *block = entry.addEntryBlock();
  b.setInsertionPointToEnd(block);
  unpackArguments(block->getArgument(0), /*onDevice=*/true);
  thread = intrinsic("llvm.nvvm.read.ptx.sreg.tid.x", b.getI32Type(), {});
  shared = LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), kShared),
                                     FlatSymbolRefAttr::get(b.getContext(), kSharedSymbol));
  Value block32 = intrinsic("llvm.nvvm.read.ptx.sreg.ctaid.x", b.getI32Type(), {});
  Value number = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), block32);

  Value start = index(0);
  for (Operation &op : kernel.front()) {
    if (failed)
      break;
    auto grid = dyn_cast<GridOp>(op);
    if (!grid) {
      emitOp(op);
      continue;
    }
    SmallVector<Value> counts = blockCounts(grid);
    Value end = index(1);
    for (Value count : counts)
      end = mul(end, count);
    end = add(start, end);
    // Several grids are neighbouring ranges of block numbers.
    Value after = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, number, start);
    Value before = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, end);
    auto mine = scf::IfOp::create(b, loc, arith::AndIOp::create(b, loc, after, before));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(mine.thenBlock());
      Value rest = b.createOrFold<arith::SubIOp>(loc, number, start);
      for (int d = int(counts.size()) - 1; d >= 0; --d) {
        Value place = d ? b.createOrFold<arith::RemUIOp>(loc, rest, counts[d]) : rest;
        scalars.map(grid.getBody().getArgument(d), mul(place, index(grid.getTile()[d])));
        if (d)
          rest = b.createOrFold<arith::DivUIOp>(loc, rest, counts[d]);
      }
      sharedIsRead = false; // a block begins with nothing in flight
      sharedPieces.clear();
      walk(grid.getBody().front());
    }
    start = end;
  }
  func::ReturnOp::create(b, loc);
  int64_t bytes = sharedBytes;
  if (bytes > gpu.sharedBytes)
    refuse(kernel, "it needs ") << bytes << " bytes of shared memory, and a block of " << target.name() << " has "
                                << gpu.sharedBytes << "; smaller tiles in its schedule need less";
  entry->setAttr("adze.launch",
                 b.getDictionaryAttr({b.getNamedAttr("threads", b.getI64IntegerAttr(threads)),
                                      b.getNamedAttr("shared_bytes", b.getI64IntegerAttr(bytes)),
                                      b.getNamedAttr("argument_bytes", b.getI64IntegerAttr(8 * words))}));
  return success(!failed);
}

void ThreadEmitter::walk(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && !failed)
      emitOp(op);
}

void ThreadEmitter::emitOp(Operation &op) {
  Location outer = loc;
  loc = op.getLoc();
  if (auto view = dyn_cast<ViewOp>(op))
    defineView(view);
  else if (auto loadOp = dyn_cast<LoadOp>(op))
    load(loadOp);
  else if (auto lookupOp = dyn_cast<LookupOp>(op))
    scalars.map(lookupOp.getResult(), lookup(lookupOp));
  else if (auto storeOp = dyn_cast<StoreOp>(op))
    store(storeOp);
  else if (auto dotOp = dyn_cast<DotOp>(op))
    dot(dotOp);
  else if (auto reduceOp = dyn_cast<ReduceOp>(op))
    reduce(reduceOp);
  else if (auto convertOp = dyn_cast<ConvertLayoutOp>(op))
    convert(convertOp);
  else if (auto ringOp = dyn_cast<RingOp>(op))
    ring(ringOp);
  else if (auto putOp = dyn_cast<PutOp>(op))
    put(putOp);
  else if (isa<CommitOp>(op))
    instruction("llvm.nvvm.cp.async.commit.group", {});
  else if (auto waitOp = dyn_cast<WaitOp>(op))
    wait(waitOp);
  else if (auto getOp = dyn_cast<GetOp>(op))
    get(getOp);
  else if (auto forOp = dyn_cast<scf::ForOp>(op))
    emitFor(forOp);
  else if (auto ifOp = dyn_cast<scf::IfOp>(op))
    emitIf(ifOp);
  else if (isa<GridOp>(op))
    refuse(&op, "a grid inside another region");
  else if (op.getNumResults() == 1 && isTile(op.getResult(0)))
    emitElementwise(op);
  else if (!isa<func::ReturnOp>(op))
    emitScalar(op);
  for (int64_t begin : freeAfter.lookup(&op)) {
    llvm::erase_if(sharedPieces, [&](auto &piece) { return piece.first == begin; });
    sharedIsRead = true; // a slot of a ring, perhaps
  }
  loc = outer;
}

void ThreadEmitter::emitScalar(Operation &op) {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  for (Value operand : op.getOperands()) {
    operands.push_back(scalars.lookupOrNull(operand));
    types.push_back(operand.getType());
  }
  if (llvm::is_contained(operands, Value()) || op.getNumRegions()) {
    refuse(&op, "only tile, scf.for, scf.if and scalar arith or math ops stand in a kernel");
    return;
  }
  if (op.getNumResults() == 1 && op.getNumOperands() && OpTrait::hasElementwiseMappableTraits(&op)) {
    if (Value value = elementwise(&op, operands, types, op.getResult(0).getType()))
      scalars.map(op.getResult(0), value);
    return;
  }
  b.clone(op, scalars);
}

// ---------------------------------------------------------------- structured control flow
ThreadEmitter::Registers ThreadEmitter::flatten(ValueRange values) {
  Registers flat;
  for (Value value : values) {
    if (isTile(value))
      flat.append(tiles.lookup(value));
    else
      flat.push_back(scalars.lookup(value));
  }
  return flat;
}

void ThreadEmitter::bind(ValueRange targets, ValueRange flat) {
  size_t next = 0;
  for (Value value : targets) {
    if (!isTile(value)) {
      scalars.map(value, flat[next++]);
      continue;
    }
    std::optional<LinearMap> layout = layoutOf(value.getParentBlock()->getParentOp(), value.getType());
    if (!layout)
      return;
    size_t count = size_t(1) << layout->reg.size();
    tiles[value] = Registers(flat.begin() + next, flat.begin() + next + count);
    next += count;
  }
}

void ThreadEmitter::emitFor(scf::ForOp op) {
  Registers init = flatten(op.getInitArgs());
  auto made = scf::ForOp::create(b, loc, scalars.lookup(op.getLowerBound()), scalars.lookup(op.getUpperBound()),
                                 scalars.lookup(op.getStep()), init);
  {
    OpBuilder::InsertionGuard guard(b);
    if (!made.getBody()->empty())
      made.getBody()->back().erase();
    b.setInsertionPointToEnd(made.getBody());
    scalars.map(op.getInductionVar(), made.getInductionVar());
    bind(op.getRegionIterArgs(), made.getRegionIterArgs());
    sharedIsRead = true; // by the iteration before
    walk(*op.getBody());
    if (failed)
      return;
    scf::YieldOp::create(b, loc, flatten(op.getBody()->getTerminator()->getOperands()));
  }
  sharedIsRead = true;
  bind(op.getResults(), made.getResults());
}

void ThreadEmitter::emitIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes()) {
    auto tile = dyn_cast<RankedTensorType>(type);
    std::optional<LinearMap> layout = tile ? layoutOf(op, type) : std::nullopt;
    if (tile && !layout)
      return;
    types.append(tile ? size_t(1) << layout->reg.size() : 1, tile ? registerType(tile.getElementType()) : type);
  }
  auto made = scf::IfOp::create(b, loc, types, scalars.lookup(op.getCondition()), !op.getElseRegion().empty());
  bool readBefore = sharedIsRead, readAfter = sharedIsRead;
  auto fill = [&](Block *from, Block *to) {
    OpBuilder::InsertionGuard guard(b);
    if (!to->empty())
      to->back().erase();
    b.setInsertionPointToEnd(to);
    sharedIsRead = readBefore;
    walk(*from);
    readAfter |= sharedIsRead;
    if (!failed)
      scf::YieldOp::create(b, loc, flatten(from->getTerminator()->getOperands()));
  };
  fill(op.thenBlock(), made.thenBlock());
  if (op.elseBlock())
    fill(op.elseBlock(), made.elseBlock());
  sharedIsRead = readAfter;
  if (!failed)
    bind(op.getResults(), made.getResults());
}
