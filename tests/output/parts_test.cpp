// States that several processes write in parts, and read from what others wrote.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "data/image/image.hpp"  // kHasTiff
#include "engine/ranks/id_slices.hpp"
#include "engine/ranks/lead_engine.hpp"
#include "file_examples.hpp"
#include "output/picture/picture.hpp"
#include "output/picture/png.hpp"
#include "output/state/checkpoint_pair.hpp"
#include "output/state/label_image.hpp"
#include "output/state/linked_parts.hpp"
#include "output/state/part_files.hpp"
#include "output/state/snapshot.hpp"
#include "support/crew_of_threads.hpp"
#include "support/python.hpp"
#include "support/shipped.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

TEST(IdSlices, HoldEveryCellOnce) {
  for (const CellId cells : {1u, 2u, 7u, 1000u, 4294967294u})
    for (const int ranks : {1, 2, 3, 7, 64}) {
      CellId next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const IdSlice slice = id_slice(cells, ranks, rank);
        ASSERT_EQ(slice.first, next);
        next += slice.count;
        if (slice.count == 0) continue;
        EXPECT_EQ(slice_owner(cells, ranks, slice.first), rank) << cells << " " << ranks;
        EXPECT_EQ(slice_owner(cells, ranks, next - 1), rank) << cells << " " << ranks;
      }
      EXPECT_EQ(next, cells);
    }
}

// More than a small attribute holds.
TEST(LinkedParts, MayBeThousands) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  LinkedParts parts{"parts", {}};
  for (int i = 0; i < 5000; ++i)
    parts.places.push_back({{{i, 2 * i, 3 * i}, {i + 1, 2 * i + 1, 3 * i + 1}}, CellId(7 * i), 7});
  {
    hdf5::File file(folder / "many.h5", hdf5::File::Mode::create);
    parts.write(file.root());
    file.close();
  }
  const auto found = LinkedParts::read(hdf5::File(folder / "many.h5", hdf5::File::Mode::read).root());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->folder, "parts");
  EXPECT_EQ(found->cells(), 35000u);
  ASSERT_EQ(found->places.size(), 5000u);
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(found->places[std::size_t(i)].box.high, (Vec3i{i + 1, 2 * i + 1, 3 * i + 1}));
    EXPECT_EQ(found->places[std::size_t(i)].first_cell, CellId(7 * i));
  }
  EXPECT_EQ(found->file(4999), "parts/part_04999.h5");
}

// Calls lead(engine options of the crew) on the first of so many processes.
void with_crew(int ranks, const Model& model, const std::function<void(const EngineOptions&)>& lead) {
  PartFiles store(model.units.voxel_um, property_names(model));
  test::with_crew(
      ranks, model,
      [&](Crew& crew) { lead({.engine = "threads", .threads = 1, .crew = &crew, .store = &store}); }, &store);
}

// A state some MCS after the first, as one process has it.
State later_state(const Model& model) {
  const auto engine = test::engine_for(model, {.engine = "threads", .threads = 1});
  engine->advance(2);
  State copy;
  engine->begin_copy(copy)();
  return copy;
}

std::unique_ptr<Engine> engine_from(const Model& model, State state, const EngineOptions& options) {
  return make_engine(model, model.phase_at(state.mcs).physics.view(), std::move(state), options);
}

class StateInParts : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  }

  const ScratchFolder folder_;
  const RunFolder run_{folder_.path()};
};

TEST_P(StateInParts, IsTheSameWhoeverWroteAndReadsIt) {
  const Model model = test::shipped_model(GetParam());
  const State state = later_state(model);
  const std::string hash = state_hash(state);
  // Written by one, read by two and written by them, and so on; read by one after each.
  write_checkpoint(run_.checkpoint(), state, {});
  for (const int ranks : {2, 5, 3}) {
    with_crew(ranks, model, [&](const EngineOptions& options) {
      EngineOptions stored = options;
      stored.stored = run_.checkpoint().string();
      EXPECT_EQ(check_together(*options.crew, *options.store, stored.stored), "");
      State frame;
      frame.mcs = state.mcs;
      const auto engine = engine_from(model, std::move(frame), stored);
      EXPECT_EQ(engine->hash(), hash) << ranks;
      EXPECT_EQ(state_hash(engine->state()), hash) << ranks;
      add_checkpoint(run_, *engine->parts(), {});
      // It plays on as one does that was handed its parts.
      const auto alone = engine_from(model, state, {.engine = "threads", .threads = 1});
      alone->advance(2);
      engine->advance(2);
      EXPECT_EQ(engine->hash(), alone->hash()) << ranks;
    });
    const Checkpoint found = read_checkpoint(run_.checkpoint());
    EXPECT_EQ(state_hash(found.state), hash) << ranks;
    EXPECT_EQ(found.cells, state.cells.count());
    EXPECT_EQ(parts_of_checkpoint(run_.checkpoint()).substr(0, 17), "checkpoint-parts/");
  }
}

