// How a job travels. The caller fills `job`, then bumps `generation`; workers that see a new generation enter the job,
// claim ranges from `next` until it passes the count, and leave. The caller works as well and returns when every
// claimed piece is done and no worker is inside, so `job` may be overwritten by the next run.
//
// A worker enters by raising `inside` and then checking that the generation which it saw is still open
// (`openGeneration`); both sides use sequentially consistent operations, so either the caller sees the worker inside
// and waits for it, or the worker sees the job closed and leaves without touching it.
#include "adze/Support/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <utility>
#include <vector>

namespace adze {
namespace {

constexpr auto spinTime = std::chrono::microseconds(50);
constexpr unsigned threadLimit = 1024;

// Set while this thread runs inside a pool's job: a nested run() stays on this thread.
thread_local bool insideJob = false;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Spins until `ready` or for at most spinTime. A single allowed core gains nothing from spinning.
template <class Ready> bool spinFor(Ready ready, bool mayspin) {
  if (ready())
    return true;
  if (!mayspin)
    return false;
  auto end = std::chrono::steady_clock::now() + spinTime;
  do {
    for (int i = 0; i < 64; ++i) {
      if (ready())
        return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return ready();
}

void pinTo(unsigned index) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return;
  unsigned count = static_cast<unsigned>(CPU_COUNT(&allowed));
  if (count == 0)
    return;
  index %= count;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed) && index-- == 0) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(core, &one);
      pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
      return;
    }
}

} // namespace

struct ThreadPool::State {
  struct Job {
    Erased function = nullptr;
    void *callable = nullptr;
    int64_t count = 0;
    int64_t grain = 1;
  };

  std::mutex callers; // one run() at a time
  Job job;
  alignas(64) std::atomic<int64_t> next{0};
  alignas(64) std::atomic<uint64_t> openGeneration{0}; // the job that may be entered, 0: none
  std::atomic<unsigned> inside{0};
  alignas(64) std::atomic<uint64_t> generation{0}; // counts jobs; a change wakes workers
  std::atomic<unsigned> sleepers{0};
  std::atomic<bool> stopping{false};

  std::mutex sleepMutex;
  std::condition_variable wake;
  std::mutex doneMutex;
  std::condition_variable done;
  std::atomic<bool> callerSleeps{false};

  std::vector<std::thread> workers;
  bool spins = true;

  // Claims ranges until none is left.
  void work() {
    // Copies: the job does not change while a worker is inside.
    Job current = job;
    unsigned parts = static_cast<unsigned>(workers.size()) + 1;
    bool outer = std::exchange(insideJob, true);
    for (;;) {
      // Guided sizes: large ranges first, `grain` at the end, so that a late core costs little.
      int64_t seen = next.load(std::memory_order_relaxed);
      if (seen >= current.count)
        break;
      int64_t size = std::max<int64_t>(current.grain, (current.count - seen) / (int64_t(parts) * 4));
      int64_t last = std::min(current.count, seen + std::min(size, current.count - seen));
      if (!next.compare_exchange_weak(seen, last, std::memory_order_relaxed))
        continue;
      current.function(current.callable, seen, last);
    }
    insideJob = outer;
  }

  void workerLoop(unsigned index, bool pin) {
    if (pin)
      pinTo(index);
    uint64_t seen = 0;
    for (;;) {
      auto changed = [&] { return generation.load() != seen || stopping.load(); };
      if (!spinFor(changed, spins)) {
        std::unique_lock lock(sleepMutex);
        ++sleepers;
        wake.wait(lock, changed);
        --sleepers;
      }
      if (stopping.load())
        return;
      seen = generation.load();
      ++inside;
      if (openGeneration.load() == seen)
        work();
      if (--inside == 0 && callerSleeps.load()) {
        std::lock_guard lock(doneMutex);
        done.notify_one();
      }
    }
  }

  void runJob(const Job &wanted) {
    job = wanted;
    next.store(0);
    uint64_t now = generation.load() + 1;
    openGeneration.store(now);
    generation.store(now);
    if (sleepers.load() > 0) {
      std::lock_guard lock(sleepMutex);
      wake.notify_all();
    }
    work();
    // No piece is left to claim. Close the job, then wait for those who are still inside.
    openGeneration.store(0);
    auto finished = [&] { return inside.load() == 0; };
    if (!spinFor(finished, spins)) {
      std::unique_lock lock(doneMutex);
      callerSleeps.store(true);
      done.wait(lock, finished);
      callerSleeps.store(false);
    }
  }
};

ThreadPool::ThreadPool(ThreadPoolOptions options) : state(std::make_unique<State>()) {
  unsigned allowed = allowedCores();
  unsigned wanted = std::clamp(options.threads == 0 ? allowed : options.threads, 1u, threadLimit);
  // More threads than cores: a spinning thread would keep the one that has work off its core.
  state->spins = wanted <= allowed && allowed > 1;
  // Reserved and filled before the first job: workers read only the size, and only inside a job.
  state->workers.reserve(wanted - 1);
  for (unsigned i = 1; i < wanted; ++i)
    state->workers.emplace_back([i, pin = options.pin, state = state.get()] { state->workerLoop(i, pin); });
}

ThreadPool::~ThreadPool() {
  std::lock_guard caller(state->callers);
  {
    std::lock_guard lock(state->sleepMutex);
    state->stopping.store(true);
  }
  state->wake.notify_all();
  for (std::thread &worker : state->workers)
    worker.join();
}

unsigned ThreadPool::threads() const { return static_cast<unsigned>(state->workers.size()) + 1; }

void ThreadPool::runErased(int64_t count, int64_t grain, Erased function, void *callable) {
  if (count <= 0)
    return;
  grain = std::max<int64_t>(grain, 1);
  // Nothing to share, or a worker of a pool asks: the caller does it all.
  if (insideJob || state->workers.empty() || count <= grain) {
    function(callable, 0, count);
    return;
  }
  std::lock_guard caller(state->callers);
  state->runJob({function, callable, count, grain});
}

} // namespace adze
