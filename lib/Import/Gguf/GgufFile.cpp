// Reading GGUF. See the header for what is promised about hostile files.
#include "adze/Import/GgufFile.h"

#include "adze/Support/CheckedReader.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace adze::import {
namespace {

constexpr uint64_t maxRank = 4;
constexpr uint64_t maxAlignment = 1u << 20;
// The fewest bytes that a metadata pair (key length, type, value) and a tensor entry (name length, rank, type, offset)
// take.
constexpr uint64_t smallestPair = 8 + 4 + 1, smallestTensor = 8 + 4 + 4 + 8;

struct TypeRow {
  std::string_view name;
  uint64_t bytes; // 0: no fixed size
};
constexpr TypeRow typeRows[] = {{"u8", 1},  {"i8", 1},  {"u16", 2},  {"i16", 2},    {"u32", 4},
                                {"i32", 4}, {"f32", 4}, {"bool", 1}, {"string", 0}, {"array", 0},
                                {"u64", 8}, {"i64", 8}, {"f64", 8}};

// Tensor types that exist but are not read here, so that a message can use the name people know.
std::string tensorTypeName(uint32_t type) {
  constexpr std::pair<uint32_t, const char *> names[] = {
      {6, "q5_0"},   {7, "q5_1"},     {9, "q8_1"},    {10, "q2_k"},    {11, "q3_k"},  {12, "q4_k"},   {13, "q5_k"},
      {15, "q8_k"},  {16, "iq2_xxs"}, {17, "iq2_xs"}, {18, "iq3_xxs"}, {19, "iq1_s"}, {20, "iq4_nl"}, {21, "iq3_s"},
      {22, "iq2_s"}, {23, "iq4_xs"},  {24, "i8"},     {25, "i16"},     {26, "i32"},   {27, "i64"},    {28, "f64"},
      {29, "iq1_m"}, {34, "tq1_0"},   {35, "tq2_0"},  {39, "mxfp4"}};
  for (auto &[number, name] : names)
    if (number == type)
      return std::to_string(type) + " (" + name + ")";
  return std::to_string(type);
}

// Names in messages: control characters shown as '?', long ones cut.
std::string shown(std::string_view name) {
  std::string text(name.substr(0, 80));
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 32)
      c = '?';
  return "'" + text + (name.size() > 80 ? "...'" : "'");
}

Expected<std::string_view> readString(CheckedReader &reader, const std::string &what) {
  // All that takes memory has a string in it.
  if (reader.offset() > ggufHeaderLimit)
    return reader.fail(what + " lies behind the first " + std::to_string(ggufHeaderLimit) +
                       " bytes, which is the limit for the header. The file is damaged or no model");
  Expected<uint64_t> length = reader.u64("the length of " + what);
  if (!length)
    return length.takeStatus();
  return reader.string(*length, what);
}

Expected<GgufType> readType(CheckedReader &reader, const std::string &what) {
  Expected<uint32_t> type = reader.u32("the type of " + what);
  if (!type)
    return type.takeStatus();
  if (*type >= std::size(typeRows))
    return reader.fail(what + " has type " + std::to_string(*type) + "; types are 0 (u8) to 12 (f64)");
  return GgufType(*type);
}

Expected<GgufValue> readValue(CheckedReader &reader, const std::string &what) {
  Expected<GgufType> type = readType(reader, what);
  if (!type)
    return type.takeStatus();
  GgufValue value;
  value.type = *type;
  if (*type == GgufType::Array) {
    value.array = true;
    Expected<GgufType> element = readType(reader, "the elements of " + what);
    if (!element)
      return element.takeStatus();
    if (*element == GgufType::Array)
      return reader.fail(what + " is an array of arrays, which no key of a model uses");
    value.type = *element;
    Expected<uint64_t> count = reader.u64("the element count of " + what);
    if (!count)
      return count.takeStatus();
    value.count = *count;
  }
  if (value.type != GgufType::String) {
    Expected<std::span<const uint8_t>> raw = reader.array(value.count, typeRows[size_t(value.type)].bytes, what);
    if (!raw)
      return raw.takeStatus();
    value.raw = *raw;
    return value;
  }
  // Each string takes at least the 8 bytes of its length.
  if (value.count > reader.remaining() / 8)
    return reader.fail(what + " has " + std::to_string(value.count) + " strings, more than the file's " +
                       std::to_string(reader.remaining()) + " remaining bytes can hold");
  value.strings.reserve(value.count);
  for (uint64_t i = 0; i < value.count; ++i) {
    Expected<std::string_view> text = readString(reader, what);
    if (!text)
      return text.takeStatus();
    value.strings.push_back(*text);
  }
  return value;
}

