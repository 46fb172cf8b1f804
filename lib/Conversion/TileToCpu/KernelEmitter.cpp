// Entry points and structure: grids become ranges of block numbers, loops carry vectors.
#include "KernelEmitter.h"
#include "adze/Support/Mutant.h"

using namespace mlir;
using namespace adze::tile;

KernelEmitter::KernelEmitter(func::FuncOp kernel, const TargetInfo &target)
    : b(kernel.getContext()), loc(kernel.getLoc()), kernel(kernel), target(target), lanes(target.lanes()) {
  kernel.walk([&](StoreOp store) {
    if (auto view = store.getView().getDefiningOp<ViewOp>())
      storedPointers.insert(view.getBase());
  });
}

LogicalResult KernelEmitter::emit() {
  entry(/*blocksOnly=*/true);
  if (!failed)
    entry(/*blocksOnly=*/false);
  return success(!failed);
}

void KernelEmitter::unpackArguments(Value arguments) {
  for (BlockArgument argument : kernel.getArguments()) {
    Value word = gep(arguments, int64_t(argument.getArgNumber()) * 8);
    if (isa<PtrType>(argument.getType()))
      scalars.map(argument, loadRaw(LLVM::LLVMPointerType::get(b.getContext()), word));
    else if (argument.getType().isIndex())
      scalars.map(argument, Value(arith::IndexCastOp::create(b, loc, b.getIndexType(), loadRaw(b.getI64Type(), word))));
    else
      refuse(kernel, "arguments are !tile.ptr and index");
  }
}

SmallVector<Value> KernelEmitter::blockCounts(GridOp grid) {
  SmallVector<Value> counts;
  for (auto [extent, size] : llvm::zip(grid.getExtents(), grid.getTile())) {
    Value mapped = scalars.lookup(extent);
    counts.push_back(size == 1 ? mapped
                               : b.createOrFold<arith::DivUIOp>(loc, add(mapped, index(size - 1)), index(size)));
  }
  return counts;
}

/// void name(ptr arguments, i64 first, i64 last), or i64 name_blocks(ptr arguments).
void KernelEmitter::entry(bool blocksOnly) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  scalars.clear();
  tiles.clear();
  views.clear();
  divisors.clear();
  emitted.clear();
  usesTileRegisters = false;
  Scope scope(*this);
  b.setInsertionPoint(kernel);
  std::string name = kernel.getName().str();
  entryFunction = blocksOnly
                      ? func::FuncOp::create(b, loc, name + "_blocks", b.getFunctionType({pointer}, {i64}))
                      : func::FuncOp::create(b, loc, name + "_entry", b.getFunctionType({pointer, i64, i64}, {}));
  Block *block = entryFunction.addEntryBlock();
  b.setInsertionPointToEnd(block);
  unpackArguments(block->getArgument(0));
  Value start = index(0), first, last;
  if (!blocksOnly) {
    first = arith::IndexCastOp::create(b, loc, b.getIndexType(), block->getArgument(1));
    last = arith::IndexCastOp::create(b, loc, b.getIndexType(), block->getArgument(2));
  }
  for (Operation &op : kernel.front()) {
    if (failed) // what a later op needs is not there
      return;
    auto grid = dyn_cast<GridOp>(op);
    if (!grid) {
      if (!blocksOnly || !isa<ViewOp>(op))
        emitOp(op);
      continue;
    }
    SmallVector<Value> counts = blockCounts(grid);
    Value end = index(1);
    for (Value count : counts)
      end = mul(end, count);
    end = add(start, end);
    if (!blocksOnly) {
      Value from = arith::MaxSIOp::create(b, loc, first, start), to = arith::MinSIOp::create(b, loc, last, end);
      Value base = start;
      beginTileRegisters(from, to);
      loop(from, to, index(1), {}, [&](Value number, ValueRange) {
        Value rest = b.createOrFold<arith::SubIOp>(loc, number, base);
        for (int d = int(counts.size()) - 1; d >= 0; --d) {
          Value place = d ? b.createOrFold<arith::RemUIOp>(loc, rest, counts[d]) : rest;
          Value origin = mul(place, index(grid.getTile()[ADZE_MUTANT("step-by-another-tile") ? 0 : d]));
          scalars.map(grid.getBody().getArgument(d), origin);
          if (d)
            rest = b.createOrFold<arith::DivUIOp>(loc, rest, counts[d]);
        }
        walk(grid.getBody().front());
        return SmallVector<Value>();
      });
      endTileRegisters();
    }
    start = end;
  }
  if (usesTileRegisters) // else the system saves 8 KB with each switch of threads
    instruction("llvm.x86.tilerelease", {});
  if (blocksOnly)
    func::ReturnOp::create(b, loc, toI64(start));
  else
    func::ReturnOp::create(b, loc);
}

