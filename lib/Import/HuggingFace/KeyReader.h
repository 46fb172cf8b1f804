// KeyReader.h: reads a JSON object whose every key must be accounted for.
//
// take*() marks a key as consumed; finish() fails and names the keys that nobody took and that no list of harmless keys
// explains. So a switch that changes what a model computes can never be overlooked silently.
#ifndef ADZE_LIB_IMPORT_HUGGINGFACE_KEYREADER_H
#define ADZE_LIB_IMPORT_HUGGINGFACE_KEYREADER_H

#include "../KeyAccount.h"

#include "adze/Support/Json.h"

#include <optional>
#include <span>
#include <string>

namespace adze::import {

class KeyReader : public KeyAccount<KeyReader> {
public:
  // `object` outlives the reader; `where` names it in messages.
  KeyReader(const Json &object, std::string where) : KeyAccount(std::move(where)), object(object) {}

  // The member, or null where it is absent or null. Marks the key.
  const Json *take(std::string_view key);
  bool has(std::string_view key) const { return jsonFind(object, key) != nullptr; }
  // True where the key is present and null.
  bool isNull(std::string_view key) const;

  // Nothing where the key is absent or null; a failure where its value is of another kind.
  Expected<std::optional<int64_t>> integer(std::string_view key);
  Expected<std::optional<double>> number(std::string_view key);
  Expected<std::optional<bool>> boolean(std::string_view key);
  Expected<std::optional<std::string>> string(std::string_view key);
  // Reads into `target` where the key is present.
  Status read(std::string_view key, int64_t &target);
  Status read(std::string_view key, double &target);
  Status read(std::string_view key, bool &target);
  // An integer or a list of integers, appended to `target`.
  Status readIds(std::string_view key, std::vector<int32_t> &target);
  // Fails unless the key is absent, null or equal to `accepted`; `why` says what another value would need.
  Status requireValue(std::string_view key, const Json &accepted, std::string_view why);

  // "WHERE: 'key' is FOUND; accepted is ACCEPTED".
  Status refuse(std::string_view key, std::string_view accepted) const;
  Status finish(std::span<const IgnoredKey> ignored) const;

private:
  const Json &object;
};

} // namespace adze::import
#endif