INSTANTIATE_TEST_SUITE_P(Models, StateInParts, testing::ValuesIn(test::shipped_models()), test::test_name);

class PartsOfRun : public StateInParts {
 protected:
  std::vector<std::string> folders(const fs::path& of) const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(of, none))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  const Model model_ = test::shipped_model("act-cell.toml");
};

TEST_F(PartsOfRun, AreThoseOfTheTwoLastCheckpoints) {
  with_crew(3, model_, [&](const EngineOptions& options) {
    const auto engine = test::engine_for(model_, options);
    for (int i = 0; i < 4; ++i) {
      add_checkpoint(run_, *engine->parts(), {});
      engine->advance(1);
    }
    EXPECT_EQ(folders(run_.checkpoint_parts()), (std::vector<std::string>{"00000002", "00000003"}));
    // Of the same MCS once more: the one before stays good.
    const auto again = test::engine_for(model_, options);
    again->advance(3);
    add_checkpoint(run_, *again->parts(), {});
    EXPECT_EQ(folders(run_.checkpoint_parts()), (std::vector<std::string>{"00000003", "00000003-2"}));
  });
  EXPECT_EQ(read_checkpoint(run_.checkpoint()).state.mcs, 3);
  EXPECT_EQ(read_checkpoint(run_.checkpoint_before()).state.mcs, 3);
  // One process needs no parts, and two of its checkpoints leave none.
  const State state = read_checkpoint(run_.checkpoint()).state;
  add_checkpoint(run_, state, {});
  EXPECT_EQ(folders(run_.checkpoint_parts()), (std::vector<std::string>{"00000003-2"}));
  add_checkpoint(run_, state, {});
  EXPECT_FALSE(fs::exists(run_.checkpoint_parts()));
}

TEST_F(PartsOfRun, ThatAreMissingOrDamagedAreNamed) {
  with_crew(3, model_, [&](const EngineOptions& options) {
    const auto engine = test::engine_for(model_, options);
    add_checkpoint(run_, *engine->parts(), {});
    engine->advance(1);
    add_checkpoint(run_, *engine->parts(), {});
    const fs::path part = run_.checkpoint_parts() / "00000001/part_00001.h5";
    const std::string file = run_.checkpoint().string(), bytes = bytes_of(part);
    std::string damaged = bytes;
    damaged[damaged.size() / 2] ^= 1;
    set_bytes(part, damaged);
    const std::string wrong =
        part.string() + " is damaged: it was cut off or changed after it was written. It is a part of " +
        file + ".";
    EXPECT_EQ(check_together(*options.crew, *options.store, file), wrong);
    EXPECT_EQ(find_checkpoint(run_)->refused, wrong);
    EXPECT_EQ(find_checkpoint(run_)->checkpoint.state.mcs, 0);
    fs::remove(part);
    EXPECT_EQ(check_together(*options.crew, *options.store, file),
              "cannot read " + part.string() + ": No such file or directory. It is a part of " + file + ".");
    set_bytes(part, bytes);
    EXPECT_EQ(check_together(*options.crew, *options.store, file), "");
  });
}

