//===- AttentionFold.h - what rows of queries see of one head of the cache, folded --------------------------------===//
//
// Keys are folded in tiles of 64 absolute positions from 0, left to right (docs/Numerics.md), each tile as four pieces
// of 16 positions, so that pages of 16, 32 and 64 tokens give the same bits: the sums run over the same positions in
// the same order wherever these lie. The softmax is the online one: (largest score m, sum l, weighted values a); m
// starts at the lowest float, so that a tile in which nothing is visible changes no bit of the state.
//
// Only the tiles at the ends of what the rows see are masked: a hidden score is minus infinity, and the value behind it
// is replaced by 0, for memory that nothing has written may hold NaN. Rows of several tokens see different positions;
// what the last of them sees is written, so that a value hidden from some rows alone is finite and times 0 adds
// nothing. A row therefore has the same bits whichever rows share its block.
//
// Two forms. In f32 keys and values are widened and probabilities stay as they are. By matrix instructions (the
// schedule names their rows) both products are of bf16: a probability is the sum of two numbers of it, and l is their
// product by a column of ones. So a row's l is a chain over positions like its values, wherever threads hold them.
//
// Runs. Rows after the prompt fold runs of S absolute positions from 0 (the schedule's `split`), each from the
// identity, and join what these gave left to right. So the runs of one row can be folded by many blocks, and a row's
// bits follow from its position and the prompt's length alone: never from which rows share a step or how many blocks
// there are.
//
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_LIB_CONVERSION_LLMTOTILE_ATTENTIONFOLD_H
#define ADZE_LIB_CONVERSION_LLMTOTILE_ATTENTIONFOLD_H

#include "KernelBuilder.h"

namespace adze {

struct AttentionFold {
  /// Positions [start, end) that rows see: the least and the greatest bounds, and each row's own (tiles [rows] of i32)
  /// where rows are of several tokens.
  struct Visible {
    mlir::Value firstStart, lastStart, firstEnd, lastEnd;
    mlir::Value starts, ends;
  };
  /// Columns of a head that are one tile: all of them on a CPU, powers of two for the threads of a GPU. The last piece
  /// may reach beyond the head.
  struct Piece {
    int64_t offset, width;
    bool inside;
  };

  KernelBuilder &k;
  llm::PagedAttentionOp op;
  llm::KvType cache;
  bool matrix;                                ///< both products in bf16
  bool powersOfTwo;                           ///< scores are in units of ln 2
  llvm::SmallVector<Piece> pieces;            ///< of a head's columns
  llvm::ArrayRef<Piece> folded;               ///< those whose values are folded; all of them make scores
  KernelBuilder::View keys, values, pages;    ///< the cache's, and the list of pages
  mlir::Value head{}, firstPage{}, endPage{}; ///< of the cache; entries of the page list
  int64_t rows = 0;                           ///< of the queries
  llvm::SmallVector<mlir::Value> query{};     ///< [rows, width] by piece, as `operand` gives it
  Visible seen{};
  mlir::Value base{}; ///< what is to be added to the offsets of `folded`; null: nothing

  /// Where a piece of `folded` begins.
  mlir::Value columnOf(const Piece &piece) const {
    return base ? k.addIndex(base, piece.offset) : k.index(piece.offset);
  }
  static llvm::SmallVector<Piece> piecesOf(const KernelBuilder &k, int64_t dim, bool matrix);
  /// An operand of the scores: bf16 stays so where matrix instructions, or the CPU's pairs, multiply it.
  mlir::Value operand(mlir::Value value);

  /// (m [rows], l, a [rows, width] by piece of `folded`), f32. l is [rows], or [rows, 8] of equal columns as a matrix
  /// instruction makes it.
  using State = llvm::SmallVector<mlir::Value>;
  State identity();
  /// What the rows see, folded; of it, where `run` is given, what lies in that run of `split` positions. `small`: all
  /// tiles are masked, which changes no bit and is one loop.
  State fold(mlir::Value run = {}, int64_t split = 0, bool small = false);
  /// What the rows see, folded in runs that are joined left to right.
  State foldRuns(int64_t split);
  /// The runs that rows see: [first, end).
  std::pair<mlir::Value, mlir::Value> runs(int64_t split);
  /// The state of more positions; a part that a row sees nothing of leaves the row's bits as they are.
  State join(llvm::ArrayRef<mlir::Value> state, llvm::ArrayRef<mlir::Value> part);
  /// l as [rows].
  mlir::Value sums(mlir::Value sum);
  /// [rows, width] by piece of `folded`. A row that sees no key gives 0.
  llvm::SmallVector<mlir::Value> means(llvm::ArrayRef<mlir::Value> state);

private:
  mlir::Value row(mlir::Value value, int64_t extent) { return k.broadcast(value, 1, extent); }
  mlir::Value upperHalf(mlir::Value value);
  /// What scores are multiplied by, and what is raised to the power of a score less its row's largest: 2 where scores
  /// are in units of ln 2, else e.
  double scale();
  mlir::Value power(mlir::Value exponent);
  mlir::Value hidden(llvm::ArrayRef<int64_t> shape);
  llvm::SmallVector<mlir::Value> place(mlir::Value tile, int64_t piece, bool masked);
  llvm::SmallVector<int64_t> insideOf(const Piece &piece) const;
  mlir::Value visible(mlir::Value position, int64_t extent, bool toEachRow);
  llvm::SmallVector<mlir::Value> step(mlir::Value tile, llvm::ArrayRef<mlir::Value> state, bool masked);
};

} // namespace adze

#endif // ADZE_LIB_CONVERSION_LLMTOTILE_ATTENTIONFOLD_H
