#include "ValueDump.h"

#include "adze/Support/ScratchOutput.h"

#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

using namespace adze;

Expected<std::unique_ptr<ValueDump>> ValueDump::create(const Manifest &manifest, const std::string &path,
                                                       int64_t layer) {
  int64_t layers = manifest.model.layers;
  if (layer < 0 || layer >= layers)
    return invalidInput(
        fmt::format("--dump-values {}: the model has the layers 0 to {}; name one of them", layer, layers - 1));
  Expected<std::string> text = readArtifactSection(path, kValuesFile);
  if (!text)
    return text.status().withContext("--dump-values");
  Expected<StepValues> values = readStepValues(*text, path + "/" + kValuesFile);
  if (!values)
    return values.status();
  std::unique_ptr<ValueDump> dump(new ValueDump(manifest, layer));
  dump->values = std::move(*values);
  // What the layer starts from is the last sum, or the embedding, before its own first value.
  std::optional<std::pair<int64_t, const StepValue *>> input;
  auto want = [&](int64_t launch, const StepValue &value) {
    dump->wanted[launch].push_back(dump->columns.size());
    dump->columns.push_back({&value, ""});
  };
  for (size_t launch = 0; launch < dump->values.launches.size(); ++launch)
    for (const StepValue &value : dump->values.launches[launch]) {
      if (value.layer == layer && !value.outputRows) {
        if (dump->columns.empty() && input)
          want(input->first, *input->second);
        want(int64_t(launch), value);
      } else if (dump->columns.empty() && (value.name == "embedding" || value.name.ends_with(".added"))) {
        input = {int64_t(launch), &value};
      }
    }
  if (dump->columns.empty())
    return unsupported(fmt::format("--dump-values {}: no launch of {} writes a value of this layer", layer, path));
  return dump;
}

void ValueDump::watch(Device &device) {
  device.observeLaunches([this, &device](const FinishedLaunch &launch) { take(device, launch); });
}

void ValueDump::append(Device &device, std::string &to, const void *from, size_t bytes) {
  size_t start = to.size();
  to.resize(start + bytes);
  if (status.ok())
    status = device.read(from, {reinterpret_cast<uint8_t *>(to.data()) + start, bytes});
}

void ValueDump::take(Device &device, const FinishedLaunch &launch) {
  if (launch.number == 0)
    append(device, tokens, launch.step.token, size_t(launch.step.tokens) * 4);
  auto found = wanted.find(launch.number);
  if (found == wanted.end())
    return;
  for (size_t number : found->second) {
    Column &column = columns[number];
    append(device, column.bytes, reinterpret_cast<const void *>(launch.words[column.value->word]),
           size_t(launch.step.tokens * column.value->columns * stepElementBytes(column.value->element)));
  }
}

Status ValueDump::write(const std::string &path) const {
  if (!status.ok())
    return status.withContext("--dump-values");
  std::vector<int32_t> ids(tokens.size() / 4);
  std::memcpy(ids.data(), tokens.data(), tokens.size());
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  nlohmann::ordered_json &about = header["__metadata__"] = nlohmann::ordered_json::object();
  about["adze.layer"] = std::to_string(layer);
  about["adze.tokens"] = fmt::format("{}", fmt::join(ids, ","));
  for (const auto &[name, value] : manifest.options)
    about["adze.option." + name] = value;
  for (size_t i = 0; i < manifest.sources.size(); ++i)
    about[fmt::format("adze.source.{}", i)] = manifest.sources[i].hash;
  uint64_t offset = 0;
  for (const Column &column : columns) {
    const StepValue &value = *column.value;
    // A value and its rounding have one name; the second gets its element behind it.
    std::string key = header.contains(value.name) ? value.name + "." + value.element : value.name;
    nlohmann::ordered_json &entry = header[key] = nlohmann::ordered_json::object();
    entry["dtype"] = value.element == "f32"    ? "F32"
                     : value.element == "bf16" ? "BF16"
                     : value.element == "i8"   ? "I8"
                                               : "I32";
    entry["shape"] = {int64_t(ids.size()), value.columns};
    entry["data_offsets"] = {offset, offset + column.bytes.size()};
    offset += column.bytes.size();
  }
  std::string json = header.dump();
  json.append((8 - json.size() % 8) % 8, ' '); // tensors start at a multiple of 8
  std::string text;
  for (int byte = 0; byte < 8; ++byte)
    text += char(uint64_t(json.size()) >> (8 * byte));
  text += json;
  for (const Column &column : columns)
    text += column.bytes;
  Expected<ScratchOutput> scratch = ScratchOutput::file(path, Overwrite::Replace);
  if (!scratch)
    return scratch.status();
  if (Status status = writeFile(scratch->scratchPath(), text); !status.ok())
    return status;
  return scratch->commit();
}
