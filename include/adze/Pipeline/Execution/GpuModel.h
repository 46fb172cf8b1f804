// GpuModel.h: kernels of a GPU, thread by thread on a CPU.
//
// The code that convert-tile-to-gpu makes for one thread runs here as it is, once for each thread of a block: what only
// a GPU has is replaced by a model that was written from the PTX manual and knows nothing of layouts. So a wrong
// layout, a wrong conversion or a missing barrier is a wrong number, and not something to find on a card.
//
// Threads are fibers of this one. They run in an order that the seed chooses (forward, backward, at random) until each
// waits for others: instructions of a warp for all 32 lanes, barriers for the block. Shared memory is filled with 0xCD
// before each block. Copies into shared memory (cp.async) land at once or when their group is waited for, as the seed
// has it. Faults end the run with a message: a deadlock, lanes of one warp at different instructions, an
// address of ldmatrix that is not aligned or lies outside.
#ifndef ADZE_PIPELINE_EXECUTION_GPUMODEL_H
#define ADZE_PIPELINE_EXECUTION_GPUMODEL_H

#include "adze/Support/Status.h"

#include <cstdint>
#include <string>

namespace llvm {
class Module;
}

namespace adze::execution {

/// The code of one thread of a kernel; its parameter is the argument block.
using ThreadCode = void (*)(const void *arguments);

/// Runs blocks [0, blocks) one after the other, not in order, in memory of this process. One run at a time in a thread.
Status runBlocks(ThreadCode code, const void *arguments, int64_t blocks, int64_t threads, int64_t sharedBytes,
                 uint64_t seed);

/// Makes the module's code run here: models for LLVM's NVVM intrinsics, this process's memory for shared memory.
/// Unsupported for an intrinsic that has no model.
Status replaceGpuInstructions(llvm::Module &module);

} // namespace adze::execution

#endif // ADZE_PIPELINE_EXECUTION_GPUMODEL_H
