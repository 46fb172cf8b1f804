// CudaUpload.h: a mapped file to the GPU, as fast as host and bus allow.
//
// A copy from ordinary memory goes through a small buffer of the driver's on one thread and reaches a fraction of the
// bus. Here each of several threads owns a few page-locked pieces: it fills one from the mapping (which reads it from
// the page cache or the disk), gives it to the GPU, and fills the next while that is fetched. No thread waits for
// another. The copy goes past the caches, since nobody on the host reads it again.
//
// Page-locking the mapping itself, so that nothing is copied on the host, was built and measured as well: locking each
// page of a file cost more than copying it (docs/Performance.md), and the system call that does it was seen to block
// without end on a file that was being written back. It is not here any more.
//
// Memory besides the destination: uploadThreads * uploadPieces * uploadPiece bytes for as long as it takes.
#ifndef ADZE_LIB_RUNTIME_DEVICE_CUDA_CUDAUPLOAD_H
#define ADZE_LIB_RUNTIME_DEVICE_CUDA_CUDAUPLOAD_H

#include "CudaContext.h"

#include <span>

namespace adze::cuda {

/// Copies `bytes` to `destination` and returns when they are there, with the time that it took.
Status uploadBytes(CudaContext &gpu, std::span<const uint8_t> bytes, DevicePointer destination, UploadReport &report);

} // namespace adze::cuda
#endif
