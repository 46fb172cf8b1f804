// The binary form of a tokenizer table: see TokenizerTable.h.
#include "adze/Format/TokenizerTable.h"
#include "adze/Support/CheckedReader.h"
#include "adze/Support/Hash.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <type_traits>

using namespace adze;

namespace {

constexpr std::string_view magic("ADZETOK\0", 8);
constexpr size_t hashDigits = 32;

// Bits of the payload's flag word. Absent ids are not written as a value that could be mistaken for one.
enum Flag : uint32_t {
  SplitAtSpaces = 1,
  WholeWordFirst = 2,
  ByteFallback = 4,
  FuseUnknown = 8,
  AddBos = 16,
  AddEos = 32,
  HasBos = 64,
  HasEos = 128,
  HasUnknown = 256,
  HasPadding = 512,
  AllFlags = 1023
};
enum AddedFlag : uint8_t { Special = 1, StripLeft = 2, StripRight = 4, SingleWord = 8, Normalized = 16, AllAdded = 31 };

class Writer {
public:
  template <class T> void number(T value) {
    static_assert(std::is_arithmetic_v<T>);
    out.append(reinterpret_cast<const char *>(&value), sizeof(T));
  }
  void text(std::string_view value) {
    number<uint64_t>(value.size());
    out += value;
  }
  template <class T> void array(const std::vector<T> &values) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    number<uint64_t>(values.size());
    out.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
  }
  std::string out;
};

// Reads with the first failure kept, so that a caller checks once per group of fields.
class Reader {
public:
  Reader(std::span<const uint8_t> bytes, std::string_view file) : reader(bytes, std::string(file)) {}

  template <class T> T number(std::string_view what) {
    std::span<const uint8_t> raw = take(1, sizeof(T), what);
    T value{};
    if (!raw.empty())
      std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }
  std::string text(std::string_view what) {
    std::span<const uint8_t> raw = take(number<uint64_t>(what), 1, what);
    return std::string(raw.begin(), raw.end());
  }
  template <class T> std::vector<T> array(std::string_view what) {
    uint64_t count = number<uint64_t>(what);
    std::span<const uint8_t> raw = take(count, sizeof(T), what);
    std::vector<T> values(raw.size() / sizeof(T));
    if (!raw.empty())
      std::memcpy(values.data(), raw.data(), raw.size());
    return values;
  }
  template <class Enum> Enum choice(Enum last, std::string_view what) {
    uint8_t value = number<uint8_t>(what);
    if (status.ok() && value > static_cast<uint8_t>(last))
      status = reader.fail(fmt::format("{} has the unknown value {}", what, value));
    return static_cast<Enum>(status.ok() ? value : 0);
  }
  // A count of records that take at least `leastBytes` each: checked against what is left before anything is reserved.
  uint64_t count(uint64_t leastBytes, std::string_view what) {
    uint64_t value = number<uint64_t>(what);
    if (status.ok() && value > reader.remaining() / leastBytes)
      status = reader.fail(fmt::format("{} states {} entries, more than the file can hold", what, value));
    return status.ok() ? value : 0;
  }

  CheckedReader reader;
  Status status;

private:
  std::span<const uint8_t> take(uint64_t count, uint64_t size, std::string_view what) {
    if (!status.ok())
      return {};
    Expected<std::span<const uint8_t>> raw = reader.array(count, size, what);
    if (!raw) {
      status = raw.takeStatus();
      return {};
    }
    return *raw;
  }
};

std::string writePayload(const TokenizerTable &table) {
  Writer out;
  out.number(static_cast<uint8_t>(table.kind));
  out.number(static_cast<uint8_t>(table.mergeOrder));
  out.number(static_cast<uint8_t>(table.normalizer));
  out.number(static_cast<uint8_t>(table.spacePrefix));
  uint32_t flags = (table.splitAtSpaces ? SplitAtSpaces : 0) | (table.wholeWordFirst ? WholeWordFirst : 0) |
                   (table.byteFallback ? ByteFallback : 0) | (table.fuseUnknown ? FuseUnknown : 0) |
                   (table.addBos ? AddBos : 0) | (table.addEos ? AddEos : 0) | (table.bos ? HasBos : 0) |
                   (table.eos ? HasEos : 0) | (table.unknown ? HasUnknown : 0) | (table.padding ? HasPadding : 0);
  out.number(flags);
  for (const std::optional<uint32_t> &id : {table.bos, table.eos, table.unknown, table.padding})
    out.number<uint32_t>(id.value_or(0));
  out.array(table.endTokens);
  out.number<uint64_t>(table.preSplit.size());
  for (const std::string &rule : table.preSplit)
    out.text(rule);
  out.text(table.tokenBytes);
  out.array(table.tokenStart);
  out.array(table.tokenKinds);
  out.array(table.scores);
  out.array(table.merges);
  out.number<uint64_t>(table.addedTokens.size());
  for (const AddedToken &added : table.addedTokens) {
    out.number(added.id);
    out.number<uint8_t>((added.special ? Special : 0) | (added.stripLeft ? StripLeft : 0) |
                        (added.stripRight ? StripRight : 0) | (added.singleWord ? SingleWord : 0) |
                        (added.normalized ? Normalized : 0));
    out.text(added.content);
  }
  out.text(table.chatTemplate);
  return std::move(out.out);
}

