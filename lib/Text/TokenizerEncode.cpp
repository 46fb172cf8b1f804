// Encoding: added tokens, normalising, cutting, merging. See Tokenizer.h for the order and the two deviations.
#include "TokenizerModel.h"

#include "Utf8.h"

#include "adze/Support/Mutant.h"

#include <cstring>
#include <fmt/format.h>

using namespace adze;

namespace {

// Words repeat: remembers the tokens of short ones during one call. Direct-mapped, so that a hostile text only costs
// what it would have cost without.
class WordCache {
public:
  static constexpr size_t longestWord = 15, mostTokens = 7;

  explicit WordCache(size_t textBytes) : entries(textBytes < 4096 ? 64 : 4096) {}

  struct Entry {
    uint8_t size = 0, count = 0;
    char bytes[longestWord];
    uint32_t ids[mostTokens];
  };
  Entry &at(std::string_view word) {
    uint64_t low = 0, high = 0;
    std::memcpy(&low, word.data(), std::min<size_t>(word.size(), 8));
    if (word.size() > 8)
      std::memcpy(&high, word.data() + 8, word.size() - 8);
    return entries[mixBits(low ^ mixBits(high + word.size())) & (entries.size() - 1)];
  }

private:
  std::vector<Entry> entries;
};

} // namespace

namespace adze {

// One call of encode.
class EncodeCall {
public:
  EncodeCall(const TokenizerModel &model, size_t textBytes, std::vector<uint32_t> &ids)
      : model(model), table(model.table), cache(textBytes), ids(ids) {}

  Status run(std::string_view text, const OriginSpans &origins) {
    std::vector<AddedTokenMatcher::Part> parts;
    model.rawTokens.split(text, origins, parts);
    for (const AddedTokenMatcher::Part &part : parts) {
      if (part.id != noToken)
        ids.push_back(part.id);
      else if (Status status = segment(text, origins, part.begin, part.end); !status.ok())
        return status;
    }
    return Status::success();
  }

private:
  Status segment(std::string_view text, const OriginSpans &origins, uint32_t begin, uint32_t end) {
    OriginSpans own, normalizedOrigins;
    for (uint32_t at = begin; const OriginSpan &span : origins) {
      if (span.end <= at)
        continue;
      uint32_t stop = std::min(span.end, end);
      appendOrigin(own, stop - at, span.origin);
      at = stop;
      if (at == end)
        break;
    }
    std::string normalized = model.normalize(text.substr(begin, end - begin), own, normalizedOrigins);
    std::vector<AddedTokenMatcher::Part> parts;
    model.normalizedTokens.split(normalized, normalizedOrigins, parts);
    for (const AddedTokenMatcher::Part &part : parts) {
      if (part.id != noToken) {
        ids.push_back(part.id);
        continue;
      }
      std::string_view piece = std::string_view(normalized).substr(part.begin, part.end - part.begin);
      if (Status status = plainText(piece, begin == 0 && part.begin == 0); !status.ok())
        return status;
    }
    return Status::success();
  }

  Status plainText(std::string_view text, bool first) {
    if (table.kind == VocabularyKind::ByteLevelBpe) {
      ends.clear();
      if (Status status = model.preSplitter.split(text, ends, splitScratch); !status.ok())
        return status;
      uint32_t start = 0;
      for (uint32_t end : ends) {
        word(text.substr(start, end - start));
        start = end;
      }
      return Status::success();
    }
    if (table.spacePrefix == SpacePrefix::EachSegmentUnlessSpace ||
        table.spacePrefix == SpacePrefix::FirstUnlessSpace) {
      bool prefix = (first || table.spacePrefix == SpacePrefix::EachSegmentUnlessSpace) && !text.starts_with(' ') &&
                    !text.starts_with(spaceMark);
      marked.clear();
      if (prefix)
        marked += spaceMark;
      for (char c : text) {
        if (c == ' ')
          marked += spaceMark;
        else
          marked += c;
      }
      text = marked;
    }
    sentencePieceText(text);
    return Status::success();
  }

  // Cuts where no merge can cross, which changes no id and makes words short.
  void sentencePieceText(std::string_view text) {
    if (!table.splitAtSpaces && !model.wordsIndependent) {
      word(text);
      return;
    }
    size_t start = 0;
    while (start < text.size()) {
      size_t end = text.find(spaceMark, start + 1);
      // Unless the vocabulary asks for it, a run of spaces stays together with the word behind it.
      while (!table.splitAtSpaces && end != std::string_view::npos && end >= spaceMark.size() &&
             text.substr(end - spaceMark.size(), spaceMark.size()) == spaceMark)
        end = text.find(spaceMark, end + spaceMark.size());
      end = std::min(end, text.size());
      word(text.substr(start, end - start));
      start = end;
    }
  }

  void word(std::string_view text) {
    if (text.size() > WordCache::longestWord) {
      mergeWord(text);
      return;
    }
    WordCache::Entry &entry = cache.at(text);
    if (entry.size == text.size() && std::memcmp(entry.bytes, text.data(), text.size()) == 0) {
      ids.insert(ids.end(), entry.ids, entry.ids + entry.count);
      return;
    }
    size_t before = ids.size();
    mergeWord(text);
    size_t count = ids.size() - before;
    if (count > WordCache::mostTokens)
      return;
    entry.size = static_cast<uint8_t>(text.size());
    entry.count = static_cast<uint8_t>(count);
    std::memcpy(entry.bytes, text.data(), text.size());
    std::copy(ids.begin() + static_cast<ptrdiff_t>(before), ids.end(), entry.ids);
  }

