// GpuThreads.h: the threads of a block as fibers, and how they wait for each other.
#ifndef ADZE_LIB_PIPELINE_EXECUTION_GPUTHREADS_H
#define ADZE_LIB_PIPELINE_EXECUTION_GPUTHREADS_H

#include "adze/Pipeline/Execution/GpuModel.h"

#include <array>
#include <memory>
#include <string>
#include <ucontext.h>
#include <vector>

namespace adze::execution {

inline constexpr unsigned kWarpLanes = 32, kExchanged = 12;
inline constexpr int64_t kMostShared = 228 << 10;
/// What a lane gives to an instruction of its warp.
using LaneWords = std::array<uint64_t, kExchanged>;
using WarpWords = std::array<LaneWords, kWarpLanes>;

class GpuThreads {
public:
  /// The threads that run now, in this thread of the host.
  static GpuThreads *current;

  GpuThreads(ThreadCode code, const void *arguments, int64_t threads, int64_t sharedBytes);
  Status runBlock(int64_t number, uint64_t order);

  uint32_t thread() const { return running; }
  uint32_t lane() const { return running % kWarpLanes; }
  uint32_t block() const { return blockNumber; }
  int64_t sharedBytes() const { return bytes; }
  /// Waits until all lanes of the warp are at `what`, and gives what each of them brought.
  const WarpWords &exchange(const char *what, const LaneWords &mine);
  void barrier();
  /// A copy into shared memory that lands at a time of the run's choosing, at once or when its group is waited for.
  void copy(uint8_t *to, const uint8_t *from, uint32_t bytes, uint32_t read);
  void commitCopies();
  void waitForCopies(uint32_t pending);
  [[noreturn]] void fail(const std::string &what);

  static uint8_t *sharedMemory();

private:
  struct Copy {
    uint8_t *to;
    const uint8_t *from;
    uint32_t bytes, read; ///< zeros behind what is read
    void land() const;
  };
  struct Fiber {
    ucontext_t context;
    std::unique_ptr<uint8_t[]> stack;
    uint64_t waitsFor = 0;
    const uint64_t *generation = nullptr; ///< waits until this reaches `waitsFor`; null: ready
    bool done = false;
    std::vector<std::vector<Copy>> groups; ///< of copies in flight, the last one open
  };
  struct Warp {
    uint64_t generation = 0;
    unsigned arrived = 0;
    const char *what = nullptr;
    std::array<WarpWords, 2> words; ///< by generation: the next begins when all have arrived, hence read
  };
  static void start(unsigned high, unsigned low);
  void waitFor(const uint64_t &generation, uint64_t value);

  ThreadCode code;
  const void *arguments;
  int64_t bytes;
  std::vector<Fiber> fibers;
  std::vector<Warp> warps;
  uint64_t barrierGeneration = 0;
  unsigned atBarrier = 0;
  uint32_t running = 0, blockNumber = 0;
  uint64_t landing = 0; ///< decides which copies land at once
  ucontext_t scheduler;
  std::string fault;
};

} // namespace adze::execution

#endif // ADZE_LIB_PIPELINE_EXECUTION_GPUTHREADS_H
