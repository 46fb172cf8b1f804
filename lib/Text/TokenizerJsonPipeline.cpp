#include "TokenizerJsonPipeline.h"

#include "adze/Text/PreSplit.h"

#include <fmt/format.h>

using namespace adze;

namespace {

constexpr std::string_view spaceMark = "\xE2\x96\x81";

// A component is null, an object with a type, or a Sequence of such; nested sequences count as one.
struct Component {
  std::string_view type;
  JsonElement element;
  std::string where;
};

Status flatten(std::optional<JsonElement> element, std::string where, std::string_view listKey, int depth,
               std::vector<Component> &out) {
  if (!element)
    return Status::success();
  if (depth > 8)
    return invalidInput(fmt::format("{}: sequences are nested deeper than 8", where));
  std::string_view type;
  if ((*element)["type"].get(type))
    return invalidInput(fmt::format("{}: there is no string \"type\"", where));
  if (type != "Sequence") {
    out.push_back({type, *element, fmt::format("{} ({})", where, type)});
    return Status::success();
  }
  ObjectReader reader(*element, where);
  reader.ignore({"type"});
  std::optional<JsonElement> list = reader.field(listKey);
  simdjson::dom::array items;
  if (!list || list->get(items))
    reader.fail(invalidInput(fmt::format("{}: a Sequence needs the array \"{}\"", where, listKey)));
  if (Status status = reader.finish(); !status.ok())
    return status;
  size_t index = 0;
  for (JsonElement item : items)
    if (Status status = flatten(item, fmt::format("{}[{}]", where, index++), listKey, depth + 1, out); !status.ok())
      return status;
  return Status::success();
}

// {"String": s} or {"Regex": r}.
struct Pattern {
  std::string_view text;
  bool regex = false;
};
Pattern readPattern(ObjectReader &owner) {
  std::optional<JsonElement> element = owner.field("pattern");
  if (!element) {
    owner.fail(invalidInput(fmt::format("{}: \"pattern\" is missing", owner.place())));
    return {};
  }
  ObjectReader reader(*element, owner.place() + ": pattern");
  Pattern pattern;
  pattern.text = reader.text("String");
  if (std::string_view regex = reader.text("Regex"); !regex.empty())
    pattern = {regex, true};
  if (Status status = reader.finish(); !status.ok())
    owner.fail(status);
  else if (pattern.text.empty())
    owner.fail(invalidInput(fmt::format("{}: the pattern is empty", owner.place())));
  return pattern;
}

struct NormalizerFacts {
  bool nfc = false, prepend = false, replaceSpaces = false;
};

Expected<NormalizerFacts> readNormalizer(const std::vector<Component> &components) {
  NormalizerFacts facts;
  for (const Component &component : components) {
    ObjectReader reader(component.element, component.where);
    reader.ignore({"type"});
    if (component.type == "NFC") {
      facts.nfc = true;
    } else if (component.type == "Prepend") {
      if (reader.text("prepend") != spaceMark || facts.replaceSpaces)
        reader.fail(reader.unsupportedHere("only U+2581, before spaces are replaced, can be prepended"));
      facts.prepend = true;
    } else if (component.type == "Replace") {
      Pattern pattern = readPattern(reader);
      if (reader.text("content") != spaceMark || pattern.text != " " || pattern.regex)
        reader.fail(reader.unsupportedHere("only the string \" \" can be replaced, and only by U+2581"));
      facts.replaceSpaces = true;
    } else {
      return unsupported(
          fmt::format("{}: this normalizer is not supported; supported are NFC, Prepend and Replace", component.where));
    }
    if (Status status = reader.finish(); !status.ok())
      return status;
  }
  return facts;
}

Status readSplit(ObjectReader &reader, TokenizerTable &table) {
  Pattern pattern = readPattern(reader);
  std::string_view behavior = reader.text("behavior");
  bool invert = reader.flag("invert", false);
  if (Status status = reader.finish(); !status.ok())
    return status;
  std::optional<std::string_view> rule = pattern.regex ? preSplitRuleOfPattern(pattern.text) : std::nullopt;
  if (!rule)
    return reader.unsupportedHere(fmt::format("the pre-split rule {} is not known", pattern.text));
  // Where a rule matches every character, keeping the matches and dropping the (empty) gaps is the same as cutting.
  bool coversAll = !rule->starts_with("digit");
  if ((behavior == "Isolated" && !invert) || (behavior == "Removed" && invert && coversAll)) {
    table.preSplit.emplace_back(*rule);
    return Status::success();
  }
  return reader.unsupportedHere(
      fmt::format("behavior {} with invert {} is not supported; Isolated without invert is", behavior, invert));
}

struct PreTokenizerFacts {
  bool byteLevel = false, metaspace = false;
  SpacePrefix prefix = SpacePrefix::None;
  bool split = false;
};

// The three spellings of one thing: prepend_scheme (now), add_prefix_space (before), nothing (before that).
SpacePrefix readPrependScheme(ObjectReader &reader) {
  bool addPrefix = reader.flag("add_prefix_space", true);
  std::string_view scheme = reader.text("prepend_scheme", addPrefix ? "always" : "never");
  if (scheme == "always")
    return SpacePrefix::EachSegmentUnlessSpace;
  if (scheme == "first")
    return SpacePrefix::FirstUnlessSpace;
  if (scheme != "never")
    reader.fail(reader.unsupportedHere(fmt::format("prepend_scheme \"{}\" is not known", scheme)));
  return SpacePrefix::None;
}

void readReplacement(ObjectReader &reader) {
  if (reader.text("replacement", spaceMark) != spaceMark)
    reader.fail(reader.unsupportedHere("only U+2581 can stand for a space"));
  reader.ignore({"str_rep"});
}

Expected<PreTokenizerFacts> readPreTokenizer(const std::vector<Component> &components, TokenizerTable &table) {
  PreTokenizerFacts facts;
  for (const Component &component : components) {
    ObjectReader reader(component.element, component.where);
    reader.ignore({"type"});
    if (facts.byteLevel || facts.metaspace)
      return reader.unsupportedHere("a pre-tokenizer behind ByteLevel or Metaspace is not supported");
    if (component.type == "ByteLevel") {
      reader.require("add_prefix_space", false);
      reader.ignore({"trim_offsets"}); // moves offsets, not tokens
      if (reader.flag("use_regex", true))
        table.preSplit.emplace_back("gpt-2");
      facts.byteLevel = true;
    } else if (component.type == "Metaspace") {
      readReplacement(reader);
      facts.prefix = readPrependScheme(reader);
      facts.split = reader.flag("split", true);
      facts.metaspace = true;
    } else if (component.type == "Digits") {
      table.preSplit.emplace_back(reader.flag("individual_digits", false) ? "digits" : "digit-runs");
    } else if (component.type == "Split") {
      if (Status status = readSplit(reader, table); !status.ok())
        return status;
    } else {
      return unsupported(fmt::format("{}: this pre-tokenizer is not supported; supported are ByteLevel, Split, Digits "
                                     "and Metaspace",
                                     component.where));
    }
    if (Status status = reader.finish(); !status.ok())
      return status;
  }
  return facts;
}

// Checks that the decoder undoes what the encoder does.
Status readDecoder(const std::vector<Component> &components, std::string_view file, const TokenizerTable &table,
                   bool &decodesBytes) {
  bool byteLevel = false, metaspace = false, replace = false, strip = false;
  for (const Component &component : components) {
    ObjectReader reader(component.element, component.where);
    reader.ignore({"type"});
    if (component.type == "ByteLevel") {
      byteLevel = true;
      reader.ignore({"add_prefix_space", "trim_offsets", "use_regex"}); // without effect in a decoder
    } else if (component.type == "Metaspace") {
      metaspace = true;
      readReplacement(reader);
      reader.ignore({"split"});
      strip = readPrependScheme(reader) != SpacePrefix::None;
    } else if (component.type == "Replace") {
      Pattern pattern = readPattern(reader);
      if (pattern.text != spaceMark || pattern.regex || reader.text("content") != " ")
        reader.fail(reader.unsupportedHere("only U+2581 can be replaced, and only by a space"));
      replace = true;
    } else if (component.type == "ByteFallback") {
      decodesBytes = true;
    } else if (component.type == "Fuse") { // joins what we join anyway
    } else if (component.type == "Strip") {
      uint64_t start = reader.number("start", UINT64_MAX), stop = reader.number("stop", UINT64_MAX);
      if (reader.text("content") != " " || start > 1 || stop != 0)
        reader.fail(reader.unsupportedHere("only one space at the start can be stripped"));
      strip = start == 1;
    } else {
      return unsupported(fmt::format("{}: this decoder is not supported; supported are ByteLevel, Metaspace, and the "
                                     "sequence Replace, ByteFallback, Fuse, Strip",
                                     component.where));
    }
    if (Status status = reader.finish(); !status.ok())
      return status;
  }
  bool sentencePiece = table.kind == VocabularyKind::SentencePieceBpe;
  if (sentencePiece ? byteLevel || (!metaspace && !replace) : !byteLevel || metaspace || replace || strip)
    return unsupported(fmt::format("{}: decoder: it does not undo what the pre-tokenizer and normalizer do", file));
  if (sentencePiece && strip != (table.spacePrefix != SpacePrefix::None))
    return unsupported(fmt::format("{}: decoder: it {} a leading space, but the encoder {} one", file,
                                   strip ? "strips" : "keeps", strip ? "adds no" : "adds"));
  return Status::success();
}

} // namespace

