#include "adze/Support/Json.h"

#include <cmath>
#include <fmt/format.h>
#include <set>
#include <vector>

namespace adze {
namespace {

// Builds the value while it checks what nlohmann's own parser lets through: duplicate keys and unbounded depth.
class StrictBuilder : public nlohmann::json_sax<Json> {
public:
  explicit StrictBuilder(Json &root) : root(root) {}

  bool null() override { return place(nullptr); }
  bool boolean(bool value) override { return place(value); }
  bool number_integer(number_integer_t value) override { return place(value); }
  bool number_unsigned(number_unsigned_t value) override { return place(value); }
  bool number_float(number_float_t value, const string_t &text) override {
    if (!std::isfinite(value))
      return refuse("the number " + text + " does not fit a 64-bit float");
    return place(value);
  }
  bool string(string_t &value) override { return place(std::move(value)); }
  bool binary(binary_t &) override { return refuse("binary values are not JSON"); }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &name) override {
    if (open_.back()->contains(name))
      return refuse("key \"" + name + "\" appears twice in one object; keep one of them");
    pendingKey = std::move(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string &, const nlohmann::detail::exception &error) override {
    // nlohmann's text carries an identifier of its own in front of "line L, column C: what is wrong".
    std::string text = error.what();
    if (size_t line = text.find("line "); line != std::string::npos)
      text.erase(0, line);
    return refuse(std::move(text));
  }

  std::string failure;

private:
  bool refuse(std::string reason) {
    failure = std::move(reason);
    return false;
  }
  Json *store(Json value) {
    if (open_.empty()) {
      root = std::move(value);
      return &root;
    }
    Json &parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    Json &slot = parent[pendingKey];
    slot = std::move(value);
    return &slot;
  }
  bool place(Json value) {
    store(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (open_.size() == static_cast<size_t>(jsonDepthLimit))
      return refuse(fmt::format("values are nested deeper than {} levels", jsonDepthLimit));
    // A parent is never touched again until its child is closed, so the pointer stays good.
    open_.push_back(store(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json &root;
  std::vector<Json *> open_;
  std::string pendingKey;
};

} // namespace

Expected<Json> parseJson(std::string_view text, std::string_view fileName) {
  Json root;
  StrictBuilder builder(root);
  bool parsed = false;
  try {
    parsed = Json::sax_parse(text.begin(), text.end(), &builder);
  } catch (const std::exception &error) {
    return invalidInput(fmt::format("'{}' is not valid JSON: {}", fileName, error.what()));
  }
  if (parsed)
    return root;
  return invalidInput(fmt::format("'{}' is not valid JSON: {}", fileName, builder.failure));
}

std::string_view jsonTypeName(const Json &value) {
  switch (value.type()) {
  case Json::value_t::null:
    return "null";
  case Json::value_t::object:
    return "an object";
  case Json::value_t::array:
    return "an array";
  case Json::value_t::string:
    return "a string";
  case Json::value_t::boolean:
    return "a boolean";
  case Json::value_t::number_integer:
  case Json::value_t::number_unsigned:
    return "an integer";
  case Json::value_t::number_float:
    return "a number with a fraction";
  default:
    return "an unknown value";
  }
}

const Json *jsonFind(const Json &object, std::string_view key) {
  if (!object.is_object())
    return nullptr;
  auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

// The member, or the NotFound failure that every getter shares.
static Expected<const Json *> member(const Json &object, std::string_view key, std::string_view fileName) {
  if (!object.is_object())
    return invalidInput(fmt::format("'{}': the value that should hold \"{}\" is {}; an object is needed", fileName, key,
                                    jsonTypeName(object)));
  if (const Json *found = jsonFind(object, key))
    return found;
  return notFound(fmt::format("'{}' has no \"{}\"; add the key", fileName, key));
}

static Status wrongType(const Json &value, std::string_view key, std::string_view wanted, std::string_view fileName) {
  std::string shown = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (shown.size() > 60)
    shown = shown.substr(0, 57) + "...";
  return invalidInput(
      fmt::format("'{}': \"{}\" is {} ({}); {} is needed", fileName, key, jsonTypeName(value), shown, wanted));
}

Expected<int64_t> jsonInt(const Json &object, std::string_view key, std::string_view fileName) {
  Expected<const Json *> value = member(object, key, fileName);
  if (!value)
    return value.takeStatus();
  bool tooLarge = (*value)->is_number_unsigned() && (*value)->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
  if (!(*value)->is_number_integer() || tooLarge)
    return wrongType(**value, key, "an integer that fits 64 bits", fileName);
  return (*value)->get<int64_t>();
}

Expected<uint64_t> jsonUnsigned(const Json &object, std::string_view key, std::string_view fileName) {
  Expected<const Json *> value = member(object, key, fileName);
  if (!value)
    return value.takeStatus();
  // A value built by a program may hold a signed integer; parsed ones are unsigned whenever they are not negative.
  bool negative = (*value)->is_number_integer() && !(*value)->is_number_unsigned() && (*value)->get<int64_t>() < 0;
  if (!(*value)->is_number_integer() || negative)
    return wrongType(**value, key, "an integer from 0 that fits 64 bits", fileName);
  return (*value)->get<uint64_t>();
}

Expected<double> jsonNumber(const Json &object, std::string_view key, std::string_view fileName) {
  Expected<const Json *> value = member(object, key, fileName);
  if (!value)
    return value.takeStatus();
  if (!(*value)->is_number())
    return wrongType(**value, key, "a number", fileName);
  return (*value)->get<double>();
}

Expected<bool> jsonBool(const Json &object, std::string_view key, std::string_view fileName) {
  Expected<const Json *> value = member(object, key, fileName);
  if (!value)
    return value.takeStatus();
  if (!(*value)->is_boolean())
    return wrongType(**value, key, "true or false", fileName);
  return (*value)->get<bool>();
}

Expected<std::string> jsonString(const Json &object, std::string_view key, std::string_view fileName) {
  Expected<const Json *> value = member(object, key, fileName);
  if (!value)
    return value.takeStatus();
  if (!(*value)->is_string())
    return wrongType(**value, key, "a string", fileName);
  return (*value)->get<std::string>();
}

std::string writeJson(const Json &value) { return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string writeJsonLine(const Json &value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

} // namespace adze
