// A whole run's tables, and those of one that was stopped and went on.
#include "output/run/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "core/lattice_size.hpp"
#include "data/hdf5/file.hpp"
#include "file_examples.hpp"
#include "model/file/read.hpp"
#include "output/picture/picture.hpp"
#include "output/picture/png.hpp"
#include "output/report/plots.hpp"
#include "output/state/label_image.hpp"

namespace kiln {
namespace {

// Two phases of 50 and 57 MCS; intervals of 12, which are no multiple of `every`, nor the phases of them.
constexpr const char* kModel = R"(
pictures = []
[lattice]
size = [40, 40]
[units]
voxel_um = 2
seconds_per_mcs = 10
[types.cell]
volume = { target = 30, lambda = 2 }
act = { lambda = 100, max = 10 }
[[initial]]
kind = "seeds"
count = 20
[measure]
every = 5
cells_every = 20
explored = true
explored_cells = 7
halves = "x"
direction_correlation = true
correlation_distance_um = 30
correlation_cells = 8
[[phases]]
name = "first"
mcs = 50
[[phases]]
name = "pause"
mcs = 7
measure = false
[[phases]]
name = "second"
mcs = 50
)";

const char* const kTables[] = {"measures.csv", "cells.csv",    "lags.csv",
                               "speeds.csv",   "motility.csv", "direction_correlation.csv"};

// Runs from the checkpoint in the folder, or from the start, up to `stop` or the end.
void run(const Model& model, const RunFolder& folder, int64_t stop) {
  std::optional<Checkpoint> checkpoint;
  if (std::filesystem::exists(folder.checkpoint())) checkpoint = read_checkpoint(folder.checkpoint());
  State first = checkpoint ? checkpoint->state : initial_state(model);
  const CellId cells = first.cells.count();
  int64_t mcs = first.mcs;
  const auto physics = [&](int64_t at) { return model.phase_at(at).physics.view(); };
  EngineOptions options;
  options.engine = "serial";
  const auto engine = make_engine(model, physics(mcs), std::move(first), options);
  RunWriter writer(model, folder, cells, checkpoint ? &*checkpoint : nullptr);
  writer.write(engine->state(), {}, "serial", mcs == 0 ? Moment::start : Moment::under_way);
  while (mcs < model.total_mcs()) {
    engine->set_physics(physics(mcs));
    const int64_t next = std::min(writer.next_due(mcs), mcs < stop ? stop : model.total_mcs());
    engine->advance(next - mcs);
    mcs = next;
    const Moment moment = mcs == stop                ? Moment::interrupted
                          : mcs == model.total_mcs() ? Moment::end
                                                     : Moment::under_way;
    writer.write(engine->state(), {}, "serial", moment);
    if (mcs == stop) break;
  }
  writer.finish();
}

TEST(RunWriter, SpeedsHaveTheirOwnRhythm) {
  const ScratchFolder folder;
  const Model model = parse_model(kModel, "m.toml", "");
  run(model, make_run_folder(folder / "whole", IfExists::refuse), -1);
  const std::string text = bytes_of(folder / "whole/motility.csv");
  EXPECT_EQ(text.rfind("phase,interval_s,intervals,speed_mean_um_per_min,speed_sd_um_per_min,speed_skewness,"
                       "arrest_coefficient,arrest_low,arrest_high,arrest_by_cell,divergence_bits\n",
                       0),
            0u)
      << text;
  // 20 cells, 4 intervals of 12 MCS in each of two phases of 50.
  EXPECT_NE(text.find("\nfirst,120,80,"), std::string::npos) << text;
  EXPECT_NE(text.find("\nsecond,120,80,"), std::string::npos) << text;
  EXPECT_EQ(text.find("pause"), std::string::npos);
  const std::string speeds = bytes_of(folder / "whole/speeds.csv");
  EXPECT_EQ(speeds.rfind("phase,low_um_per_min,high_um_per_min,count\nfirst,0,1,", 0), 0u) << speeds;
  EXPECT_NE(speeds.find("\nfirst,100,,0\nsecond,0,1,"), std::string::npos) << speeds;
}

const TableColumn& column(const std::vector<TableColumn>& columns, const std::string& name) {
  return *std::find_if(columns.begin(), columns.end(), [&](const TableColumn& c) { return c.name == name; });
}

TEST(RunWriter, ExploredSitesGrowWithinAPhase) {
  const ScratchFolder folder;
  const Model model = parse_model(kModel, "m.toml", "");
  run(model, make_run_folder(folder / "whole", IfExists::refuse), -1);
  const std::vector<TableColumn> table = csv_columns(folder / "whole/measures.csv");
  const std::vector<double>&mcs = column(table, "mcs").values, &cells = column(table, "cells").values,
        &sites = column(table, "explored_sites").values;
  ASSERT_EQ(mcs.size(), sites.size());
  for (std::size_t i = 0; i < mcs.size(); ++i) {
    EXPECT_LE(sites[i], 1600);
    EXPECT_GE(sites[i], column(table, "volume_mean").values[i] * cells[i] - 1e-9);
    EXPECT_DOUBLE_EQ(column(table, "explored_um2").values[i], 4 * sites[i]);
    EXPECT_DOUBLE_EQ(column(table, "explored_um2_per_cell").values[i], 4 * sites[i] / cells[i]);
    EXPECT_GT(column(table, "visited_um2_mean").values[i], 0);
    EXPECT_GE(column(table, "mixed_fraction").values[i], 0);
    EXPECT_LE(column(table, "mixed_fraction").values[i], 1);
    if (i > 0 && mcs[i] != 60) {
      EXPECT_GE(sites[i], sites[i - 1]) << mcs[i];
    }
  }
  EXPECT_LT(sites[std::size_t(std::find(mcs.begin(), mcs.end(), 60) - mcs.begin())], sites.back());
}

// Intervals end at 12, 24, ... and 69, 81, ...; the first of them after 20, 40, ... have rows.
TEST(RunWriter, CorrelationHasRowsWhereItIsDue) {
  const ScratchFolder folder;
  const Model model = parse_model(kModel, "m.toml", "");
  run(model, make_run_folder(folder / "whole", IfExists::refuse), -1);
  const std::vector<TableColumn> table = csv_columns(folder / "whole/direction_correlation.csv");
  std::vector<double> times = column(table, "mcs").values;
  times.erase(std::unique(times.begin(), times.end()), times.end());
  EXPECT_EQ(times, (std::vector<double>{24, 48, 69, 81, 105}));
  EXPECT_EQ(column(table, "low_um").values[0], 0);
  // A bin is as wide as a cell of the mean volume at MCS 24; rows are at 20 and 25.
  const std::vector<TableColumn> measures = csv_columns(folder / "whole/measures.csv");
  ASSERT_EQ(column(measures, "mcs").values[5], 25);
  const double diameter = 2 * ball_diameter(column(measures, "volume_mean").values[5], 2);
  EXPECT_NEAR(column(table, "high_um").values[0], diameter, 0.03 * diameter);
  for (const double correlation : column(table, "correlation").values)
    EXPECT_TRUE(std::isnan(correlation) || std::abs(correlation) <= 1);
  for (const double order : column(table, "order_index").values) EXPECT_TRUE(order > 0 && order <= 1);
  EXPECT_EQ(column(table, "interval_s").values, std::vector<double>(column(table, "mcs").values.size(), 120));
}

constexpr const char* kKept = R"(
[output]
lattice_every = 20
lattice_format = "both"
checkpoint_every = 20
)";

