// ThreadPool.h: runs the blocks of one kernel, or the pieces of one weight, on every allowed core.
//
// The caller is worker 0; a pool of n threads starts n - 1. run(count, fn) calls fn(first, last) on disjoint ranges
// that together cover [0, count) exactly once and returns when all calls have ended. Which worker gets which range is
// not fixed: ranges are claimed from a shared counter so that a core that was taken away by the system delays nobody.
// Results are deterministic because fn writes only what belongs to its range and computes it from its indices alone.
//
// Waiting workers spin for at most 50 microseconds and then sleep, so a decode step that launches hundreds of kernels
// pays no wake-up between them, and an idle engine uses no CPU.
//
// One thread at a time may call run(); a second caller waits for the first. run() inside fn runs the inner range on the
// calling worker alone. fn must not throw.
#ifndef ADZE_SUPPORT_THREADPOOL_H
#define ADZE_SUPPORT_THREADPOOL_H

#include <cstdint>
#include <memory>
#include <type_traits>

namespace adze {

// Cores that affinity and the cgroup's CPU quota allow, at least 1.
unsigned allowedCores();

struct ThreadPoolOptions {
  // 0: allowedCores(). Values above 1024 are cut to it.
  unsigned threads = 0;
  // Binds worker i to the i-th core of the affinity mask; the caller stays where it is.
  bool pin = false;
};

class ThreadPool {
public:
  explicit ThreadPool(ThreadPoolOptions options = {});
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;
  // Waits for a running run() of another thread, then ends the workers.
  ~ThreadPool();

  // Threads that take part, the caller included.
  unsigned threads() const;

  // Calls fn(int64_t first, int64_t last) as described above; `grain` is the smallest range handed out (the last of all
  // may be smaller). count <= 0 does nothing.
  template <class Function> void run(int64_t count, Function &&fn, int64_t grain = 1) {
    using Callable = std::remove_reference_t<Function>;
    runErased(
        count, grain,
        [](void *callable, int64_t first, int64_t last) { (*static_cast<Callable *>(callable))(first, last); },
        const_cast<void *>(static_cast<const void *>(&fn)));
  }

private:
  using Erased = void (*)(void *callable, int64_t first, int64_t last);
  void runErased(int64_t count, int64_t grain, Erased function, void *callable);

  struct State;
  std::unique_ptr<State> state;
};

} // namespace adze

#endif // ADZE_SUPPORT_THREADPOOL_H
