//===- KernelBuilder.h - builds the tile function of one group ----------------------------------------------------===//
//
// A kernel is built from its results backwards. A skeleton (one per kind of work: rows, products, heads, attention)
// makes the grid and the loops over a result's columns and asks for tiles of the results; `pull` makes the tile of any
// value of the group at a place, by asking for tiles of what the value is made from. So prologues and epilogues need no
// code of their own: an epilogue is what lies between a result and the root, a prologue what lies between the root and
// an operand, and each op is written once, in the file of its family, whether it stands alone or in a group. That is
// also why a fused kernel has the bits of the unfused ones: both run the same arithmetic in the same order.
//
// A place is a set of neighbouring rows and columns. Columns are `column` (an SSA index or null) plus a static offset,
// so that code which needs to know where in a head it stands can know. Tiles are [rows, width], also for one row.
//
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LIB_CONVERSION_LLMTOTILE_KERNELBUILDER_H
#define ADZE_LIB_CONVERSION_LLMTOTILE_KERNELBUILDER_H

#include "adze/Conversion/KernelAbi.h"
#include "adze/Dialect/Llm/IR/Products.h"
#include "adze/Dialect/Tile/IR/Tile.h"
#include "adze/Target/TargetInfo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include <map>

namespace adze {

/// Where a tile of an activation lies.
struct Place {
  mlir::Value row;           ///< first row
  int64_t rows = 1;          ///< number of rows
  mlir::Value column;        ///< first column, before `offset`; null: 0
  int64_t offset = 0;        ///< static part of the first column
  int64_t width = 0;         ///< number of columns
  bool columnsInside = true; ///< every column lies inside the activation
  bool rowsInside = false;   ///< every row does; a single one always

  bool allRowsInside() const { return rowsInside || rows == 1; }
  Place shifted(int64_t columns) const {
    Place place = *this;
    place.offset += columns;
    return place;
  }
  Place resized(int64_t columns) const {
    Place place = *this;
    place.width = columns;
    return place;
  }
};

class KernelBuilder {
public:
  KernelBuilder(llm::KernelOp group, mlir::func::FuncOp kernel, const TargetInfo &target, KernelAbi abi);

  llm::KernelOp group;
  mlir::func::FuncOp kernel;
  const TargetInfo &target;
  mlir::OpBuilder builder;
  mlir::Location location;
  KernelAbi abi;
  ScheduleRow schedule;
  llvm::SmallVector<ScheduleRow> smallSteps; ///< for steps of at most their tokens, ascending

  // ---- scalars and constants
  mlir::Value index(int64_t value);
  mlir::Value tokens(), requests(), layer();
  /// Number of rows of the group's results.
  mlir::Value resultExtent();
  mlir::Value addIndex(mlir::Value a, mlir::Value b);
  mlir::Value addIndex(mlir::Value a, int64_t b) { return addIndex(a, index(b)); }
  mlir::Value mulIndex(mlir::Value a, int64_t b);
  mlir::Value divIndex(mlir::Value a, int64_t b);
  mlir::Value remIndex(mlir::Value a, int64_t b);
  /// The first column of a place.
  mlir::Value columnOf(const Place &place);
  /// An i32 scalar of an index.
  mlir::Value toI32(mlir::Value value);

  // ---- tiles
  mlir::RankedTensorType tile(llvm::ArrayRef<int64_t> shape, mlir::Type element) {
    return mlir::RankedTensorType::get(shape, element);
  }
  mlir::Type f32() { return builder.getF32Type(); }
  mlir::Type i32() { return builder.getI32Type(); }
  mlir::Value constant(llvm::ArrayRef<int64_t> shape, double value);
  mlir::Value constantBf16(llvm::ArrayRef<int64_t> shape, double value);
  mlir::Value constantI32(llvm::ArrayRef<int64_t> shape, int32_t value);
  mlir::Value splat(llvm::ArrayRef<int64_t> shape, mlir::Value scalar);
  mlir::Value broadcast(mlir::Value value, int64_t dim, int64_t extent);
  mlir::Value reduce(llvm::StringRef kind, mlir::Value value, int64_t dim);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// A float tile in f32, exactly.
  mlir::Value widen(mlir::Value value);
  /// An f32 tile rounded to the element type.
  mlir::Value round(mlir::Value value, mlir::Type element);
  mlir::Value dot(mlir::Value a, mlir::Value b, mlir::Value acc, bool unsignedCodes = false);
  template <typename Op> mlir::Value binary(mlir::Value a, mlir::Value b) {
    return Op::create(builder, location, a, b);
  }
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c) {
    return mlir::math::FmaOp::create(builder, location, a, b, c);
  }