void KernelEmitter::walk(Block &block) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && !failed)
      emitOp(op);
}

void KernelEmitter::emitOp(Operation &op) {
  Location outer = loc;
  loc = op.getLoc();
  if (auto view = dyn_cast<ViewOp>(op)) {
    defineView(view);
  } else if (auto load = dyn_cast<LoadOp>(op)) {
    auto view = load.getView().getDefiningOp<ViewOp>();
    TileState state;
    state.access = makeAccess(&op, load.getView(), load.getOffsets(), load.getResult().getType(), load.getDims(),
                              load.getInBounds(), /*mayOverread=*/true);
    tiles[load.getResult()] = state;
    bool masked = state.access && (!state.access->bounds.empty() || state.access->inside);
    bool scalarAccess = llvm::any_of(load.getResult().getUses(), [&](OpOperand &use) {
      auto dot = dyn_cast<DotOp>(use.getOwner());
      return dot && use.get() == dot.getA();
    });
    if (failed || !view)
      return;
    // What a later store of this kernel may change is read here; masked activations once, not for each scalar.
    if (storedPointers.contains(view.getBase()) || (masked && scalarAccess)) {
      if (scalarAccess || registersOf(load.getResult().getType()) > 64)
        toBuffer(load.getResult());
      else
        toRegisters(load.getResult());
    }
  } else if (auto lookup = dyn_cast<LookupOp>(op)) {
    auto type = RankedTensorType::get({}, lookup.getView().getType().getElementType());
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, lookup.getOffsets().size()));
    std::shared_ptr<Access> access =
        makeAccess(&op, lookup.getView(), lookup.getOffsets(), type, ArrayRef<int64_t>(), ArrayRef(all), true);
    if (access)
      scalars.map(lookup.getResult(), Value(arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                                                       loadRaw(access->element, access->pointer))));
  } else if (auto store = dyn_cast<StoreOp>(op)) {
    Type type = store.getValue().getType();
    std::shared_ptr<Access> access = makeAccess(&op, store.getView(), store.getOffsets(), cast<RankedTensorType>(type),
                                                store.getDims(), store.getInBounds(), /*mayOverread=*/false);
    if (!access)
      return;
    forEachRegister(type, [&](ArrayRef<At> at) { this->store(*access, at, laneDim(type), get(store.getValue(), at)); });
  } else if (auto dotOp = dyn_cast<DotOp>(op)) {
    dot(dotOp);
  } else if (auto reduceOp = dyn_cast<ReduceOp>(op)) {
    reduce(reduceOp);
  } else if (auto forOp = dyn_cast<scf::ForOp>(op)) {
    emitFor(forOp);
  } else if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
    emitIf(ifOp);
  } else if (isa<func::ReturnOp>(op)) {
  } else if (isa<GridOp>(op)) {
    refuse(&op, "a grid inside another region");
  } else if (op.getNumResults() == 1 && isTile(op.getResult(0))) {
    define(op.getResult(0));
  } else {
    emitScalar(op);
  }
  loc = outer;
}

void KernelEmitter::emitScalar(Operation &op) {
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(scalars.lookupOrNull(operand));
  if (llvm::is_contained(operands, Value()) || op.getNumRegions()) {
    refuse(&op, "only tile, scf.for, scf.if and scalar arith or math ops stand in a kernel");
    return;
  }
  if (op.getNumResults() == 1 && OpTrait::hasElementwiseMappableTraits(&op)) {
    scalars.map(op.getResult(0), elementwise(&op, operands, op.getResult(0).getType()));
    return;
  }
  b.clone(op, scalars);
}

// ---------------------------------------------------------------- structured control flow
namespace {
/// Tiles among carried values, flattened to registers.
struct Carried {
  SmallVector<Value> values;
  SmallVector<unsigned> counts; ///< 0: a scalar
};
} // namespace

static SmallVector<SmallVector<Value>> split(ValueRange flat, ArrayRef<unsigned> counts) {
  SmallVector<SmallVector<Value>> groups;
  size_t at = 0;
  for (unsigned count : counts) {
    groups.emplace_back(flat.begin() + at, flat.begin() + at + std::max(1u, count));
    at += std::max(1u, count);
  }
  return groups;
}

