// Where the values of a model file end up.
#include "model/file/read.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "model/file/term_registry.hpp"

namespace kiln {
namespace {

Model parsed_model(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_model(text, "dir/m.toml", "dir", overrides);
}

constexpr const char* kTwoTypes = R"(
title = "Two types"
seed = 7
temperature = 12.5
[lattice]
size = [40, 30]
boundary = ["periodic", "closed"]
[units]
voxel_um = 0.5
[neighbourhood]
adhesion = 4
[types.zebra]
colour = "#0a141e"
volume = { target = 40, lambda = 2 }
perimeter = { target = 60 }
act = { lambda = 200, max = 50, start_full = true }
chemotaxis = { lambda = -3, field = "right" }
[types.ant]
frozen = true
hidden = true
connectivity = { penalty = 9, hard = true }
persistence = { lambda = 4, mu = 0.5, dt = 7 }
[adhesion]
default = 1
medium.zebra = 16
zebra.zebra = -2.5
ant.zebra = 11
[fields.wheel]
shape = "circular"
[fields.right]
shape = "uniform"
direction = [2, 0]
strength = 3
)";

TEST(Read, TopLevelAndLattice) {
  const Model m = parsed_model(kTwoTypes);
  EXPECT_EQ(m.title, "Two types");
  EXPECT_EQ(m.seed, 7u);
  EXPECT_EQ(m.lattice.dimension, 2);
  EXPECT_EQ(m.lattice.size, (Vec3i{40, 30, 1}));
  EXPECT_EQ(m.lattice.periodic, (Vec3<bool>{true, false, false}));
  EXPECT_EQ(m.units.voxel_um, 0.5);
  EXPECT_EQ(m.units.seconds_per_mcs, 1.0);
  EXPECT_EQ(m.adhesion_order, 4);
  EXPECT_EQ(m.adhesion_neighbours.count, 20);  // 4 + 4 + 4 + 8 places within sqrt 5
  EXPECT_EQ(m.perimeter_order, 2);
  EXPECT_EQ(m.perimeter_neighbours.count, 8);
}

TEST(Read, TypesKeepTheOrderOfTheFile) {
  const Model m = parsed_model(kTwoTypes);
  ASSERT_EQ(m.types.size(), 3u);
  EXPECT_EQ(m.types[0].name, "medium");
  EXPECT_EQ(m.types[1].name, "zebra");
  EXPECT_EQ(m.types[2].name, "ant");
  EXPECT_EQ(m.types[1].colour, (Colour{10, 20, 30}));
  EXPECT_FALSE(m.types[1].frozen);
  EXPECT_TRUE(m.types[2].frozen);
  EXPECT_TRUE(m.types[2].hidden);
  EXPECT_EQ(m.frozen_types(), (std::vector<bool>{false, false, true}));
}

TEST(Read, ParametersLandInTheirTerms) {
  const Model m = parsed_model(kTwoTypes);
  ASSERT_EQ(m.phases.size(), 1u);
  EXPECT_EQ(m.phases[0].name, "run");
  EXPECT_EQ(m.phases[0].mcs, 1000);
  const PhysicsData& physics = m.phases[0].physics;
  EXPECT_EQ(physics.temperature, 12.5f);
  const TypePhysics& zebra = physics.types[1];
  EXPECT_EQ(zebra.volume.target, 40);
  EXPECT_EQ(zebra.volume.lambda, 2);
  EXPECT_EQ(zebra.perimeter.target, 60);
  EXPECT_EQ(zebra.perimeter.lambda, 1);  // the default of the term's own table
  EXPECT_EQ(zebra.act.lambda, 200);
  EXPECT_EQ(zebra.act.max, 50);
  EXPECT_EQ(zebra.act.start_full, 1);
  EXPECT_EQ(zebra.chemotaxis.lambda, -3);
  EXPECT_EQ(zebra.chemotaxis.field, 1);  // "right" is the second field
  EXPECT_EQ(zebra.connectivity.hard, 0);
  EXPECT_FALSE(zebra.frozen);
  const TypePhysics& ant = physics.types[2];
  EXPECT_EQ(ant.volume.lambda, 0);
  EXPECT_EQ(ant.connectivity.penalty, 9);
  EXPECT_EQ(ant.connectivity.hard, 1);
  EXPECT_EQ(ant.persistence.lambda, 4);
  EXPECT_EQ(ant.persistence.mu, 0.5f);
  EXPECT_EQ(ant.persistence.dt, 7);
  EXPECT_TRUE(ant.frozen);
}

TEST(Read, TermsInUseAreThoseOfTypesThatMove) {
  const Model m = parsed_model(kTwoTypes);
  const TermsInUse& uses = m.phases[0].physics.uses;
  EXPECT_TRUE(uses.volume && uses.perimeter && uses.act && uses.chemotaxis && uses.frozen);
  EXPECT_FALSE(uses.connectivity);  // only the frozen type has it
  EXPECT_FALSE(uses.persistence);
  EXPECT_TRUE(m.uses_act());
  EXPECT_EQ(m.history_length(), 0);
}

TEST(Read, AdhesionIsSymmetricAndExactInUnits) {
  const Model m = parsed_model(kTwoTypes);
  const PhysicsData& physics = m.phases[0].physics;
  EXPECT_EQ(physics.adhesion, (std::vector<double>{0, 16, 1, 16, -2.5, 11, 1, 11, 1}));
  // The largest is 16 = 2^4, which must stay below 2^23 units: a unit is 2^-18.
  EXPECT_EQ(physics.adhesion_unit, 0x1p-18f);
  ASSERT_EQ(physics.adhesion_units.size(), 9u);
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_EQ(double(physics.adhesion_units[i]) * 0x1p-18, physics.adhesion[i]) << i;
}

TEST(Read, AdhesionUnitsOfTheExtremes) {
  const auto unit = [](const char* j) {
    return parsed_model(std::string("lattice.size = [9, 9]\n[adhesion]\ndefault = ") + j)
        .phases[0]
        .physics.adhesion_unit;
  };
  EXPECT_EQ(unit("0"), 1.0f);
  EXPECT_EQ(unit("1"), 0x1p-22f);
  EXPECT_EQ(unit("-1000000"), 0x1p-3f);  // 10^6 < 2^20, so 2^-3 makes it 8 million units, below 2^23
}

TEST(Read, ActLogarithms) {
  const Model m = parsed_model(kTwoTypes);
  const std::vector<int32_t>& logs = m.phases[0].physics.act_logs;
  ASSERT_EQ(logs.size(), 51u);
  EXPECT_EQ(logs[1], 0);
  EXPECT_EQ(logs[2], 1 << 20);
  EXPECT_EQ(logs[32], 5 << 20);
}

TEST(Read, Fields) {
  const Model m = parsed_model(kTwoTypes);
  ASSERT_EQ(m.fields.size(), 2u);
  EXPECT_EQ(m.fields[0].name, "wheel");
  EXPECT_EQ(m.fields[0].field.centre, (Vec3d{19.5, 14.5, 0}));
  // Counter-clockwise: right of the centre it points to larger y.
  const Vec3f v = m.fields[0].field.at(m.lattice, {39, 14, 0});
  EXPECT_GT(v.y, 0.9f);
  EXPECT_EQ(m.fields[1].field.at(m.lattice, {0, 0, 0}), (Vec3f{3, 0, 0}));
}

// A .npy file of version 1: magic, the length of the header, the header, little-endian float32 values.
void write_npy(const std::filesystem::path& file, const std::string& shape,
               const std::vector<float>& values) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  std::ofstream out(file, std::ios::binary);
  out << "\x93NUMPY" << '\x01' << '\x00' << char(header.size()) << '\x00' << header;
  out.write(reinterpret_cast<const char*>(values.data()), std::streamsize(values.size() * sizeof(float)));
}

