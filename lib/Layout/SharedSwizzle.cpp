#include "adze/Layout/SharedSwizzle.h"

#include <algorithm>
#include <bit>

using namespace adze;

static constexpr unsigned kPieceBits = 4; ///< 16 bytes stay together

unsigned adze::swizzleBits(unsigned bytes) { return bytes ? std::countr_zero(bytes) - kPieceBits : 0; }

uint32_t adze::swizzled(uint32_t address, unsigned bytes) {
  uint32_t mask = ((1u << swizzleBits(bytes)) - 1) << kPieceBits;
  return address ^ (address >> 3 & mask);
}

std::optional<LinearMap> adze::sharedStorage(int64_t rows, int64_t columns, unsigned elementBits, unsigned swizzle,
                                             std::string *reason) {
  auto refuse = [&](std::string text) -> std::optional<LinearMap> {
    if (reason)
      *reason = std::move(text);
    return std::nullopt;
  };
  std::string tile =
      std::to_string(rows) + " x " + std::to_string(columns) + " elements of " + std::to_string(elementBits) + " bits";
  if (rows < 1 || columns < 1 || !std::has_single_bit(uint64_t(rows)) || !std::has_single_bit(uint64_t(columns)) ||
      !std::has_single_bit(elementBits) || elementBits < 4 || elementBits > 64)
    return refuse("a tile of shared memory has powers of two as extents and elements of 4 to 64 bits, found " + tile);
  if (!std::ranges::count(kSwizzles, swizzle))
    return refuse("a swizzle is 0, 32, 64 or 128 bytes, found " + std::to_string(swizzle));
  int64_t panel = swizzle ? int64_t(swizzle) * 8 / elementBits : columns;
  if (panel > columns)
    return refuse("rows of " + tile + " are shorter than the swizzle of " + std::to_string(swizzle) + " bytes");
  LinearMap storage;
  for (int64_t c = 1; c < panel; c *= 2)
    storage.reg.push_back({0, c, 0, 0});
  for (int64_t r = 1; r < rows; r *= 2)
    storage.reg.push_back({r, 0, 0, 0});
  for (int64_t c = panel; c < columns; c *= 2)
    storage.reg.push_back({0, c, 0, 0});
  // Address bit 7 + i exchanges pieces: it also moves along what bit 4 + i moves along.
  auto bitOfByte = [&](unsigned bit) { return bit + 3 - std::countr_zero(elementBits); };
  for (unsigned i = 0; i < swizzleBits(swizzle); ++i)
    if (bitOfByte(7 + i) < storage.reg.size())
      storage.reg[bitOfByte(7 + i)][1] ^= storage.reg[bitOfByte(kPieceBits + i)][1];
  return storage;
}

std::optional<SwizzleChoice> adze::chooseSwizzle(int64_t rows, int64_t columns, unsigned elementBits,
                                                 std::span<const LinearMap> stores, std::span<const LinearMap> loads,
                                                 const SharedFacts &facts, std::string *reason) {
  std::optional<SwizzleChoice> best;
  for (unsigned swizzle : kSwizzles) {
    std::optional<LinearMap> storage = sharedStorage(rows, columns, elementBits, swizzle, reason);
    if (!storage && !best)
      return std::nullopt;
    if (!storage) // rows are shorter than this swizzle and all that follow
      break;
    SwizzleChoice choice{swizzle, *storage, 0};
    for (bool store : {true, false})
      for (const LinearMap &layout : store ? stores : loads) {
        std::optional<SharedTransfer> transfer =
            planSharedTransfer(*storage, layout, elementBits, store, facts, reason);
        if (!transfer)
          return std::nullopt;
        choice.wavefronts += transfer->access.wavefronts;
      }
    if (!best || choice.wavefronts < best->wavefronts)
      best = std::move(choice);
  }
  return best;
}
