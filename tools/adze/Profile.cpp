// The table of --profile: time as the device measured it, bytes and operations as the manifest's cost forms give them
// for the steps that ran.
#include "Session.h"
#include "Terminal.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

using namespace adze;

void adze::printProfile(const Session &session) {
  if (!session.options.profile)
    return;
  struct Family {
    int64_t launches = 0, nanoseconds = 0;
    double bytes = 0, operations = 0;
  };
  const Manifest &manifest = session.model->manifest();
  const std::vector<KernelCounter> &counters = session.model->device().kernelCounters();
  const WorkSums &work = session.model->engine().work();
  std::map<std::string, Family> families;
  int64_t inKernels = 0;
  for (size_t i = 0; i < counters.size(); ++i) {
    const ManifestKernel &kernel = manifest.kernels[i];
    Family &family = families[kernel.family];
    // A form is that of one launch and linear in the step, so sums over steps times launches a step give the total. The
    // constant counts once a launch.
    double launchesPerStep = work.steps ? double(counters[i].launches) / double(work.steps) : 0;
    auto total = [&](CostForm form) {
      double constant = double(form.constant) * double(work.steps);
      form.constant = 0;
      return launchesPerStep *
             (constant + form.evaluate(work.tokens, work.requests, work.rows, work.kvLengths, work.visiblePairs));
    };
    family.launches += counters[i].launches;
    family.nanoseconds += counters[i].nanoseconds;
    family.bytes += total(kernel.bytes);
    family.operations += total(kernel.operations);
    inKernels += counters[i].nanoseconds;
  }
  std::vector<std::pair<std::string, Family>> order(families.begin(), families.end());
  std::sort(order.begin(), order.end(),
            [](const auto &a, const auto &b) { return a.second.nanoseconds > b.second.nanoseconds; });

  auto row = [](std::string_view name, int64_t launches, double milliseconds, double share, double bytes, double ops) {
    double seconds = milliseconds * 1e-3;
    writeNote(fmt::format("{:<28}{:>10}{:>12.2f}{:>7.1f}{:>12.2f}{:>9.2f}{:>12.3f}{:>10.2f}", name, launches,
                          milliseconds, share, bytes * 1e-6, seconds > 0 ? bytes * 1e-9 / seconds : 0, ops * 1e-9,
                          seconds > 0 ? ops * 1e-9 / seconds : 0));
  };
  writeNote(fmt::format("{:<28}{:>10}{:>12}{:>7}{:>12}{:>9}{:>12}{:>10}", "kernel family", "launches", "ms", "%", "MB",
                        "GB/s", "Gop", "Gop/s"));
  double all = double(std::max<int64_t>(1, work.nanoseconds));
  for (const auto &[name, family] : order)
    row(name, family.launches, double(family.nanoseconds) * 1e-6, 100 * double(family.nanoseconds) / all, family.bytes,
        family.operations);
  row("between kernels", 0, double(work.nanoseconds - inKernels) * 1e-6,
      100 * double(work.nanoseconds - inKernels) / all, 0, 0);
  writeNote(fmt::format("{} steps, {} tokens, {} ms", work.steps, int64_t(work.tokens), work.nanoseconds / 1000000));
}
