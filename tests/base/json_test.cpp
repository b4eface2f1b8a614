#include "base/json.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kiln {
namespace {

TEST(Json, EscapesText) {
  EXPECT_EQ(json_of(""), R"("")");
  EXPECT_EQ(json_of("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(json_of(std::string_view("\n\t\r\x01\x1f\x7f\0", 7)), R"("\n\t\u000d\u0001\u001f\u007f\u0000")");
  EXPECT_EQ(json_of("µm² 細胞 🧫"), "\"µm² 細胞 🧫\"");
}

TEST(Json, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(json_of("a\xFF"), "\"a\uFFFD\"");
  EXPECT_EQ(json_of("\xC3"), "\"\uFFFD\"");                         // cut off
  EXPECT_EQ(json_of("\xC3(x"), "\"\uFFFD(x\"");                     // no continuation
  EXPECT_EQ(json_of("\xC0\x80"), "\"\uFFFD\uFFFD\"");               // overlong
  EXPECT_EQ(json_of("\xE0\x80\x80"), "\"\uFFFD\uFFFD\uFFFD\"");     // overlong
  EXPECT_EQ(json_of("\xED\xA0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");     // a surrogate
  EXPECT_EQ(json_of("\xF4\x90\x80\x80").substr(0, 4), "\"\uFFFD");  // beyond U+10FFFF
  EXPECT_EQ(json_of("\xF0\x9F\xA7\xAB"), "\"\xF0\x9F\xA7\xAB\"");
}

TEST(Json, TextsComeBack) {
  for (const std::string_view text :
       {std::string_view(""), std::string_view("a\"b\\c/d"), std::string_view("\n\t\r\x01\x1f\x7f\0", 7),
        std::string_view("µm² 細胞 🧫"), std::string_view("\\")})
    EXPECT_EQ(text_of_json(json_of(text)), text);
  for (const char* wrong : {"", "\"", "a", "\"a", "\"a\\\"", "\"a\"b\"", "3", "null", R"("\x")", R"("\u12")",
                            R"("\u00g0")", R"("\u00e4")"})
    EXPECT_EQ(text_of_json(wrong), std::nullopt) << wrong;
}

TEST(Json, WritesNumbersThatComeBack) {
  EXPECT_EQ(json_of(0.1), "0.1");
  EXPECT_EQ(json_of(-2.5e-7), "-2.5e-07");
  EXPECT_EQ(json_of(1e300), "1e+300");
  EXPECT_EQ(json_of(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(json_of(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(Json, ObjectsKeepTheOrderOfTheirMembers) {
  JsonObject object;
  object.add("text", "a\"b").add("count", std::size_t(3)).add("share", 0.5).add("yes", true);
  object.add("none", std::optional<std::string>()).add("list", std::vector<std::string>{"x", "y"});
  const std::string line =
      R"({"text": "a\"b", "count": 3, "share": 0.5, "yes": true, "none": null, "list": ["x", "y"]})";
  EXPECT_EQ(object.line(), line);
  EXPECT_EQ(JsonObject().add("inner", object).line(), "{\"inner\": " + line + "}");
  EXPECT_EQ(JsonObject().add("a", 1).add("b", 2).lines(), "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
  const std::vector<JsonObject> two(2, JsonObject().add("a", 1));
  EXPECT_EQ(JsonObject().add("all", two).line(), "{\"all\": [\n    {\"a\": 1},\n    {\"a\": 1}\n  ]}");
  EXPECT_EQ(JsonObject().add("all", std::vector<JsonObject>()).line(), "{\"all\": []}");
  EXPECT_EQ(JsonObject().add_block("b", JsonObject().add("a", 1)).line(), "{\"b\": {\n    \"a\": 1\n  }}");
  EXPECT_EQ(JsonObject().line(), "{}");
}

TEST(Json, MembersAreFoundHoweverTheObjectIsLaidOut) {
  const std::string object =
      R"({"from": {"hash": "inner", "x": [1, {"hash": 2}]}, "title": "a \"hash\": {1, 2}\\", "hash" : "outer",)"
      "\n\t\"list\": [1, [2, 3]],\r\n\"none\":null}";
  EXPECT_EQ(json_member(object, "hash"), "\"outer\"");
  EXPECT_EQ(json_member(object, "from"), R"({"hash": "inner", "x": [1, {"hash": 2}]})");
  EXPECT_EQ(json_member(object, "title"), R"("a \"hash\": {1, 2}\\")");
  EXPECT_EQ(json_member(object, "list"), "[1, [2, 3]]");
  EXPECT_EQ(json_member(object, "none"), "null");
  EXPECT_EQ(json_member(object, "x"), std::nullopt);
  EXPECT_EQ(json_member("{}", "a"), std::nullopt);
  EXPECT_EQ(json_member(R"([{"a": 1}])", "a"), std::nullopt);
  EXPECT_EQ(json_member(R"({"a": "cut off)", "a"), std::nullopt);
  EXPECT_EQ(json_member(R"({"a": "ends in \)", "a"), std::nullopt);
  EXPECT_EQ(json_member("", "a"), std::nullopt);
}

TEST(Json, MembersThatWereWrittenAreRead) {
  JsonObject object;
  object.add("a\"b", "c, }").add("number", 0.5).add("inner", JsonObject().add("number", 7));
  for (const std::string& text : {object.line(), object.lines()}) {
    EXPECT_EQ(json_member(text, "a\"b"), json_of("c, }"));
    EXPECT_EQ(json_member(text, "number"), "0.5");
    EXPECT_EQ(json_member(text, "inner"), "{\"number\": 7}");
  }
}

}  // namespace
}  // namespace kiln
