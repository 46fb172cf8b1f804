// `adze bench kernel` and `adze bench step`: shapes of a step, the memory's speed beside them, tables and JSON.
#include "BenchReport.h"
#include "Session.h"
#include "Terminal.h"

#include "adze/Runtime/Bench/StepBench.h"
#include "adze/Support/ScratchOutput.h"

#include <algorithm>
#include <fmt/format.h>

using namespace adze;

Spread adze::spreadOf(std::vector<double> values) {
  if (values.empty())
    return {};
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  double median = values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back(), int64_t(values.size())};
}

Json adze::toJson(const Spread &s) {
  return {{"median", s.median}, {"least", s.least}, {"most", s.most}, {"repetitions", s.repetitions}};
}

std::string adze::toText(const Spread &s, int digits) {
  return fmt::format("{:.{}f} ({:.{}f} to {:.{}f})", s.median, digits, s.least, digits, s.most, digits);
}

Json adze::describeBench(const ToolOptions &options, const Manifest &m, const Device &device) {
  return {
      {"artifact", options.artifact},  {"model", m.model.name},
      {"numerics", m.numerics},        {"target", m.gpu ? m.gpu->architecture : m.target.cpu},
      {"adze_version", m.adzeVersion}, {"weights_seed", m.standIn && m.standIn->seed ? Json(*m.standIn->seed) : Json()},
      {"device", device.name()}};
}

int adze::reportBench(const ToolOptions &options, const Json &json, const std::string &text) {
  writeAnswer(options.json ? writeJson(json) : text);
  if (options.bench.output.empty())
    return 0;
  Expected<ScratchOutput> scratch = ScratchOutput::file(options.bench.output, Overwrite::Replace);
  if (!scratch)
    return reportError(scratch.status());
  Status status = writeFile(scratch->scratchPath(), writeJson(json));
  if (status.ok())
    status = scratch->commit();
  return status.ok() ? 0 : reportError(status);
}

namespace {
// The shapes that the lists stand for.
Expected<std::vector<StepShape>> shapesOf(const BenchFlags &flags) {
  const std::pair<const char *, const std::vector<int64_t> *> lists[] = {
      {"--tokens", &flags.tokens}, {"--requests", &flags.requests}, {"--history", &flags.history}};
  size_t count = 1;
  for (const auto &[name, list] : lists)
    count = std::max(count, list->size());
  for (const auto &[name, list] : lists)
    if (list->size() != 1 && list->size() != count)
      return invalidInput(fmt::format("{} has {} entries and another list of shapes has {}; accepted: one entry, which "
                                      "counts for all shapes, or as many as the longest list",
                                      name, list->size(), count));
  std::vector<StepShape> shapes;
  for (size_t i = 0; i < count; ++i) {
    auto entry = [&](const std::vector<int64_t> &list) { return list[list.size() == 1 ? 0 : i]; };
    shapes.push_back({entry(flags.tokens), entry(flags.requests), entry(flags.history)});
  }
  return shapes;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double &value : values)
    value *= factor;
  return values;
}

std::string headline(const StepShape &shape) {
  return fmt::format("{} tokens of {} requests behind {} others each", shape.tokens, shape.requests, shape.history);
}

Json shapeJson(const StepShape &shape) {
  return {{"tokens", shape.tokens}, {"requests", shape.requests}, {"history", shape.history}};
}

struct StepReport {
  const ToolOptions &options;
  StepBench &bench;

  const Manifest &manifest() const { return bench.manifest(); }

  // Bytes or operations of all launches of a step.
  double total(const StepWork &work, CostForm ManifestKernel::*form) const {
    double sum = 0;
    for (const ManifestKernel &kernel : manifest().kernels)
      sum += double(kernel.launches) * work.of(kernel.*form);
    return sum;
  }

