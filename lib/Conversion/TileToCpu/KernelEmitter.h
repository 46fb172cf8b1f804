//===- KernelEmitter.h - one kernel, from tiles to vectors
//------------------------------------------------------------===//
//
// One structured walk over a kernel, no pattern rewriting. A tile is a value that can be asked for any of its
// registers; a register is a vector of `lanes` neighbours along the tile's lane dimension (its `#tile.regs` encoding),
// or a scalar where the layout has no lanes. A tile is in one of three states:
//
//   Lazy       nothing was emitted. Asking for a register emits the whole chain behind it: load, extend, dequantize,
//              multiply. A weight tile [32, K] so costs nothing by itself, whatever K: a dot asks for one register at a
//              time and never needs it as a whole.
//   Registers  SSA vectors. Loop-carried tiles, results of dots and reductions, values with several users.
//   Buffer     memory of this call (L1), row-major with the lane dimension innermost, for tiles too large for registers
//              and for access by run-time coordinate or as scalars (the `a` operand of a dot).
//
// A coordinate is static plus an optional run-time part (At): loops over large tiles use the latter, whose divisor is
// known, so that addresses in packed memory stay static inside a block.
//
// What was emitted for (tile, coordinate) is remembered per region, so that chains with a common part share it.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LIB_CONVERSION_TILETOCPU_KERNELEMITTER_H
#define ADZE_LIB_CONVERSION_TILETOCPU_KERNELEMITTER_H

#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Layout/PackedOrder.h"
#include "adze/Target/TargetInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include <map>

namespace adze::tile {

/// Registers of a loop-carried tile or a product up to this number are SSA values; above, the tile has a buffer.
inline constexpr int64_t kMaxCarried = 32;
/// Registers of a tile that scf.if gives.
inline constexpr int64_t kMaxChosen = 64;

/// A coordinate along one dimension: run-time part (a multiple of `multiple`) plus a static one.
struct At {
  mlir::Value dyn;
  int64_t fixed = 0;
  int64_t multiple = 1;
};
using Ats = llvm::SmallVector<At, 4>;

/// Memory under a view.
struct ViewState {
  mlir::Value pointer;                       ///< offset included
  llvm::SmallVector<mlir::Value, 6> extents; ///< index
  llvm::SmallVector<mlir::Value, 6> strides; ///< index, elements; empty for packed memory
  std::optional<PackedOrder> order;
  mlir::Type element;
  bool overread = false;
};

/// A load or store with its offsets applied: what is left depends on the coordinate inside the tile alone.
struct Access {
  mlir::Value pointer; ///< of the tile's origin
  mlir::Type element;
  llvm::SmallVector<int64_t, 4> shape;                        ///< of the tile
  llvm::SmallVector<mlir::Value, 4> strides;                  ///< bytes for each tile dimension, index; plain memory
  llvm::SmallVector<std::pair<unsigned, mlir::Value>> bounds; ///< tile dimension, what remains up to the extent
  mlir::Value inside; ///< i1: the offsets that no tile dimension spans lie inside; may be null
  // packed memory
  const PackedOrder *order = nullptr;
  llvm::SmallVector<unsigned, 4> dims;           ///< order dimension of each tile dimension
  llvm::SmallVector<mlir::Value, 4> blockStride; ///< elements from one block to the next, by order dimension
  llvm::SmallVector<int64_t, 4> free;            ///< in-block steps below this are static, by order dimension
};

struct TileState {
  enum Kind { Lazy, Registers, Buffer } kind = Lazy;
  llvm::SmallVector<mlir::Value> registers; ///< row-major; the lane dimension counts registers
  mlir::Value buffer;
  std::shared_ptr<Access> access; ///< of a tile.load
  mlir::Block *block = nullptr;   ///< where the registers are complete: `after`, or the block's start
  mlir::Operation *after = nullptr;
};

class KernelEmitter {
public:
  KernelEmitter(mlir::func::FuncOp kernel, const TargetInfo &target);
  /// Emits `name` and `name_blocks` before the kernel. The kernel stays; diagnostics say what was not possible.
  mlir::LogicalResult emit();

private:
  // ---- KernelEmitter.cpp: entry points and structure
  void entry(bool blocksOnly);
  void unpackArguments(mlir::Value arguments);
  void walk(mlir::Block &block);
  void emitOp(mlir::Operation &op);
  void emitFor(mlir::scf::ForOp op);
  void emitIf(mlir::scf::IfOp op);
  void emitScalar(mlir::Operation &op);
  llvm::SmallVector<mlir::Value> blockCounts(GridOp grid);