Status adze::readTextComponents(std::optional<JsonElement> normalizer, std::optional<JsonElement> preTokenizer,
                                std::optional<JsonElement> decoder, std::string_view file, TokenizerTable &table,
                                bool &decodesBytes) {
  std::vector<Component> normalizers, preTokenizers, decoders;
  auto where = [&](std::string_view key) { return fmt::format("{}: {}", file, key); };
  if (Status status = flatten(normalizer, where("normalizer"), "normalizers", 0, normalizers); !status.ok())
    return status;
  if (Status status = flatten(preTokenizer, where("pre_tokenizer"), "pretokenizers", 0, preTokenizers); !status.ok())
    return status;
  if (Status status = flatten(decoder, where("decoder"), "decoders", 0, decoders); !status.ok())
    return status;
  Expected<NormalizerFacts> text = readNormalizer(normalizers);
  if (!text)
    return text.takeStatus();
  Expected<PreTokenizerFacts> pieces = readPreTokenizer(preTokenizers, table);
  if (!pieces)
    return pieces.takeStatus();

  table.normalizer = text->nfc ? TextNormalizer::Nfc : TextNormalizer::None;
  if (pieces->byteLevel) {
    table.kind = VocabularyKind::ByteLevelBpe;
    if (text->prepend || text->replaceSpaces)
      return unsupported(fmt::format("{}: normalizer: Prepend and Replace before ByteLevel are not supported", file));
  } else {
    table.kind = VocabularyKind::SentencePieceBpe;
    if (!table.preSplit.empty())
      return unsupported(
          fmt::format("{}: pre_tokenizer: Split and Digits are supported in front of ByteLevel only", file));
    if (pieces->metaspace == text->replaceSpaces)
      return unsupported(
          fmt::format("{}: spaces must be replaced by U+2581 once, in the normalizer (Replace) or in the "
                      "pre_tokenizer (Metaspace)",
                      file));
    if (pieces->metaspace && text->prepend)
      return unsupported(fmt::format("{}: Prepend and Metaspace both add a space", file));
    table.spacePrefix = text->prepend ? SpacePrefix::EachSegment : pieces->prefix;
    table.splitAtSpaces = pieces->metaspace && pieces->split;
  }
  return readDecoder(decoders, file, table, decodesBytes);
}