  // ---- memory
  struct View {
    mlir::Value value;
    mlir::Type element;
  };
  /// View of an operand tensor: rows by columns, packed as its type says. Made once, before the grid.
  View viewOf(mlir::BlockArgument operand);
  View viewOfResult(unsigned number);
  View viewOf(BatchArray array);
  View makeView(mlir::Value pointer, llvm::ArrayRef<mlir::Value> extents, mlir::Type element,
                llvm::ArrayRef<int64_t> strides = {}, bool constant = false, int64_t byteOffset = 0);
  mlir::Value pointerOfOperand(unsigned number);
  mlir::Value pointerOfResult(unsigned number);
  /// Loads the tile that spans the view's dimensions `dims`, in that order; the others have size 1. `inside`: the
  /// dimensions in which the tile is known to lie inside the extent.
  mlir::Value load(const View &view, llvm::ArrayRef<mlir::Value> offsets, llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> inside);
  void store(mlir::Value value, const View &view, llvm::ArrayRef<mlir::Value> offsets, llvm::ArrayRef<int64_t> dims,
             llvm::ArrayRef<int64_t> inside);
  mlir::Value lookup(BatchArray array, mlir::Value offset);
  /// The look-up that belongs to a row of the grid: made once for each row.
  mlir::Value rowLookup(const View &view, mlir::Value row);
  mlir::Value rowLookup(BatchArray array, mlir::Value row) { return rowLookup(viewOf(array), row); }

  // ---- control
  /// Starts the grid; the builder stands in its body afterwards.
  llvm::SmallVector<mlir::Value> startGrid(llvm::ArrayRef<mlir::Value> extents, llvm::ArrayRef<int64_t> tile);
  /// Ends the grid; another one, or scalars for it, may follow.
  void endGrid();
  /// Code for either outcome of an i1, without results.
  void branch(mlir::Value condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise);
  /// A loop over [0, upper) with carried values; the body returns the next ones.
  llvm::SmallVector<mlir::Value>
  loop(mlir::Value lower, mlir::Value upper, int64_t step, llvm::ArrayRef<mlir::Value> init,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, llvm::ArrayRef<mlir::Value>)> body);
  /// Calls `body` for whole chunks in a loop and for what is left with chunks of its own (`piecesOf`). Each call gets
  /// the place of its columns, which start at `base` (null: 0). `least`: no chunk is smaller; the last one may then
  /// reach beyond the extent and says so.
  llvm::SmallVector<mlir::Value>
  chunks(Place at, int64_t extent, int64_t chunk, llvm::ArrayRef<mlir::Value> init,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(const Place &, llvm::ArrayRef<mlir::Value>)> body,
         int64_t least = 1);
  /// How columns that fill no chunk are cut: one piece on a CPU, powers of two for the threads of a GPU.
  llvm::SmallVector<int64_t> piecesOf(int64_t rest, int64_t least = 1) const;
  /// Columns of one step of a sum over a row: `ofCpu` there, those of the schedule on a GPU.
  int64_t rowChunk(int64_t ofCpu, int64_t width) const;

  // ---- values of the group
  /// The tile of `value` at a place.
  mlir::Value pull(mlir::Value value, const Place &place);
  /// Says what the tile of `value` is, whatever the place.
  void bind(mlir::Value value, mlir::Value tile) { bound[value] = tile; }
  /// What `what` gave at the place, made by `make` if it is not known yet.
  mlir::Value remember(const void *what, const Place &place, llvm::function_ref<mlir::Value()> make);
  /// Column count of an activation.
  static int64_t columns(mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType()).getDimSize(1);
  }
  static mlir::Type elementOf(mlir::Value value) { return mlir::getElementTypeOrSelf(value); }
  /// Loads a vector operand (bias, norm weight) at columns, in f32.
  mlir::Value vectorAt(mlir::Value operand, const Place &place);

  /// Values that belong to a row and are made before the loops over its columns, by op: the scale of a norm, the scale
  /// and sum of a quantization of whole rows, the best token.
  void prepareRow(const Place &row);