TEST(Read, FieldsFromFiles) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "kiln_field_test";
  std::filesystem::create_directories(folder);
  std::vector<float> values(3 * 4 * 2);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i);
  write_npy(folder / "field.npy", "(3, 4, 2)", values);
  const std::string text = "[fields.f]\nshape = \"file\"\nfile = \"field.npy\"\nstrength = 2\n[lattice]\n";
  const Model m = parse_model(text + "size = [4, 3]", "m.toml", folder.string());
  EXPECT_EQ(m.fields[0].file, "field.npy");
  // Row y = 2, column x = 1 is pair number 9; the strength doubles it.
  EXPECT_EQ(m.fields[0].field.at(m.lattice, {1, 2, 0}), (Vec3f{36, 38, 0}));
  EXPECT_EQ(memory_need(m, 0).fields, 24 * 4);

  // The resolved model finds its file from anywhere.
  const Model elsewhere = parse_model(m.resolved, "m.toml", "/");
  EXPECT_EQ(elsewhere.resolved, m.resolved);
  EXPECT_EQ(*elsewhere.fields[0].values, values);
  // Values that were read again have an id of their own, so that no copy of the first ones is taken for them.
  EXPECT_NE(m.fields[0].field.values_id, 0u);
  EXPECT_NE(elsewhere.fields[0].field.values_id, m.fields[0].field.values_id);
  EXPECT_EQ(m.phases[0].physics.view().fields[0].values_id, m.fields[0].field.values_id);

  try {
    parse_model(text + "size = [4, 5]", "m.toml", folder.string());
    ADD_FAILURE() << "took a field of another shape";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "m.toml:3: fields.f.file is \"field.npy\", which holds floats of shape (3, 4, 2), but must "
                 "hold floats of shape (5, 4, 2).");
  }
}

