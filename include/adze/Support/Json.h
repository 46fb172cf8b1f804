// Json.h: JSON for small files and for everything that is written (config, manifest, reports, requests).
//
// A thin wrapper over nlohmann's parser that never throws, refuses duplicate keys (two readers of one file must not see
// two different values), limits depth, and names the file and where it can the line. Large inputs (tokenizer.json,
// safetensors headers) are read with simdjson directly by the rooms that need them.
//
// The typed getters name the file and the key, say what was found and what is accepted. All are pure functions.
#ifndef ADZE_SUPPORT_JSON_H
#define ADZE_SUPPORT_JSON_H

#include "adze/Support/Status.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace adze {

using Json = nlohmann::json;

// Deepest nesting that parseJson accepts.
inline constexpr int jsonDepthLimit = 64;

Expected<Json> parseJson(std::string_view text, std::string_view fileName);

// "an integer", "a string", "an object" ...: for messages.
std::string_view jsonTypeName(const Json &value);

// The member, or a failure: NotFound when the key is absent (or null), InvalidInput when its type is another.
// jsonInt and jsonUnsigned also refuse fractions and values outside their 64-bit range; a float such as 2.0 is refused.
Expected<int64_t> jsonInt(const Json &object, std::string_view key, std::string_view fileName);
Expected<uint64_t> jsonUnsigned(const Json &object, std::string_view key, std::string_view fileName);
Expected<double> jsonNumber(const Json &object, std::string_view key, std::string_view fileName);
Expected<bool> jsonBool(const Json &object, std::string_view key, std::string_view fileName);
Expected<std::string> jsonString(const Json &object, std::string_view key, std::string_view fileName);

// The member, or nullptr when the key is absent or null. `object` must be an object; otherwise nullptr.
const Json *jsonFind(const Json &object, std::string_view key);

// Two-space indented text with a line end, keys sorted: the same value gives the same bytes. Strings that are not UTF-8
// get U+FFFD for the broken parts.
std::string writeJson(const Json &value);
// The same on one line without a line end.
std::string writeJsonLine(const Json &value);

} // namespace adze

#endif // ADZE_SUPPORT_JSON_H