std::string with_pictures(const std::string& model) {
  const std::string none = "pictures = []";
  return model.substr(0, model.find(none)) + model.substr(model.find(none) + none.size()) +
         "[[pictures]]\nevery = 25\nanimation = true\n";
}

// What is written beside the run is what a state gives that stands still.
TEST(RunWriter, KeepsStatesAsTheyWereWhenTheRunWentOn) {
#if !defined(KILN_HAS_TIFF) || !defined(KILN_HAS_HDF5)
  GTEST_SKIP() << "needs HDF5, libtiff and pugixml";
#endif
  const ScratchFolder folder;
  const Model model = parse_model(with_pictures(kModel) + kKept, "m.toml", "");
  run(model, make_run_folder(folder / "run", IfExists::refuse), -1);

  std::filesystem::create_directory(folder / "still");
  LatticeFile still(folder / "still", model);
  PictureSeries series(model.pictures[0], model);
  EngineOptions options;
  options.engine = "serial";
  const auto engine = make_engine(model, model.phases[0].physics.view(), initial_state(model), options);
  for (int64_t mcs = 0; mcs <= 107; ++mcs) {
    if (mcs > 0) {
      engine->set_physics(model.phase_at(mcs - 1).physics.view());
      engine->advance(1);
    }
    const std::string number = std::string(mcs < 10    ? "0000000"
                                           : mcs < 100 ? "000000"
                                                       : "00000") +
                               std::to_string(mcs);
    if (mcs % 20 == 0 || mcs == 107) {
      still.add(engine->state());
      write_label_image(folder / "label", engine->state(), model);
      EXPECT_TRUE(bytes_of(folder / "label") ==
                  bytes_of(folder / ("run/labels/labels_" + number + ".ome.tif")));
    }
    if (kHasPng && (mcs == 0 || mcs == 25 || mcs == 75 || mcs == 107)) {
      set_bytes(folder / "still.png", png_file(series.draw_png(engine->state())));
      EXPECT_TRUE(bytes_of(folder / "still.png") ==
                  bytes_of(folder / ("run/pictures/slice-type_" + number + ".png")))
          << mcs;
    }
  }
  still.finish();
  EXPECT_TRUE(bytes_of(folder / "still/lattice.h5") == bytes_of(folder / "run/lattice.h5"));
  EXPECT_EQ(read_checkpoint(folder / "run/checkpoint.h5").hash, state_hash(engine->state()));
}