Expected<TextEnds> adze::readPostProcessor(std::optional<JsonElement> postProcessor, std::string_view file) {
  std::vector<Component> components;
  if (Status status = flatten(postProcessor, fmt::format("{}: post_processor", file), "processors", 0, components);
      !status.ok())
    return status;
  TextEnds ends;
  for (const Component &component : components) {
    if (component.type == "ByteLevel")
      continue; // moves offsets, not tokens
    if (component.type != "TemplateProcessing")
      return unsupported(fmt::format("{}: this post-processor is not supported; supported are TemplateProcessing and "
                                     "ByteLevel",
                                     component.where));
    ObjectReader reader(component.element, component.where);
    reader.ignore({"type", "pair", "special_tokens"}); // we encode single texts; ids come from the vocabulary
    std::optional<JsonElement> single = reader.field("single");
    simdjson::dom::array items;
    if (!single || single->get(items))
      reader.fail(invalidInput(fmt::format("{}: \"single\" must be an array", component.where)));
    if (Status status = reader.finish(); !status.ok())
      return status;
    bool textSeen = false;
    for (JsonElement item : items) {
      JsonElement inner;
      std::string_view id;
      if (!item["Sequence"].get(inner)) {
        if (textSeen)
          return unsupported(fmt::format("{}: the text occurs twice", component.where));
        textSeen = true;
      } else if (!item["SpecialToken"]["id"].get(id)) {
        std::optional<std::string> &place = textSeen ? ends.after : ends.before;
        if (place)
          return unsupported(
              fmt::format("{}: more than one token on one side of the text is not supported", component.where));
        place = std::string(id);
      } else {
        return invalidInput(fmt::format("{}: \"single\" holds neither a SpecialToken nor a Sequence", component.where));
      }
    }
    if (!textSeen)
      return invalidInput(fmt::format("{}: \"single\" has no place for the text", component.where));
  }
  return ends;
}
