// Reading safetensors. See the header for what is promised about hostile files.
#include "adze/Import/Safetensors.h"

#include "adze/Support/CheckedReader.h"

#include <algorithm>
#include <limits>
#include <set>
#include <simdjson.h>

namespace adze::import {
namespace {

struct TypeRow {
  std::string_view name;
  uint64_t bytes;
};
// The types of the format with whole bytes per element; which of them a model may use is the family's affair.
constexpr TypeRow typeRows[] = {{"F64", 8}, {"F32", 4}, {"F16", 2},  {"BF16", 2},    {"I64", 8},
                                {"I32", 4}, {"I16", 2}, {"I8", 1},   {"U64", 8},     {"U32", 4},
                                {"U16", 2}, {"U8", 1},  {"BOOL", 1}, {"F8_E4M3", 1}, {"F8_E5M2", 1}};

std::string shown(std::string_view name) {
  return "'" + std::string(name.substr(0, 120)) + (name.size() > 120 ? "...'" : "'");
}

// The members of one tensor's object; each exactly once and no others.
Expected<SafetensorsEntry> readEntry(std::string_view name, simdjson::dom::element value, uint64_t dataStart,
                                     uint64_t dataBytes, const std::string &file) {
  std::string what = file + ": tensor " + shown(name);
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS)
    return invalidInput(what + " is not described by an object with dtype, shape and data_offsets");
  SafetensorsEntry entry;
  entry.name = name;
  std::vector<uint64_t> offsets;
  std::set<std::string_view> seen;
  for (simdjson::dom::key_value_pair member : object) {
    if (!seen.insert(member.key).second)
      return invalidInput(what + " has " + shown(member.key) + " twice");
    if (member.key == "dtype") {
      std::string_view type;
      if (member.value.get(type) != simdjson::SUCCESS)
        return invalidInput(what + " has a dtype that is not a string");
      entry.type = type;
      continue;
    }
    if (member.key != "shape" && member.key != "data_offsets")
      return invalidInput(what + " has an unknown member " + shown(member.key));
    simdjson::dom::array array;
    if (member.value.get(array) != simdjson::SUCCESS)
      return invalidInput(what + ": " + std::string(member.key) + " is not a list");
    for (simdjson::dom::element number : array) {
      uint64_t n;
      if (number.get(n) != simdjson::SUCCESS || n > uint64_t(std::numeric_limits<int64_t>::max()))
        return invalidInput(what + ": " + std::string(member.key) +
                            " holds something other than integers from 0 to 2^63-1");
      if (member.key == "shape")
        entry.shape.push_back(int64_t(n));
      else
        offsets.push_back(n);
    }
  }
  if (seen.size() != 3)
    return invalidInput(what + " lacks one of dtype, shape and data_offsets");
  const TypeRow *type = std::find_if(std::begin(typeRows), std::end(typeRows),
                                     [&](const TypeRow &row) { return row.name == entry.type; });
  if (type == std::end(typeRows))
    return unsupported(what + " has dtype " + shown(entry.type) + "; a model's tensors are F32, F16 or BF16");
  if (offsets.size() != 2)
    return invalidInput(what + " has " + std::to_string(offsets.size()) + " data_offsets; it needs begin and end");
  std::string range = "[" + std::to_string(offsets[0]) + ", " + std::to_string(offsets[1]) + "]";
  if (offsets[0] > offsets[1])
    return invalidInput(what + " has data_offsets " + range + ": the end lies before the begin");
  if (offsets[1] > dataBytes)
    return invalidInput(what + " has data_offsets " + range + ", past the end of the file's " +
                        std::to_string(dataBytes) + " data bytes. The file is damaged or incomplete");
  std::optional<uint64_t> size = type->bytes;
  for (int64_t extent : entry.shape)
    size = size ? checkedMul(*size, uint64_t(extent)) : std::nullopt;
  entry.bytes = offsets[1] - offsets[0];
  if (size != entry.bytes)
    return invalidInput(what + " needs " + (size ? std::to_string(*size) : "more than 2^64") +
                        " bytes by its shape and dtype, but data_offsets " + range + " hold " +
                        std::to_string(entry.bytes));
  entry.offset = dataStart + offsets[0];
  return entry;
}

// Tensors follow each other without a gap and without overlap, and end where the file ends.
Status checkCoverage(const std::vector<SafetensorsEntry> &entries, uint64_t dataStart, uint64_t end,
                     const std::string &file) {
  std::vector<const SafetensorsEntry *> order;
  for (const SafetensorsEntry &entry : entries)
    order.push_back(&entry);
  std::sort(order.begin(), order.end(),
            [](auto *a, auto *b) { return std::pair(a->offset, a->bytes) < std::pair(b->offset, b->bytes); });
  uint64_t position = dataStart;
  const SafetensorsEntry *last = nullptr;
  for (const SafetensorsEntry *entry : order) {
    if (entry->offset < position)
      return invalidInput(file + ": tensors " + shown(last->name) + " and " + shown(entry->name) + " share bytes");
    if (entry->offset > position)
      return invalidInput(file + ": " + std::to_string(entry->offset - position) + " bytes before tensor " +
                          shown(entry->name) + " belong to no tensor");
    position += entry->bytes;
    last = entry;
  }
  if (position != end)
    return invalidInput(file + ": the last " + std::to_string(end - position) + " bytes belong to no tensor");
  return Status::success();
}

} // namespace

Expected<std::vector<SafetensorsEntry>> readSafetensors(std::span<const uint8_t> bytes, const std::string &file) {
  CheckedReader reader(bytes, file);
  Expected<uint64_t> length = reader.u64("the header length");
  if (!length)
    return length.takeStatus();
  if (*length > safetensorsHeaderLimit || *length > reader.remaining())
    return invalidInput(file + ": the header length is " + std::to_string(*length) + "; the file has " +
                        std::to_string(reader.remaining()) + " bytes after it and the format's limit is " +
                        std::to_string(safetensorsHeaderLimit) + ". The file is damaged or no safetensors file");
  Expected<std::string_view> header = reader.string(*length, "the header");
  if (!header)
    return header.takeStatus();
  uint64_t dataStart = reader.offset();

  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (simdjson::error_code error = parser.parse(simdjson::padded_string(*header)).get(root))
    return invalidInput(file + ": the header is not JSON: " + simdjson::error_message(error));
  simdjson::dom::object object;
  if (root.get(object) != simdjson::SUCCESS)
    return invalidInput(file + ": the header is not a JSON object");
  std::vector<SafetensorsEntry> entries;
  std::set<std::string_view> names;
  for (simdjson::dom::key_value_pair member : object) {
    if (!names.insert(member.key).second)
      return invalidInput(file + ": tensor " + shown(member.key) + " is given twice");
    if (member.key == "__metadata__")
      continue; // notes of the writer, such as {"format": "pt"}
    Expected<SafetensorsEntry> entry = readEntry(member.key, member.value, dataStart, bytes.size() - dataStart, file);
    if (!entry)
      return entry.takeStatus();
    entries.push_back(std::move(*entry));
  }
  if (Status covered = checkCoverage(entries, dataStart, bytes.size(), file); !covered.ok())
    return covered;
  return entries;
}

} // namespace adze::import
