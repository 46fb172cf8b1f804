#include "adze/Layout/WgmmaDescriptor.h"

#include "adze/Layout/SharedSwizzle.h"

#include <algorithm>
#include <bit>

using namespace adze;

static constexpr uint32_t kPiece = 16;

namespace {
/// One attempt to read a storage as a canonical order.
class Canonical {
public:
  Canonical(const LinearMap &inverse, const Coord &box, int64_t rows, unsigned elementBits, unsigned swizzle,
            bool mnMajor)
      : inverse(inverse), box(box), elementBytes(elementBits / 8), swizzle(swizzle) {
    descriptor.swizzle = swizzle;
    descriptor.mnMajor = mnMajor;
    int64_t k = 32 / elementBytes, inPiece = kPiece / elementBytes;
    uint32_t pitch = swizzle ? swizzle : kPiece;
    int64_t major = mnMajor ? rows : k, minor = mnMajor ? k : rows;
    unsigned majorDim = mnMajor ? 0 : 1, minorDim = 1 - majorDim;
    // Along the contiguous dimension: inside pieces, then pieces side by side, then by a distance.
    int64_t beside = mnMajor || !swizzle ? pitch / elementBytes : k;
    for (int64_t x = 1; x < std::min(major, std::max(inPiece, beside)); x *= 2)
      expect(majorDim, x, uint32_t(x) * elementBytes);
    uint32_t &majorDistance = mnMajor && !swizzle ? descriptor.strideBytes : descriptor.leadingBytes;
    for (int64_t x = std::max(inPiece, beside), times = 1; x < major; x *= 2, times *= 2)
      distance(majorDim, x, times, majorDistance);
    // Along the other: 8 of them at the pitch, then by the other distance.
    for (int64_t x = 1; x < std::min<int64_t>(8, minor); x *= 2)
      expect(minorDim, x, uint32_t(x) * pitch);
    uint32_t &minorDistance = mnMajor && !swizzle ? descriptor.leadingBytes : descriptor.strideBytes;
    for (int64_t x = 8, times = 1; x < minor; x *= 2, times *= 2)
      distance(minorDim, x, times, minorDistance);
    advance(1, k, descriptor.kAdvance);
    advance(0, rows, descriptor.rowAdvance);
  }
  WgmmaDescriptor descriptor;
  unsigned matched = 0; ///< conditions before the first that failed
  std::string failure;

private:
  uint32_t addressOf(unsigned dim, int64_t x) const {
    int64_t flat = dim == 0 ? x : x * box[0]; // the inverse numbers dimension 0 first
    return swizzled(uint32_t(inverse.apply(flat)[0]) * elementBytes, swizzle);
  }
  bool check(bool good, unsigned dim, int64_t x, const std::string &needed) {
    if (!failure.empty())
      return false;
    uint32_t address = addressOf(dim, x);
    // Distances add, addresses are XORed: the same as long as no two share a bit.
    if (good && !(address & used)) {
      used |= address;
      ++matched;
      return true;
    }
    failure = "with " + std::string(descriptor.mnMajor ? "MN-major" : "K-major") + " order and swizzle " +
              std::to_string(swizzle) + ", " + (dim == 0 ? "row " : "k ") + std::to_string(x) + " lies " +
              std::to_string(address) + " bytes from the start; needed are " + needed;
    return false;
  }
  void expect(unsigned dim, int64_t x, uint32_t bytes) {
    check(addressOf(dim, x) == bytes, dim, x, std::to_string(bytes));
  }
  void distance(unsigned dim, int64_t x, int64_t times, uint32_t &bytes) {
    uint32_t found = addressOf(dim, x);
    if (times == 1 && failure.empty())
      bytes = found;
    uint32_t wanted = uint32_t(times) * bytes;
    check(found == wanted && bytes % kPiece == 0 && bytes < 1u << 18, dim, x,
          times == 1 ? "a multiple of 16 below 2^18 that no other bit touches" : std::to_string(wanted));
  }
  void advance(unsigned dim, int64_t from, std::vector<uint32_t> &bytes) {
    for (int64_t x = from; x < box[dim]; x *= 2)
      if (check(addressOf(dim, x) % kPiece == 0, dim, x, "a multiple of 16 that no other bit touches"))
        bytes.push_back(addressOf(dim, x));
  }
  const LinearMap &inverse;
  Coord box;
  unsigned elementBytes, swizzle;
  uint32_t used = 0;
};
} // namespace

uint64_t WgmmaDescriptor::encode(uint32_t address) const {
  uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
  auto field = [](uint32_t bytes) { return uint64_t(bytes >> 4 & 0x3FFF); };
  return field(address) | field(leadingBytes) << 16 | field(strideBytes) << 32 | mode << 62;
}

std::optional<WgmmaDescriptor> adze::wgmmaDescriptor(const LinearMap &storage, int64_t rows, unsigned elementBits,
                                                     std::string *reason) {
  auto refuse = [&](const std::string &text) -> std::optional<WgmmaDescriptor> {
    if (reason)
      *reason = "\"" + storage.str() + "\" is no operand of wgmma in shared memory: " + text;
    return std::nullopt;
  };
  if (elementBits != 8 && elementBits != 16 && elementBits != 32)
    return refuse("elements of 8, 16 or 32 bits are accepted, found " + std::to_string(elementBits));
  std::optional<LinearMap> inverse = storage.invert();
  Coord box = storage.extents();
  if (!inverse || storage.bits() != storage.reg.size() || box[2] != 1 || box[3] != 1)
    return refuse("it does not hold each element of a tile [row, k] once");
  if (rows < 8 || !std::has_single_bit(uint64_t(rows)) || rows > box[0] || box[1] * elementBits < 256)
    return refuse("an instruction takes " + std::to_string(rows) +
                  " rows (8, 16, 32, ...) and 32 bytes of k; the tile has " + std::to_string(box[0]) + " x " +
                  std::to_string(box[1]));
  std::optional<Canonical> best;
  for (bool mnMajor : {false, true})
    for (unsigned swizzle : {128u, 64u, 32u, 0u}) {
      if (mnMajor && elementBits != 16) // the manual transposes 16-bit elements alone
        continue;
      Canonical attempt(*inverse, box, rows, elementBits, swizzle, mnMajor);
      if (attempt.failure.empty())
        return attempt.descriptor;
      if (!best || attempt.matched > best->matched)
        best.emplace(attempt);
    }
  return refuse(best->failure);
}
