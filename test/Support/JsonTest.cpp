#include "adze/Support/Json.h"

#include <gtest/gtest.h>

using namespace adze;

static std::string failure(std::string_view text) {
  Expected<Json> value = parseJson(text, "config.json");
  EXPECT_FALSE(value) << text;
  return value.status().message();
}

TEST(Json, ReadsEveryKindOfValue) {
  Expected<Json> value = parseJson(R"({"a": [1, -2, 2.5, "x", true, null], "b": {"c": {}}})", "config.json");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->dump(), R"({"a":[1,-2,2.5,"x",true,null],"b":{"c":{}}})");
}

TEST(Json, RefusesAKeyThatAppearsTwice) {
  EXPECT_NE(failure(R"({"layers": 2, "layers": 3})").find("\"layers\" appears twice"), std::string::npos);
  EXPECT_NE(failure(R"({"x": {"layers": 2, "layers": 3}})").find("\"layers\" appears twice"), std::string::npos);
  EXPECT_TRUE(parseJson(R"({"x": {"layers": 2}, "layers": 3})", "config.json"));
}

TEST(Json, NamesFileAndPlaceOfASyntaxError) {
  std::string message = failure("{\n  \"a\": ]\n}");
  EXPECT_NE(message.find("'config.json'"), std::string::npos);
  EXPECT_NE(message.find("line 2"), std::string::npos);
}

TEST(Json, RefusesBrokenInputWithoutThrowing) {
  for (std::string_view text :
       {"", "{", "[1,]", "{\"a\":1}x", "nul", "\"\xff\"", "1e999", "{'a': 1}", "[1] [2]", "NaN"})
    EXPECT_FALSE(parseJson(text, "config.json")) << text;
}

TEST(Json, LimitsDepth) {
  std::string deep(100000, '[');
  EXPECT_NE(failure(deep).find("deeper than 64"), std::string::npos);
  std::string legal = std::string(64, '[') + std::string(64, ']');
  EXPECT_TRUE(parseJson(legal, "config.json"));
  EXPECT_FALSE(parseJson("[" + legal + "]", "config.json"));
}

TEST(Json, GettersSayWhatWasFoundAndWhatIsAccepted) {
  Json config =
      *parseJson(R"({"n": 3, "neg": -1, "big": 18446744073709551615, "half": 0.5, "s": "x", "no": null})", "c");
  EXPECT_EQ(*jsonInt(config, "n", "config.json"), 3);
  EXPECT_EQ(*jsonInt(config, "neg", "config.json"), -1);
  EXPECT_EQ(*jsonUnsigned(config, "big", "config.json"), UINT64_MAX);
  EXPECT_EQ(*jsonNumber(config, "n", "config.json"), 3.0);
  EXPECT_EQ(*jsonString(config, "s", "config.json"), "x");
  EXPECT_FALSE(jsonUnsigned(config, "neg", "config.json"));
  EXPECT_FALSE(jsonInt(config, "big", "config.json"));
  EXPECT_EQ(jsonInt(config, "half", "config.json").status().message(),
            "'config.json': \"half\" is a number with a fraction (0.5); an integer that fits 64 bits is needed");
  EXPECT_EQ(jsonBool(config, "s", "config.json").status().code(), ErrorCode::InvalidInput);
  EXPECT_EQ(jsonInt(config, "absent", "config.json").status().code(), ErrorCode::NotFound);
  EXPECT_EQ(jsonInt(config, "no", "config.json").status().code(), ErrorCode::NotFound);
  EXPECT_EQ(jsonFind(config, "no"), nullptr);
  EXPECT_FALSE(jsonInt(Json::array(), "n", "config.json"));
  Json built = {{"n", 5}};
  EXPECT_EQ(*jsonUnsigned(built, "n", "x"), 5u);
}

TEST(Json, WritesTheSameBytesForTheSameValue) {
  Json value = {{"b", 1}, {"a", {1, 2}}};
  EXPECT_EQ(writeJson(value), "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": 1\n}\n");
  EXPECT_EQ(writeJsonLine(value), R"({"a":[1,2],"b":1})");
  EXPECT_EQ(writeJsonLine(Json("a\xff")), "\"a\xef\xbf\xbd\"");
}
