// Tables of what random bits stand for, pieces on all threads, and the hash of one batch while the next is made.
#include "adze/Runtime/Artifact/StandInWeights.h"

#include "adze/Format/FloatFormats.h"
#include "adze/Runtime/Artifact/Artifact.h"
#include "adze/Support/Hash.h"
#include "adze/Support/ScratchOutput.h"
#include "adze/Support/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <unistd.h>
#include <vector>

using namespace adze;

namespace {
struct SplitMix64 {
  uint64_t state;
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
};

// What 256 values of a byte, or 1021 sums of four, stand for, as bits of the element.
struct ValueTable {
  bool sums = false;
  std::vector<uint32_t> bits;
};

uint32_t bitsOf(const std::string &element, double value) {
  if (element == "f32")
    return std::bit_cast<uint32_t>(float(value));
  if (element == "f16")
    return floatToHalf(float(value));
  if (element == "bf16")
    return floatToBfloat(float(value));
  return uint32_t(uint8_t(int(value)));
}

ValueTable tableOf(const ManifestStandInWeight &w) {
  ValueTable table;
  table.sums = w.kind == "normal";
  const bool integers = w.element == "i8" || w.element == "i4";
  const double low = w.center - w.spread, count = std::floor(2 * w.spread) + 1;
  // The sum of four bytes has the mean 510 and the variance 4 (256^2 - 1) / 12.
  const double deviation = std::sqrt(4 * (65536.0 - 1) / 12);
  for (int i = 0; i < (table.sums ? 1021 : 256); ++i)
    table.bits.push_back(bitsOf(w.element, table.sums ? w.center + w.spread * (i - 510) / deviation
                                           : integers ? low + std::floor(i * count / 256)
                                                      : w.center + w.spread * (i - 127.5) / 127.5));
  return table;
}

template <class Element> void fillSums(const ValueTable &table, SplitMix64 &random, uint8_t *out, int64_t count) {
  // Two at a time: the sums of the two halves of a random word.
  for (int64_t i = 0; i < count; i += 2) {
    uint64_t pairs = random.next();
    pairs = (pairs & 0x00ff00ff00ff00ffu) + (pairs >> 8 & 0x00ff00ff00ff00ffu);
    pairs = (pairs & 0x0000ffff0000ffffu) + (pairs >> 16 & 0x0000ffff0000ffffu);
    Element two[2] = {Element(table.bits[pairs & 0x3ff]), Element(table.bits[pairs >> 32 & 0x3ff])};
    std::memcpy(out + i * int64_t(sizeof(Element)), two, sizeof(Element) * size_t(std::min<int64_t>(2, count - i)));
  }
}
template <class Element> void fillBytes(const ValueTable &table, SplitMix64 &random, uint8_t *out, int64_t count) {
  for (int64_t i = 0; i < count; i += 8) {
    uint64_t word = random.next();
    Element eight[8];
    for (int j = 0; j < 8; ++j)
      eight[j] = Element(table.bits[word >> (8 * j) & 0xff]);
    std::memcpy(out + i * int64_t(sizeof(Element)), eight, sizeof(Element) * size_t(std::min<int64_t>(8, count - i)));
  }
}
void fillHalves(const ValueTable &table, SplitMix64 &random, uint8_t *out, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 4) {
    uint64_t word = random.next();
    uint8_t four[4];
    for (int j = 0; j < 4; ++j)
      four[j] = uint8_t(table.bits[word >> (16 * j) & 0xff] | table.bits[word >> (16 * j + 8) & 0xff] << 4);
    std::memcpy(out + i, four, size_t(std::min<int64_t>(4, bytes - i)));
  }
}

void fillGiven(const ManifestStandInWeight &w, int64_t from, uint8_t *out, int64_t bytes) {
  auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (int64_t i = 0; i < bytes; ++i)
    out[i] = uint8_t(digit(w.values[size_t(from + i) * 2]) << 4 | digit(w.values[size_t(from + i) * 2 + 1]));
}

// The threads of one file: what went wrong first ends all.
struct Writing {
  int file = -1;
  std::string name;
  std::mutex mutex;
  Status status;
  std::atomic<bool> failed = false;
  ~Writing() {
    if (file >= 0)
      close(file);
  }
  void write(std::span<const uint8_t> bytes, int64_t offset) {
    while (!bytes.empty() && !failed) {
      ssize_t written = pwrite(file, bytes.data(), bytes.size(), offset);
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return fail(systemError(written < 0 ? errno : ENOSPC, "cannot write " + name));
      bytes = bytes.subspan(size_t(written));
      offset += written;
    }
  }
  void fail(Status why) {
    std::lock_guard lock(mutex);
    if (status.ok())
      status = std::move(why);
    failed = true;
  }
};