  void mergeWord(std::string_view text) {
    if (table.wholeWordFirst)
      if (uint32_t id = model.words.find(text); id != noToken) {
        ids.push_back(id);
        return;
      }
    scratch.symbols.clear();
    if (table.kind == VocabularyKind::ByteLevelBpe)
      byteSymbols(text);
    else
      characterSymbols(text);
    if (table.mergeOrder == MergeOrder::ByRank) {
      mergeSymbols(scratch, [&](const Symbol &left, const Symbol &right, uint32_t &rank, uint32_t &result) {
        const MergeMap::Entry *entry = model.merges.find(left.id, right.id);
        if (!entry)
          return false;
        rank = entry->rank;
        result = entry->result;
        return true;
      });
    } else {
      mergeSymbols(scratch, [&](const Symbol &left, const Symbol &right, uint32_t &rank, uint32_t &result) {
        result = model.words.find(text.substr(left.start, left.size + right.size));
        if (result == noToken)
          return false;
        rank = model.scoreRank[result];
        return true;
      });
    }
    for (const Symbol &symbol : scratch.symbols) {
      if (symbol.id == noToken)
        unknownText(text.substr(symbol.start, symbol.size));
      else
        ids.push_back(symbol.id);
    }
  }

  // A byte without a token is an unknown symbol, or nothing where the vocabulary has no unknown token; then its
  // neighbours meet, as in the reference.
  void byteSymbols(std::string_view text) {
    bool lastUnknown = false;
    for (uint32_t i = 0; i < text.size(); ++i) {
      uint32_t id = model.byteToken[static_cast<uint8_t>(text[i])];
      bool unknown = id == noToken;
      if (unknown) {
        if (!table.unknown || (lastUnknown && table.fuseUnknown))
          continue;
        id = *table.unknown;
      }
      scratch.symbols.push_back({id, i, 1});
      lastUnknown = unknown;
    }
  }

  void characterSymbols(std::string_view text) {
    bool byScore = table.mergeOrder == MergeOrder::ByScore;
    bool lastUnknown = false;
    for (uint32_t i = 0; i < text.size();) {
      uint32_t size = utf8::length(text[i]);
      uint32_t id = model.words.find(text.substr(i, size));
      bool unknown = false;
      if (id != noToken || byScore) { // merging by score joins characters that are no tokens themselves
        scratch.symbols.push_back({id, i, size});
      } else if (hasByteTokens(text.substr(i, size))) {
        for (uint32_t k = 0; k < size; ++k)
          scratch.symbols.push_back({model.byteToken[static_cast<uint8_t>(text[i + k])], i + k, 1});
      } else if (table.unknown) {
        unknown = true;
        if (lastUnknown && table.fuseUnknown)
          scratch.symbols.back().size += size;
        else
          scratch.symbols.push_back({*table.unknown, i, size});
      }
      lastUnknown = unknown;
      i += size;
    }
  }

  bool hasByteTokens(std::string_view character) const {
    if (!table.byteFallback)
      return false;
    for (char c : character)
      if (model.byteToken[static_cast<uint8_t>(c)] == noToken)
        return false;
    return true;
  }

  // By score: what no token covers after merging.
  void unknownText(std::string_view text) {
    if (hasByteTokens(text)) {
      for (char c : text)
        ids.push_back(model.byteToken[static_cast<uint8_t>(c)]);
    } else if (table.unknown && !(table.fuseUnknown && !ids.empty() && ids.back() == *table.unknown)) {
      ids.push_back(*table.unknown);
    }
  }

  const TokenizerModel &model;
  const TokenizerTable &table;
  WordCache cache;
  std::vector<uint32_t> &ids;
  PreSplitter::Scratch splitScratch;
  std::vector<uint32_t> ends;
  std::string marked;
  MergeScratch scratch;
};

} // namespace adze

Expected<std::vector<uint32_t>> Tokenizer::encode(std::span<const TextRun> runs, const EncodeOptions &options) const {
  uint64_t limit = std::min<uint64_t>(options.byteLimit, uint64_t(1) << 30), total = 0;
  for (const TextRun &run : runs) {
    total += run.text.size();
    if (total > limit)
      return resourceExhausted(fmt::format("the text has over {} bytes, the limit for one request", limit));
    if (!utf8::valid(run.text)) {
      size_t good = 0;
      while (utf8::valid(std::string_view(run.text).substr(good, utf8::length(run.text[good]))))
        good += utf8::length(run.text[good]);
      return invalidInput(fmt::format("the text is not UTF-8: byte {} is 0x{:02x}, where no character can go on",
                                      total - run.text.size() + good, uint8_t(run.text[good])));
    }
  }
  std::string text;
  text.reserve(total);
  OriginSpans origins;
  for (const TextRun &run : runs) {
    text += run.text;
    appendOrigin(origins, static_cast<uint32_t>(run.text.size()), run.origin);
  }
  std::vector<uint32_t> ids;
  ids.reserve(total / 4 + 8);
  if (Status status = EncodeCall(*model, total, ids).run(text, origins); !status.ok())
    return status;
  const TokenizerTable &table = model->table;
  if (options.addSpecial && table.addBos &&
      (ids.empty() || ids.front() != *table.bos || ADZE_MUTANT("double-start-token")))
    ids.insert(ids.begin(), *table.bos);
  return ids;
}

Expected<std::vector<uint32_t>> Tokenizer::encode(std::string_view userText, const EncodeOptions &options) const {
  TextRun run{std::string(userText), TextOrigin::User};
  Expected<std::vector<uint32_t>> ids = encode(std::span<const TextRun>(&run, 1), options);
  const TokenizerTable &table = model->table;
  if (ids && options.addSpecial && table.addEos)
    ids->push_back(*table.eos);
  return ids;
}
