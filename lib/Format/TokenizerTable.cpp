#include "adze/Format/TokenizerTable.h"

#include <fmt/format.h>

using namespace adze;

void TokenizerTable::addToken(std::string_view bytes, TokenKind kind) {
  tokenBytes += bytes;
  tokenStart.push_back(static_cast<uint32_t>(tokenBytes.size()));
  tokenKinds.push_back(kind);
}

uint32_t TokenizerTable::legalTokenCount() const {
  uint32_t count = size();
  while (count > 0 && !legal(count - 1))
    --count;
  return count;
}

namespace {

Status checkSpecialId(std::string_view file, std::string_view what, const std::optional<uint32_t> &id,
                      const TokenizerTable &table) {
  if (!id || table.legal(*id))
    return Status::success();
  return invalidInput(fmt::format("{}: the {} token has id {}, but the vocabulary has {} legal tokens", file, what, *id,
                                  table.legalTokenCount()));
}

Status checkTokens(const TokenizerTable &table, std::string_view file) {
  uint64_t count = table.tokenKinds.size();
  if (count == 0)
    return invalidInput(fmt::format("{}: the vocabulary is empty", file));
  if (count > tokenCountLimit)
    return invalidInput(
        fmt::format("{}: the vocabulary has {} tokens; at most {} are accepted", file, count, tokenCountLimit));
  if (table.tokenStart.size() != count + 1 || table.tokenStart.front() != 0 ||
      table.tokenStart.back() != table.tokenBytes.size())
    return invalidInput(fmt::format("{}: the token boundaries do not cover the token bytes", file));
  for (uint64_t i = 0; i < count; ++i) {
    if (table.tokenStart[i] > table.tokenStart[i + 1])
      return invalidInput(fmt::format("{}: token {} ends before it starts", file, i));
    if (table.tokenKinds[i] > TokenKind::Byte)
      return invalidInput(
          fmt::format("{}: token {} has the unknown kind {}", file, i, static_cast<unsigned>(table.tokenKinds[i])));
    if (table.tokenKinds[i] == TokenKind::Byte && table.tokenStart[i + 1] - table.tokenStart[i] != 1)
      return invalidInput(fmt::format("{}: byte token {} does not hold exactly one byte", file, i));
  }
  return Status::success();
}

Status checkMerges(const TokenizerTable &table, std::string_view file) {
  uint32_t count = table.size();
  bool byScore = table.mergeOrder == MergeOrder::ByScore;
  if (byScore && table.kind != VocabularyKind::SentencePieceBpe)
    return invalidInput(fmt::format("{}: a byte-level vocabulary is merged by rank, not by score", file));
  if (table.scores.size() != (byScore ? count : 0))
    return invalidInput(fmt::format("{}: {} scores for {} tokens", file, table.scores.size(), count));
  if (byScore && !table.merges.empty())
    return invalidInput(fmt::format("{}: merges are listed, but the vocabulary is merged by score", file));
  for (size_t rank = 0; rank < table.merges.size(); ++rank) {
    const TokenMerge &merge = table.merges[rank];
    if (merge.left >= count || merge.right >= count || merge.result >= count)
      return invalidInput(fmt::format("{}: merge {} names a token outside the vocabulary of {}", file, rank, count));
    std::string_view left = table.token(merge.left), right = table.token(merge.right);
    std::string_view result = table.token(merge.result);
    if (result.size() != left.size() + right.size() || !result.starts_with(left) || !result.ends_with(right))
      return invalidInput(
          fmt::format("{}: merge {} makes token {}, which is not its two halves joined", file, rank, merge.result));
    if (left.empty() || right.empty())
      return invalidInput(fmt::format("{}: merge {} has an empty half", file, rank));
  }
  return Status::success();
}

} // namespace

Status adze::checkTokenizerTable(const TokenizerTable &table, std::string_view file) {
  if (Status status = checkTokens(table, file); !status.ok())
    return status;
  if (Status status = checkMerges(table, file); !status.ok())
    return status;
  for (const AddedToken &added : table.addedTokens) {
    if (!table.legal(added.id))
      return invalidInput(
          fmt::format("{}: added token \"{}\" has id {}, which is not a legal id", file, added.content, added.id));
    if (added.content.empty())
      return invalidInput(fmt::format("{}: added token {} is empty", file, added.id));
  }
  if (Status status = checkSpecialId(file, "beginning-of-text", table.bos, table); !status.ok())
    return status;
  if (Status status = checkSpecialId(file, "end-of-text", table.eos, table); !status.ok())
    return status;
  if (Status status = checkSpecialId(file, "unknown", table.unknown, table); !status.ok())
    return status;
  if (Status status = checkSpecialId(file, "padding", table.padding, table); !status.ok())
    return status;
  for (uint32_t id : table.endTokens)
    if (Status status = checkSpecialId(file, "end", id, table); !status.ok())
      return status;
  if (table.addBos && !table.bos)
    return invalidInput(fmt::format("{}: a beginning-of-text token is asked for, but none is named", file));
  if (table.addEos && !table.eos)
    return invalidInput(fmt::format("{}: an end-of-text token is asked for, but none is named", file));
  return Status::success();
}
