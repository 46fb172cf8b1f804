// How many cores a container really gives: the affinity mask, cut by the quota of every cgroup above the process.
#include "adze/Support/ThreadPool.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sched.h>
#include <string>
#include <thread>

namespace adze {
namespace {

// The quota in cores of one cgroup v2 folder ("max 100000" or "150000 100000"), 0 where there is none.
double quotaV2(const std::string &folder) {
  std::ifstream file(folder + "/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0)
    return 0;
  double value = 0;
  return std::sscanf(quota.c_str(), "%lf", &value) == 1 ? value / period : 0;
}

double quotaV1(const std::string &folder) {
  double quota = 0, period = 0;
  std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
  std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  return quota > 0 && period > 0 ? quota / period : 0;
}

double smallestQuota() {
  double smallest = 0;
  auto take = [&](double quota) {
    if (quota > 0 && (smallest == 0 || quota < smallest))
      smallest = quota;
  };
  take(quotaV1("/sys/fs/cgroup/cpu"));
  take(quotaV2("/sys/fs/cgroup"));
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::/", 0) != 0)
      continue;
    for (std::string path = line.substr(3); path.size() > 1; path.erase(path.rfind('/')))
      take(quotaV2("/sys/fs/cgroup" + path));
  }
  return smallest;
}

} // namespace

unsigned allowedCores() {
  cpu_set_t allowed;
  unsigned cores = std::thread::hardware_concurrency();
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    cores = static_cast<unsigned>(CPU_COUNT(&allowed));
  cores = std::max(cores, 1u);
  // A quota of 1.5 cores is used by two threads; rounding down would leave a third of it idle.
  if (double quota = smallestQuota(); quota > 0)
    cores = std::min(cores, std::max(1u, static_cast<unsigned>(quota + 0.999)));
  return cores;
}

} // namespace adze