Expected<GgufTensor> readTensor(CheckedReader &reader, uint64_t number) {
  GgufTensor tensor;
  Expected<std::string_view> name = readString(reader, "the name of tensor " + std::to_string(number));
  if (!name)
    return name.takeStatus();
  tensor.name = *name;
  std::string what = "tensor " + shown(*name);
  Expected<uint32_t> rank = reader.u32("the number of dimensions of " + what);
  if (!rank)
    return rank.takeStatus();
  if (*rank < 1 || *rank > maxRank)
    return reader.fail(what + " has " + std::to_string(*rank) + " dimensions; 1 to 4 are accepted");
  uint64_t elements = 1;
  for (uint32_t i = 0; i < *rank; ++i) {
    Expected<uint64_t> dim = reader.u64("dimension " + std::to_string(i) + " of " + what);
    if (!dim)
      return dim.takeStatus();
    std::optional<uint64_t> product = checkedMul(elements, *dim);
    if (*dim == 0 || !product || *product > uint64_t(std::numeric_limits<int64_t>::max()))
      return reader.fail("dimension " + std::to_string(i) + " of " + what + " is " + std::to_string(*dim) +
                         "; dimensions are positive and their product stays below 2^63");
    elements = *product;
    tensor.shape.insert(tensor.shape.begin(), int64_t(*dim));
  }
  Expected<uint32_t> type = reader.u32("the type of " + what);
  if (!type)
    return type.takeStatus();
  tensor.encoding = encodingByGgufType(*type);
  if (!tensor.encoding)
    return unsupported(reader.file() + ": " + what + " has type " + tensorTypeName(*type) + "; accepted are " +
                       std::string(encodingNames()) + ". Use a file of one of these types");
  if (tensor.shape.back() % tensor.encoding->blockElements != 0)
    return reader.fail(what + " has rows of " + std::to_string(tensor.shape.back()) +
                       " elements, not whole blocks of " + std::to_string(tensor.encoding->blockElements) + " of " +
                       std::string(tensor.encoding->name));
  std::optional<uint64_t> bytes = encodedBytes(*tensor.encoding, elements);
  if (!bytes)
    return reader.fail("the size of " + what + " in bytes does not fit 64 bits");
  tensor.bytes = *bytes;
  Expected<uint64_t> offset = reader.u64("the offset of " + what);
  if (!offset)
    return offset.takeStatus();
  tensor.offset = *offset;
  return tensor;
}

// Turns offsets into the data into offsets into the file, and checks them.
Status placeTensors(std::vector<GgufTensor> &tensors, const CheckedReader &reader, uint64_t dataStart,
                    uint64_t alignment) {
  uint64_t available = dataStart <= reader.size() ? reader.size() - dataStart : 0;
  std::vector<const GgufTensor *> order;
  for (GgufTensor &tensor : tensors) {
    std::string what = reader.file() + ": tensor " + shown(tensor.name);
    if (tensor.offset % alignment != 0)
      return invalidInput(what + " starts at offset " + std::to_string(tensor.offset) +
                          " of the data, no multiple of the alignment " + std::to_string(alignment));
    if (!rangeFits(tensor.offset, tensor.bytes, available))
      return invalidInput(what + " has " + std::to_string(tensor.bytes) + " bytes at offset " +
                          std::to_string(tensor.offset) + " of the data, past its end at " + std::to_string(available) +
                          ". The file is damaged or incomplete");
    tensor.offset += dataStart;
    order.push_back(&tensor);
  }
  std::sort(order.begin(), order.end(), [](auto *a, auto *b) { return a->offset < b->offset; });
  for (size_t i = 1; i < order.size(); ++i)
    if (order[i - 1]->offset + order[i - 1]->bytes > order[i]->offset)
      return invalidInput(reader.file() + ": tensors " + shown(order[i - 1]->name) + " and " + shown(order[i]->name) +
                          " overlap");
  return Status::success();
}

template <class T> T loadAt(std::span<const uint8_t> raw, uint64_t index) {
  T value;
  std::memcpy(&value, raw.data() + index * sizeof(T), sizeof(T));
  return value;
}

