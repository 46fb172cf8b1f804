// Filters of sequences and dictionaries.
#include "Filters.h"
#include "Methods.h"

#include "../Utf8.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

using namespace adze;
using namespace adze::tmpl;

namespace {

// "a.b.0" as map, sort and selectattr understand it.
Value attributePath(Interpreter &in, const Value &value, const Value &path) {
  if (!path.is(ValueKind::String))
    return in.item(value, path);
  Value at = value;
  std::string_view rest = path.asString();
  while (in.ok()) {
    size_t dot = rest.find('.');
    std::string_view part = rest.substr(0, dot);
    int64_t index = 0;
    auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    bool number = error == std::errc() && end == part.data() + part.size() && part[0] != '-';
    at = in.item(at, number ? Value::integer(index) : Value::string(std::string(part)));
    if (dot == std::string_view::npos)
      break;
    rest.remove_prefix(dot + 1);
  }
  return at;
}

Value lengthFilter(Interpreter &in, const Value &value, const Arguments &) {
  switch (value.kind()) {
  case ValueKind::Undefined:
    return Value::integer(0);
  case ValueKind::String:
    in.work(value.asString().size());
    return Value::integer(static_cast<int64_t>(characterCount(value.asString())));
  case ValueKind::List:
    return Value::integer(static_cast<int64_t>(value.asList().items.size()));
  case ValueKind::Dict:
    return Value::integer(static_cast<int64_t>(value.asDict().entries.size()));
  default:
    return in.wrongType("length", value);
  }
}

Value listFilter(Interpreter &in, const Value &value, const Arguments &) {
  std::vector<Value> items;
  return in.iterate(value, items) ? in.list(std::move(items)) : Value();
}

template <bool first> Value endFilter(Interpreter &in, const Value &value, const Arguments &) {
  std::vector<Value> items;
  if (!in.iterate(value, items))
    return Value();
  return items.empty() ? Value::undefined("the element of an empty sequence") : first ? items.front() : items.back();
}

Value reverseFilter(Interpreter &in, const Value &value, const Arguments &) {
  if (value.is(ValueKind::String))
    return in.slice(value, Value::none(), Value::none(), Value::integer(-1));
  std::vector<Value> items;
  if (!in.iterate(value, items))
    return Value();
  std::reverse(items.begin(), items.end());
  return in.list(std::move(items));
}

Value joinFilter(Interpreter &in, const Value &value, const Arguments &arguments) {
  const Value *separator = argument(arguments, 0, "d"), *path = argument(arguments, 1, "attribute");
  OriginText between = separator ? in.text(*separator) : OriginText(), out;
  std::vector<Value> items;
  if (!in.iterate(value, items))
    return Value();
  for (size_t i = 0; i < items.size() && in.step(); ++i) {
    if (i > 0)
      in.append(out, between);
    in.append(out, in.text(path ? attributePath(in, items[i], *path) : items[i]));
  }
  return Value::string(std::move(out));
}

Value itemsFilter(Interpreter &in, const Value &value, const Arguments &) {
  if (value.is(ValueKind::Undefined))
    return in.list({});
  return value.is(ValueKind::Dict) ? in.callMethod(value, "items", Arguments()) : in.wrongType("items", value);
}

Value mapFilter(Interpreter &in, const Value &value, const Arguments &arguments) {
  std::vector<Value> items;
  if (value.truth() && !in.iterate(value, items)) // none is as good as empty here, in the reference too
    return Value();
  const Value *path = argument(arguments, SIZE_MAX, "attribute"), *fallback = argument(arguments, SIZE_MAX, "default");
  FilterFunction filter = nullptr;
  Arguments rest;
  if (!path) {
    const Value *name = argument(arguments, 0, "");
    filter = name && name->is(ValueKind::String) ? findFilter(name->asString()) : nullptr;
    if (!filter) {
      in.fail("map needs attribute= or the name of a filter", ErrorCode::Unsupported);
      return Value();
    }
    rest.positional.assign(arguments.positional.begin() + 1, arguments.positional.end());
    rest.named = arguments.named;
  }
  for (Value &item : items) {
    if (!in.step())
      return Value();
    item = path ? attributePath(in, item, *path) : filter(in, item, rest);
    if (path && fallback && item.is(ValueKind::Undefined))
      item = *fallback;
  }
  return in.list(std::move(items));
}

// select, reject, selectattr and rejectattr.
template <bool wanted, bool byAttribute>
Value selectFilter(Interpreter &in, const Value &value, const Arguments &arguments) {
  std::vector<Value> items, kept;
  size_t at = byAttribute ? 1 : 0;
  const Value *path = byAttribute ? argument(arguments, 0, "attribute") : nullptr;
  if (byAttribute && !path) {
    in.fail("selectattr and rejectattr need the name of an attribute");
    return Value();
  }
  TestFunction test = nullptr;
  Arguments rest;
  if (arguments.positional.size() > at) {
    const Value &name = arguments.positional[at];
    test = name.is(ValueKind::String) ? findTest(name.asString()) : nullptr;
    if (!test) {
      in.fail("select, reject and their attribute forms need the name of a test", ErrorCode::Unsupported);
      return Value();
    }
    rest.positional.assign(arguments.positional.begin() + static_cast<ptrdiff_t>(at) + 1, arguments.positional.end());
  }
  if (value.truth() && !in.iterate(value, items))
    return Value();
  for (const Value &item : items) {
    Value subject = path ? attributePath(in, item, *path) : item;
    if (!in.step())
      return Value();
    if ((test ? test(in, subject, rest) : subject.truth()) == wanted)
      kept.push_back(item);
  }
  return in.list(std::move(kept));
}

// What sorting and comparing without regard to case looks at.
Value sortKey(Interpreter &in, const Value &value, const Value *path, bool caseSensitive) {
  Value key = path && !path->is(ValueKind::None) ? attributePath(in, value, *path) : value;
  if (key.is(ValueKind::String) && !caseSensitive)
    return Value::string(cased(in, key.asText(), LetterCase::Lower));
  return key;
}

// Stable, by keys made once.
void sortByKeys(Interpreter &in, std::vector<Value> &items, const std::vector<Value> &keys, bool reverse) {
  std::vector<size_t> order(items.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  // A merge sort of our own: after a failure comparisons are no order any more, which std::sort must not see.
  std::vector<size_t> merged(order.size());
  for (size_t width = 1; width < order.size(); width *= 2) {
    for (size_t begin = 0; begin < order.size(); begin += 2 * width) {
      size_t middle = std::min(begin + width, order.size()), end = std::min(begin + 2 * width, order.size());
      size_t a = begin, b = middle;
      for (size_t out = begin; out < end; ++out) {
        bool right =
            a == middle ||
            (b < end && (reverse ? in.less(keys[order[a]], keys[order[b]]) : in.less(keys[order[b]], keys[order[a]])));
        merged[out] = right && b < end ? order[b++] : order[a++];
      }
    }
    order.swap(merged);
    if (!in.ok())
      return;
  }
  std::vector<Value> sorted;
  for (size_t i : order)
    sorted.push_back(items[i]);
  items = std::move(sorted);
}

Value sortFilter(Interpreter &in, const Value &value, const Arguments &arguments) {
  bool reverse = flagArgument(arguments, 0, "reverse", false),
       exact = flagArgument(arguments, 1, "case_sensitive", false);
  const Value *path = argument(arguments, 2, "attribute");
  std::vector<Value> items, keys;
  if (!in.iterate(value, items))
    return Value();
  for (const Value &item : items)
    keys.push_back(sortKey(in, item, path, exact));
  sortByKeys(in, items, keys, reverse);
  return in.list(std::move(items));
}

Value dictSortFilter(Interpreter &in, const Value &value, const Arguments &arguments) {
  if (!value.is(ValueKind::Dict))
    return in.wrongType("dictsort", value);
  const Value *by = argument(arguments, 1, "by");
  bool byValue = by && by->is(ValueKind::String) && by->asString() == "value";
  bool exact = flagArgument(arguments, 0, "case_sensitive", false),
       reverse = flagArgument(arguments, 2, "reverse", false);
  std::vector<Value> items, keys;
  for (const auto &[key, element] : value.asDict().entries) {
    items.push_back(in.list({key, element}, true));
    keys.push_back(sortKey(in, byValue ? element : key, nullptr, exact));
  }
  sortByKeys(in, items, keys, reverse);
  return in.list(std::move(items));
}

Value uniqueFilter(Interpreter &in, const Value &value, const Arguments &arguments) {
  bool exact = flagArgument(arguments, 0, "case_sensitive", false);
  const Value *path = argument(arguments, 1, "attribute");
  std::vector<Value> items, kept, keys;
  if (!in.iterate(value, items))
    return Value();
  for (const Value &item : items) {
    Value key = sortKey(in, item, path, exact);
    if (!in.step(keys.size() / 4 + 1))
      return Value();
    if (std::any_of(keys.begin(), keys.end(), [&](const Value &old) { return equal(old, key); }))
      continue;
    keys.push_back(std::move(key));
    kept.push_back(item);
  }
  return in.list(std::move(kept));
}

template <bool largest> Value extremeFilter(Interpreter &in, const Value &value, const Arguments &arguments) {
  bool exact = flagArgument(arguments, 0, "case_sensitive", false);
  const Value *path = argument(arguments, 1, "attribute");
  std::vector<Value> items;
  if (!in.iterate(value, items))
    return Value();
  if (items.empty())
    return Value::undefined("the extreme of an empty sequence");
  size_t best = 0;
  Value bestKey = sortKey(in, items[0], path, exact);
  for (size_t i = 1; i < items.size() && in.ok(); ++i) {
    Value key = sortKey(in, items[i], path, exact);
    if (largest ? in.less(bestKey, key) : in.less(key, bestKey)) {
      best = i;
      bestKey = key;
    }
  }
  return items[best];
}

Value sumFilter(Interpreter &in, const Value &value, const Arguments &arguments) {
  const Value *path = argument(arguments, 0, "attribute"), *start = argument(arguments, 1, "start");
  std::vector<Value> items;
  if (!in.iterate(value, items))
    return Value();
  Value total = start ? *start : Value::integer(0);
  for (const Value &item : items) {
    if (!in.step())
      return Value();
    total = in.binary("+", total, path && !path->is(ValueKind::None) ? attributePath(in, item, *path) : item);
  }
  return total;
}

constexpr FilterRow rows[] = {
    {"length", lengthFilter},
    {"count", lengthFilter},
    {"list", listFilter},
    {"first", endFilter<true>},
    {"last", endFilter<false>},
    {"reverse", reverseFilter},
    {"join", joinFilter},
    {"items", itemsFilter},
    {"map", mapFilter},
    {"select", selectFilter<true, false>},
    {"reject", selectFilter<false, false>},
    {"selectattr", selectFilter<true, true>},
    {"rejectattr", selectFilter<false, true>},
    {"sort", sortFilter},
    {"dictsort", dictSortFilter},
    {"unique", uniqueFilter},
    {"min", extremeFilter<false>},
    {"max", extremeFilter<true>},
    {"sum", sumFilter},
};

} // namespace

FilterFunction tmpl::findSequenceFilter(std::string_view name) {
  for (const FilterRow &row : rows)
    if (row.name == name)
      return row.function;
  return nullptr;
}
