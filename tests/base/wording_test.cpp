#include "base/wording.hpp"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(Wording, DurationsAreRead) {
  EXPECT_EQ(seconds_in("5400"), 5400);
  EXPECT_EQ(seconds_in("0"), 0);
  EXPECT_EQ(seconds_in("0.25"), 0.25);
  EXPECT_EQ(seconds_in("45s"), 45);
  EXPECT_EQ(seconds_in("90min"), 5400);
  EXPECT_EQ(seconds_in("90m"), 5400);
  EXPECT_EQ(seconds_in("1h30m"), 5400);
  EXPECT_EQ(seconds_in("1.5h"), 5400);
  EXPECT_EQ(seconds_in("1d2h3m4s"), 86400 + 7200 + 180 + 4);
}

TEST(Wording, ThingsAreCounted) {
  EXPECT_EQ(counted(0, "page"), "0 pages");
  EXPECT_EQ(counted(1, "page"), "1 page");
  EXPECT_EQ(counted(0.8, "cell"), "1 cell");  // about
  EXPECT_EQ(counted(1234567, "free site"), "1,234,567 free sites");
}

TEST(Wording, TimesAreInTheUnitOfTheWhole) {
  EXPECT_EQ(time_text(0, 36000), "0 h");
  EXPECT_EQ(time_text(900, 36000), "0.25 h");
  EXPECT_EQ(time_text(36000, 36000), "10 h");
  EXPECT_EQ(time_text(90, 100), "90 s");
  EXPECT_EQ(time_text(90, 3600), "1.5 min");
  EXPECT_EQ(time_text(86400, 10 * 86400), "1 days");
}

TEST(Wording, WhatIsNoDurationIsNone) {
  for (const char* text : {"", "h", "1x", "1h30", "-5", "1 h", "1h 30m", "inf", "nan", "1e3", "1hm",
                           "1:30:00", "m5", "1..5s", "."})
    EXPECT_EQ(seconds_in(text), std::nullopt) << text;
}

}  // namespace
}  // namespace kiln
