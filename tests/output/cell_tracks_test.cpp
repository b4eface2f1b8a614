// Tracks as cells.csv and as cells.h5: which of them, which cells, and what is left after an interruption.
#include "output/table/cell_tracks.hpp"

#include <limits>

#include "base/error.hpp"
#include "data/hdf5/file.hpp"
#include "file_examples.hpp"
#include "output/table/tables.hpp"
#include "support/python.hpp"

namespace kiln {
namespace {

using Format = MeasureSettings::CellsFormat;
const ExampleKind kTracked{{13, 9, 1}, 2, false, false};

MeasureSettings settings(Format format, std::optional<int64_t> one_cell_in = std::nullopt) {
  MeasureSettings result;
  result.cells_format = format;
  result.one_cell_in = one_cell_in;
  return result;
}

TEST(CellTracks, GoWhereTheyFit) {
  const auto expect = [](const TrackPlan& plan, bool hdf5, int64_t one_cell_in) {
    EXPECT_EQ(plan.hdf5, hdf5);
    EXPECT_EQ(plan.one_cell_in, one_cell_in);
  };
  expect(plan_tracks(settings(Format::automatic), 10'000, 100), false, 1);
  expect(plan_tracks(settings(Format::csv), 10'000, 250), false, 3);  // 2.5 million rows
  expect(plan_tracks(settings(Format::csv, 1), 10'000, 250), false, 1);
  if (!kHasHdf5) return;
  expect(plan_tracks(settings(Format::automatic), 10'000, 101), true, 1);
  expect(plan_tracks(settings(Format::automatic, 2), 10'000, 200), false, 2);
  expect(plan_tracks(settings(Format::hdf5), 5, 5), true, 1);
  // A day of 3.4 million cells, every minute: 4.9 billion rows.
  expect(plan_tracks(settings(Format::automatic), 3'400'000, 1442), true, 50);
  expect(plan_tracks(settings(Format::automatic, 10), 3'400'000, 1442), true, 10);
}

TEST(CellTracks, SayWhichCellsTheyHold) {
  EXPECT_TRUE(track_notes({false, 1}, settings(Format::automatic)).empty());
  EXPECT_EQ(track_notes({true, 50}, settings(Format::automatic)),
            (std::vector<std::string>{
                "cells.h5 holds one cell in 50 (ids 1, 51, 101, ...), to stay below 100 million "
                "rows; measure.one_cell_in = 1 asks for all."}));
  EXPECT_EQ(track_notes({false, 10}, settings(Format::automatic, 10)),
            (std::vector<std::string>{"cells.csv holds one cell in 10 (ids 1, 11, 21, ...)."}));
}

// With and without what is known of cells that live.
class CellTracksInHdf5 : public ::testing::TestWithParam<bool> {
 protected:
  static Model model() {
    Model model = example_model(kTracked);
    if (!GetParam()) return model;
    auto living = std::make_shared<Living>();
    living->properties = {{"dye", ""}, {"clock", "s"}};
    model.living = living;
    return model;
  }
  // Every third of 50 cells.
  static std::vector<CellRow> rows_at(int64_t mcs) {
    std::vector<CellRow> rows = cell_rows(example_state(kTracked, 51, mcs), {true, false, false}, 3);
    for (CellRow& row : rows) {
      if (!GetParam()) continue;
      const double parent = row.id % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : row.id / 2;
      row.living = {parent, double(row.id % 3), double(mcs / 2), 40.5 + row.id, 1.0 / row.id, double(mcs)};
    }
    return rows;
  }
  static void add(CellTracks& tracks, std::initializer_list<int64_t> times) {
    for (const int64_t mcs : times) tracks.add(mcs, rows_at(mcs));
  }

  void SetUp() override {
    if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
    CellTracks whole(whole_, model_, {true, 3}, std::nullopt);
    add(whole, {0, 100, 200, 300});
    whole.finish();
  }
  void expect_same(const RunFolder& parts) const {
    EXPECT_TRUE(bytes_of(parts.tracks()) == bytes_of(whole_.tracks()));
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(parts.path / "pictures"), {}), 0);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(parts.path), {}), 2);  // pictures, cells.h5
  }
  RunFolder part() const { return make_run_folder(folder_ / "part", IfExists::refuse); }

  const ScratchFolder folder_;
  const Model model_ = model();
  const RunFolder whole_ = make_run_folder(folder_ / "whole", IfExists::refuse);
};

TEST_P(CellTracksInHdf5, AreWhatH5pyFinds) {
  CellTracks csv(whole_, model_, {false, 3}, std::nullopt);
  add(csv, {0, 100, 200, 300});
  csv.finish();
  check_with_python("output/check_files.py",
                    {"tracks", whole_.tracks().string(), whole_.cells().string(), "3"},
                    "h5py, tifffile and numpy");
}

TEST_P(CellTracksInHdf5, GoOnAfterTheProgramDied) {
  const RunFolder folder = part();
  {
    CellTracks died(folder, model_, {true, 3}, std::nullopt);
    add(died, {0, 100, 200, 250});
  }
  EXPECT_FALSE(std::filesystem::exists(folder.tracks()));
  // The last row was cut short.
  const std::filesystem::path rows = folder.path / "cells.rows";
  set_bytes(rows, bytes_of(rows).substr(0, std::filesystem::file_size(rows) - 7));
  CellTracks next(folder, model_, {true, 3}, 100);
  add(next, {200, 300});
  next.finish();
  expect_same(folder);
}

TEST_P(CellTracksInHdf5, GoOnFromAFinishedTable) {
  const RunFolder folder = part();
  CellTracks first(folder, model_, {true, 3}, std::nullopt);
  add(first, {0, 100, 200, 250});
  first.finish();
  CellTracks next(folder, model_, {true, 3}, 200);
  add(next, {300});
  next.finish();
  expect_same(folder);
}

TEST_P(CellTracksInHdf5, GoOnFromNothing) {
  const RunFolder folder = part();
  CellTracks next(folder, model_, {true, 3}, 100);
  add(next, {0, 100, 200, 300});
  next.finish();
  expect_same(folder);
}

TEST_P(CellTracksInHdf5, MayBeEmpty) {
  const RunFolder folder = part();
  CellTracks(folder, model_, {true, 3}, std::nullopt).finish();
  CellTracks next(folder, model_, {true, 3}, 500);
  add(next, {0, 100, 200, 300});
  next.finish();
  expect_same(folder);
}

TEST_P(CellTracksInHdf5, DamagedAreRefused) {
  const std::string path = whole_.tracks().string(), bytes = bytes_of(path);
  set_bytes(path, bytes.substr(0, bytes.size() / 2));
  EXPECT_THROW(CellTracks(whole_, model_, {true, 3}, 100), UserError);
  EXPECT_EQ(bytes_of(path).size(), bytes.size() / 2);
}

INSTANTIATE_TEST_SUITE_P(Lives, CellTracksInHdf5, ::testing::Bool());

}  // namespace
}  // namespace kiln
