// WrongPasses.cpp: passes that are wrong on purpose, to see that --verify-each-by-execution finds them. They know ops
// by their names alone, so that the plugin links no dialect of Adze a second time.
#include "adze/Transforms/NumericEffect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {

/// A pass that visits every op of one name.
template <class Derived, class Base> class OpPass : public Base {
public:
  OpPass() : Base(TypeID::get<Derived>()) {}
  StringRef getName() const override { return Derived::kName; }
  StringRef getArgument() const override { return Derived::kName; }
  std::unique_ptr<Pass> clonePass() const override { return std::make_unique<Derived>(); }
  void runOnOperation() override {
    SmallVector<Operation *> found;
    this->getOperation()->walk([&](Operation *op) {
      if (op->getName().getStringRef() == Derived::kOp)
        found.push_back(op);
    });
    static_cast<Derived *>(this)->change(found);
  }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<arith::ArithDialect>(); }
};

/// Takes the columns of every slice but the first from one place too far left.
struct ShiftSlices : OpPass<ShiftSlices, adze::ExactPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShiftSlices)
  static constexpr StringLiteral kName = "wrong-shift-slices", kOp = "llm.slice_columns";
  void change(ArrayRef<Operation *> slices) {
    for (Operation *slice : slices) {
      int64_t offset = cast<IntegerAttr>(slice->getAttr("offset")).getInt();
      if (offset > 0)
        slice->setAttr("offset", Builder(slice->getContext()).getI64IntegerAttr(offset - 1));
    }
  }
};

/// x + y becomes x + x.
struct DoubleFirst : OpPass<DoubleFirst, adze::ExactPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DoubleFirst)
  static constexpr StringLiteral kName = "wrong-double-first", kOp = "llm.add";
  void change(ArrayRef<Operation *> adds) {
    for (Operation *add : adds)
      add->setOperand(1, add->getOperand(0));
  }
};

/// Silu rounded to bf16 on the way, which changes a number by up to 1/256 of itself.
template <class Derived, class Base> struct RoundSilu : OpPass<Derived, Base> {
  static constexpr StringLiteral kOp = "llm.silu";
  void change(ArrayRef<Operation *> silus) {
    for (Operation *silu : silus) {
      OpBuilder builder(silu->getContext());
      builder.setInsertionPointAfter(silu);
      Value result = silu->getResult(0);
      auto wide = cast<RankedTensorType>(result.getType());
      Value narrow = arith::TruncFOp::create(builder, silu->getLoc(),
                                             RankedTensorType::get(wide.getShape(), builder.getBF16Type()), result);
      Value again = arith::ExtFOp::create(builder, silu->getLoc(), wide, narrow);
      result.replaceAllUsesExcept(again, narrow.getDefiningOp());
    }
  }
};
struct RoundInSilence : RoundSilu<RoundInSilence, adze::ExactPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RoundInSilence)
  static constexpr StringLiteral kName = "wrong-round-in-silence";
};
struct RoundPastItsBound : RoundSilu<RoundPastItsBound, adze::RoundsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RoundPastItsBound)
  static constexpr StringLiteral kName = "wrong-round-past-its-bound";
  adze::NumericPromise numericPromise() const override { return {adze::NumericEffect::Rounds, 1e-4}; }
};
struct RoundWithinItsBound : RoundSilu<RoundWithinItsBound, adze::RoundsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RoundWithinItsBound)
  static constexpr StringLiteral kName = "right-round-within-its-bound";
  adze::NumericPromise numericPromise() const override { return {adze::NumericEffect::Rounds, 0x1p-8}; }
};

/// The last grid of each kernel is left out: what it would write stays unwritten.
struct DropLastGrid : OpPass<DropLastGrid, adze::ExactPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DropLastGrid)
  static constexpr StringLiteral kName = "wrong-drop-last-grid", kOp = "func.func";
  void change(ArrayRef<Operation *> functions) {
    for (Operation *function : functions) {
      SmallVector<Operation *> grids;
      function->walk([&](Operation *op) {
        if (op->getName().getStringRef() == "tile.grid")
          grids.push_back(op);
      });
      if (grids.size() > 1)
        grids.back()->erase();
    }
  }
};

/// Every buffer in one slot, as if none were alive together.
struct ShareOneSlot : OpPass<ShareOneSlot, adze::ExactPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShareOneSlot)
  static constexpr StringLiteral kName = "wrong-share-one-slot", kOp = "exec.buffer";
  void change(ArrayRef<Operation *> buffers) {
    for (Operation *buffer : buffers)
      buffer->setAttr("slot", Builder(buffer->getContext()).getI64IntegerAttr(0));
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "WrongPasses", LLVM_VERSION_STRING, [] {
            PassRegistration<ShiftSlices>();
            PassRegistration<DoubleFirst>();
            PassRegistration<RoundInSilence>();
            PassRegistration<RoundPastItsBound>();
            PassRegistration<RoundWithinItsBound>();
            PassRegistration<DropLastGrid>();
            PassRegistration<ShareOneSlot>();
          }};
}