// What one process cannot write is told by the first, and what was there is good.
TEST_F(PartsOfRun, ThatCannotBeWrittenEndNobody) {
  with_crew(3, model_, [&](const EngineOptions& options) {
    const auto engine = test::engine_for(model_, options);
    add_checkpoint(run_, *engine->parts(), {});
    engine->advance(1);
    fs::create_directories(run_.checkpoint_parts() / "blocked/part_00002.h5/in the way");
    try {
      write_checkpoint(run_.checkpoint_next(), *engine->parts(), "checkpoint-parts/blocked", {});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Failure& e) {
      EXPECT_TRUE(std::string(e.what()).starts_with("rank 2 on host2: ")) << e.what();
      EXPECT_NE(std::string(e.what()).find("part_00002.h5"), std::string::npos) << e.what();
    }
    EXPECT_EQ(find_checkpoint(run_)->checkpoint.state.mcs, 0);
    fs::remove_all(run_.checkpoint_parts() / "blocked");
    add_checkpoint(run_, *engine->parts(), {});
    EXPECT_EQ(find_checkpoint(run_)->checkpoint.state.mcs, 1);
  });
}

// A plane is all that most pictures show.
class PictureOfParts : public testing::Test {
 protected:
  // Draws `settings` from parts, and from the whole once nothing more is asked of parts.
  void draw(Engine& engine, const Model& model, const PictureSettings& settings) {
    PictureSeries of_plane(settings, model);
    ASSERT_TRUE(of_plane.plane());
    const PictureSeries::OfAllCells all =
        of_plane.look_through([&](const TakeSlice& take) { engine.each_slice(take); });
    EXPECT_EQ(all.framed_types.empty(), settings.frame == PictureSettings::FrameOf::lattice);
    const Box seen = all.framed_types.empty() ? Box{{0, 0, 0}, model.lattice.size}
                                              : engine.parts()->bounds(all.framed_types);
    const Box plane = *of_plane.plane();
    engine.parts()->show_box(plane, [&](const State& shown, std::span<const CellId> numbers) {
      EXPECT_EQ(int64_t(shown.ids.size()),
                int64_t(plane.size().x) * int64_t(plane.size().y) * int64_t(plane.size().z));
      EXPECT_EQ(shown.cells.count(), numbers.size());
      drawn_.push_back({settings, png_file(of_plane.draw_plane_png(shown, numbers, all, seen))});
    });
    EXPECT_EQ(engine.outline().cells.count(), 0u);  // nobody has all cells
  }
  void expect_those_of(const State& whole, const Model& model) {
    for (const auto& [settings, file] : drawn_) {
      PictureSeries of_whole(settings, model);
      EXPECT_TRUE(file == png_file(of_whole.draw_png(whole))) << settings.axis << int(settings.colour_by);
    }
    drawn_.clear();
  }

 private:
  std::vector<std::pair<PictureSettings, std::string>> drawn_;
};

TEST_F(PictureOfParts, IsThatOfTheWhole) {
  const Model model = test::shipped_model("lymph-node.toml");
  with_crew(4, model, [&](const EngineOptions& options) {
    const auto engine = test::engine_for(model, options);
    engine->advance(3);
    for (const auto& [colour, frame] :
         {std::pair(PictureSettings::ColourBy::type, PictureSettings::FrameOf::lattice),
          std::pair(PictureSettings::ColourBy::cell, PictureSettings::FrameOf::lattice),
          std::pair(PictureSettings::ColourBy::act, PictureSettings::FrameOf::tissue)})
      for (const int axis : {0, 1, 2}) {
        PictureSettings settings;
        settings.name = "slice";
        settings.frame = frame;
        settings.axis = axis;
        settings.colour_by = colour;
        if (axis != 1) settings.position = 11 + 9 * axis;
        draw(*engine, model, settings);
      }
    expect_those_of(engine->state(), model);
    if (kHasTiff) {
      const ScratchFolder folder;
      write_label_image(folder / "parts.ome.tif", *engine->parts(), model);
      write_label_image(folder / "whole.ome.tif", engine->state(), model);
      EXPECT_TRUE(bytes_of(folder / "parts.ome.tif") == bytes_of(folder / "whole.ome.tif"));
    }
    PictureSettings solid;
    solid.view = PictureSettings::View::solid;
    EXPECT_FALSE(PictureSeries(solid, model).plane());
  });
}

