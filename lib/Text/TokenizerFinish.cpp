#include "TokenizerFinish.h"

#include "ByteAlphabet.h"

#include "adze/Text/ChatTemplate.h"
#include "adze/Text/Tokenizer.h"

#include <charconv>
#include <fmt/format.h>

using namespace adze;

void adze::addPlainToken(TokenizerTable &table, std::string_view spelling) {
  if (table.kind == VocabularyKind::ByteLevelBpe) {
    std::optional<std::string> bytes = bytesFromAlphabet(spelling);
    // Outside of the alphabet: no text ever becomes it, and it is shown as it is spelled.
    table.addToken(bytes ? *bytes : spelling, bytes ? TokenKind::Normal : TokenKind::UserDefined);
    return;
  }
  unsigned value = 0;
  if (table.byteFallback && spelling.size() == 6 && spelling.starts_with("<0x") && spelling.ends_with(">")) {
    auto [end, error] = std::from_chars(spelling.data() + 3, spelling.data() + 5, value, 16);
    if (error == std::errc() && end == spelling.data() + 5) {
      char byte = static_cast<char>(value);
      table.addToken(std::string_view(&byte, 1), TokenKind::Byte);
      return;
    }
  }
  table.addToken(spelling, TokenKind::Normal);
}

void adze::addMerge(TokenizerTable &table, uint32_t left, uint32_t right, uint32_t result) {
  bool byteLevel = table.kind == VocabularyKind::ByteLevelBpe;
  for (uint32_t id : {left, right})
    if (byteLevel && table.tokenKinds[id] != TokenKind::Normal)
      return;
  std::string_view whole = table.token(result), a = table.token(left), b = table.token(right);
  if (whole.size() != a.size() + b.size() || !whole.starts_with(a) || !whole.ends_with(b))
    return;
  table.merges.push_back({left, right, result});
}

Expected<TokenizerTable> adze::finishTokenizer(TokenizerTable table, std::string_view file) {
  Expected<Tokenizer> built = Tokenizer::create(table, file);
  if (!built)
    return built.takeStatus();
  if (!table.chatTemplate.empty())
    if (Expected<ChatTemplate> parsed = ChatTemplate::parse(table.chatTemplate, fmt::format("{}: chat template", file));
        !parsed)
      return parsed.takeStatus();
  return table;
}