  // ---- Tiles.cpp: states of tiles
  bool isTile(mlir::Value value) const { return llvm::isa<mlir::RankedTensorType>(value.getType()); }
  int laneDim(mlir::Type type);
  int64_t registersOf(mlir::Type type);
  mlir::Type registerType(mlir::Type type, bool scalar);
  /// Decides whether a new elementwise value is emitted now.
  bool keepLazy(mlir::Value value);
  unsigned recomputeCost(mlir::Value value, unsigned limit);
  void define(mlir::Value value);
  void toRegisters(mlir::Value value);
  mlir::Value toBuffer(mlir::Value value);
  void setBuffer(mlir::Value value, mlir::Value buffer);
  void copyBuffer(mlir::Type tile, mlir::Value from, mlir::Value to);
  void setRegisters(mlir::Value value, llvm::ArrayRef<mlir::Value> registers);
  /// Gives a tile in registers a copy in memory, made where the registers are complete.
  mlir::Value spill(mlir::Value value);
  mlir::Value allocate(mlir::Type tile);
  /// Memory of this call, 64-byte aligned.
  mlir::Value allocateBytes(int64_t bytes);
  mlir::Value bufferPointer(mlir::Type tile, mlir::Value buffer, llvm::ArrayRef<At> at);
  mlir::Value readBuffer(mlir::Type tile, mlir::Value buffer, llvm::ArrayRef<At> at, bool scalar, int64_t width = 0);
  void writeBuffer(mlir::Type tile, mlir::Value buffer, llvm::ArrayRef<At> at, mlir::Value value);
  int64_t flatRegister(mlir::Type type, llvm::ArrayRef<At> at);
  /// Calls the body for every register, in loops where there are many. `at` may have run-time parts only for whole
  /// registers.
  void forEachRegister(mlir::Type type, llvm::function_ref<void(llvm::ArrayRef<At>)> body);
  void forEachDim(mlir::Type type, unsigned dim, Ats &at, llvm::function_ref<void(llvm::ArrayRef<At>)> body);
  void forEachStatic(mlir::Type type, llvm::function_ref<void(llvm::ArrayRef<At>)> body);

  // ---- Evaluate.cpp: registers of lazy tiles
  mlir::Value get(mlir::Value tile, llvm::ArrayRef<At> at, bool scalar = false);
  mlir::Value evaluate(mlir::Value tile, llvm::ArrayRef<At> at, bool scalar);
  Ats reshaped(mlir::RankedTensorType to, mlir::RankedTensorType from, llvm::ArrayRef<At> at);
  mlir::Value elementwise(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands, mlir::Type type);
  mlir::Value splat(mlir::Value scalar, mlir::Type type);

  // ---- Memory.cpp, Packed.cpp
  void defineView(ViewOp op);
  std::shared_ptr<Access> makeAccess(mlir::Operation *op, mlir::Value view, mlir::ValueRange offsets,
                                     mlir::RankedTensorType tile, std::optional<llvm::ArrayRef<int64_t>> dims,
                                     std::optional<llvm::ArrayRef<int64_t>> inBounds, bool mayOverread);
  bool makePackedAccess(mlir::Operation *op, const ViewState &view, mlir::ValueRange offsets, Access &access);
  mlir::Value pointerAt(const Access &access, llvm::ArrayRef<At> at);
  mlir::Value load(const Access &access, llvm::ArrayRef<At> at, int laneDim, bool scalar);
  mlir::Value loadUnmasked(const Access &access, llvm::ArrayRef<At> at, int laneDim, bool scalar, int64_t valid);
  void store(const Access &access, llvm::ArrayRef<At> at, int laneDim, mlir::Value value);
  void storeUnmasked(const Access &access, llvm::ArrayRef<At> at, int laneDim, mlir::Value value, int64_t valid);
  struct Mask {
    mlir::Value condition; ///< i1 for the whole register; may be null
    mlir::Value lanes;     ///< vector of i1; may be null
  };
  Mask mask(const Access &access, llvm::ArrayRef<At> at, int laneDim, bool scalar);
  mlir::Value packedLoad(const Access &access, llvm::ArrayRef<At> at, int laneDim, bool scalar, int64_t valid);
  /// Static element address inside the packed tile plus the run-time pointer for it.
  std::pair<mlir::Value, int64_t> packedAddress(const Access &access, llvm::ArrayRef<At> at);

