// `adze check`: each kernel of an artifact against an artifact of the same model for another target.
#include "Session.h"
#include "Terminal.h"

#include "adze/Runtime/Check/KernelCheck.h"
#include "adze/Support/Json.h"

#include <cmath>
#include <fmt/format.h>
#include <random>

using namespace adze;

namespace {
std::string targetOf(const Manifest &m) { return m.gpu ? m.gpu->architecture : m.target.cpu; }

// JSON has no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value)); }

std::string describe(const CheckDifference &d) {
  const ElementDifference &e = d.element;
  return fmt::format(
      "the first difference: kernel {}, launch {} of step {} ({}): {} row {}, column {}: expected {:.9g}, "
      "{}; {} elements of this value differ by more than {:.2g}\n",
      d.kernel, d.launch, d.step, d.stepText, d.value, e.row, e.column, e.expected,
      e.unwritten ? "not written" : fmt::format("found {:.9g}", e.found), d.differences, d.bound);
}

std::string table(const CheckReport &report) {
  std::string text = fmt::format("  {:<46}{:>9}{:>12}{:>10}{:>10}{:>12}  {}\n", "kernel", "launches", "elements",
                                 "largest", "bound", "differ", "in");
  for (const CheckedKernel &k : report.kernels)
    text += k.value.empty()
                ? fmt::format("  {:<46}{:>9}  writes nothing that the reference names\n", k.name, k.launches)
                : fmt::format("  {:<46}{:>9}{:>12}{:>10.2g}{:>10.2g}{:>12}  {}\n", k.name, k.launches, k.elements,
                              k.worst, k.bound, k.differences, k.value);
  return text;
}

Json toJson(const CheckReport &report) {
  Json rows = Json::array();
  for (const CheckedKernel &k : report.kernels)
    rows.push_back({{"name", k.name},
                    {"family", k.family},
                    {"launches", k.launches},
                    {"elements", k.elements},
                    {"differences", k.differences},
                    {"largest_error", number(k.worst)},
                    {"bound", k.bound},
                    {"value", k.value}});
  Json json = {{"steps", report.steps}, {"differences", report.differences}, {"kernels", std::move(rows)}};
  if (report.first) {
    const CheckDifference &d = *report.first;
    json["first"] = {{"kernel", d.kernel},
                     {"value", d.value},
                     {"step", d.step},
                     {"shape", d.stepText},
                     {"launch", d.launch},
                     {"row", d.element.row},
                     {"column", d.element.column},
                     {"expected", number(d.element.expected)},
                     {"found", number(d.element.found)},
                     {"unwritten", d.element.unwritten}};
  }
  return json;
}
} // namespace

int adze::runCheck(const ToolOptions &options) {
  CheckOptions wanted;
  wanted.rounds = options.check.rounds;
  wanted.device = options.device;
  wanted.reference.cpu = options.device.cpu;
  if (options.check.seed) {
    wanted.seed = *options.check.seed;
  } else {
    std::random_device device;
    wanted.seed = uint64_t(device()) << 32 | device();
  }
  Expected<std::unique_ptr<KernelCheck>> check = KernelCheck::open(options.artifact, options.check.against, wanted);
  if (!check)
    return reportError(check.status());
  const Manifest &tested = (*check)->manifest(), &reference = (*check)->referenceManifest();
  std::string head = fmt::format("{} ({}): {} on {} against {} on {}; --seed {}\n", tested.model.name, tested.numerics,
                                 targetOf(tested), (*check)->device().name(), targetOf(reference),
                                 (*check)->referenceDevice().name(), wanted.seed);
  Expected<CheckReport> report = (*check)->run();
  if (!report)
    return reportError(report.status().withContext(fmt::format("adze check --seed {}", wanted.seed)));
  // What compares nothing is no pass.
  int64_t elements = 0;
  for (const CheckedKernel &kernel : report->kernels)
    elements += kernel.elements;
  if (elements == 0)
    return reportError(invalidInput(fmt::format("{} and {} name no value alike, so nothing was compared; compile both "
                                                "with the same --fuse",
                                                options.artifact, options.check.against)));
  const bool good = report->differences == 0;
  if (options.json) {
    Json json = toJson(*report);
    json["ok"] = good;
    json["artifact"] = options.artifact;
    json["reference"] = options.check.against;
    json["device"] = (*check)->device().name();
    json["seed"] = wanted.seed;
    json["only_in_artifact"] = (*check)->onlyTested();
    json["only_in_reference"] = (*check)->onlyReference();
    writeAnswer(writeJson(json));
    return good ? 0 : 1;
  }
  std::string text = head + table(*report);
  for (auto [names, path] : {std::pair(&(*check)->onlyTested(), &options.artifact),
                             std::pair(&(*check)->onlyReference(), &options.check.against)})
    for (const std::string &name : *names)
      text += fmt::format("  not compared, in {} alone: {}\n", *path, name);
  if (report->first)
    text += describe(*report->first);
  text += fmt::format("{} steps, {} elements, {} differ\n", report->steps, elements, report->differences);
  writeAnswer(text);
  return good ? 0 : 1;
}
