#include "JsonFields.h"

#include <fmt/format.h>

using namespace adze;

std::string_view adze::jsonTypeOf(const JsonElement &element) {
  using Type = simdjson::dom::element_type;
  switch (element.type()) {
  case Type::ARRAY:
    return "an array";
  case Type::OBJECT:
    return "an object";
  case Type::INT64:
  case Type::UINT64:
    return "an integer";
  case Type::DOUBLE:
    return "a fraction";
  case Type::STRING:
    return "a string";
  case Type::BOOL:
    return "a boolean";
  case Type::NULL_VALUE:
    return "null";
  }
  return "an unknown type";
}

Expected<JsonDocument> JsonDocument::parse(std::string_view text, std::string_view file) {
  JsonDocument document;
  document.parser = std::make_unique<simdjson::dom::parser>();
  if (auto error = document.parser->parse(simdjson::padded_string(text)).get(document.top))
    return invalidInput(fmt::format("{}: not valid JSON: {}", file, simdjson::error_message(error)));
  return document;
}

ObjectReader::ObjectReader(const JsonElement &element, std::string place) : where(std::move(place)) {
  simdjson::dom::object object;
  if (element.get(object)) {
    fail(invalidInput(fmt::format("{} is {}, not an object", where, jsonTypeOf(element))));
    return;
  }
  for (auto [key, value] : object) {
    if (find(key))
      fail(invalidInput(fmt::format("{}: the key \"{}\" occurs twice", where, key)));
    fields.push_back({key, value});
  }
}

ObjectReader::Field *ObjectReader::find(std::string_view key) {
  for (Field &field : fields)
    if (field.key == key)
      return &field;
  return nullptr;
}

std::optional<JsonElement> ObjectReader::field(std::string_view key) {
  Field *found = find(key);
  if (!found)
    return std::nullopt;
  found->used = true;
  return isNull(found->value) ? std::nullopt : std::optional<JsonElement>(found->value);
}

bool ObjectReader::flag(std::string_view key, bool absent) {
  std::optional<JsonElement> value = field(key);
  bool result = absent;
  if (value && value->get(result))
    wrongType(key, *value, "true or false");
  return result;
}

std::string_view ObjectReader::text(std::string_view key, std::string_view absent) {
  std::optional<JsonElement> value = field(key);
  std::string_view result = absent;
  if (value && value->get(result))
    wrongType(key, *value, "a string");
  return result;
}

uint64_t ObjectReader::number(std::string_view key, uint64_t limit) {
  std::optional<JsonElement> value = field(key);
  uint64_t result = 0;
  if (!value)
    fail(invalidInput(fmt::format("{}: the key \"{}\" is missing", where, key)));
  else if (value->get(result))
    wrongType(key, *value, "a number from 0");
  else if (result >= limit)
    fail(invalidInput(fmt::format("{}: \"{}\" is {}; it must be below {}", where, key, result, limit)));
  return failed.ok() ? result : 0;
}

void ObjectReader::ignore(std::initializer_list<std::string_view> keys) {
  for (std::string_view key : keys)
    if (Field *found = find(key))
      found->used = true;
}

void ObjectReader::require(std::string_view key, bool value) {
  if (flag(key, value) != value)
    fail(unsupported(fmt::format("{}: \"{}\" is {}; only {} is supported", where, key, !value, value)));
}

void ObjectReader::fail(Status failure) {
  if (failed.ok())
    failed = std::move(failure);
}

Status ObjectReader::unsupportedHere(std::string_view what) const {
  return unsupported(fmt::format("{}: {}", where, what));
}

void ObjectReader::wrongType(std::string_view key, const JsonElement &value, std::string_view wanted) {
  fail(invalidInput(fmt::format("{}: \"{}\" is {}; it must be {}", where, key, jsonTypeOf(value), wanted)));
}

Status ObjectReader::finish() {
  for (const Field &field : fields)
    if (failed.ok() && !field.used)
      failed =
          unsupported(fmt::format("{}: the key \"{}\" is not known, so its effect would be lost", where, field.key));
  return failed;
}
