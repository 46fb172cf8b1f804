//===- KernelAbi.h - argument block of a kernel group -------------------------------------------------------------===//
//
// One function says how the operands and results of an llm.kernel become the packed argument block of
// adze/Abi/Program.h. convert-llm-to-tile builds a kernel's signature from it and convert-llm-to-exec fills a launch
// from it, so that the two cannot disagree.
//
// Order: pointers of the operands as they stand, then pointers of the results, then T, B, R and the layer.
// * an activation, a weight or a table is one pointer;
// * the batch is nine pointers, in the order of BatchArray;
// * the cache is one pointer, to the pool; as a result it is none, for it is written in place;
// * the layer (the one operand of type index) is no pointer, it is the last word of the block.
//
// Attention in runs (a group with `kv_split`) is two kernels. The first folds runs and leaves what they gave in scratch
// memory: the operands, then that one pointer as its result. The second joins them: the operands, the scratch memory as
// one more of them, the results.
//
//===--------------------------------------------------------------------------------------------------------------===//
#ifndef ADZE_CONVERSION_KERNELABI_H
#define ADZE_CONVERSION_KERNELABI_H

#include "adze/Dialect/Llm/IR/Llm.h"
#include "llvm/ADT/SmallVector.h"

namespace adze {

/// Arrays of a batch, in the order of the argument block and of AdzeStep.
enum class BatchArray : unsigned {
  Position,
  Request,
  KvSlot,
  QueryStart,
  KvLength,
  PromptLength,
  PageStart,
  Pages,
  OutputRow
};
inline constexpr unsigned kBatchArrays = 9;

/// Bits of one element of the array: 64 for slots, 32 for all others.
unsigned bitsOf(BatchArray array);
/// Name of the array, as llm.make_batch spells it.
llvm::StringRef nameOf(BatchArray array);

/// One pointer of the argument block.
struct KernelPointer {
  enum class Kind { Operand, Batch, Cache, Scratch, Result };
  Kind kind;
  /// Operand or result number of the group; 0 for scratch memory.
  unsigned number;
  /// Which array, for Kind::Batch.
  BatchArray array = BatchArray::Position;
};

struct KernelAbi {
  llvm::SmallVector<KernelPointer> pointers;
  /// Operand number of the layer.
  std::optional<unsigned> layer;

  /// Number of the first pointer that stands for the operand, the batch's first array included.
  unsigned pointerOfOperand(unsigned number) const;
  /// Number of the pointer to scratch memory.
  unsigned pointerOfScratch() const;
  /// Number of the pointer that stands for the result.
  unsigned pointerOfResult(unsigned number) const;
  /// 8-byte words of the block: pointers, T, B, R and the layer.
  unsigned words() const { return pointers.size() + 4; }
};

/// What the leading extent of a tensor of a group is: tokens (T) or output rows (R).
enum class Rows { Tokens, OutputRows };
/// Of the group's results (set by llm-form-kernels in the attribute `rows`).
Rows resultRows(llm::KernelOp kernel);
/// Of an activation operand: T where a gather_rows reads it or it holds token ids, else as the results.
Rows operandRows(llm::KernelOp kernel, unsigned number);

/// The block of a group. A group with two operands of type index is a fault of the pass that formed it: the verifier
/// llm-verify-kernels refuses it.
KernelAbi deriveKernelAbi(llm::KernelOp kernel);
/// A number that the schedule pass left beside the group's row (`kv_split`, `matrix_rows`, ...); 0 where it left none.
int64_t numberBeside(llm::KernelOp kernel, llvm::StringRef name);
/// Whether the group is two kernels; the first one is named by the attribute `partials`, the second by `kernel`.
bool hasPartials(llm::KernelOp kernel);
/// The block of the first of two.
KernelAbi derivePartialsAbi(llm::KernelOp kernel);
/// Bytes of scratch memory: so many for each request, and so many more for each page that its list has at most.
struct ScratchSize {
  int64_t ofRequest, ofPage;
  /// Of a step whose requests list so many pages together.
  int64_t bytes(int64_t requests, int64_t pages) const { return ofRequest * requests + ofPage * pages; }
};
ScratchSize scratchSize(llm::KernelOp kernel);
/// Numbers (f32) that a run leaves: weighted values [heads, dim], then the largest scores [heads], then sums [heads];
/// whole vectors of four.
inline int64_t partialFloats(int64_t heads, int64_t dim) { return (heads * (dim + 2) + 3) / 4 * 4; }

} // namespace adze

#endif // ADZE_CONVERSION_KERNELABI_H
