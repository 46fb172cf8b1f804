#include "adze/Support/Hash.h"

#include <gtest/gtest.h>

using namespace adze;

TEST(Hash, EqualsThePublishedValueOfNothing) { EXPECT_EQ(hashText(""), "99aa06d3014798d86001c324468d497f"); }

TEST(Hash, DependsOnEveryByte) {
  std::string text(1000, 'a');
  std::string plain = hashText(text);
  text[999] = 'b';
  EXPECT_NE(hashText(text), plain);
  EXPECT_EQ(plain.size(), 32u);
}

TEST(Hash, IsTheSameHoweverTheStreamIsCut) {
  std::string text;
  for (int i = 0; i < 5000; ++i)
    text += static_cast<char>(i * 7);
  for (size_t piece : {1, 7, 256, 4999}) {
    StreamHash stream;
    for (size_t at = 0; at < text.size(); at += piece)
      stream.update(std::string_view(text).substr(at, piece));
    EXPECT_EQ(stream.hex(), hashText(text)) << piece;
  }
}
