// JsonFields.h: closed-world reading of JSON objects.
//
// An ObjectReader hands out the fields of one object and remembers them; finish() refuses what nobody asked for, so
// that a key which would change the meaning can never be overlooked. The first failure is kept and returned by
// finish(); the values handed out after it are defaults. For one thread; views live as long as the simdjson document.
#ifndef ADZE_TEXT_JSONFIELDS_H
#define ADZE_TEXT_JSONFIELDS_H

#include "adze/Support/Status.h"

#include <memory>
#include <optional>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <vector>

namespace adze {

using JsonElement = simdjson::dom::element;

std::string_view jsonTypeOf(const JsonElement &element);
inline bool isNull(const JsonElement &element) { return element.is_null(); }

// A parsed file. Its elements live as long as it does.
class JsonDocument {
public:
  // InvalidInput that names the file and the parser's reason.
  static Expected<JsonDocument> parse(std::string_view text, std::string_view file);
  const JsonElement &root() const { return top; }

private:
  std::unique_ptr<simdjson::dom::parser> parser; // owns what elements point to
  JsonElement top;
};

class ObjectReader {
public:
  // `where` names the place in messages, for example "tokenizer.json: model".
  ObjectReader(const JsonElement &element, std::string where);

  // The field, or nothing when it is absent or null.
  std::optional<JsonElement> field(std::string_view key);
  bool flag(std::string_view key, bool absent);
  std::string_view text(std::string_view key, std::string_view absent = {});
  // A required unsigned number below `limit`.
  uint64_t number(std::string_view key, uint64_t limit);
  // Names keys that have no meaning for encoding and decoding.
  void ignore(std::initializer_list<std::string_view> keys);
  // The key must be absent, null, or this.
  void require(std::string_view key, bool value);

  void fail(Status failure);
  Status unsupportedHere(std::string_view what) const;
  const std::string &place() const { return where; }
  const Status &status() const { return failed; }
  // Ok when nothing failed and every key was asked for.
  Status finish();

private:
  struct Field {
    std::string_view key;
    JsonElement value;
    bool used = false;
  };
  Field *find(std::string_view key);
  void wrongType(std::string_view key, const JsonElement &value, std::string_view wanted);

  std::string where;
  std::vector<Field> fields;
  Status failed;
};

} // namespace adze

#endif // ADZE_TEXT_JSONFIELDS_H