TEST(Read, ViewsOutliveTheModelTheyWereCopiedFrom) {
  auto original = std::make_unique<Model>(parsed_model(kTwoTypes));
  const Model copy = *original;
  original.reset();
  const Physics view = copy.phases[0].physics.view();
  EXPECT_EQ(view.temperature, 12.5f);
  EXPECT_EQ(view.lattice.size, (Vec3i{40, 30, 1}));
  EXPECT_EQ(view.types[1].volume.target, 40);
  EXPECT_EQ(view.adhesion.types, 3);
  EXPECT_EQ(view.adhesion.row(1)[2], 11 << 18);
  EXPECT_FALSE(view.adhesion_is_moore);
  EXPECT_TRUE(view.perimeter_is_moore);
  EXPECT_EQ(view.adhesion_neighbours->count, 20);
  EXPECT_EQ(view.fields[1].strength, 3);
  EXPECT_EQ(view.act_logs[2], 1 << 20);
}

TEST(Read, AModelOfOneLineHasSensibleCells) {
  const Model flat = parsed_model("lattice.size = [64, 64]");
  EXPECT_EQ(flat.title, "m");
  ASSERT_EQ(flat.types.size(), 2u);
  EXPECT_EQ(flat.types[1].name, "cell");
  EXPECT_EQ(flat.phases[0].physics.types[1].volume.target, 50);
  EXPECT_EQ(flat.phases[0].physics.adhesion[3], 20);
  ASSERT_EQ(flat.initial.size(), 1u);
  EXPECT_EQ(flat.initial[0].box, (Vec3i{7, 7, 1}));  // 49 sites
  EXPECT_EQ(flat.lattice.periodic, (Vec3<bool>{true, true, false}));
  EXPECT_EQ(flat.pictures.size(), 1u);

  const Model deep = parsed_model("lattice.size = [64, 64, 64]");
  EXPECT_EQ(deep.phases[0].physics.types[1].volume.target, 150);
  EXPECT_EQ(deep.initial[0].box, (Vec3i{5, 5, 6}));  // 150 sites
  ASSERT_EQ(deep.pictures.size(), 2u);
  EXPECT_EQ(deep.pictures[1].view, PictureSettings::View::solid);
}

TEST(Read, InitialSteps) {
  const Model m = parsed_model(R"(
lattice.size = [20, 30, 40]
[types.wall]
frozen = true
[types.a]
volume = { target = 100 }
[types.b]
[[initial]]
kind = "fill"
type = "wall"
region = { shape = "ball", outside = true }
[[initial]]
kind = "network"
type = "wall"
radius = 2
[[initial]]
kind = "tube"
type = "wall"
from = [1, 2, 3]
to = [4, 5, 6.5]
[[initial]]
kind = "seeds"
types = { b = 3, a = 1 }
count = 1e2
region = { shape = "box", low = [0, 0, 10] }
[[initial]]
kind = "boxes"
type = "a"
box = 4
spacing = [5, 6, 7]
)");
  ASSERT_EQ(m.initial.size(), 5u);
  EXPECT_EQ(m.initial[0].kind, InitialStep::Kind::fill);
  EXPECT_EQ(m.initial[0].region.shape, Region::Shape::ball);
  EXPECT_EQ(m.initial[0].region.centre, (Vec3d{9.5, 14.5, 19.5}));
  EXPECT_EQ(m.initial[0].region.radius, 10);
  EXPECT_TRUE(m.initial[0].region.outside);
  EXPECT_EQ(m.initial[1].kind, InitialStep::Kind::network);
  EXPECT_EQ(m.initial[1].fraction, 0.06);
  EXPECT_EQ(m.initial[1].node_spacing, 20);
  EXPECT_EQ(m.initial[2].to, (Vec3d{4, 5, 6.5}));
  EXPECT_EQ(m.initial[2].radius, 2);
  EXPECT_EQ(m.initial[3].count, 100);
  EXPECT_FALSE(m.initial[3].density.has_value());
  EXPECT_EQ(m.initial[3].types, (std::vector<std::pair<TypeId, double>>{{3, 3.0}, {2, 1.0}}));
  EXPECT_EQ(m.initial[3].region.low, (Vec3d{0, 0, 10}));
  EXPECT_EQ(m.initial[3].region.high, (Vec3d{20, 30, 40}));
  EXPECT_EQ(m.initial[4].box, (Vec3i{4, 4, 4}));
  EXPECT_EQ(m.initial[4].spacing, (Vec3i{5, 6, 7}));
}

