#include "output/run/record.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.hpp"
#include "file_examples.hpp"

namespace kiln {
namespace {

RunRecord example_record() {
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
  r.seconds_in_all = 30.25;
  r.mcs = 4000;
  r.cells = 3390000;
  r.sites = int64_t(1) << 40;
  r.site_updates_per_second = 1e9 / 3;
  r.hash = "0123456789abcdef";
  r.interrupted = true;
  r.stopped_by = "SIGTERM";
  r.from = BranchPoint{"runs/b/checkpoint.h5", "fedcba9876543210", 1500};
  r.steered_by = "Python";
  r.out = "runs/a";
  r.notes = {"2 cells are extinct", "line\nbreak"};
  return r;
}

TEST(RunRecord, IsWrittenAsJson) {
  EXPECT_EQ(run_json(example_record()), R"({
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
  "seconds_in_all": 30.25,
  "mcs": 4000,
  "cells": 3390000,
  "sites": 1099511627776,
  "site_updates_per_second": 333333333.3333333,
  "hash": "0123456789abcdef",
  "interrupted": true,
  "stopped_by": "SIGTERM",
  "from": {"file": "runs/b/checkpoint.h5", "hash": "fedcba9876543210", "mcs": 1500},
  "steered_by": "Python",
  "out": "runs/a",
  "notes": ["2 cells are extinct", "line\nbreak"]
}
)");
}

// Of a run that came to its end with this hash, and in any layout: run.json may have been formatted anew.
TEST(RunRecord, IsOfTheStateThatTheRunCameTo) {
  const ScratchFolder folder;
  const auto is_of = [&](std::string json, const std::string& hash) {
    set_bytes(folder / "run.json", json);
    const bool as_written = is_record_of(folder / "run.json", hash);
    std::erase(json, '\n');
    set_bytes(folder / "run.json", json);
    EXPECT_EQ(is_record_of(folder / "run.json", hash), as_written);
    return as_written;
  };
  RunRecord record = example_record();
  EXPECT_FALSE(is_of(run_json(record), record.hash)) << "it was interrupted";
  record.interrupted = false;
  EXPECT_TRUE(is_of(run_json(record), record.hash));
  EXPECT_FALSE(is_of(run_json(record), record.from->hash)) << "where it began";
  EXPECT_FALSE(is_of("", record.hash));
  EXPECT_FALSE(is_record_of(folder / "none", record.hash));
}

TEST(RunRecord, TellsWhereARunBeganAndWhereItCameTo) {
  const ScratchFolder folder;
  EXPECT_FALSE(read_record(folder / "none"));
  RunRecord record = example_record();
  record.from->file = "runs/\"b\" ü\\/checkpoint.h5";
  set_bytes(folder / "run.json", run_json(record));
  const std::optional<RunRecord> read = read_record(folder / "run.json");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->version, record.version);
  EXPECT_EQ(read->schedule, record.schedule);
  EXPECT_EQ(read->hash, record.hash);
  EXPECT_EQ(read->mcs, record.mcs);
  EXPECT_TRUE(read->interrupted);
  ASSERT_TRUE(read->from);
  EXPECT_EQ(read->from->file, record.from->file);
  EXPECT_EQ(read->from->hash, record.from->hash);
  EXPECT_EQ(read->from->mcs, record.from->mcs);
  record.from.reset();
  record.interrupted = false;
  set_bytes(folder / "run.json", run_json(record));
  EXPECT_FALSE(read_record(folder / "run.json")->from);
  EXPECT_FALSE(read_record(folder / "run.json")->interrupted);
  for (const char* wrong : {"", "{}", R"({"version": "1", "schedule": "tiles", "hash": "x", "mcs": "y"})"}) {
    set_bytes(folder / "run.json", wrong);
    EXPECT_THROW(read_record(folder / "run.json"), UserError) << wrong;
  }
}

TEST(RunRecord, HasASummaryOnOneLine) {
  RunRecord record = example_record();
  record.site_updates_per_second = std::numeric_limits<double>::infinity();  // a run of no time
  EXPECT_EQ(summary_json(record),
            R"({"hash": "0123456789abcdef", "mcs": 4000, "cells": 3390000, "engine": "threads", )"
            R"("schedule": "tiles", "seconds": 12.25, "site_updates_per_second": null, "out": "runs/a"})");
}

TEST(RunRecord, TellsTimeInUtc) {
  using std::chrono::system_clock;
  EXPECT_EQ(iso_time(system_clock::from_time_t(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(iso_time(system_clock::from_time_t(951827696)), "2000-02-29T12:34:56Z");
}

TEST(RunRecord, NamesTheProcessor) {
  EXPECT_FALSE(processor_name().empty());
  EXPECT_EQ(processor_name(1), processor_name() + ", 1 thread");
  EXPECT_EQ(processor_name(2), processor_name() + ", 2 threads");
}

}  // namespace
}  // namespace kiln