  Expected<Json> kernels(const StepShape &shape, std::string &text) {
    Expected<std::vector<KernelTiming>> timings =
        bench.timeKernels(shape, {options.bench.repetitions, TimingOptions().leastNanoseconds});
    if (!timings)
      return timings.status();
    StepWork work = workOf(shape);
    text += fmt::format("\n{}\n  {:<46}{:>9}{:>26}{:>11}{:>9}{:>11}{:>9}\n", headline(shape), "kernel", "launches",
                        "us of one", "MB", "GB/s", "Gop", "Top/s");
    Json rows = Json::array();
    double sum = 0;
    for (const KernelTiming &timing : *timings) {
      const ManifestKernel &kernel = manifest().kernels[timing.kernel];
      Spread us = spreadOf(scaled(timing.nanoseconds, 1e-3));
      sum += us.median * double(timing.launches);
      if (kernel.name.find(options.bench.match) == std::string::npos &&
          kernel.family.find(options.bench.match) == std::string::npos)
        continue;
      double bytes = work.of(kernel.bytes), operations = work.of(kernel.operations);
      double gigabytes = bytes * 1e-3 / us.median, teraops = operations * 1e-6 / us.median;
      rows.push_back({{"name", kernel.name},
                      {"family", kernel.family},
                      {"schedule",
                       {{"tokens", kernel.schedule.tokens},
                        {"columns", kernel.schedule.columns},
                        {"depth", kernel.schedule.depth},
                        {"sums", kernel.schedule.sums}}},
                      {"launches", timing.launches},
                      {"us", toJson(us)},
                      {"bytes", bytes},
                      {"operations", operations},
                      {"gb_per_s", gigabytes},
                      {"top_per_s", teraops}});
      text += fmt::format("  {:<46}{:>9}{:>26}{:>11.3f}{:>9.1f}{:>11.3f}{:>9.2f}\n", kernel.name, timing.launches,
                          toText(us, 2), bytes * 1e-6, gigabytes, operations * 1e-9, teraops);
    }
    text += fmt::format("  all launches of a step, by their medians: {:.1f} us\n", sum);
    Json json = shapeJson(shape);
    json["kernels"] = std::move(rows);
    json["sum_us"] = sum;
    return json;
  }

  Expected<Json> step(const StepShape &shape, std::string &text) {
    Expected<std::vector<double>> times = bench.timeStep(shape, options.bench.repetitions);
    if (!times)
      return times.status();
    StepWork work = workOf(shape);
    Spread us = spreadOf(scaled(*times, 1e-3));
    double bytes = total(work, &ManifestKernel::bytes), operations = total(work, &ManifestKernel::operations);
    double gigabytes = bytes * 1e-3 / us.median, teraops = operations * 1e-6 / us.median;
    text += fmt::format("\n{}\n  a step {} us, {:.1f} tok/s; {:.1f} MB, {:.1f} GB/s; {:.2f} Gop, {:.2f} Top/s\n",
                        headline(shape), toText(us, 1), double(shape.tokens) * 1e6 / us.median, bytes * 1e-6, gigabytes,
                        operations * 1e-9, teraops);
    Json json = shapeJson(shape);
    json["us"] = toJson(us);
    json["bytes"] = bytes;
    json["operations"] = operations;
    json["gb_per_s"] = gigabytes;
    json["top_per_s"] = teraops;
    return json;
  }
};
} // namespace

static int runBenchSteps(const ToolOptions &options) {
  Expected<std::vector<StepShape>> shapes = shapesOf(options.bench);
  if (!shapes)
    return reportError(shapes.status());
  Expected<std::unique_ptr<StepBench>> bench = StepBench::open(options.artifact, options.device, *shapes);
  if (!bench)
    return reportError(bench.status());
  Json json = describeBench(options, (*bench)->manifest(), (*bench)->device());
  std::string text = fmt::format("{} ({}), {}\n", (*bench)->manifest().model.name, (*bench)->manifest().numerics,
                                 (*bench)->device().name());
  if (options.bench.copyBytes > 0) {
    Expected<CopyRate> copy = measureCopy((*bench)->device(), options.bench.copyBytes, options.bench.repetitions);
    if (!copy)
      return reportError(copy.status());
    Spread rate = spreadOf(copy->rates);
    json["copy"] = {{"bytes", copy->bytes}, {"gb_per_s", toJson(rate)}};
    text +=
        fmt::format("copies of {} bytes inside its memory, read and written: {} GB/s\n", copy->bytes, toText(rate, 1));
  }
  StepReport report{options, **bench};
  const bool kernels = options.bench.what == BenchWhat::Kernel;
  json["what"] = kernels ? "kernels" : "steps";
  json["shapes"] = Json::array();
  for (const StepShape &shape : *shapes) {
    Expected<Json> made = kernels ? report.kernels(shape, text) : report.step(shape, text);
    if (!made)
      return reportError(made.status());
    json["shapes"].push_back(std::move(*made));
  }
  return reportBench(options, json, text);
}

int adze::runBench(const ToolOptions &options) {
  switch (options.bench.what) {
  case BenchWhat::Weights:
    return runBenchWeights(options);
  case BenchWhat::Model:
    return runBenchModel(options);
  case BenchWhat::Kernel:
  case BenchWhat::Step:
    return runBenchSteps(options);
  }
}
