// DumpedValues.cpp: the reader of the file that `adze run --dump-values` writes.
#include "ValueComparison.h"

#include "adze/Import/Safetensors.h"
#include "adze/Support/Json.h"
#include "adze/Support/MappedFile.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace adze {

namespace reference = llm::reference;

static Expected<reference::Tensor> tensorOf(const import::SafetensorsEntry &entry, std::span<const uint8_t> bytes,
                                            const std::string &path) {
  using reference::Element;
  Element element = entry.type == "F32"    ? Element::F32
                    : entry.type == "BF16" ? Element::BF16
                    : entry.type == "I8"   ? Element::I8
                                           : Element::I32;
  if (entry.shape.size() != 2 || (element == Element::I32 && entry.type != "I32"))
    return unsupported(path + ": the tensor " + entry.name + " is no matrix of F32, BF16, I8 or I32");
  reference::Tensor tensor = reference::Tensor::zeros(element, entry.shape);
  const uint8_t *data = bytes.data() + entry.offset;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint32_t bits = 0;
    switch (element) {
    case Element::BF16:
      std::memcpy(&bits, data + 2 * i, 2);
      tensor.floats[i] = std::bit_cast<float>(bits << 16);
      break;
    case Element::I8:
      tensor.ints[i] = int8_t(data[i]);
      break;
    default:
      std::memcpy(&bits, data + 4 * i, 4);
      if (element == Element::F32)
        tensor.floats[i] = std::bit_cast<float>(bits);
      else
        tensor.ints[i] = int32_t(bits);
    }
  }
  return tensor;
}

Expected<DumpedValues> DumpedValues::read(const std::string &path) {
  auto file = MappedFile::open(path);
  if (!file)
    return file.status();
  auto entries = import::readSafetensors(file->bytes(), path);
  if (!entries)
    return entries.status();
  uint64_t length = 0; // checked by the reader
  std::memcpy(&length, file->bytes().data(), 8);
  auto header = parseJson({reinterpret_cast<const char *>(file->bytes().data()) + 8, size_t(length)}, path);
  if (!header)
    return header.status();
  auto foreign = [&](const std::string &key) {
    return invalidInput(path + ": the metadata has no " + key +
                        ": this is no file of 'adze run --dump-values'; make one with that");
  };
  if (!header->contains("__metadata__") || !(*header)["__metadata__"].is_object())
    return foreign("adze.layer");
  DumpedValues dump;
  std::string tokens;
  bool layered = false;
  for (const auto &[key, value] : (*header)["__metadata__"].items()) {
    if (!value.is_string())
      continue;
    std::string text = value.get<std::string>();
    if (key == "adze.layer")
      layered = std::from_chars(text.data(), text.data() + text.size(), dump.layer).ec == std::errc();
    else if (key == "adze.tokens")
      tokens = text;
    else if (key.starts_with("adze.option."))
      dump.options[key.substr(12)] = text;
    else if (key.starts_with("adze.source."))
      dump.sources.push_back(text);
  }
  if (!layered)
    return foreign("adze.layer");
  for (const char *name : {"numerics", "fuse", "cpu", "kv-page"})
    if (!dump.options.count(name))
      return foreign(std::string("adze.option.") + name);
  for (const char *at = tokens.data(), *end = at + tokens.size(); at < end; ++at) {
    int64_t token = 0;
    auto [next, error] = std::from_chars(at, end, token);
    if (error != std::errc() || (next < end && *next != ','))
      return foreign("list of ids in adze.tokens");
    dump.tokens.push_back(token);
    at = next;
  }
  if (dump.tokens.empty())
    return foreign("list of ids in adze.tokens");
  std::sort(dump.sources.begin(), dump.sources.end());
  for (const import::SafetensorsEntry &entry : *entries) {
    auto tensor = tensorOf(entry, file->bytes(), path);
    if (!tensor)
      return tensor.status();
    if (tensor->rows() != int64_t(dump.tokens.size()))
      return invalidInput(path + ": " + entry.name + " has " + std::to_string(tensor->rows()) + " rows for " +
                          std::to_string(dump.tokens.size()) + " tokens");
    dump.values.push_back({entry.name, std::move(*tensor)});
  }
  return dump;
}

} // namespace adze
