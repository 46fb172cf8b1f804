#include "adze/Pipeline/ModuleText.h"

#include <gtest/gtest.h>

using namespace adze;

namespace {

std::string repeated(std::string_view part, int times) {
  std::string all;
  for (int i = 0; i < times; ++i)
    all += part;
  return all;
}

std::string refusal(const std::string &text, const ModuleTextLimits &limits = {}) {
  Status status = checkModuleText(text, "m.mlir", limits);
  return status.ok() ? "" : status.message();
}

bool says(const std::string &message, const std::string &part) { return message.find(part) != std::string::npos; }

TEST(ModuleText, TakesWhatAPhaseWrites) {
  EXPECT_EQ(refusal(R"(#map = affine_map<(d0, d1) -> (d0 * 16 + d1, -d0)>
!kv = !llm.kv<layers = 2, heads = 1>
module attributes {adze.phase = "llm", text = "((((((((\"<<<<"} {
  // a comment (((((
  func.func @f(%a: tensor<?x4xf32>) -> (i32) {
    %c-1 = arith.constant -1 : i64
    return
  }
}
)"),
            "");
}

TEST(ModuleText, RefusesAnArrayOfIndexHoweverItIsSpaced) {
  EXPECT_EQ(refusal("module attributes {\n x = array<index: 1>} {}"),
            "m.mlir:2: array<index: ...>, which MLIR's parser does not survive; write array<i64: ...>");
  EXPECT_TRUE(says(refusal("x = array // of\n <\t// what\n index>"), "m.mlir:3: array<index"));
  EXPECT_EQ(refusal("x = array<i64: 1>, index, %array : tensor<4xindex>, \"array<index>\""), "");
}

TEST(ModuleText, RefusesAFileBeyondItsSize) {
  ModuleTextLimits limits;
  limits.bytes = 10;
  EXPECT_EQ(refusal("module {}\n", limits), "");
  EXPECT_TRUE(says(refusal("module { }\n", limits), "m.mlir: the module has 11 bytes; up to 10 are accepted"));
}

TEST(ModuleText, RefusesBytecode) { EXPECT_TRUE(says(refusal("ML\xefR\x01"), "MLIR bytecode")); }

TEST(ModuleText, RefusesNestingOfEveryBracket) {
  for (const char *bracket : {"(", "[", "{", "<"}) {
    EXPECT_EQ(refusal(repeated(bracket, 64)), "") << bracket;
    EXPECT_TRUE(says(refusal("\n" + repeated(bracket, 65)), "m.mlir:2: nesting deeper than 64")) << bracket;
    EXPECT_TRUE(says(refusal(repeated(bracket, 1 << 20)), "nesting deeper than 64")) << bracket;
  }
}

TEST(ModuleText, CountsABracketAsClosedByItsOwnKindAlone) {
  EXPECT_EQ(refusal(repeated("(<[{}]>)", 1000)), "");
  EXPECT_TRUE(says(refusal(repeated("(>", 65)), "nesting deeper"));
  EXPECT_TRUE(says(refusal(repeated("<->", 65)), "nesting deeper"));
  EXPECT_TRUE(says(refusal(repeated("<>=", 65)), "nesting deeper"));
  EXPECT_TRUE(says(refusal(repeated("(\")\"", 65)), "nesting deeper"));
  EXPECT_TRUE(says(refusal(repeated("(// )\n", 65)), "nesting deeper"));
}

TEST(ModuleText, RefusesChainsOfOperators) {
  EXPECT_EQ(refusal("affine_map<(d0) -> (" + repeated("-", 64) + "d0)>"), "");
  EXPECT_TRUE(says(refusal("affine_map<(d0) -> (" + repeated("-", 65) + "d0)>"), "more than 64 operators"));
  EXPECT_TRUE(says(refusal(repeated("d0\n+ ", 65)), "more than 64 operators"));
  EXPECT_TRUE(says(refusal(repeated("d0 mod ", 65)), "more than 64 operators"));
  // Lists of negative numbers are no chain.
  EXPECT_EQ(refusal("dense<[" + repeated("-1, ", 1000) + "-1]>"), "");
}

TEST(ModuleText, CountsAliasesAsWhatTheyStandFor) {
  std::string deep = "#a0 = [1]\n", wide = "#b0 = [1]\n", type = "!t0 = tuple<i32>\n";
  for (int i = 1; i < 80; ++i) {
    std::string before = std::to_string(i - 1), now = std::to_string(i);
    deep += "#a" + now + " = [#a" + before + "]\n";
    wide += "#b" + now + " = [#b" + before + ", #b" + before + "]\n";
    type += "!t" + now + " =\n tuple\n<!t" + before + ">\n";
  }
  EXPECT_TRUE(says(refusal(deep), "nesting deeper than 64"));
  EXPECT_TRUE(says(refusal(type), "nesting deeper than 64"));
  EXPECT_TRUE(says(refusal(wide), "m.mlir:16: an alias that stands for more than 65536 words")) << refusal(wide);
  // Many uses of one alias in a module are not part of the alias.
  EXPECT_EQ(refusal("#loc = loc(unknown)\nmodule {" + repeated("\"x\"() : () -> () loc(#loc)\n", 50000) + "}"), "");
}

} // namespace