private:
  mlir::Value make(mlir::Value value, const Place &place);
  friend struct Scope;

  /// What, row, rows, column, offset, width.
  using Key = std::tuple<const void *, void *, int64_t, void *, int64_t, int64_t>;
  std::vector<std::map<Key, mlir::Value>> memo;
  std::map<void *, View> views;
  std::map<unsigned, View> resultViews, batchViews;
  std::map<int64_t, mlir::Value> indices;
  std::map<std::pair<void *, void *>, mlir::Value> rowLookups;
  llvm::DenseMap<mlir::Value, mlir::Value> bound;

public:
  /// Row statistics by op, see prepareRow.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> rowValues;
  /// The place before which views and constants go.
  mlir::Block *entry = nullptr;
  mlir::Operation *gridOp = nullptr;

  /// Tiles that are made inside one loop body are not known outside of it.
  struct Scope {
    explicit Scope(KernelBuilder &owner) : owner(owner) { owner.memo.emplace_back(); }
    ~Scope() { owner.memo.pop_back(); }
    KernelBuilder &owner;
  };
};

// ---- one op, one function: tiles of values by the op that makes them (file of the op's family)
mlir::Value makeEmbedding(KernelBuilder &k, llm::EmbeddingOp op, const Place &place);
mlir::Value makeQuantizedEmbedding(KernelBuilder &k, llm::QuantizedEmbeddingOp op, const Place &place);
mlir::Value makeLinear(KernelBuilder &k, llm::LinearOp op, const Place &place);
mlir::Value makeQuantizedLinear(KernelBuilder &k, llm::QuantizedLinearOp op, const Place &place);
mlir::Value makeRmsNorm(KernelBuilder &k, llm::RmsNormOp op, const Place &place);
void prepareRmsNorm(KernelBuilder &k, llm::RmsNormOp op, const Place &row);
mlir::Value makeRope(KernelBuilder &k, llm::RopeOp op, const Place &place);
void prepareRope(KernelBuilder &k, llm::RopeOp op, const Place &row);
mlir::Value makeQuantize(KernelBuilder &k, llm::QuantizeOp op, unsigned result, const Place &place);
void prepareQuantize(KernelBuilder &k, llm::QuantizeOp op, const Place &row);
void prepareBestToken(KernelBuilder &k, llm::BestTokenOp op, const Place &row);
mlir::Value makeGatherRows(KernelBuilder &k, llm::GatherRowsOp op, const Place &place);
mlir::Value makeElementwise(KernelBuilder &k, mlir::Operation *op, const Place &place);

/// Parts of a quantized weight at hand in a group.
struct QuantizedWeight {
  mlir::Value codes, scales, offsets, outer;
  int64_t group;
  llm::Scheme scheme;
};
/// Scales of the rows [row, row + rows) for group `number` (an index), in f32, as a tile [rows].
mlir::Value groupScale(KernelBuilder &k, const QuantizedWeight &weight, mlir::Value row, int64_t rows, bool rowsInside,
                       mlir::Value number);
mlir::Value groupOffset(KernelBuilder &k, const QuantizedWeight &weight, mlir::Value row, int64_t rows, bool rowsInside,
                        mlir::Value number);
/// The codes of rows and one group: tile [rows, group].
mlir::Value codesOf(KernelBuilder &k, const QuantizedWeight &weight, mlir::Value row, int64_t rows, bool rowsInside,
                    mlir::Value number);
/// The numbers that codes stand for, one group wide, in f32: tile [rows, group].
mlir::Value dequantize(KernelBuilder &k, const QuantizedWeight &weight, mlir::Value row, int64_t rows, bool rowsInside,
                       mlir::Value number);

// ---- skeletons
void buildRows(KernelBuilder &k);
void buildProduct(KernelBuilder &k);
void buildHeads(KernelBuilder &k);
void buildAttention(KernelBuilder &k);
/// The first of two kernels of attention in runs (KernelAbi.h).
void buildAttentionPartials(KernelBuilder &k);

/// A norm of single heads, not of whole rows.
bool isOfHeads(llm::RmsNormOp norm);
/// True for groups that buildHeads makes.
bool worksByHeads(llm::KernelOp group);

/// Checks that the group can be built; emits an error that names op, types and target.
mlir::LogicalResult checkGroup(llm::KernelOp group, const TargetInfo &target);

} // namespace adze

#endif // ADZE_LIB_CONVERSION_LLMTOTILE_KERNELBUILDER_H
