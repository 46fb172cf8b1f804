// The steps of weight expressions on rows.
#include "RowSource.h"

#include "adze/Format/FloatFormats.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace adze {
namespace {

class StoredRows : public RowSource {
public:
  StoredRows(const EncodingInfo &encoding, const PartInfo &part, std::span<const uint8_t> bytes, int64_t rows,
             int64_t columns)
      : RowSource(rows, columns, part.element), encoding(encoding), part(part), bytes(bytes) {}

  void read(int64_t first, int64_t count, uint8_t *output) const override {
    // Rows are whole blocks and follow each other, so a range of rows is one run of blocks.
    uint64_t perRow = uint64_t(columns()) * uint64_t(part.span);
    uint64_t rowSize = *encodedBytes(encoding, perRow);
    decodePart(encoding, part.part, bytes.subspan(uint64_t(first) * rowSize, uint64_t(count) * rowSize),
               uint64_t(count) * perRow, output);
  }

private:
  const EncodingInfo &encoding;
  const PartInfo &part;
  std::span<const uint8_t> bytes;
};

class ConstantRows : public RowSource {
public:
  ConstantRows(std::vector<uint8_t> values, int64_t rows, int64_t columns, PartElement element)
      : RowSource(rows, columns, element), values(std::move(values)) {}
  void read(int64_t first, int64_t count, uint8_t *output) const override {
    std::memcpy(output, values.data() + first * rowBytes(), size_t(count * rowBytes()));
  }

private:
  std::vector<uint8_t> values;
};

// Output row h*d + j + i*(d/2) is input row h*d + 2*j + i.
class PermutedRows : public RowSource {
public:
  PermutedRows(RowSourcePtr from, int64_t heads)
      : RowSource(from->rows(), from->columns(), from->element()), input(std::move(from)), width(rows() / heads) {}
  void read(int64_t first, int64_t count, uint8_t *output) const override {
    for (int64_t row = first; row < first + count; ++row, output += rowBytes()) {
      int64_t head = row / width, within = row % width;
      int64_t i = within / (width / 2), j = within % (width / 2);
      input->read(head * width + 2 * j + i, 1, output);
    }
  }

private:
  RowSourcePtr input;
  int64_t width;
};

class ConcatenatedRows : public RowSource {
public:
  ConcatenatedRows(std::vector<RowSourcePtr> all, int64_t rows)
      : RowSource(rows, all.front()->columns(), all.front()->element()), inputs(std::move(all)) {}
  void read(int64_t first, int64_t count, uint8_t *output) const override {
    int64_t start = 0;
    for (const RowSourcePtr &input : inputs) {
      int64_t from = std::max(first, start), to = std::min(first + count, start + input->rows());
      if (from < to)
        input->read(from - start, to - from, output + (from - first) * rowBytes());
      start += input->rows();
    }
  }

private:
  std::vector<RowSourcePtr> inputs;
};

class SlicedRows : public RowSource {
public:
  SlicedRows(RowSourcePtr from, int64_t offset, int64_t size)
      : RowSource(size, from->columns(), from->element()), input(std::move(from)), offset(offset) {}
  void read(int64_t first, int64_t count, uint8_t *output) const override {
    input->read(offset + first, count, output);
  }

private:
  RowSourcePtr input;
  int64_t offset;
};

class ConvertedRows : public RowSource {
public:
  ConvertedRows(RowSourcePtr from, PartElement element)
      : RowSource(from->rows(), from->columns(), element), input(std::move(from)) {}
  void read(int64_t first, int64_t count, uint8_t *output) const override {
    // In runs that stay in the cache; a vector has many rows of one element.
    int64_t step = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, columns()));
    std::vector<uint8_t> raw(size_t(step * input->rowBytes()));
    std::vector<float> wide(size_t(step * columns()));
    for (int64_t done = 0; done < count; done += step) {
      int64_t now = std::min(step, count - done);
      input->read(first + done, now, raw.data());
      widen(input->element(), raw.data(), now * columns(), wide.data());
      narrow(element(), wide.data(), now * columns(), output + done * rowBytes());
    }
  }

private:
  RowSourcePtr input;
};

} // namespace

RowSourcePtr makeStoredRows(const EncodingInfo &encoding, const PartInfo &part, std::span<const uint8_t> bytes,
                            int64_t rows, int64_t columns) {
  return std::make_unique<StoredRows>(encoding, part, bytes, rows, columns);
}
RowSourcePtr makeConstantRows(std::vector<uint8_t> values, int64_t rows, int64_t columns, PartElement element) {
  return std::make_unique<ConstantRows>(std::move(values), rows, columns, element);
}
RowSourcePtr makePermutedRows(RowSourcePtr input, int64_t heads) {
  return std::make_unique<PermutedRows>(std::move(input), heads);
}
RowSourcePtr makeConcatenatedRows(std::vector<RowSourcePtr> inputs) {
  int64_t rows = 0;
  for (const RowSourcePtr &input : inputs)
    rows += input->rows();
  return std::make_unique<ConcatenatedRows>(std::move(inputs), rows);
}
RowSourcePtr makeSlicedRows(RowSourcePtr input, int64_t offset, int64_t size) {
  return std::make_unique<SlicedRows>(std::move(input), offset, size);
}
RowSourcePtr makeConvertedRows(RowSourcePtr input, PartElement element) {
  return std::make_unique<ConvertedRows>(std::move(input), element);
}

void widen(PartElement element, const uint8_t *input, int64_t count, float *output) {
  if (element == PartElement::F32) {
    std::memcpy(output, input, size_t(count) * 4);
    return;
  }
  assert((element == PartElement::F16 || element == PartElement::BF16) && "codes are not floats");
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, input + 2 * i, 2);
    output[i] = element == PartElement::F16 ? halfToFloat(bits) : bfloatToFloat(bits);
  }
}

void narrow(PartElement element, const float *input, int64_t count, uint8_t *output) {
  if (element == PartElement::F32) {
    std::memcpy(output, input, size_t(count) * 4);
    return;
  }
  assert((element == PartElement::F16 || element == PartElement::BF16) && "codes are not floats");
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits = element == PartElement::F16 ? floatToHalf(input[i]) : floatToBfloat(input[i]);
    std::memcpy(output + 2 * i, &bits, 2);
  }
}

} // namespace adze
