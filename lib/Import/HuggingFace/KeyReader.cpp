// Reading of JSON objects whose every key must be accounted for.
#include "KeyReader.h"

#include <limits>

namespace adze::import {

const Json *KeyReader::take(std::string_view key) {
  consume(key);
  return jsonFind(object, key);
}

bool KeyReader::isNull(std::string_view key) const {
  auto found = object.find(std::string(key));
  return found != object.end() && found->is_null();
}

Status KeyReader::refuse(std::string_view key, std::string_view accepted) const {
  const Json *value = jsonFind(object, key);
  std::string found = value ? writeJsonLine(*value) : "absent";
  if (found.size() > 100)
    found = found.substr(0, 100) + "...";
  return invalidInput(name() + ": '" + std::string(key) + "' is " + found + "; accepted is " + std::string(accepted));
}

Expected<std::optional<int64_t>> KeyReader::integer(std::string_view key) {
  const Json *value = take(key);
  if (!value)
    return std::optional<int64_t>();
  if (!value->is_number_integer() ||
      (value->is_number_unsigned() && value->get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max())))
    return refuse(key, "an integer");
  return std::optional<int64_t>(value->get<int64_t>());
}

Expected<std::optional<double>> KeyReader::number(std::string_view key) {
  const Json *value = take(key);
  if (!value)
    return std::optional<double>();
  if (!value->is_number())
    return refuse(key, "a number");
  return std::optional<double>(value->get<double>());
}

Expected<std::optional<bool>> KeyReader::boolean(std::string_view key) {
  const Json *value = take(key);
  if (!value)
    return std::optional<bool>();
  if (!value->is_boolean())
    return refuse(key, "true or false");
  return std::optional<bool>(value->get<bool>());
}

Expected<std::optional<std::string>> KeyReader::string(std::string_view key) {
  const Json *value = take(key);
  if (!value)
    return std::optional<std::string>();
  if (!value->is_string())
    return refuse(key, "a string");
  return std::optional<std::string>(value->get<std::string>());
}

namespace {
template <class T> Status store(Expected<std::optional<T>> value, T &target) {
  if (!value)
    return value.takeStatus();
  if (*value)
    target = **value;
  return Status::success();
}
} // namespace

Status KeyReader::read(std::string_view key, int64_t &target) { return store(integer(key), target); }
Status KeyReader::read(std::string_view key, double &target) { return store(number(key), target); }
Status KeyReader::read(std::string_view key, bool &target) { return store(boolean(key), target); }

Status KeyReader::readIds(std::string_view key, std::vector<int32_t> &target) {
  const Json *value = take(key);
  if (!value)
    return Status::success();
  auto append = [&](const Json &item) {
    if (!item.is_number_integer())
      return false;
    // Negative and huge unsigned values both fail here.
    int64_t id = item.is_number_unsigned() && item.get<uint64_t>() > uint64_t(1) << 31 ? -1 : item.get<int64_t>();
    if (id < 0 || id > std::numeric_limits<int32_t>::max())
      return false;
    target.push_back(int32_t(id));
    return true;
  };
  bool good = true;
  if (value->is_array())
    for (const Json &item : *value)
      good = good && append(item);
  else
    good = append(*value);
  return good ? Status::success() : refuse(key, "a token id or a list of token ids");
}

Status KeyReader::requireValue(std::string_view key, const Json &accepted, std::string_view why) {
  const Json *value = take(key);
  if (!value || *value == accepted)
    return Status::success();
  std::string found = writeJsonLine(*value);
  if (found.size() > 100)
    found = found.substr(0, 100) + "...";
  return unsupported(name() + ": '" + std::string(key) + "' is " + found + "; accepted is " + writeJsonLine(accepted) +
                     ": " + std::string(why));
}

Status KeyReader::finish(std::span<const IgnoredKey> ignored) const {
  return account(object.items(), ignored, ". Remove it if it does not matter");
}

} // namespace adze::import
