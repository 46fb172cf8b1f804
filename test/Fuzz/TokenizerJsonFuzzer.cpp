// tokenizer.json: any text is refused with a message or becomes a table that the checks accept and that encodes.
#include "adze/Format/TokenizerTable.h"
#include "adze/Text/Tokenizer.h"
#include "adze/Text/TokenizerImport.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  adze::TokenizerJsonFiles files;
  files.tokenizerJson = std::string_view(reinterpret_cast<const char *>(data), size);
  adze::Expected<adze::TokenizerTable> table = adze::readTokenizerJson(files);
  if (!table)
    return table.status().message().empty() ? std::abort(), 0 : 0;
  if (!adze::checkTokenizerTable(*table, "tokenizer.json").ok())
    std::abort();
  adze::Expected<adze::Tokenizer> tokenizer = adze::Tokenizer::create(std::move(*table));
  if (tokenizer)
    (void)tokenizer->encode("Hello, world!  \xf0\x9f\x98\x80 12345\n");
  return 0;
}
