// KeyAccount.h: which keys of a configuration were read, so that none that matters can be overlooked.
//
// What the readers of JSON (KeyReader) and of GGUF metadata (MetadataReader) share. A reader takes keys by name; in the
// end every key must have been taken or stand on a written list of keys that do not matter.
#ifndef ADZE_LIB_IMPORT_KEYACCOUNT_H
#define ADZE_LIB_IMPORT_KEYACCOUNT_H

#include "adze/Support/Status.h"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace adze::import {

// A key, or every key that starts so where it ends in '*', that may have any value, and why it does not matter.
struct IgnoredKey {
  std::string_view key, reason;
};

// `Reader` derives from it and has integer(key) and refuse(key, accepted).
template <class Reader> class KeyAccount {
public:
  // The file, as messages name it.
  const std::string &name() const { return where; }

  // A failure where the key is absent, too.
  Expected<int64_t> requiredInteger(std::string_view key) {
    Reader &reader = static_cast<Reader &>(*this);
    Expected<std::optional<int64_t>> value = reader.integer(key);
    if (!value)
      return value.takeStatus();
    if (!*value)
      return reader.refuse(key, "an integer; without it the size would be a guess");
    return **value;
  }

protected:
  explicit KeyAccount(std::string where) : where(std::move(where)) {}

  void consume(std::string_view key) { consumed.emplace(key); }

  // Fails and names the entries of `members` (pairs that begin with the key) that nobody took and no row explains.
  template <class Members>
  Status account(const Members &members, std::span<const IgnoredKey> ignored, std::string_view advice) const {
    std::string unknown;
    for (const auto &[key, value] : members)
      if (!known(key, ignored))
        unknown += (unknown.empty() ? "'" : ", '") + std::string(key).substr(0, 120) + "'";
    if (unknown.empty())
      return Status::success();
    return unsupported(where + ": unknown key " + unknown +
                       "; it may change what the model computes, and nothing here knows how" + std::string(advice));
  }

private:
  bool known(std::string_view key, std::span<const IgnoredKey> ignored) const {
    if (consumed.find(key) != consumed.end())
      return true;
    for (const IgnoredKey &row : ignored)
      if (row.key.ends_with('*') ? key.starts_with(row.key.substr(0, row.key.size() - 1)) : key == row.key)
        return true;
    return false;
  }

  std::string where;
  std::set<std::string, std::less<>> consumed;
};

} // namespace adze::import
#endif