TEST(Read, WithoutStepsTheFirstTypeThatMovesFillsTheLattice) {
  const Model m = parsed_model(
      "lattice.size = [64, 64]\n[types.wall]\nfrozen = true\n[types.a]\nvolume = { target = 30 }");
  ASSERT_EQ(m.initial.size(), 1u);
  EXPECT_EQ(m.initial[0].types, (std::vector<std::pair<TypeId, double>>{{2, 1.0}}));
  EXPECT_EQ(m.initial[0].box, (Vec3i{5, 6, 1}));  // 30 sites
  EXPECT_TRUE(parsed_model("lattice.size = [64, 64]\ninitial = []").initial.empty());
}

TEST(Read, MeasuresPicturesAndOutput) {
  const Model m = parsed_model(R"(
lattice.size = [20, 30, 40]
measure.every = 5
measure.cells_format = "hdf5"
measure.one_cell_in = 20
output.checkpoint_every = 50
output.lattice_format = "both"
[types.a]
act = { lambda = 1, max = 2 }
[[pictures]]
axis = "y"
colour = "act"
[[pictures]]
name = "front"
view = "solid"
cut_away = true
one_cell_in = 10
tilt = -10
every = 20
animation = true
)");
  EXPECT_EQ(m.measure.every, 5);
  EXPECT_EQ(m.measure.cells_every, 100);
  EXPECT_EQ(m.measure.cells_format, MeasureSettings::CellsFormat::hdf5);
  EXPECT_EQ(m.measure.one_cell_in, 20);
  EXPECT_EQ(m.output.checkpoint_every, 50);
  EXPECT_TRUE(m.output.lattice_hdf5 && m.output.lattice_ome_tiff);
  ASSERT_EQ(m.pictures.size(), 2u);
  EXPECT_EQ(m.pictures[0].name, "slice-act");
  EXPECT_EQ(m.pictures[0].axis, 1);
  EXPECT_EQ(m.pictures[0].position, 15);
  EXPECT_EQ(m.pictures[0].colour_by, PictureSettings::ColourBy::act);
  EXPECT_EQ(m.pictures[1].name, "front");
  EXPECT_TRUE(m.pictures[1].cut_away && m.pictures[1].animation);
  EXPECT_EQ(m.pictures[1].one_cell_in, 10);
  EXPECT_EQ(m.pictures[1].tilt, -10);
  EXPECT_EQ(m.pictures[1].every, 20);
  EXPECT_TRUE(parsed_model("lattice.size = [64, 64]\npictures = []").pictures.empty());
  const OutputSettings labels =
      parsed_model("lattice.size = [64, 64]\noutput.lattice_format = \"ome-tiff\"").output;
  EXPECT_TRUE(labels.lattice_ome_tiff && !labels.lattice_hdf5);
}

TEST(TermRegistry, RowsMatchTheStructs) {
  TypePhysics physics;
  for (const Term& term : all_terms()) {
    for (std::size_t i = 0; i < term.parameters.size(); ++i) term.set(physics, i, float(i + 1));
    EXPECT_TRUE(term.given(physics)) << term.name;
    EXPECT_TRUE(term.acts(physics)) << term.name;
  }
  EXPECT_EQ(physics.volume.target, 1);
  EXPECT_EQ(physics.perimeter.lambda, 2);
  EXPECT_EQ(physics.act.start_full, 3);
  EXPECT_EQ(physics.persistence.dt, 3);
  EXPECT_EQ(physics.chemotaxis.field, 2);
  EXPECT_EQ(physics.connectivity.hard, 2);
  for (const Term& term : all_terms()) EXPECT_FALSE(term.given(TypePhysics{})) << term.name;
}

// The integer 0 has no sign.
TEST(ReadModel, ANegativeZeroIsResolvedLikeAnyOther) {
  const Model m = parsed_model(std::string(kTwoTypes) +
                               "[[phases]]\nmcs = 5\nset = {\"types.zebra.act.lambda\" = -0.0}\n");
  EXPECT_EQ(parsed_model(m.resolved).resolved, m.resolved);
}

}  // namespace
}  // namespace kiln
