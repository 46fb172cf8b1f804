// tokenizer.bin: any bytes are refused with a message or give a tokenizer that encodes and decodes without fault, and
// whose table serialises to something that reads the same.
#include "adze/Format/TokenizerTable.h"
#include "adze/Text/Tokenizer.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  adze::Expected<adze::TokenizerTable> table = adze::parseTokenizerTable({data, size}, "tokenizer.bin");
  if (!table)
    return table.status().message().empty() ? std::abort(), 0 : 0;
  std::string bytes = adze::serialise(*table);
  adze::Expected<adze::TokenizerTable> again =
      adze::parseTokenizerTable({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}, "tokenizer.bin");
  if (!again || adze::serialise(*again) != bytes)
    std::abort();
  adze::Expected<adze::Tokenizer> tokenizer = adze::Tokenizer::create(std::move(*table));
  if (!tokenizer)
    return 0;
  adze::Expected<std::vector<uint32_t>> ids =
      tokenizer->encode("Hello, world!  \xf0\x9f\x98\x80 12345\n\xff<|im_end|>");
  if (!ids)
    return 0;
  for (uint32_t id : *ids)
    if (!tokenizer->legal(id))
      std::abort();
  if (!tokenizer->decode(*ids))
    std::abort();
  return 0;
}
