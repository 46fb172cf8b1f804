//===- ManualOrders.h - what the copy engine writes and wgmma reads, by the manual's formulas -------------------===//
#ifndef ADZE_TEST_LAYOUT_MANUALORDERS_H
#define ADZE_TEST_LAYOUT_MANUALORDERS_H

#include "LayoutData.h"

#include "adze/Layout/TmaTile.h"
#include "adze/Layout/WgmmaDescriptor.h"

namespace adze {

/// 16-byte pieces exchanged as a swizzle says: their number is XORed with that of the 128-byte line.
inline uint32_t exchanged(uint32_t address, unsigned swizzle) {
  return swizzle ? address ^ (address >> 7 & (swizzle / 16 - 1)) << 4 : address;
}

/// Byte that wgmma reads for element (row, k) of an instruction whose descriptor starts at 0 (PTX ISA 9.7.15.5.1).
inline uint32_t manualAddress(const WgmmaDescriptor &d, int64_t row, int64_t k, unsigned elementBytes, uint32_t start) {
  uint32_t pitch = d.swizzle ? d.swizzle : 16, address;
  if (!d.mnMajor) {
    uint32_t byte = uint32_t(k) * elementBytes, piece = byte / 16;
    address = uint32_t(row / 8) * d.strideBytes + uint32_t(row % 8) * pitch +
              piece * (d.swizzle ? 16 : d.leadingBytes) + byte % 16;
  } else {
    uint32_t byte = uint32_t(row) * elementBytes, piece = byte / 16, beside = pitch / 16;
    address = piece % beside * 16 + piece / beside * (d.swizzle ? d.leadingBytes : d.strideBytes) + byte % 16 +
              uint32_t(k % 8) * pitch + uint32_t(k / 8) * (d.swizzle ? d.strideBytes : d.leadingBytes);
  }
  address += start;
  return exchanged(address, d.swizzle);
}

/// Elements of all instructions of the tile that do not lie where the descriptor says.
inline unsigned wrongReads(const LinearMap &storage, const WgmmaDescriptor &d, int64_t rows, unsigned elementBits) {
  Coord box = storage.extents();
  unsigned elementBytes = elementBits / 8, wrong = 0;
  int64_t step = 32 / elementBytes;
  for (int64_t row = 0; row < box[0]; ++row)
    for (int64_t k = 0; k < box[1]; ++k) {
      uint32_t start = 0;
      for (size_t i = 0; i < d.kAdvance.size(); ++i)
        start += k / step >> i & 1 ? d.kAdvance[i] : 0;
      for (size_t i = 0; i < d.rowAdvance.size(); ++i)
        start += row / rows >> i & 1 ? d.rowAdvance[i] : 0;
      uint32_t address = manualAddress(d, row % rows, k % step, elementBytes, start);
      wrong += storage.apply(address / elementBytes) != Coord{row, k, 0, 0};
    }
  return wrong;
}

/// Elements that the copies of that tile put elsewhere: boxes one after the other, innermost dimension first.
inline unsigned wrongCopies(const LinearMap &storage, const TmaTile &tile, unsigned elementBits) {
  unsigned wrong = 0, elementBytes = elementBits / 8;
  for (uint64_t box = 0; box < uint64_t(1) << tile.origins.bits(); ++box)
    for (uint32_t element = 0; element < tile.boxBytes / elementBytes; ++element) {
      Coord coord = tile.origins.apply(box);
      uint32_t rest = element;
      for (const TmaDimension &dimension : tile.box) {
        coord[dimension.dim] += rest % dimension.extent;
        rest /= dimension.extent;
      }
      uint32_t address = uint32_t(box) * tile.boxBytes + element * elementBytes;
      wrong += storage.apply(exchanged(address, tile.swizzle) / elementBytes) != coord;
    }
  return wrong;
}

} // namespace adze

#endif // ADZE_TEST_LAYOUT_MANUALORDERS_H
