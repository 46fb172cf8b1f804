// Value.h: the values of a running template.
//
// Strings are OriginText: bytes that know who wrote them. Containers are shared and immutable once made, except
// namespaces. A container's depth is bounded when it is made, so that printing, comparing and freeing never recurse
// far.
#ifndef ADZE_TEXT_TEMPLATE_VALUE_H
#define ADZE_TEXT_TEMPLATE_VALUE_H

#include "adze/Text/TextRuns.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace adze::tmpl {

// UTF-8 with an origin per byte. The common case, one origin for all, stores no marks.
class OriginText {
public:
  OriginText() = default;
  OriginText(std::string text, TextOrigin origin) : bytes(std::move(text)), whole(origin) {}

  const std::string &text() const { return bytes; }
  size_t size() const { return bytes.size(); }
  bool empty() const { return bytes.empty(); }
  TextOrigin origin(size_t at) const { return marks.empty() ? whole : static_cast<TextOrigin>(marks[at]); }

  void append(std::string_view text, TextOrigin origin);
  void append(const OriginText &other) { append(other, 0, other.size()); }
  void append(const OriginText &other, size_t begin, size_t end);
  OriginText slice(size_t begin, size_t end) const;
  // The text as runs of one origin each, appended.
  void appendRuns(std::vector<TextRun> &runs) const;

private:
  void spellOut();
  std::string bytes, marks;
  TextOrigin whole = TextOrigin::Template;
};

class Value;
struct List;
struct Dict;
struct Namespace;
struct Callable;
struct LoopState;

enum class ValueKind : uint8_t { Undefined, None, Bool, Int, Float, String, List, Dict, Namespace, Callable, Loop };

class Value {
public:
  // Undefined; `name` is what the message calls it.
  Value() = default;
  static Value undefined(std::string name) {
    Value value;
    value.content = std::make_shared<const std::string>(std::move(name));
    return value;
  }
  static Value none() { return Value(None{}); }
  static Value boolean(bool b) { return Value(b); }
  static Value integer(int64_t i) { return Value(i); }
  static Value number(double d) { return Value(d); }
  static Value string(OriginText text) { return Value(std::make_shared<const OriginText>(std::move(text))); }
  static Value string(std::string text) { return string(OriginText(std::move(text), TextOrigin::Template)); }
  Value(std::shared_ptr<const List> list) : content(std::move(list)) {}
  Value(std::shared_ptr<const Dict> dict) : content(std::move(dict)) {}
  Value(std::shared_ptr<Namespace> ns) : content(std::move(ns)) {}
  Value(std::shared_ptr<const Callable> callable) : content(std::move(callable)) {}
  Value(std::shared_ptr<LoopState> loop) : content(std::move(loop)) {}

  ValueKind kind() const { return static_cast<ValueKind>(content.index()); }
  bool is(ValueKind k) const { return kind() == k; }
  bool isNumber() const { return is(ValueKind::Int) || is(ValueKind::Float) || is(ValueKind::Bool); }

  std::string_view undefinedName() const {
    const auto &name = std::get<0>(content);
    return name ? std::string_view(*name) : std::string_view("value");
  }
  bool asBool() const { return std::get<bool>(content); }
  // Ints and bools.
  int64_t asInt() const { return is(ValueKind::Bool) ? asBool() : std::get<int64_t>(content); }
  // Any number.
  double asDouble() const { return is(ValueKind::Float) ? std::get<double>(content) : static_cast<double>(asInt()); }
  const OriginText &asText() const { return *std::get<std::shared_ptr<const OriginText>>(content); }
  const std::string &asString() const { return asText().text(); }
  const List &asList() const { return *std::get<std::shared_ptr<const List>>(content); }
  const Dict &asDict() const { return *std::get<std::shared_ptr<const Dict>>(content); }
  const std::shared_ptr<Namespace> &asNamespace() const { return std::get<std::shared_ptr<Namespace>>(content); }
  const Callable &asCallable() const { return *std::get<std::shared_ptr<const Callable>>(content); }
  LoopState &asLoop() const { return *std::get<std::shared_ptr<LoopState>>(content); }

  // Python's truth: empty and zero things are false.
  bool truth() const;
  uint32_t depth() const;
  // "a string", "a list" ...: for messages.
  std::string_view typeName() const;

private:
  struct None {};
  template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, Value>)
  explicit Value(T value) : content(value) {}

  std::variant<std::shared_ptr<const std::string>, None, bool, int64_t, double, std::shared_ptr<const OriginText>,
               std::shared_ptr<const List>, std::shared_ptr<const Dict>, std::shared_ptr<Namespace>,
               std::shared_ptr<const Callable>, std::shared_ptr<LoopState>>
      content;
};

inline constexpr uint32_t valueDepthLimit = 128;

struct List {
  std::vector<Value> items;
  bool tuple = false;
  uint32_t depth = 1;
};
struct Dict {
  std::vector<std::pair<Value, Value>> entries; // in the order of insertion; keys are unique
  uint32_t depth = 1;
  // Linear: dictionaries of a conversation are small; callers charge steps for the scan.
  const Value *find(std::string_view key) const;
  const Value *find(const Value &key) const;
};
struct Namespace {
  std::vector<std::pair<std::string, Value>> entries;
  Value *find(std::string_view key);
};

struct Scope;
struct Statement;
// A macro, a function of the language, or a method bound to its value.
struct Callable {
  enum class Kind : uint8_t { Macro, Function, Method } kind;
  std::string name;
  const Statement *macro = nullptr;
  std::shared_ptr<Scope> scope; // where a macro was defined
  Value self;                   // of a method
};
struct LoopState {
  std::shared_ptr<const List> items;
  size_t index = 0;
};

// Python's ==. False for values of different kinds (numbers compare with each other).
bool equal(const Value &a, const Value &b);

} // namespace adze::tmpl

#endif // ADZE_TEXT_TEMPLATE_VALUE_H
