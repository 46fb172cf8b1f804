// Threads, their page-locked pieces, and the copy past the caches.
#include "CudaUpload.h"

#include "adze/Support/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <emmintrin.h>
#include <fmt/format.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 // Linux 5.14; older kernels refuse it and the copy faults the pages in one by one
#endif

using namespace adze;
using namespace adze::cuda;

namespace {
constexpr std::string_view kWhat = "fetch a piece of a file";

// `to` is page-aligned. Ordinary stores would first read the line that they overwrite.
void copyPastCaches(uint8_t *to, const uint8_t *from, int64_t size) {
  int64_t i = 0;
  for (; i + 64 <= size; i += 64) {
    auto *source = reinterpret_cast<const __m128i *>(from + i);
    auto *target = reinterpret_cast<__m128i *>(to + i);
    __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  std::memcpy(to + i, from + i, size_t(size - i));
  _mm_sfence(); // before the GPU is told to read
}

// One call maps all pages of a range; a fault for each would cost more than the copy.
void mapPages(const uint8_t *start, int64_t size) {
  uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE)), address = uintptr_t(start), aligned = address & ~(page - 1);
  madvise(reinterpret_cast<void *>(aligned), size_t(address + uintptr_t(size) - aligned), MADV_POPULATE_READ);
}

struct Piece {
  void *memory = nullptr;
  Event fetched = nullptr;
  bool given = false; // to the GPU, at least once
};

// The pieces of all threads, freed at the end unless the GPU hangs on them.
struct Pieces {
  explicit Pieces(CudaContext &gpu) : gpu(gpu) {}
  ~Pieces() {
    for (Piece &piece : all) {
      if (gpu.hung)
        return;
      if (piece.fetched)
        gpu.driver->eventDestroy(piece.fetched);
      if (piece.memory)
        gpu.driver->memFreeHost(piece.memory);
    }
  }
  Status add(size_t size) {
    Piece &piece = all.emplace_back();
    Result result = gpu.driver->memHostAlloc(&piece.memory, size, 0);
    if (result == kOutOfMemory)
      return resourceExhausted(fmt::format("{}: {} bytes of page-locked host memory are not to be had; end other "
                                           "programs, or raise the limit of locked memory (ulimit -l)",
                                           gpu.text(), size));
    if (Status status = gpu.check(result, "get page-locked host memory"); !status.ok())
      return status;
    return gpu.check(gpu.driver->eventCreate(&piece.fetched, kEventDisableTiming), "make an event");
  }

  CudaContext &gpu;
  std::vector<Piece> all;
};

// What the threads share. The first thing that goes wrong ends all of them.
struct Upload {
  CudaContext &gpu;
  std::span<const uint8_t> bytes;
  DevicePointer destination;
  int64_t pieceBytes;
  std::atomic<int64_t> next{0}; // the first byte that nobody has taken
  std::atomic<bool> failed{false};
  std::mutex mutex; // of the context's error state
  Status status;

  bool ok(Result result) {
    if (result == kSuccess)
      return true;
    std::lock_guard lock(mutex);
    if (status.ok())
      status = gpu.check(result, kWhat);
    failed = true;
    return false;
  }
  // CudaContext::wait is for one thread; a piece on its way is asked for without the lock.
  bool wait(Event event) {
    for (int asked = 0; asked < 64 && !failed; ++asked)
      if (Result result = gpu.driver->eventQuery(event); result != kNotReady)
        return ok(result);
    if (failed)
      return false;
    std::lock_guard lock(mutex); // the bus is behind: one thread waits for all, with the limit
    if (!status.ok())
      return false;
    status = gpu.wait(event, kWhat);
    failed = failed || !status.ok();
    return status.ok();
  }
  void run(std::span<Piece> own) {
    if (!ok(gpu.driver->contextSetCurrent(gpu.context)))
      return;
    for (size_t turn = 0; !failed; ++turn) {
      int64_t start = next.fetch_add(pieceBytes);
      if (start >= int64_t(bytes.size()))
        return;
      Piece &piece = own[turn % own.size()];
      if (piece.given && !wait(piece.fetched))
        return;
      int64_t size = std::min(pieceBytes, int64_t(bytes.size()) - start);
      mapPages(bytes.data() + start, size);
      copyPastCaches(static_cast<uint8_t *>(piece.memory), bytes.data() + start, size);
      if (!ok(gpu.driver->memcpyHostToDevice(destination + DevicePointer(start), piece.memory, size_t(size),
                                             gpu.stream)) ||
          !ok(gpu.driver->eventRecord(piece.fetched, gpu.stream)))
        return;
      piece.given = true;
    }
  }
};
} // namespace

Status adze::cuda::uploadBytes(CudaContext &gpu, std::span<const uint8_t> bytes, DevicePointer destination,
                               UploadReport &report) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  const int64_t size = int64_t(bytes.size()), pieceBytes = std::max<int64_t>(gpu.options.uploadPiece, 4096);
  gpu.duty = fmt::format("fetch {} bytes of a file", size);

  int64_t wanted = gpu.options.uploadThreads ? gpu.options.uploadThreads : std::min(allowedCores(), 16u);
  size_t threads = size_t(std::clamp<int64_t>((size + pieceBytes - 1) / pieceBytes, 1, wanted));
  size_t each = std::max(1u, gpu.options.uploadPieces);
  Pieces pieces(gpu);
  for (size_t i = 0; i < threads * each; ++i)
    if (Status status = pieces.add(size_t(std::min(pieceBytes, size))); !status.ok())
      return status;
  Upload upload{gpu, bytes, destination, pieceBytes, {}, {}, {}, {}};
  {
    ThreadPool pool({unsigned(threads), false});
    pool.run(int64_t(threads), [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i)
        upload.run(std::span(pieces.all).subspan(size_t(i) * each, each));
    });
  }
  if (!gpu.lost.ok())
    return gpu.lost;
  // What was given to the GPU still reads the pieces, whatever else went wrong.
  Status ended = gpu.drain(gpu.duty);
  if (!upload.status.ok())
    return upload.status;
  if (!ended.ok())
    return ended;
  report = {size, std::chrono::duration<double>(Clock::now() - start).count()};
  return Status();
}
