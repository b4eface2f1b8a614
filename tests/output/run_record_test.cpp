#include "output/run/record.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kiln {
namespace {

RunRecord example() {
  RunRecord r;
  r.version = "0.1.0";
  r.model = "models/a \"b\".toml";
  r.title = "Grüße";
  r.seed = std::numeric_limits<uint64_t>::max();
  r.engine = "threads";
  r.schedule = "tiles";
  r.settings = "one attempt per tile of 3 sites per axis and round";
  r.device = "AMD EPYC 9654, 16 threads";
  r.started = "2026-03-01T14:05:09Z";
  r.seconds = 12.25;
  r.output_seconds = 1.5;
  r.mcs = 4000;
  r.cells = 3390000;
  r.sites = int64_t(1) << 40;
  r.site_updates_per_second = 1e9 / 3;
  r.hash = "0123456789abcdef";
  r.interrupted = true;
  r.stopped_by = "SIGTERM";
  r.from = BranchPoint{"runs/b/checkpoint.h5", "fedcba9876543210", 1500};
  r.out = "runs/a";
  r.notes = {"2 cells are extinct", "line\nbreak"};
  return r;
}

TEST(RunRecord, IsWrittenAsJson) {
  EXPECT_EQ(run_json(example()), R"({
  "version": "0.1.0",
  "model": "models/a \"b\".toml",
  "title": "Grüße",
  "seed": 18446744073709551615,
  "engine": "threads",
  "schedule": "tiles",
  "settings": "one attempt per tile of 3 sites per axis and round",
  "device": "AMD EPYC 9654, 16 threads",
  "started": "2026-03-01T14:05:09Z",
  "seconds": 12.25,
  "output_seconds": 1.5,
  "mcs": 4000,
  "cells": 3390000,
  "sites": 1099511627776,
  "site_updates_per_second": 333333333.3333333,
  "hash": "0123456789abcdef",
  "interrupted": true,
  "stopped_by": "SIGTERM",
  "from": {"file": "runs/b/checkpoint.h5", "hash": "fedcba9876543210", "mcs": 1500},
  "out": "runs/a",
  "notes": ["2 cells are extinct", "line\nbreak"]
}
)");
}

TEST(RunRecord, HasASummaryOnOneLine) {
  RunRecord record = example();
  record.site_updates_per_second = std::numeric_limits<double>::infinity();  // a run of no time
  EXPECT_EQ(summary_json(record),
            R"({"hash": "0123456789abcdef", "mcs": 4000, "cells": 3390000, "engine": "threads", )"
            R"("schedule": "tiles", "seconds": 12.25, "site_updates_per_second": null, "out": "runs/a"})");
}

TEST(Json, EscapesText) {
  EXPECT_EQ(json_text(""), R"("")");
  EXPECT_EQ(json_text("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(json_text(std::string_view("\n\t\r\x01\x1f\x7f\0", 7)),
            R"("\n\t\u000d\u0001\u001f\u007f\u0000")");
  EXPECT_EQ(json_text("µm² 細胞 🧫"), "\"µm² 細胞 🧫\"");
}

TEST(Json, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(json_text("a\xFF"), "\"a\uFFFD\"");
  EXPECT_EQ(json_text("\xC3"), "\"\uFFFD\"");                         // cut off
  EXPECT_EQ(json_text("\xC3(x"), "\"\uFFFD(x\"");                     // no continuation
  EXPECT_EQ(json_text("\xC0\x80"), "\"\uFFFD\uFFFD\"");               // overlong
  EXPECT_EQ(json_text("\xE0\x80\x80"), "\"\uFFFD\uFFFD\uFFFD\"");     // overlong
  EXPECT_EQ(json_text("\xED\xA0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");     // a surrogate
  EXPECT_EQ(json_text("\xF4\x90\x80\x80").substr(0, 4), "\"\uFFFD");  // beyond U+10FFFF
  EXPECT_EQ(json_text("\xF0\x9F\xA7\xAB"), "\"\xF0\x9F\xA7\xAB\"");
}

TEST(Json, WritesNumbersThatComeBack) {
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(-2.5e-7), "-2.5e-07");
  EXPECT_EQ(json_number(1e300), "1e+300");
  EXPECT_EQ(json_number(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(RunRecord, TellsTimeInUtc) {
  using std::chrono::system_clock;
  EXPECT_EQ(iso_time(system_clock::from_time_t(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso_time(system_clock::from_time_t(951827696)), "2000-02-29T12:34:56Z");
}

TEST(RunRecord, NamesTheProcessor) {
  const std::string name = processor_name();
  EXPECT_GT(name.find(", "), 0u);
  EXPECT_NE(name.find(" thread"), std::string::npos) << name;
}

}  // namespace
}  // namespace kiln