Expected<std::string> writePieces(const ManifestStandIn &standIn, uint64_t seed, int64_t size, unsigned threads,
                                  const std::string &path, const std::function<void(int64_t, int64_t)> &progress) {
  Writing writing;
  writing.name = path;
  writing.file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (writing.file < 0)
    return systemError(errno, "cannot write " + path);
  ThreadPool pool({threads, false});
  const int64_t pieces = (size + kStandInPiece - 1) / kStandInPiece, batch = 4 * int64_t(pool.threads());
  std::vector<uint8_t> made(size_t(std::min(size, batch * kStandInPiece))), before(made.size());
  size_t hashed = 0; // bytes of `before` that the hash has still to see
  StreamHash hash;
  for (int64_t first = 0; first < pieces && !writing.failed; first += batch) {
    int64_t count = std::min(batch, pieces - first), start = first * kStandInPiece;
    int64_t bytes = std::min(size - start, count * kStandInPiece);
    // The first task is the hash of the last batch: it goes front to back, so it cannot be shared.
    pool.run(count + 1, [&](int64_t from, int64_t to) {
      for (int64_t task = from; task < to; ++task) {
        if (task == 0) {
          hash.update(std::span(before).first(hashed));
          continue;
        }
        int64_t at = (task - 1) * kStandInPiece;
        std::span<uint8_t> piece = std::span(made).subspan(size_t(at), size_t(std::min(kStandInPiece, bytes - at)));
        generateStandInPiece(standIn, seed, first + task - 1, piece);
        writing.write(piece, start + at);
      }
    });
    made.swap(before);
    hashed = size_t(bytes);
    progress(start + bytes, size);
  }
  hash.update(std::span(before).first(hashed));
  if (!writing.failed && close(std::exchange(writing.file, -1)) != 0)
    writing.fail(systemError(errno, "cannot write " + path));
  if (!writing.status.ok())
    return writing.status;
  return hash.hex();
}
} // namespace

void adze::generateStandInPiece(const ManifestStandIn &standIn, uint64_t seed, int64_t piece, std::span<uint8_t> out) {
  const int64_t start = piece * kStandInPiece, end = start + int64_t(out.size());
  std::fill(out.begin(), out.end(), uint8_t(0));
  // Two rounds from the seed, so that neither near seeds nor near pieces give near states.
  SplitMix64 random{SplitMix64{SplitMix64{seed}.next() ^ uint64_t(piece)}.next()};
  auto w = std::upper_bound(standIn.weights.begin(), standIn.weights.end(), start,
                            [](int64_t at, const ManifestStandInWeight &w) { return at < w.offset + w.bytes; });
  for (; w != standIn.weights.end() && w->offset < end; ++w) {
    int64_t from = std::max(w->offset, start), bytes = std::min(w->offset + w->bytes, end) - from;
    uint8_t *place = out.data() + (from - start);
    if (w->kind == "given") {
      fillGiven(*w, from - w->offset, place, bytes);
      continue;
    }
    ValueTable table = tableOf(*w);
    if (w->element == "f32")
      table.sums ? fillSums<uint32_t>(table, random, place, bytes / 4)
                 : fillBytes<uint32_t>(table, random, place, bytes / 4);
    else if (w->element == "i8")
      fillBytes<uint8_t>(table, random, place, bytes);
    else if (w->element == "i4")
      fillHalves(table, random, place, bytes);
    else
      table.sums ? fillSums<uint16_t>(table, random, place, bytes / 2)
                 : fillBytes<uint16_t>(table, random, place, bytes / 2);
  }
}

Status adze::makeStandInWeights(const std::string &path, uint64_t seed, unsigned threads,
                                const std::function<void(int64_t, int64_t)> &progress) {
  Expected<Manifest> manifest = readArtifactManifest(path);
  if (!manifest)
    return manifest.takeStatus();
  if (!manifest->standIn)
    return invalidInput(fmt::format("{} has the weights of its model; generated ones are for an artifact that was "
                                    "compiled without (adze compile MODEL --without-weights)",
                                    path));
  ManifestSection *section = nullptr;
  for (ManifestSection &one : manifest->sections)
    if (one.file == kWeightsFile)
      section = &one;
  std::string file = path + "/" + kWeightsFile;
  Expected<uint64_t> available = freeDiskBytes(file);
  if (!available)
    return available.takeStatus();
  if (uint64_t(section->size) > *available)
    return resourceExhausted(fmt::format("{} needs {} bytes of disk and {} are free there; make room, or copy the "
                                         "artifact to where there is more",
                                         file, section->size, *available));
  Expected<ScratchOutput> weights = ScratchOutput::file(file, Overwrite::Replace);
  if (!weights)
    return weights.takeStatus();
  Expected<std::string> hash =
      writePieces(*manifest->standIn, seed, section->size, threads, weights->scratchPath(), progress);
  if (!hash)
    return hash.takeStatus();
  section->hash = *hash;
  manifest->standIn->seed = seed;
  Expected<ScratchOutput> description = ScratchOutput::file(path + "/" + kManifestFile, Overwrite::Replace);
  if (!description)
    return description.takeStatus();
  if (Status status = writeFile(description->scratchPath(), writeManifest(*manifest)); !status.ok())
    return status;
  // Not flushed: what a crash of the machine would lose is made again in seconds, and `adze verify` finds it.
  if (Status status = weights->commit(Durability::NotFlushed); !status.ok())
    return status;
  return description->commit();
}