TEST(RunWriter, ResumedRunsGiveTheSameFiles) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const Model model = parse_model(std::string(kModel) + kKept, "m.toml", "", {"measure.cells_format=hdf5"});
  run(model, make_run_folder(folder / "whole", IfExists::refuse), -1);
  for (const int64_t stop : {35, 40}) {
    const RunFolder parts = make_run_folder(folder / ("parts" + std::to_string(stop)), IfExists::refuse);
    run(model, parts, stop);
    run(model, parts, -1);
    for (const char* file : {"cells.h5", "lattice.h5", "lattice.xdmf"})
      EXPECT_TRUE(bytes_of(parts.path / file) == bytes_of(folder / (std::string("whole/") + file)))
          << file << " from " << stop;
  }
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Off the rhythm of the pictures, on it, and in between; the frame of the tissue grows on the way. The
// picture of an interruption does not stay.
TEST(RunWriter, ResumedRunsGiveTheSamePictures) {
  if (!kHasHdf5 || !kHasPng) GTEST_SKIP() << "no HDF5, or no PNG";
  const ScratchFolder folder;
  const Model model =
      parse_model(with_pictures(kModel) + "mp4 = false\nframe = \"tissue\"\n" + kKept, "m.toml", "");
  run(model, make_run_folder(folder / "whole", IfExists::refuse), -1);
  const std::vector<std::string> names = names_in(folder / "whole/pictures");
  ASSERT_NE(std::find(names.begin(), names.end(), "slice-type.png"), names.end());
  for (const int64_t stop : {10, 33, 75}) {
    const RunFolder parts = make_run_folder(folder / ("parts" + std::to_string(stop)), IfExists::refuse);
    run(model, parts, stop);
    run(model, parts, -1);
    EXPECT_EQ(names_in(parts.pictures()), names) << stop;
    for (const std::string& name : names)
      EXPECT_TRUE(bytes_of(parts.pictures() / name) == bytes_of(folder / "whole/pictures" / name))
          << name << " from " << stop;
  }
}

