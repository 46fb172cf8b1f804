//===- ThreadEmitter.h - one kernel, from tiles to the code of one thread -----------------------------------------===//
//
// One structured walk over a kernel whose tiles have layouts of threads (tile-assign-thread-layouts), no pattern
// rewriting. A tile is the list of the registers that this thread holds, one SSA scalar for each element, in the order
// of the layout's register bits. Every op asks the layouts what to do: which element a register is (masks, iota), which
// registers move together (vectors of a load), between which threads a sum runs (Reduce.cpp), how a value changes its
// threads (Conversions.cpp, by the plans of adze/Layout/ConversionPlan.h). What is not what an instruction wants is an
// error at its op, never silently something else.
//
// The code is written in arith, scf and the llvm dialect, with LLVM's own intrinsics for what only a GPU has. So one
// emission serves the card (by the NVPTX back end) and a CPU that runs the same code thread by thread
// (lib/Pipeline/Execution).
//
// Shared memory of a block is one array, cut here: a tile of `#tile.shared` has a piece of it from where it is written
// to its last use; what passes through (conversions, sums over warps) takes what is free at that place. A barrier
// stands before any of it is written after any was read (`beginShared`), and between writing and reading. A ring has
// its piece up to its last use; its slots are guarded by their waits (Rings.cpp).
//
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LIB_CONVERSION_TILETOGPU_THREADEMITTER_H
#define ADZE_LIB_CONVERSION_TILETOGPU_THREADEMITTER_H

#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Layout/ConversionPlan.h"
#include "adze/Layout/PackedOrder.h"
#include "adze/Target/TargetInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

namespace adze::tile {

/// The shared memory of every block, one array whose size the launch gives.
inline constexpr llvm::StringLiteral kSharedSymbol = "adze_shared";

class ThreadEmitter {
public:
  ThreadEmitter(mlir::func::FuncOp kernel, const TargetInfo &target);
  /// Emits `name_entry`, the code of a thread, and `name_blocks` for the host, before the kernel, which stays.
  /// Diagnostics say what was not possible.
  mlir::LogicalResult emit();

private:
  using Registers = llvm::SmallVector<mlir::Value>;

  /// Memory under a view.
  struct ViewState {
    mlir::Value pointer;                       ///< offset included
    llvm::SmallVector<mlir::Value, 6> extents; ///< index
    llvm::SmallVector<mlir::Value, 6> strides; ///< index, elements; empty for packed memory
    std::optional<PackedOrder> order;
    mlir::Type element;
    int64_t aligned = 64; ///< bytes that its start is a multiple of
    bool overread = false, readOnly = false;
  };

  /// A load or store with its offsets applied.
  struct Access {
    mlir::Value pointer;  ///< of the view: a place that may always be read
    mlir::Value elements; ///< i64, from there to what this thread's register 0 is
    mlir::Type element;
    unsigned bits;                         ///< of one element in memory
    llvm::SmallVector<int64_t> ofRegister; ///< elements that each register bit adds where that is a constant
    llvm::SmallVector<mlir::Value> more;   ///< i64, the same where it is none; else null
    unsigned vectorBits = 0;               ///< register bits that move together ...
    llvm::SmallVector<unsigned> vector;    ///< ... by what they add: 1, 2, 4, ..
    struct Bound {
      unsigned dim;      ///< of the tile
      mlir::Value place; ///< i64, this thread's coordinate along it less what is left up to the extent
    };
    llvm::SmallVector<Bound> bounds;
    bool readOnly = false;
  };

  struct SharedTile {
    int64_t offset, rowBytes;
    mlir::Type element;
  };

  /// Slots of a ring, bytes.
  struct Ring {
    int64_t offset, slotBytes;
    llvm::SmallVector<int64_t> fields; ///< where each begins in a slot
  };

  // ---- ThreadEmitter.cpp: entry points and structure
  mlir::func::FuncOp blocksFunction();
  void unpackArguments(mlir::Value arguments, bool onDevice);
  llvm::SmallVector<mlir::Value> blockCounts(GridOp grid);
  void walk(mlir::Block &block);
  void emitOp(mlir::Operation &op);
  void emitFor(mlir::scf::ForOp op);
  void emitIf(mlir::scf::IfOp op);
  void emitScalar(mlir::Operation &op);
  Registers flatten(mlir::ValueRange values);
  void bind(mlir::ValueRange targets, mlir::ValueRange flat);

  // ---- Elementwise.cpp
  void emitElementwise(mlir::Operation &op);
  mlir::Value elementwise(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<mlir::Type> from,
                          mlir::Type element);
  void emitBroadcast(BroadcastOp op);
  void emitIota(IotaOp op);
  void emitConstant(mlir::arith::ConstantOp op);

  // ---- Memory.cpp
  void defineView(ViewOp op);
  std::optional<Access> makeAccess(mlir::Operation *op, mlir::Value view, mlir::ValueRange offsets,
                                   mlir::RankedTensorType tile, std::optional<llvm::ArrayRef<int64_t>> dims,
                                   std::optional<llvm::ArrayRef<int64_t>> inBounds, bool mayOverread);
  bool addPacked(mlir::Operation *op, const ViewState &view, mlir::ValueRange offsets, llvm::ArrayRef<unsigned> dims,
                 mlir::RankedTensorType tile, const LinearMap &layout, Access &access, int64_t &alignment);
  mlir::Value lookup(LookupOp op);
  void load(LoadOp op);
  void store(StoreOp op);
  mlir::Value condition(const Access &access, const Coord &coord);
  mlir::Value addressOf(const Access &access, uint64_t reg);

