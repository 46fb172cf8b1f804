// BenchReport.h: what the modes of `adze bench` share: summaries of repeated measurements, and the head of their JSON.
#ifndef ADZE_TOOLS_ADZE_BENCHREPORT_H
#define ADZE_TOOLS_ADZE_BENCHREPORT_H

#include "Options.h"

#include "adze/Format/Manifest.h"
#include "adze/Runtime/Device/Device.h"
#include "adze/Support/Json.h"

#include <vector>

namespace adze {

/// Of several measurements of one thing.
struct Spread {
  double median = 0, least = 0, most = 0;
  int64_t repetitions = 0;
};
Spread spreadOf(std::vector<double> values);
Json toJson(const Spread &spread);
/// "12.3 (12.1 to 12.9)".
std::string toText(const Spread &spread, int digits);

/// The artifact, its model and the device: what a result must say to mean anything.
Json describeBench(const ToolOptions &options, const Manifest &manifest, const Device &device);

/// Prints the text, or with --json the JSON, and writes the JSON to --output where that is given. Returns the exit
/// code.
int reportBench(const ToolOptions &options, const Json &json, const std::string &text);

int runBenchModel(const ToolOptions &options);
int runBenchWeights(const ToolOptions &options);

} // namespace adze
#endif