// The ends of the scale are those of all cells, seen or not.
TEST_F(PictureOfParts, ShowsPropertiesOnTheScaleOfTheWhole) {
  const Model model = parse_model(R"(
[lattice]
size = [30, 26, 24]
[types.cell]
volume = { target = 125, lambda = 1 }
properties.dye = { start = 'normal(10, 3)' }
[[initial]]
kind = "boxes"
type = "cell"
box = 5
)",
                                  "dyed", ".");
  with_crew(4, model, [&](const EngineOptions& options) {
    const auto engine = test::engine_for(model, options);
    engine->advance(2);
    for (const int position : {2, 13}) {
      PictureSettings settings;
      settings.name = "dye";
      settings.colour_by = PictureSettings::ColourBy::property;
      settings.shown = "dye";
      settings.position = position;
      draw(*engine, model, settings);
    }
    expect_those_of(engine->state(), model);
  });
}

// lattice.h5 of several processes beside that of one, with the MCS 0 and 1.
class SnapshotInParts : public StateInParts {
 protected:
  void SetUp() override {
    StateInParts::SetUp();
    if (IsSkipped()) return;
    for (const fs::path& folder : {one, several}) fs::create_directories(folder);
    expected.emplace(one, model);
    found.emplace(several, model);
    with_crew(3, model, [&](const EngineOptions& options) {
      const auto engine = test::engine_for(model, options);
      for (int i = 0; i < 2; ++i) {
        expected->add(engine->state());
        found->add(*engine->parts());
        const auto& sites = engine->state().ids;
        ids.append(reinterpret_cast<const char*>(sites.data()), sites.size() * sizeof(CellId));
        engine->advance(1);
      }
    });
  }

  const Model model = test::shipped_model(GetParam());
  const fs::path one = folder_ / "one", several = folder_ / "several";
  std::optional<LatticeFile> expected, found;
  std::string ids;
};

TEST_P(SnapshotInParts, ReadsAsThatOfOneProcess) {
  // Under way, and in the end.
  for (const bool finished : {false, true}) {
    if (finished) {
      expected->finish();
      found->finish();
    }
    ASSERT_EQ(snapshot_times(several), (std::vector<int64_t>{0, 1}));
    for (const int64_t mcs : {0, 1}) {
      const State a = read_snapshot(one, mcs), b = read_snapshot(several, mcs);
      EXPECT_TRUE(a.ids == b.ids && a.act == b.act);
      EXPECT_EQ(a.cells.type, b.cells.type);
      EXPECT_EQ(a.cells.extent, b.cells.extent);
    }
  }
  EXPECT_EQ(bytes_of(one / "lattice.xdmf"), bytes_of(several / "lattice.xdmf"));
  check_with_python("output/check_files.py",
                    {"same", (one / "lattice.h5").string(), (several / "lattice.h5").string()},
                    "h5py, tifffile and numpy");
}

TEST_P(SnapshotInParts, ReadsInParaView) {
  found->finish();
  set_bytes(folder_ / "ids", ids);
  const Vec3i& size = model.lattice.size;
  check_with_python(
      "output/check_files.py",
      {"xdmf", (several / "lattice.xdmf").string(), (folder_ / "ids").string(),
       fmt::format("0,{}", model.units.seconds_per_mcs / 60), fmt::format("{},{},{}", size.z, size.y, size.x),
       fmt::format("{}", model.units.voxel_um)},
      "ParaView (python3-paraview, a gigabyte)", Missing::skips);
}

TEST_P(SnapshotInParts, SaysWhichPartIsMissing) {
  expected->finish();
  found->finish();
  fs::remove(several / "lattice-parts/mcs_00000001/part_00002.h5");
  try {
    read_snapshot(several, 1);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("part_00002.h5, which is a part of it, is missing."),
              std::string::npos)
        << e.what();
  }
  EXPECT_TRUE(read_snapshot(several, 0).ids == read_snapshot(one, 0).ids);

  // A run that goes on from an earlier checkpoint forgets what came after it.
  LatticeFile resumed = LatticeFile::continue_from(several, model, 0);
  EXPECT_EQ(resumed.saved(), (std::vector<int64_t>{0}));
  EXPECT_FALSE(fs::exists(several / "lattice-parts/mcs_00000001"));
  resumed.finish();
  EXPECT_TRUE(read_snapshot(several, 0).ids == read_snapshot(one, 0).ids);
}

INSTANTIATE_TEST_SUITE_P(Models, SnapshotInParts, testing::Values("sorting.toml", "act-cell.toml"),
                         test::test_name);

}  // namespace
}  // namespace kiln
