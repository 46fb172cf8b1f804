// RowSource.h: a weight expression as a tree of things that give rows.
//
// A tensor of two dimensions has its first as rows; a vector has one element a row. Each node asks its inputs for the
// rows it needs, in ranges, so one virtual call moves at least a row.
#ifndef ADZE_LIB_PIPELINE_WEIGHTS_ROWSOURCE_H
#define ADZE_LIB_PIPELINE_WEIGHTS_ROWSOURCE_H

#include "adze/Format/Encodings.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace adze {

class RowSource {
public:
  RowSource(int64_t rows, int64_t columns, PartElement element) : rowCount(rows), columnCount(columns), kind(element) {}
  virtual ~RowSource() = default;

  int64_t rows() const { return rowCount; }
  int64_t columns() const { return columnCount; }
  PartElement element() const { return kind; }
  int64_t rowBytes() const { return columnCount * partElementBytes(kind); }

  // Writes rows [first, first + count), count * rowBytes() bytes. The range lies inside.
  virtual void read(int64_t first, int64_t count, uint8_t *output) const = 0;

private:
  int64_t rowCount, columnCount;
  PartElement kind;
};

using RowSourcePtr = std::unique_ptr<RowSource>;

// A part of a stored tensor; `bytes` holds exactly its rows, and a row whole blocks (a vector is one run of plain
// floats).
RowSourcePtr makeStoredRows(const EncodingInfo &encoding, const PartInfo &part, std::span<const uint8_t> bytes,
                            int64_t rows, int64_t columns);
// Values held in memory.
RowSourcePtr makeConstantRows(std::vector<uint8_t> values, int64_t rows, int64_t columns, PartElement element);
RowSourcePtr makePermutedRows(RowSourcePtr input, int64_t heads);
// All inputs have the same columns and element.
RowSourcePtr makeConcatenatedRows(std::vector<RowSourcePtr> inputs);
RowSourcePtr makeSlicedRows(RowSourcePtr input, int64_t offset, int64_t size);
// Between f32, f16 and bf16, to nearest even.
RowSourcePtr makeConvertedRows(RowSourcePtr input, PartElement element);

// Elements of one of the float kinds as f32 and back.
void widen(PartElement element, const uint8_t *input, int64_t count, float *output);
void narrow(PartElement element, const float *input, int64_t count, uint8_t *output);

} // namespace adze
#endif