std::optional<int64_t> integerAt(GgufType type, std::span<const uint8_t> raw, uint64_t i) {
  switch (type) {
  case GgufType::U8:
    return loadAt<uint8_t>(raw, i);
  case GgufType::I8:
    return loadAt<int8_t>(raw, i);
  case GgufType::U16:
    return loadAt<uint16_t>(raw, i);
  case GgufType::I16:
    return loadAt<int16_t>(raw, i);
  case GgufType::U32:
    return loadAt<uint32_t>(raw, i);
  case GgufType::I32:
    return loadAt<int32_t>(raw, i);
  case GgufType::I64:
    return loadAt<int64_t>(raw, i);
  case GgufType::U64:
    if (uint64_t value = loadAt<uint64_t>(raw, i); value <= uint64_t(std::numeric_limits<int64_t>::max()))
      return int64_t(value);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

} // namespace

std::string_view ggufTypeName(GgufType type) { return typeRows[size_t(type)].name; }

std::optional<int64_t> GgufValue::integer() const { return array ? std::nullopt : integerAt(type, raw, 0); }

std::optional<double> GgufValue::number() const {
  if (!array && type == GgufType::F32)
    return loadAt<float>(raw, 0);
  if (!array && type == GgufType::F64)
    return loadAt<double>(raw, 0);
  return std::nullopt;
}

std::optional<bool> GgufValue::boolean() const {
  if (array || type != GgufType::Bool || raw[0] > 1)
    return std::nullopt;
  return raw[0] == 1;
}

std::optional<std::string_view> GgufValue::string() const {
  if (array || type != GgufType::String)
    return std::nullopt;
  return strings[0];
}

std::optional<std::vector<int64_t>> GgufValue::integers() const {
  if (!array || type == GgufType::String)
    return std::nullopt;
  std::vector<int64_t> values;
  values.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    std::optional<int64_t> value = integerAt(type, raw, i);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<std::vector<float>> GgufValue::floats() const {
  if (!array || type != GgufType::F32)
    return std::nullopt;
  std::vector<float> values(count);
  if (count > 0)
    std::memcpy(values.data(), raw.data(), raw.size());
  return values;
}

std::string GgufValue::describe() const {
  std::string name(ggufTypeName(type));
  return array ? "an array of " + name : "a value of type " + name;
}

Expected<GgufFile> readGguf(std::span<const uint8_t> bytes, const std::string &file) {
  CheckedReader reader(bytes, file);
  Expected<std::string_view> magic = reader.string(4, "the magic bytes");
  if (!magic)
    return magic.takeStatus();
  if (*magic != "GGUF")
    return invalidInput(file + ": not a GGUF file (it does not start with 'GGUF')");
  Expected<uint32_t> version = reader.u32("the version");
  if (!version)
    return version.takeStatus();
  if ((*version & 0xffff) == 0 && *version != 0)
    return unsupported(file + ": a big-endian GGUF file; only little-endian ones are read");
  if (*version < 2 || *version > 3)
    return unsupported(file + ": GGUF version " + std::to_string(*version) + "; versions 2 and 3 are read");
  GgufFile result;
  result.version = *version;

  Expected<uint64_t> tensorCount = reader.u64("the tensor count");
  if (!tensorCount)
    return tensorCount.takeStatus();
  Expected<uint64_t> pairCount = reader.u64("the metadata count");
  if (!pairCount)
    return pairCount.takeStatus();
  for (auto [count, smallest, what] :
       {std::tuple{*pairCount, smallestPair, "metadata pairs"}, std::tuple{*tensorCount, smallestTensor, "tensors"}})
    if (count > reader.remaining() / smallest)
      return reader.fail("the header states " + std::to_string(count) + " " + what + ", more than the file's " +
                         std::to_string(reader.remaining()) + " remaining bytes can hold");

  for (uint64_t i = 0; i < *pairCount; ++i) {
    Expected<std::string_view> key = readString(reader, "the name of metadata key " + std::to_string(i));
    if (!key)
      return key.takeStatus();
    Expected<GgufValue> value = readValue(reader, "key " + shown(*key));
    if (!value)
      return value.takeStatus();
    if (!result.metadata.emplace(*key, std::move(*value)).second)
      return reader.fail("key " + shown(*key) + " is given twice");
  }
  uint64_t alignment = 32;
  if (auto found = result.metadata.find("general.alignment"); found != result.metadata.end()) {
    std::optional<int64_t> stated = found->second.integer();
    if (!stated || *stated < 1 || uint64_t(*stated) > maxAlignment || (*stated & (*stated - 1)) != 0)
      return invalidInput(file + ": key 'general.alignment' is " +
                          (stated ? std::to_string(*stated) : found->second.describe()) +
                          "; accepted is a power of two from 1 to " + std::to_string(maxAlignment));
    alignment = uint64_t(*stated);
  }
  std::map<std::string_view, bool> names;
  result.tensors.reserve(*tensorCount);
  for (uint64_t i = 0; i < *tensorCount; ++i) {
    Expected<GgufTensor> tensor = readTensor(reader, i);
    if (!tensor)
      return tensor.takeStatus();
    result.tensors.push_back(std::move(*tensor));
    if (!names.emplace(result.tensors.back().name, true).second)
      return reader.fail("tensor " + shown(result.tensors.back().name) + " is given twice");
  }
  std::optional<uint64_t> dataStart = checkedAlignUp(reader.offset(), alignment);
  if (!dataStart)
    return reader.fail("the header is too long");
  if (Status placed = placeTensors(result.tensors, reader, *dataStart, alignment); !placed.ok())
    return placed;
  return result;
}

} // namespace adze::import
