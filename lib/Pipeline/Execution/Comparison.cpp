// Comparison.cpp: element by element.
#include "adze/Pipeline/Execution/Comparison.h"

#include "llvm/Support/Format.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace adze::execution {

namespace reference = llm::reference;

std::string Difference::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "element " << element << ": "
         << llvm::format("before %.9g, after %.9g (%lld of %lld differ)", before, after, (long long)count,
                         (long long)all);
  return text;
}

namespace {
/// Collects what differs; the first place is named.
class Collector {
public:
  explicit Collector(const Tolerance &tolerance) : tolerance(tolerance) {}

  template <class Place> void add(double before, double after, double allowed, Place place) {
    ++difference.all;
    bool same = std::isnan(before) || std::isnan(after) ? std::isnan(before) && std::isnan(after)
                                                        : before == after || std::abs(before - after) <= allowed;
    if (same)
      return;
    if (difference.count++ == 0) {
      difference.element = place();
      difference.before = before;
      difference.after = after;
    }
  }
  template <class Place> void addRow(const float *before, const float *after, int64_t size, Place place) {
    double largest = tolerance.ofRow ? largestOf({before, size_t(size)}) : wholeLargest;
    for (int64_t i = 0; i < size; ++i)
      add(before[i], after[i], tolerance.bound * largest, [&] { return place(i); });
  }
  /// All numbers of the value, where the tolerance asks for them.
  void setWhole(std::span<const float> numbers) {
    if (!tolerance.ofRow)
      wholeLargest = largestOf(numbers);
  }
  std::optional<Difference> result() const { return difference.count ? std::optional(difference) : std::nullopt; }

private:
  static double largestOf(std::span<const float> numbers) {
    double largest = 0;
    for (float number : numbers)
      if (std::isfinite(number))
        largest = std::max<double>(largest, std::abs(number));
    return largest;
  }

  const Tolerance &tolerance;
  double wholeLargest = 0;
  Difference difference;
};

std::string placeOf(const std::vector<int64_t> &shape, int64_t index) {
  std::string text;
  for (size_t dim = shape.size(); dim-- > 0; index /= shape[dim])
    text = std::to_string(index % shape[dim]) + (text.empty() ? "" : ", ") + text;
  return "[" + text + "]";
}

std::string shapeText(const reference::Tensor &tensor) {
  std::string text;
  for (int64_t extent : tensor.shape)
    text += std::to_string(extent) + "x";
  return text + std::string(reference::elementName(tensor.element));
}
} // namespace

std::optional<Difference> compareTensors(const reference::Tensor &before, const reference::Tensor &after,
                                         const Tolerance &tolerance) {
  bool floats = reference::isFloat(before.element);
  if (before.shape != after.shape || floats != reference::isFloat(after.element))
    return Difference{shapeText(before) + " became " + shapeText(after), 0, 0, before.size(), before.size()};
  Collector collector(tolerance);
  if (floats) {
    collector.setWhole(before.floats);
    int64_t columns = before.shape.empty() ? 1 : before.columns();
    for (int64_t start = 0; start < before.size(); start += columns)
      collector.addRow(before.floats.data() + start, after.floats.data() + start, columns,
                       [&](int64_t i) { return placeOf(before.shape, start + i); });
    return collector.result();
  }
  double allowed = tolerance.bound == 0                        ? 0
                   : before.element == reference::Element::I8  ? 1
                   : before.element == reference::Element::I32 ? 1e9
                                                               : 0;
  for (int64_t i = 0; i < before.size(); ++i)
    collector.add(before.ints[i], after.ints[i], allowed, [&] { return placeOf(before.shape, i); });
  return collector.result();
}

std::optional<Difference> compareCaches(const reference::Cache &before, const reference::Batch &beforeBatch,
                                        const reference::Cache &after, const reference::Batch &afterBatch,
                                        const Tolerance &tolerance) {
  if (before.layers != after.layers || before.heads != after.heads || before.dim != after.dim)
    return Difference{"a cache of other extents", 0, 0, 1, 1};
  Collector collector(tolerance);
  collector.setWhole(before.data);
  std::vector<bool> owned(after.pages * after.page, false);
  for (int64_t b = 0; b < beforeBatch.requests(); ++b)
    for (int64_t position = 0; position < beforeBatch.kvLength[b]; ++position) {
      auto slotIn = [&](const reference::Cache &cache, const reference::Batch &batch) {
        return batch.pages[batch.pageStart[b] + position / cache.page] * cache.page + position % cache.page;
      };
      int64_t from = slotIn(before, beforeBatch), to = slotIn(after, afterBatch);
      owned[to] = true;
      for (int64_t layer = 0; layer < before.layers; ++layer)
        for (int kind : {0, 1})
          for (int64_t head = 0; head < before.heads; ++head)
            collector.addRow(before.at(from, layer, kind, head), after.at(to, layer, kind, head), before.dim,
                             [&](int64_t i) {
                               return "request " + std::to_string(b) + ", position " + std::to_string(position) +
                                      ", layer " + std::to_string(layer) + (kind ? ", value" : ", key") + ", head " +
                                      std::to_string(head) + ", [" + std::to_string(i) + "]";
                             });
    }
  for (int64_t slot = 0; slot < int64_t(owned.size()); ++slot)
    if (!owned[slot])
      for (int64_t layer = 0; layer < after.layers; ++layer)
        for (int kind : {0, 1})
          for (int64_t head = 0; head < after.heads; ++head)
            for (int64_t i = 0; i < after.dim; ++i)
              collector.add(NAN, after.at(slot, layer, kind, head)[i], 0, [&] {
                return "slot " + std::to_string(slot) + " of nobody, layer " + std::to_string(layer) +
                       (kind ? ", value" : ", key");
              });
  return collector.result();
}

std::optional<Difference> compareValues(const reference::Value &before, const reference::Batch &beforeBatch,
                                        const reference::Value &after, const reference::Batch &afterBatch,
                                        const Tolerance &tolerance) {
  if (before.isTensor() && after.isTensor())
    return compareTensors(before.tensor(), after.tensor(), tolerance);
  if (before.isCache() && after.isCache())
    return compareCaches(before.cache(), beforeBatch, after.cache(), afterBatch, tolerance);
  if (before.isBatch() && after.isBatch())
    return std::nullopt; // made by the caller, never by a pass
  return Difference{"a value of another kind", 0, 0, 1, 1};
}

} // namespace adze::execution
