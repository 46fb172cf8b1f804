// `adze verify`: every section of an artifact, read and hashed.
#include "Session.h"
#include "Terminal.h"

#include "adze/Support/Json.h"

#include <fmt/format.h>

using namespace adze;

int adze::runVerify(const ToolOptions &options) {
  Expected<std::vector<SectionCheck>> checks = verifyArtifact(options.artifact);
  if (!checks)
    return reportError(checks.status());
  Json json = Json::array();
  int code = 0;
  for (const SectionCheck &check : *checks) {
    Json entry = {{"file", check.file}, {"size", check.size}, {"ok", check.status.ok()}};
    if (!check.status.ok()) {
      entry["error"] = check.status.message();
      if (!options.json)
        reportError(check.status);
      code = 1;
    } else if (!options.json) {
      writeAnswer(fmt::format("{:<16}{:>14} bytes  ok\n", check.file, check.size));
    }
    json.push_back(std::move(entry));
  }
  if (options.json)
    writeAnswer(writeJson({{"artifact", options.artifact}, {"ok", code == 0}, {"sections", json}}));
  return code;
}