Expected<TokenizerTable> readPayload(std::span<const uint8_t> bytes, std::string_view file) {
  Reader in(bytes, file);
  TokenizerTable table;
  table.kind = in.choice(VocabularyKind::SentencePieceBpe, "the vocabulary kind");
  table.mergeOrder = in.choice(MergeOrder::ByScore, "the merge order");
  table.normalizer = in.choice(TextNormalizer::Nfc, "the normalizer");
  table.spacePrefix = in.choice(SpacePrefix::FirstUnlessSpace, "the space prefix");
  uint32_t flags = in.number<uint32_t>("the flags");
  if (in.status.ok() && (flags & ~static_cast<uint32_t>(AllFlags)))
    return in.reader.fail(fmt::format("unknown flag bits {:#x}", flags));
  table.splitAtSpaces = flags & SplitAtSpaces;
  table.wholeWordFirst = flags & WholeWordFirst;
  table.byteFallback = flags & ByteFallback;
  table.fuseUnknown = flags & FuseUnknown;
  table.addBos = flags & AddBos;
  table.addEos = flags & AddEos;
  auto id = [&](uint32_t bit) {
    uint32_t value = in.number<uint32_t>("a special id");
    return flags & bit ? std::optional<uint32_t>(value) : std::nullopt;
  };
  table.bos = id(HasBos);
  table.eos = id(HasEos);
  table.unknown = id(HasUnknown);
  table.padding = id(HasPadding);
  table.endTokens = in.array<uint32_t>("the end tokens");
  for (uint64_t i = 0, n = in.count(8, "the pre-split rules"); i < n && in.status.ok(); ++i)
    table.preSplit.push_back(in.text("a pre-split rule"));
  table.tokenBytes = in.text("the token bytes");
  table.tokenStart = in.array<uint32_t>("the token boundaries");
  table.tokenKinds = in.array<TokenKind>("the token kinds");
  table.scores = in.array<float>("the scores");
  table.merges = in.array<TokenMerge>("the merges");
  for (uint64_t i = 0, n = in.count(13, "the added tokens"); i < n && in.status.ok(); ++i) {
    AddedToken added;
    added.id = in.number<uint32_t>("an added token");
    uint8_t bits = in.number<uint8_t>("an added token");
    if (in.status.ok() && (bits & ~static_cast<uint8_t>(AllAdded)))
      return in.reader.fail(fmt::format("added token {} has unknown flag bits {:#x}", added.id, bits));
    added.special = bits & Special;
    added.stripLeft = bits & StripLeft;
    added.stripRight = bits & StripRight;
    added.singleWord = bits & SingleWord;
    added.normalized = bits & Normalized;
    added.content = in.text("an added token");
    table.addedTokens.push_back(std::move(added));
  }
  table.chatTemplate = in.text("the chat template");
  if (!in.status.ok())
    return in.status;
  if (!in.reader.atEnd())
    return in.reader.fail(fmt::format("{} bytes after the end of the table", in.reader.remaining()));
  for (float score : table.scores)
    if (std::isnan(score))
      return invalidInput(fmt::format("{}: a token's score is not a number", file));
  if (Status status = checkTokenizerTable(table, file); !status.ok())
    return status;
  return table;
}

} // namespace

std::string adze::serialise(const TokenizerTable &table) {
  std::string payload = writePayload(table);
  Writer out;
  out.out = magic;
  out.number<uint32_t>(tokenizerTableVersion);
  out.number<uint32_t>(0);
  out.number<uint64_t>(payload.size());
  out.out += hashText(payload);
  out.out += payload;
  return std::move(out.out);
}

Expected<TokenizerTable> adze::parseTokenizerTable(std::span<const uint8_t> bytes, std::string_view file) {
  Reader in(bytes, file);
  Expected<std::string_view> start = in.reader.string(magic.size(), "the file type");
  if (!start || *start != magic)
    return invalidInput(fmt::format("{}: not a tokenizer table (it does not begin with ADZETOK)", file));
  uint32_t version = in.number<uint32_t>("the version");
  if (in.status.ok() && version != tokenizerTableVersion)
    return unsupported(fmt::format("{}: tokenizer table of version {}; this build reads version {}: compile the model "
                                   "again",
                                   file, version, tokenizerTableVersion));
  uint32_t reserved = in.number<uint32_t>("the header");
  uint64_t size = in.number<uint64_t>("the payload size");
  if (!in.status.ok())
    return in.status;
  if (reserved != 0)
    return in.reader.fail("the reserved header word is not zero");
  Expected<std::string_view> hash = in.reader.string(hashDigits, "the hash");
  if (!hash)
    return hash.takeStatus();
  if (size != in.reader.remaining())
    return in.reader.fail(
        fmt::format("the header states {} bytes of payload, but {} follow", size, in.reader.remaining()));
  std::span<const uint8_t> payload = bytes.subspan(in.reader.offset());
  if (hashBytes(payload) != *hash)
    return invalidInput(fmt::format("{}: the tokenizer table is damaged (its hash does not match)", file));
  return readPayload(payload, file);
}