  // ---- Conversions.cpp: registers to registers
  void convert(ConvertLayoutOp op);
  Registers convert(mlir::Operation *op, llvm::ArrayRef<mlir::Value> registers, mlir::Type element,
                    const LinearMap &from, const LinearMap &to);
  Registers permute(const BytePermute &permute, llvm::ArrayRef<mlir::Value> words);
  Registers shuffleWords(const ShuffleStep &step, llvm::ArrayRef<mlir::Value> words);
  Registers throughShared(const SharedStep &step, unsigned words, llvm::ArrayRef<mlir::Value> stored);
  void access(const SharedAccess &access, bool store, mlir::Value base, Registers &words, unsigned firstWord);
  Registers pack(llvm::ArrayRef<mlir::Value> registers, mlir::Type element);
  Registers unpack(llvm::ArrayRef<mlir::Value> words, mlir::Type element, size_t count);

  // ---- SharedTiles.cpp: tiles in shared memory and products from there
  void writeShared(ConvertLayoutOp op);
  void readShared(ConvertLayoutOp op);
  void sharedDot(DotOp op);

  // ---- Rings.cpp: copies in flight
  void ring(RingOp op);
  void put(PutOp op);
  void wait(WaitOp op);
  void get(GetOp op);
  void readSlot(ConvertLayoutOp op);
  mlir::Value fieldAddress(mlir::Value ring, mlir::Value slot, int64_t field);
  Registers unpackCodes(llvm::ArrayRef<mlir::Value> words, size_t count);

  // ---- Products.cpp: matrix instructions
  void dot(DotOp op);
  void matrixDot(DotOp op);

  // ---- Reduce.cpp
  void reduce(ReduceOp op);
  mlir::Value combine(llvm::StringRef kind, mlir::Value x, mlir::Value y);
  mlir::Value fromLane(mlir::Value value, int32_t mask);

  // ---- Emit.cpp: small pieces of IR
  bool isTile(mlir::Value value) const { return llvm::isa<mlir::RankedTensorType>(value.getType()); }
  /// The whole map of a tile's encoding; an error at the op and nothing where it has none.
  std::optional<LinearMap> layoutOf(mlir::Operation *op, mlir::Type type);
  static Coord coordOf(const LinearMap &layout, uint64_t reg);
  /// This thread's coordinate along a dimension, i32: what lane and warp bits add. Null: nothing.
  mlir::Value threadCoord(const LinearMap &layout, unsigned dim);
  /// XOR over the thread's bits, i32; null where all are zero. `ofThread`: the bits above the lane.
  mlir::Value threadXor(llvm::ArrayRef<uint32_t> ofLane, llvm::ArrayRef<uint32_t> ofThread);
  mlir::Value threadBit(unsigned bit);
  mlir::Type registerType(mlir::Type element);
  mlir::Type movedType(mlir::Type element);
  mlir::Value index(int64_t value);
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value toI64(mlir::Value value);
  mlir::Value bitcast(mlir::Value value, mlir::Type type);
  mlir::Value gep(mlir::Value pointer, mlir::Value bytes);
  mlir::Value loadRaw(mlir::Type type, mlir::Value pointer, unsigned alignment, bool readOnly = false);
  void storeRaw(mlir::Value value, mlir::Value pointer, unsigned alignment);
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type type, mlir::ValueRange operands);
  void instruction(llvm::StringRef name, mlir::ValueRange operands);
  mlir::Value extract(mlir::Value vector, unsigned place);
  mlir::Value vectorOf(llvm::ArrayRef<mlir::Value> elements);
  mlir::Value sharedPointer(mlir::Value bytes);
  /// Before shared memory is written: what is read of it must be over.
  void beginShared();
  /// Between writing and reading it.
  void barrier();
  /// The lowest place that no tile has at the moment.
  int64_t freeShared(int64_t bytes);
  int64_t allocateShared(int64_t bytes, mlir::Operation *lastUse);
  static std::optional<int64_t> constantOf(mlir::Value value);
  mlir::InFlightDiagnostic refuse(mlir::Operation *op, const llvm::Twine &what);

  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::func::FuncOp kernel;
  const TargetInfo &target;
  const GpuFacts &gpu;
  int64_t threads;
  bool failed = false;
  mlir::Value thread, shared; ///< i32; pointer
  bool sharedIsRead = true;
  int64_t sharedBytes = 0;                                                 ///< most that is in use at once
  llvm::SmallVector<std::pair<int64_t, int64_t>> sharedPieces;             ///< (begin, end) of tiles
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t>> freeAfter; ///< pieces that end there
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, ViewState> views;
  llvm::DenseMap<mlir::Value, Registers> tiles;
  llvm::DenseMap<mlir::Value, SharedTile> sharedTiles;
  llvm::DenseMap<mlir::Value, Ring> rings;
  llvm::DenseMap<mlir::Value, mlir::Value> slotTiles; ///< i32, where they begin
  llvm::DenseSet<mlir::Value> storedPointers;
};

} // namespace adze::tile

#endif // ADZE_LIB_CONVERSION_TILETOGPU_THREADEMITTER_H