  // ---- Dots.cpp, PairDots.cpp, IntegerDots.cpp, Reduce.cpp
  void dot(DotOp op);
  bool takesPairs(DotOp op);
  void pairStep(DotOp op, llvm::ArrayRef<At> origin, int64_t rows, int64_t columns, At k, int64_t depth,
                llvm::SmallVectorImpl<mlir::Value> &acc);
  mlir::Value pairOf(mlir::Value tile, At row, At k, bool single);
  mlir::Value weightPairs(mlir::Value tile, At n, At k, bool single);
  void floatStep(DotOp op, llvm::ArrayRef<At> origin, int64_t rows, int64_t columns, At k, int64_t depth,
                 llvm::SmallVectorImpl<mlir::Value> &acc);
  void integerStep(DotOp op, llvm::ArrayRef<At> origin, int64_t rows, int64_t columns, At k, int64_t depth,
                   llvm::SmallVectorImpl<mlir::Value> &acc);
  int64_t packedDepth(mlir::Value tile);
  bool codesInWords(mlir::Value tile);
  mlir::Value codeWords(mlir::Value tile, llvm::ArrayRef<At> at);
  mlir::Value activationWord(mlir::Value tile, At row, At k);

  // ---- MatrixDots.cpp: tile registers
  /// Emits the product through tile registers and returns true, or leaves all as it is.
  bool matrixDot(DotOp op);
  bool packedInRows(mlir::Value tile);
  std::pair<mlir::Value, mlir::Value> activationRows(mlir::Value tile, At row, At k);
  mlir::Value weightRows(mlir::Value tile, At n, At k, int64_t depth, mlir::Value scratch);
  /// Around the blocks [from, to) of a grid: the shapes that these ask for are configured before.
  void beginTileRegisters(mlir::Value from, mlir::Value to);
  void endTileRegisters();
  /// Number of the register that holds tile `number` of a role with that shape, as an i8 constant.
  mlir::Value tileRegister(char role, int64_t number, int64_t rows, int64_t bytes);

  void reduce(ReduceOp op);
  mlir::Value reduceLanes(ReduceOp op, Ats at, int lane);
  mlir::Value combine(llvm::StringRef kind, mlir::Value x, mlir::Value y);
  mlir::Value identity(llvm::StringRef kind, mlir::Type type);

  // ---- Emit.cpp: small pieces of IR
  mlir::Value index(int64_t value);
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value toI64(mlir::Value value);
  mlir::Value at(const At &coordinate);
  At plus(At coordinate, int64_t more) {
    coordinate.fixed += more;
    return coordinate;
  }
  mlir::Value gep(mlir::Value pointer, mlir::Value bytes);
  mlir::Value gep(mlir::Value pointer, int64_t bytes);
  mlir::Value loadRaw(mlir::Type type, mlir::Value pointer);
  void storeRaw(mlir::Value value, mlir::Value pointer);
  mlir::VectorType vectorOf(mlir::Type element, int64_t count = 0);
  mlir::Value shuffle(mlir::Value x, mlir::Value y, llvm::ArrayRef<int64_t> lanes);
  mlir::Value bitcast(mlir::Value value, mlir::Type type);
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type type, mlir::ValueRange operands);
  /// The same vector, known to be complete before any later load or store; no code.
  mlir::Value fence(mlir::Value value);
  /// One without a result.
  void instruction(llvm::StringRef name, mlir::ValueRange operands);
  /// A loop with carried values; the body gets the counter and returns what is carried on.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value from, mlir::Value to, mlir::Value step, mlir::ValueRange carried,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);
  static std::optional<int64_t> constantOf(mlir::Value value);
  mlir::InFlightDiagnostic refuse(mlir::Operation *op, const llvm::Twine &what);

  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::func::FuncOp kernel, entryFunction;
  const TargetInfo &target;
  int64_t lanes;
  bool failed = false;
  struct TileShape {
    char role;
    int64_t number, rows, bytes;
    bool operator==(const TileShape &other) const = default;
  };
  llvm::SmallVector<TileShape, 8> tileShapes; ///< of the grid at hand, by register
  mlir::Value tileConfig;
  mlir::scf::IfOp tileConfigured;
  bool usesTileRegisters = false;
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, ViewState> views;
  llvm::DenseMap<mlir::Value, TileState> tiles;
  llvm::DenseSet<mlir::Value> storedPointers;
  llvm::DenseMap<mlir::Value, int64_t> divisors; ///< of emitted loop counters

  using Key = std::tuple<void *, bool, llvm::SmallVector<std::pair<void *, int64_t>, 4>>;
  std::vector<std::map<Key, mlir::Value>> emitted; ///< one map for each open region
  struct Scope {
    KernelEmitter &emitter;
    explicit Scope(KernelEmitter &emitter) : emitter(emitter) { emitter.emitted.emplace_back(); }
    ~Scope() { emitter.emitted.pop_back(); }
  };
};

} // namespace adze::tile

#endif // ADZE_LIB_CONVERSION_TILETOCPU_KERNELEMITTER_H
