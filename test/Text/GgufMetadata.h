// GgufMetadata.h: just enough of a GGUF reader to hand a real file's vocabulary to the importer. For trusted files
// only; the product's reader is in lib/Import.
#ifndef ADZE_TEST_TEXT_GGUFMETADATA_H
#define ADZE_TEST_TEXT_GGUFMETADATA_H

#include "adze/Text/TokenizerImport.h"

#include <map>
#include <string>
#include <vector>

namespace adze::test {

struct GgufMetadata {
  std::map<std::string, std::vector<std::string>> texts; // strings, and arrays of strings
  std::map<std::string, std::vector<double>> numbers;    // numbers, bools, and arrays of them
  // Views into this object.
  GgufVocabulary vocabulary(std::string_view file) const;
};
GgufMetadata readGgufMetadata(const std::string &path);

} // namespace adze::test

#endif // ADZE_TEST_TEXT_GGUFMETADATA_H