void KernelEmitter::emitFor(scf::ForOp op) {
  // Large tiles are carried in a buffer of their own that each iteration overwrites; all others as SSA values.
  SmallVector<Value> buffers(op.getInitArgs().size());
  for (auto [i, init] : llvm::enumerate(op.getInitArgs()))
    if (isTile(init) && registersOf(init.getType()) > kMaxCarried) {
      buffers[i] = allocate(init.getType());
      forEachRegister(init.getType(),
                      [&](ArrayRef<At> at) { writeBuffer(init.getType(), buffers[i], at, get(init, at)); });
    }
  auto flatten = [&](ValueRange values) {
    Carried carried;
    for (auto [i, value] : llvm::enumerate(values)) {
      if (buffers[i])
        continue;
      if (!isTile(value)) {
        carried.values.push_back(scalars.lookup(value));
        carried.counts.push_back(0);
        continue;
      }
      // Many chains side by side would be scheduled into each other and their registers spilled: one after the other.
      bool crowded = target.has("amx-tile") && tiles[value].kind == TileState::Lazy &&
                     2 * registersOf(value.getType()) >= target.registers();
      unsigned count = 0;
      forEachStatic(value.getType(), [&](ArrayRef<At> at) {
        carried.values.push_back(crowded ? fence(get(value, at)) : get(value, at));
        ++count;
      });
      carried.counts.push_back(count);
    }
    return carried;
  };
  Carried init = flatten(op.getInitArgs());
  auto bind = [&](ValueRange targets, ValueRange flat) {
    SmallVector<SmallVector<Value>> groups = split(flat, init.counts);
    size_t next = 0;
    for (auto [i, target] : llvm::enumerate(targets)) {
      if (buffers[i])
        setBuffer(target, buffers[i]);
      else if (isTile(target))
        setRegisters(target, groups[next++]);
      else
        scalars.map(target, groups[next++].front());
    }
  };
  SmallVector<Value> results = loop(scalars.lookup(op.getLowerBound()), scalars.lookup(op.getUpperBound()),
                                    scalars.lookup(op.getStep()), init.values, [&](Value counter, ValueRange flat) {
                                      scalars.map(op.getInductionVar(), counter);
                                      bind(op.getRegionIterArgs(), flat);
                                      walk(*op.getBody());
                                      ValueRange yielded = op.getBody()->getTerminator()->getOperands();
                                      SmallVector<Value> values = flatten(yielded).values;
                                      // All are complete before any is overwritten: a yield may read the carried tiles,
                                      // or exchange them.
                                      for (auto [i, value] : llvm::enumerate(yielded))
                                        if (buffers[i] && tiles[value].kind != TileState::Buffer) {
                                          toBuffer(value);
                                        } else if (buffers[i] && tiles[value].buffer != buffers[i] &&
                                                   llvm::is_contained(buffers, tiles[value].buffer)) {
                                          Value copy = allocate(value.getType());
                                          copyBuffer(value.getType(), tiles[value].buffer, copy);
                                          setBuffer(value, copy);
                                        }
                                      for (auto [i, value] : llvm::enumerate(yielded))
                                        if (buffers[i] && tiles[value].buffer != buffers[i])
                                          copyBuffer(value.getType(), tiles[value].buffer, buffers[i]);
                                      return values;
                                    });
  bind(op.getResults(), results);
}

void KernelEmitter::emitIf(scf::IfOp op) {
  SmallVector<Type> types;
  SmallVector<unsigned> counts;
  for (Type type : op.getResultTypes()) {
    bool tile = isa<RankedTensorType>(type);
    if (tile && registersOf(type) > kMaxChosen) {
      refuse(op, "a result of " + Twine(registersOf(type)) + " registers; scf.if gives up to " + Twine(kMaxChosen));
      return;
    }
    counts.push_back(tile ? registersOf(type) : 0);
    types.append(std::max(1u, counts.back()), tile ? registerType(type, false) : type);
  }
  auto made = scf::IfOp::create(b, loc, types, scalars.lookup(op.getCondition()), !op.getElseRegion().empty());
  auto fill = [&](Block *from, Block *to) {
    OpBuilder::InsertionGuard guard(b);
    Scope scope(*this);
    if (!to->empty())
      to->back().erase();
    b.setInsertionPointToEnd(to);
    walk(*from);
    SmallVector<Value> values;
    for (Value value : from->getTerminator()->getOperands()) {
      if (isTile(value))
        forEachStatic(value.getType(), [&](ArrayRef<At> at) { values.push_back(get(value, at)); });
      else
        values.push_back(scalars.lookup(value));
    }
    scf::YieldOp::create(b, loc, values);
  };
  fill(op.thenBlock(), made.thenBlock());
  if (op.elseBlock())
    fill(op.elseBlock(), made.elseBlock());
  for (auto [result, group] : llvm::zip(op.getResults(), split(made.getResults(), counts))) {
    if (isTile(result))
      setRegisters(result, group);
    else
      scalars.map(result, group.front());
  }
}
