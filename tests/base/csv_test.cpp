#include "base/csv.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace kiln {
namespace {

using Fields = std::vector<std::string>;

std::vector<Fields> records_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<Fields> result;
  for (CsvReader reader(in); reader.next();) result.push_back(reader.fields());
  return result;
}

TEST(Csv, FieldsInQuotesMayHoldAnything) {
  EXPECT_EQ(records_of("a,\"b,c\",\"say \"\"x\"\"\"\n\"two\nlines\",,1\n"),
            (std::vector<Fields>{{"a", "b,c", "say \"x\""}, {"two\nlines", "", "1"}}));
}

TEST(Csv, LinesMayEndAsOnOtherSystemsOrNotAtAll) {
  EXPECT_EQ(records_of("a,b\r\n1,2\r\n"), (std::vector<Fields>{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(records_of("a,b\n1,"), (std::vector<Fields>{{"a", "b"}, {"1", ""}}));
  EXPECT_EQ(records_of("a\n\nb"), (std::vector<Fields>{{"a"}, {""}, {"b"}}));
  EXPECT_TRUE(records_of("").empty());
}

TEST(Csv, ReadersKnowWhereTheyAre) {
  std::istringstream in("a,\"x\ny\"\nb,2\nc,3");
  CsvReader reader(in);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 1);
  EXPECT_EQ(reader.text(), "a,\"x\ny\"\n");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 3);
  EXPECT_TRUE(reader.is_whole());
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 4);
  EXPECT_FALSE(reader.is_whole());  // cut short
  EXPECT_FALSE(reader.next());
}

TEST(Csv, WhatIsWrittenComesBack) {
  const Fields fields = {"plain", "with, comma", "\"", "two\nlines", "", "a\rb"};
  std::string line;
  for (const std::string& field : fields) append_csv(line += line.empty() ? "" : ",", field);
  EXPECT_EQ(records_of(line + "\n"), std::vector<Fields>{fields});
  EXPECT_EQ(csv_header({"a", "b,c"}), "a,\"b,c\"\n");
}

}  // namespace
}  // namespace kiln
