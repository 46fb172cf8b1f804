// StrictJson.h: one list of keys that reads and writes a record.
//
// A record names its keys once, in `template <class V> void fields(V &visit, Record &record)`; StrictReader and
// StrictWriter visit that list. So writing and reading cannot differ, every key is required, and a key that the list
// lacks is an error. A std::optional is the one exception: its key may be absent, and is then not written. The reader
// keeps the first error and its path, for example kernels[3].family.
#ifndef ADZE_LIB_FORMAT_STRICTJSON_H
#define ADZE_LIB_FORMAT_STRICTJSON_H

#include "adze/Support/Status.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace adze {

/// What a value is, for messages.
inline std::string describeJson(const nlohmann::json &value) {
  if (value.is_string()) {
    std::string text = value.get_ref<const std::string &>();
    return "the string \"" + (text.size() > 40 ? text.substr(0, 37) + "..." : text) + "\"";
  }
  if (value.is_number())
    return "the number " + value.dump();
  if (value.is_boolean())
    return value.get<bool>() ? "true" : "false";
  return std::string("a value of type ") + value.type_name();
}

class StrictReader {
public:
  StrictReader(std::string_view file) : file_(file) {}

  const Status &status() const { return status_; }
  void fail(const std::string &what) {
    if (status_.ok())
      status_ = invalidInput(file_ + ": " + what);
  }

  /// Reads one record: each key of `fields`, then nothing else.
  template <class Record> void record(const nlohmann::json &value, const std::string &path, Record &out) {
    if (!value.is_object())
      return fail("key '" + path + "' is " + describeJson(value) + "; an object is accepted");
    Visitor visitor{*this, value, path, {}};
    fields(visitor, out);
    for (const auto &item : value.items()) {
      bool known = false;
      for (const char *key : visitor.seen)
        known |= item.key() == key;
      if (!known)
        return fail("key '" + join(path, item.key()) + "' is not known to this version of Adze");
    }
  }

  void read(const nlohmann::json &value, const std::string &path, std::string &out) {
    if (!value.is_string())
      return fail("key '" + path + "' is " + describeJson(value) + "; a string is accepted");
    out = value.get_ref<const std::string &>();
  }
  void read(const nlohmann::json &value, const std::string &path, bool &out) {
    if (!value.is_boolean())
      return fail("key '" + path + "' is " + describeJson(value) + "; true or false is accepted");
    out = value.get<bool>();
  }
  void read(const nlohmann::json &value, const std::string &path, double &out) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      return fail("key '" + path + "' is " + describeJson(value) + "; a finite number is accepted");
    out = value.get<double>();
  }
  template <class Integer>
    requires(std::is_integral_v<Integer>)
  void read(const nlohmann::json &value, const std::string &path, Integer &out) {
    bool fits = value.is_number_unsigned()
                    ? value.get<uint64_t>() <= uint64_t(std::numeric_limits<Integer>::max())
                    : value.is_number_integer() && value.get<int64_t>() >= std::numeric_limits<Integer>::min();
    if (!fits)
      return fail("key '" + path + "' is " + describeJson(value) + "; a whole number of " +
                  std::to_string(8 * sizeof(Integer)) + " bits is accepted");
    out = value.get<Integer>();
  }
  template <class Element> void read(const nlohmann::json &value, const std::string &path, std::vector<Element> &out) {
    if (!value.is_array())
      return fail("key '" + path + "' is " + describeJson(value) + "; a list is accepted");
    out.clear();
    for (size_t i = 0; i < value.size() && status_.ok(); ++i)
      read(value[i], path + "[" + std::to_string(i) + "]", out.emplace_back());
  }
  /// A map from names to strings, in the order of the names.
  void read(const nlohmann::json &value, const std::string &path,
            std::vector<std::pair<std::string, std::string>> &out) {
    if (!value.is_object())
      return fail("key '" + path + "' is " + describeJson(value) + "; an object is accepted");
    out.clear();
    for (const auto &item : value.items()) {
      out.emplace_back(item.key(), "");
      read(item.value(), join(path, item.key()), out.back().second);
    }
  }
  template <class Record>
    requires(std::is_class_v<Record>)
  void read(const nlohmann::json &value, const std::string &path, Record &out) {
    record(value, path, out);
  }

  static std::string join(const std::string &path, const std::string &key) {
    return path.empty() ? key : path + "." + key;
  }

private:
  struct Visitor {
    StrictReader &reader;
    const nlohmann::json &object;
    const std::string &path;
    std::vector<const char *> seen;
    template <class T> void operator()(const char *key, T &out) {
      seen.push_back(key);
      auto found = object.find(key);
      if (found == object.end())
        return reader.fail("key '" + join(path, key) + "' is missing");
      if (reader.status_.ok())
        reader.read(*found, join(path, key), out);
    }
    template <class T> void operator()(const char *key, std::optional<T> &out) {
      out.reset();
      if (object.contains(key))
        return (*this)(key, out.emplace());
      seen.push_back(key);
    }
  };

  std::string file_;
  Status status_;
};

class StrictWriter {
public:
  using Json = nlohmann::ordered_json;
  template <class Record> static Json record(const Record &value) {
    Visitor visitor{Json::object()};
    fields(visitor, const_cast<Record &>(value)); // the visitor only reads
    return std::move(visitor.object);
  }
  template <class T> static Json write(const T &value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
      return value;
    else
      return record(value);
  }
  template <class Element> static Json write(const std::vector<Element> &values) {
    Json list = Json::array();
    for (const Element &value : values)
      list.push_back(write(value));
    return list;
  }
  static Json write(const std::vector<std::pair<std::string, std::string>> &values) {
    Json object = Json::object();
    for (const auto &[key, value] : values)
      object[key] = value;
    return object;
  }

private:
  struct Visitor {
    Json object;
    template <class T> void operator()(const char *key, const T &value) { object[key] = write(value); }
    template <class T> void operator()(const char *key, const std::optional<T> &value) {
      if (value)
        object[key] = write(*value);
    }
  };
};

} // namespace adze
#endif