// As many threads as cores: nothing is left for pictures.
class BusyEngine : public Engine {
 public:
  explicit BusyEngine(State& state, int threads) : state_(state), threads_(threads) {}
  void advance(int64_t mcs) override { state_.mcs += mcs; }
  const State& state() override { return state_; }
  void set_physics(const Physics&) override {}
  AttemptCounts counts() const override { return {}; }
  std::string name() const override { return "busy"; }
  std::string schedule() const override { return "serial"; }
  int threads() const override { return threads_; }

 private:
  State& state_;
  int threads_;
};

// It is on disk when the run goes on.
TEST(RunWriter, DrawsAtOnceWhereTheRunHasAllCores) {
  if (!kHasPng) GTEST_SKIP() << "no PNG";
  const ScratchFolder folder;
  const Model model = parse_model(with_pictures(kModel) + kKept, "m.toml", "");
  const RunFolder place = make_run_folder(folder / "run", IfExists::refuse);
  State state = initial_state(model);
  BusyEngine busy(state, all_threads()), idle(state, all_threads() - 1);
  EXPECT_EQ(Look(busy).spare_cores(), 0);
  EXPECT_EQ(Look(idle).spare_cores(), 1);
  RunWriter writer(model, place, state.cells.count(), nullptr);
  for (const char* still : {"slice-type_00000000.png", "slice-type_00000025.png"}) {
    writer.write(Look(busy), {}, "serial", state.mcs == 0 ? Moment::start : Moment::under_way);
    EXPECT_TRUE(std::filesystem::exists(place.pictures() / still)) << still;
    busy.advance(25);
  }
  writer.finish();
}

// Works beside the run, one moment at a time.
class Slow : public Observer {
 public:
  int64_t next_due(int64_t mcs) const override { return mcs + 1; }
  Work look(const Glance&) override {
    return {[this](const State&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++done;
    }};
  }

  std::atomic<int> done = 0;
};

TEST(RunWriter, HoldsOneStateAtATimeForWorkBesideTheRun) {
  const ScratchFolder folder;
  const Model model = parse_model(std::string(kModel) + kKept, "m.toml", "");
  State state = initial_state(model);
  RunWriter writer(model, make_run_folder(folder / "run", IfExists::refuse), state.cells.count(), nullptr);
  Slow slow;
  writer.add(slow);
  for (int stop = 0; stop < 10; ++stop) {
    writer.write(state, {}, "serial", stop == 0 ? Moment::start : Moment::under_way);
    EXPECT_GE(slow.done, stop);  // those before are done when the next is taken on
    ++state.mcs;
  }
  writer.finish();
  EXPECT_EQ(slow.done, 10);
}

// Nothing is drawn or compressed again for the animation.
TEST(RunWriter, AnimationsHoldThePixelsOfTheStills) {
  if (!kHasPng) GTEST_SKIP() << "no PNG";
  const ScratchFolder folder;
  const Model model = parse_model(with_pictures(kModel) + kKept, "m.toml", "");
  const RunFolder place = make_run_folder(folder / "run", IfExists::refuse);
  run(model, place, -1);
  const std::string animation = bytes_of(place.pictures() / "slice-type.png");
  std::size_t at = 0;
  for (const char* still : {"00000000", "00000025", "00000075", "00000107"}) {
    const PngParts parts = parts_of_png(bytes_of(place.pictures() / fmt::format("slice-type_{}.png", still)));
    ASSERT_FALSE(parts.pixels.empty()) << still;
    at = animation.find(parts.pixels, at);
    ASSERT_NE(at, std::string::npos) << still;
  }
}

