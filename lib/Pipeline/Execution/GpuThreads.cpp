#include "GpuThreads.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace adze::execution {

static constexpr size_t kStackBytes = 128 << 10;

GpuThreads *GpuThreads::current = nullptr;

uint8_t *GpuThreads::sharedMemory() {
  alignas(1024) static uint8_t memory[kMostShared];
  return memory;
}

GpuThreads::GpuThreads(ThreadCode code, const void *arguments, int64_t threads, int64_t sharedBytes)
    : code(code), arguments(arguments), bytes(sharedBytes), fibers(threads), warps(threads / kWarpLanes) {
  for (Fiber &fiber : fibers)
    fiber.stack.reset(new uint8_t[kStackBytes]);
}

void GpuThreads::start(unsigned high, unsigned low) {
  auto *threads = reinterpret_cast<GpuThreads *>(uintptr_t(high) << 32 | low);
  threads->code(threads->arguments);
  threads->fibers[threads->running].done = true;
  swapcontext(&threads->fibers[threads->running].context, &threads->scheduler);
}

void GpuThreads::waitFor(const uint64_t &generation, uint64_t value) {
  Fiber &fiber = fibers[running];
  fiber.generation = &generation;
  fiber.waitsFor = value;
  swapcontext(&fiber.context, &scheduler);
}

void GpuThreads::fail(const std::string &what) {
  if (fault.empty())
    fault = "thread " + std::to_string(running) + " of block " + std::to_string(blockNumber) + ": " + what;
  // Never comes back: the run ends at the scheduler.
  while (true)
    swapcontext(&fibers[running].context, &scheduler);
}

const WarpWords &GpuThreads::exchange(const char *what, const LaneWords &mine) {
  Warp &warp = warps[running / kWarpLanes];
  uint64_t now = warp.generation;
  if (warp.arrived == 0)
    warp.what = what;
  else if (std::strcmp(warp.what, what) != 0)
    fail("is at " + std::string(what) + " while lanes of its warp are at " + warp.what);
  warp.words[now % 2][lane()] = mine;
  if (++warp.arrived == kWarpLanes) {
    warp.arrived = 0;
    ++warp.generation;
  } else {
    waitFor(warp.generation, now + 1);
  }
  return warp.words[now % 2];
}

void GpuThreads::barrier() {
  uint64_t now = barrierGeneration;
  if (++atBarrier == fibers.size()) {
    atBarrier = 0;
    ++barrierGeneration;
  } else {
    waitFor(barrierGeneration, now + 1);
  }
}

void GpuThreads::Copy::land() const {
  std::memcpy(to, from, read);
  std::memset(to + read, 0, bytes - read);
}

void GpuThreads::copy(uint8_t *to, const uint8_t *from, uint32_t count, uint32_t read) {
  std::vector<std::vector<Copy>> &groups = fibers[running].groups;
  if (groups.empty())
    groups.emplace_back();
  groups.back().push_back({to, from, count, read});
  landing = landing * 6364136223846793005ull + 1442695040888963407ull;
  if (landing >> 63) { // what lands early overwrites what is still read
    groups.back().back().land();
    groups.back().pop_back();
  }
}

void GpuThreads::commitCopies() {
  std::vector<std::vector<Copy>> &groups = fibers[running].groups;
  if (groups.empty())
    groups.emplace_back();
  groups.emplace_back();
}

void GpuThreads::waitForCopies(uint32_t pending) {
  std::vector<std::vector<Copy>> &groups = fibers[running].groups;
  // The open group is none that one can wait for.
  for (size_t ended = groups.empty() ? 0 : groups.size() - 1; ended > pending; --ended) {
    for (const Copy &copy : groups.front())
      copy.land();
    groups.erase(groups.begin());
  }
}

Status GpuThreads::runBlock(int64_t number, uint64_t order) {
  blockNumber = number;
  landing = order * 0x9e3779b97f4a7c15ull;
  std::memset(sharedMemory(), 0xCD, kMostShared);
  for (Fiber &fiber : fibers) {
    fiber.done = false;
    fiber.generation = nullptr;
    fiber.groups.clear();
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = nullptr;
    auto self = reinterpret_cast<uintptr_t>(this);
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(&start), 2, unsigned(self >> 32), unsigned(self));
  }
  std::vector<uint32_t> turns(fibers.size());
  std::iota(turns.begin(), turns.end(), 0);
  if (order % 3 == 1)
    std::reverse(turns.begin(), turns.end());
  uint64_t state = order * 0x9e3779b97f4a7c15ull + 1;
  if (order % 3 == 2)
    for (size_t i = turns.size(); i > 1; --i) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      std::swap(turns[i - 1], turns[(state >> 33) % i]);
    }
  current = this;
  for (size_t left = fibers.size(); left && fault.empty();) {
    bool moved = false;
    for (uint32_t turn : turns) {
      Fiber &fiber = fibers[turn];
      if (fiber.done || (fiber.generation && *fiber.generation < fiber.waitsFor))
        continue;
      moved = true;
      running = turn;
      fiber.generation = nullptr;
      swapcontext(&scheduler, &fiber.context);
      left -= fiber.done;
      if (!fault.empty())
        break;
    }
    if (!moved) {
      std::string where;
      for (size_t warp = 0; warp < warps.size(); ++warp)
        if (warps[warp].arrived)
          where += "; warp " + std::to_string(warp) + " waits at " + warps[warp].what + " with " +
                   std::to_string(warps[warp].arrived) + " lanes";
      fault = "block " + std::to_string(number) + " does not end: " + std::to_string(atBarrier) + " of " +
              std::to_string(fibers.size()) + " threads are at a barrier" + where;
    }
  }
  current = nullptr;
  return fault.empty() ? Status::success() : internalError("on the model of a GPU, " + fault);
}

Status runBlocks(ThreadCode code, const void *arguments, int64_t blocks, int64_t threads, int64_t sharedBytes,
                 uint64_t seed) {
  if (threads <= 0 || threads % kWarpLanes || sharedBytes > kMostShared)
    return internalError("the model of a GPU runs whole warps with up to " + std::to_string(kMostShared) +
                         " bytes of shared memory; asked for " + std::to_string(threads) + " threads and " +
                         std::to_string(sharedBytes) + " bytes");
  GpuThreads run(code, arguments, threads, sharedBytes);
  for (int64_t i = 0; i < blocks; ++i) {
    int64_t number = seed % 2 ? blocks - 1 - i : i;
    if (Status status = run.runBlock(number, seed + i); !status.ok())
      return status;
  }
  return Status::success();
}

} // namespace adze::execution
