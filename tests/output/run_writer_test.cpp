// A whole run's tables, and those of one that was stopped and went on.
#include "output/run_writer.hpp"

#include "data/hdf5.hpp"
#include "file_examples.hpp"
#include "model/read.hpp"

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

const char* const kTables[] = {"measures.csv", "cells.csv", "lags.csv", "speeds.csv", "motility.csv"};

// Runs from the checkpoint in the folder, or from the start, up to `stop` or the end.
void run(const Model& model, const RunFolder& folder, int64_t stop) {
  std::optional<Checkpoint> checkpoint;
  if (std::filesystem::exists(folder.checkpoint())) checkpoint = read_checkpoint(folder.checkpoint());
  State first = checkpoint ? checkpoint->state : initial_state(model);
  const CellId cells = first.cells.count();
  int64_t mcs = first.mcs;
  const auto physics = [&](int64_t at) {
    return model.phases[std::size_t(phase_at(model, at))].physics.view();
  };
  EngineOptions options;
  options.engine = "serial";
  const auto engine = make_engine(model, physics(mcs), std::move(first), options);
  RunWriter writer(model, folder, cells, checkpoint ? &*checkpoint : nullptr);
  if (mcs == 0) writer.write(engine->state(), {}, "serial", Moment::start);
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
  EXPECT_EQ(speeds.rfind("phase,low,high,count\nfirst,0,1,", 0), 0u) << speeds;
  EXPECT_NE(speeds.find("\nfirst,100,,0\nsecond,0,1,"), std::string::npos) << speeds;
}

TEST(RunWriter, ResumedRunsGiveTheSameTables) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const Model model = parse_model(kModel, "m.toml", "");
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