TEST(RunWriter, SaysWhatFailedInTheBackground) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const Model model = parse_model(std::string(kModel) + kKept, "m.toml", "");
  const RunFolder place = make_run_folder(folder / "run", IfExists::refuse);
  const State state = initial_state(model);
  RunWriter writer(model, place, state.cells.count(), nullptr);
  std::filesystem::remove_all(place.path / "snapshots");
  set_bytes(place.path / "snapshots", "a file where a folder should be");
  writer.write(state, {}, "serial", Moment::start);
  EXPECT_THROW(writer.finish(), Failure);
  EXPECT_FALSE(std::filesystem::exists(place.lattice()));
}

// Rows of the second interval stand beside those of the first, which stay what they are alone.
TEST(RunWriter, SeveralIntervalsHaveRowsOfTheirOwn) {
  const ScratchFolder folder;
  const Model one = parse_model(kModel, "m.toml", "");
  const Model two = parse_model(kModel, "m.toml", "", {"measure.speed_interval_s=[120,50]"});
  run(one, make_run_folder(folder / "one", IfExists::refuse), -1);
  run(two, make_run_folder(folder / "two", IfExists::refuse), -1);
  const auto lines = [&](const char* file) {
    std::istringstream text(bytes_of(folder / file));
    std::vector<std::string> result;
    for (std::string line; std::getline(text, line);) result.push_back(line);
    return result;
  };
  const std::vector<std::string> alone = lines("one/motility.csv"), both = lines("two/motility.csv");
  ASSERT_EQ(both.size(), 5u);
  EXPECT_EQ((std::vector{both[0], both[1], both[3]}), alone);
  EXPECT_EQ(both[2].rfind("first,50,200,", 0), 0u) << both[2];  // 20 cells, 10 intervals of 5 MCS
  EXPECT_EQ(both[4].rfind("second,50,200,", 0), 0u) << both[4];
  const std::vector<std::string> bins = lines("two/speeds.csv");
  EXPECT_EQ(bins[0], "phase,low_um_per_min,high_um_per_min,count,interval_s");
  ASSERT_EQ(bins.size(), 1u + 4 * 101);
  EXPECT_EQ(bins[1 + 100].substr(bins[1 + 100].rfind(',')), ",120");
  EXPECT_EQ(bins[1 + 101].substr(bins[1 + 101].rfind(',')), ",50");
  const std::vector<TableColumn> table = csv_columns(folder / "two/direction_correlation.csv");
  std::set<std::pair<double, double>> rows;
  for (std::size_t i = 0; i < column(table, "mcs").values.size(); ++i)
    rows.insert({column(table, "interval_s").values[i], column(table, "mcs").values[i]});
  EXPECT_EQ(rows, (std::set<std::pair<double, double>>{{50, 20},
                                                       {50, 40},
                                                       {50, 62},
                                                       {50, 82},
                                                       {50, 102},
                                                       {120, 24},
                                                       {120, 48},
                                                       {120, 69},
                                                       {120, 81},
                                                       {120, 105}}));
}

TEST(RunWriter, ResumedRunsGiveTheSameTables) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const Model model = parse_model(kModel, "m.toml", "",
                                  {"measure.speed_interval_s=[120,50]", "measure.mixed_within_um=[6,20]"});
  run(model, make_run_folder(folder / "whole", IfExists::refuse), -1);
  // Within an interval, at the end of one, at the ends of phases, while nothing is measured.
  for (const int64_t stop : {1, 24, 31, 50, 53, 57, 81, 100}) {
    const RunFolder parts = make_run_folder(folder / ("parts" + std::to_string(stop)), IfExists::refuse);
    run(model, parts, stop);
    run(model, parts, -1);
    for (const char* table : kTables)
      EXPECT_EQ(bytes_of(parts.path / table), bytes_of(folder / (std::string("whole/") + table)))
          << table << " from " << stop;
  }
}

}  // namespace
}  // namespace kiln
