// Cells from an array of labels.
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>

#include "model/file/read.hpp"
#include "model/initial_file_fixture.hpp"

namespace kiln {
namespace {

using namespace test;

class InitialLabels : public InitialFile {
 protected:
  template <class T>
  Model model_with(Vec3i size, const std::string& descr, const std::string& shape, std::vector<T> values) {
    const char order = std::endian::native == std::endian::big ? '>' : '<';
    const std::string header =
        "{'descr': '" + (order + descr) + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += char(header.size());
    bytes += '\0';
    bytes += header;
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    std::ofstream(folder_ / "labels.npy", std::ios::binary)
        .write(bytes.data(), std::streamsize(bytes.size()));
    return model_reading("labels.npy", size, Kind::labels);
  }
};

TEST_F(InitialLabels, IdsAscendWithLabels) {
  Model model = model_with<uint16_t>({4, 3, 1}, "u2", "(3, 4)",
                                     {900, 900, 0, 7,  //
                                      900, 0, 0, 7,    //
                                      30, 30, 7, 65535});
  model.initial[0].label_types = {{30, kDark}, {900, kWall}};
  const State state = initial_state(model);
  EXPECT_EQ(picture(state), (Rows{"33.1",  //
                                  "3..1",  //
                                  "2214"}));
  EXPECT_EQ(state.cells.type, (std::vector<TypeId>{0, kLight, kDark, kWall, kLight}));
  EXPECT_EQ(state.cells.extent[1].volume, 3);
  EXPECT_EQ(state.cells.extent[2].volume, 2);
  EXPECT_EQ(state.cells.extent[3].volume, 0) << "frozen";
}

TEST_F(InitialLabels, ThreeDimensionsAreZYX) {
  Model model = model_with<int64_t>({3, 1, 2}, "i8", "(2, 1, 3)", {5, 5, 0, 0, int64_t(1) << 40, 5});
  const State state = initial_state(model);
  EXPECT_EQ(picture(state, 0), (Rows{"11."}));
  EXPECT_EQ(picture(state, 1), (Rows{".21"}));
}

TEST_F(InitialLabels, TakenSitesAndTheRegionAreRespected) {
  Model model = model_with<uint8_t>({5, 2, 1}, "u1", "(2, 5)",
                                    {1, 2, 3, 4, 5,  //
                                     1, 2, 3, 4, 5});
  model.initial[0].region = box_region({0, 0, 0}, {4, 2, 1});
  InitialStep wall = step_of(Kind::fill, kWall);
  wall.region = box_region({1, 0, 0}, {3, 2, 1});
  wall.region.high.x = 2;
  model.initial.insert(model.initial.begin(), wall);
  // Label 2 finds all its sites taken, label 5 lies outside: neither becomes a cell.
  const State state = initial_state(model);
  EXPECT_EQ(picture(state), (Rows{"2134.", "2134."}));
  EXPECT_EQ(state.cells.count(), 5u);
}

TEST_F(InitialLabels, ALabelOfTypeMediumStaysMedium) {
  Model model = model_with<uint8_t>({3, 1, 1}, "u1", "(1, 3)", {1, 2, 3});
  model.initial[0].label_types = {{2, TypeId(0)}};
  EXPECT_EQ(picture(initial_state(model)), (Rows{"1.2"}));
}

// Voxels of 2 x 1 sites, the first column cut off.
TEST_F(InitialLabels, AreCroppedAndResampled) {
  Model model = model_with<uint8_t>({4, 2, 1}, "u1", "(2, 3)", {9, 1, 2, 9, 0, 2});
  model.initial[0].image.placement.crop_from = Vec3i{1, 0, 0};
  model.initial[0].image.placement.voxel_um = Vec3d{2, 1, 1};
  EXPECT_EQ(picture(initial_state(model)), (Rows{"1122", "..22"}));
}

TEST_F(InitialLabels, MayBeStoredAsFloats) {
  EXPECT_EQ(picture(initial_state(model_with<float>({3, 1, 1}, "f4", "(1, 3)", {2, 0, 16777216}))),
            (Rows{"1.2"}));
}

TEST_F(InitialLabels, ASmallerImageHasAMarginOfMedium) {
  Model model = model_with<uint8_t>({6, 4, 1}, "u1", "(2, 3)",
                                    {1, 1, 2,  //
                                     3, 0, 2});
  model.initial[0].offset = Vec3i{2, 1, 0};
  EXPECT_EQ(picture(initial_state(model)), (Rows{"......", "..112.", "..3.2.", "......"}));
  model.initial[0].offset.reset();
  model.initial[0].centred = true;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"......", "..112.", "..3.2.", "......"}));
  // What reaches beyond the lattice is cut, and said.
  model.initial[0].centred = false;
  model.initial[0].offset = Vec3i{-2, 3, 0};
  std::vector<std::string> notes;
  EXPECT_EQ(picture(initial_state(model, &notes)), (Rows{"......", "......", "......", "1....."}));
  EXPECT_EQ(notes, std::vector<std::string>{
                       "initial.0 (labels) leaves out 2 of the 3 labels of labels.npy: they have no "
                       "free site in the region and the lattice."});
  model.initial[0].offset = Vec3i{6, 0, 0};
  notes.clear();
  EXPECT_EQ(initial_state(model, &notes).cells.count(), 1u);
  EXPECT_EQ(notes,
            std::vector<std::string>{
                "initial.0 (labels) places no cell: labels.npy holds no label but 0 on its free sites."});
}

TEST_F(InitialLabels, ThreeDimensionsHaveAnOffset) {
  Model model = model_with<uint8_t>({3, 2, 3}, "u1", "(2, 1, 2)", {1, 2, 0, 2});
  model.initial[0].offset = Vec3i{1, 1, 1};
  const State state = initial_state(model);
  EXPECT_EQ(picture(state, 0), (Rows{"...", "..."}));
  EXPECT_EQ(picture(state, 1), (Rows{"...", ".12"}));
  EXPECT_EQ(picture(state, 2), (Rows{"...", "..2"}));
}

TEST_F(InitialLabels, TypesForLabelsThatAreNotThereHaveANote) {
  Model model = model_with<uint8_t>({2, 1, 1}, "u1", "(1, 2)", {1, 2});
  model.initial[0].label_types = {{2, kDark}, {7, kDark}, {9, kDark}};
  std::vector<std::string> notes;
  initial_state(model, &notes);
  EXPECT_EQ(notes,
            std::vector<std::string>{
                "initial.0 (labels) has a type for 2 labels that labels.npy does not hold, such as 7."});
}

TEST_F(InitialLabels, AreCountedForTheEstimate) {
  Model model = model_with<uint8_t>({4, 1, 1}, "u1", "(1, 4)", {1, 2, 0, 7});
  EXPECT_EQ(expected_cells(model), 3);
  model.initial[0].label_types = {{7, TypeId(0)}};
  EXPECT_EQ(expected_cells(model), 2);
}

TEST_F(InitialLabels, AnImageOfZerosHasANote) {
  const Model model = model_with<uint8_t>({2, 1, 1}, "u1", "(1, 2)", {0, 0});
  std::vector<std::string> notes;
  initial_state(model, &notes);
  EXPECT_EQ(notes,
            std::vector<std::string>{
                "initial.0 (labels) places no cell: labels.npy holds no label but 0 on its free sites."});
}

// Types by a table, read with the model.
TEST_F(InitialLabels, TypesComeFromATable) {
  model_with<uint8_t>({3, 1, 1}, "u1", "(1, 3)", {1, 2, 5});
  const auto read = [&](const std::string& table, const std::string& more = "") {
    std::ofstream(folder_ / "types.csv") << table;
    return parse_model(
        "lattice.size = [3, 2]\nlattice.boundary = \"closed\"\n[types.a]\n[types.b]\n[[initial]]\nkind = "
        "\"labels\"\nfile = "
        "\"labels.npy\"\noffset = 0\nlabel_types_file = \"types.csv\"\n" +
            more,
        "m.toml", folder_.string());
  };
  const auto message = [&](const std::string& table, const std::string& more = "") {
    try {
      initial_state(read(table, more));
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const Model model = read("label,area,type\n5,12,b\n1,3,\"a\"\r\n\n2,9,medium\n");
  const State state = initial_state(model);
  EXPECT_EQ(picture(state), (Rows{"1.2", "..."}));
  EXPECT_EQ(state.cells.type, (std::vector<TypeId>{0, 1, 2}));
  EXPECT_EQ(parse_model(model.resolved, "m.toml", "/").resolved, model.resolved);
  const std::string file = (folder_ / "types.csv").string();
  EXPECT_EQ(message("label,type\n1,a\n2,c\n"),
            "types.csv:3: the table names the type \"c\", but the types are medium, a, b.");
  EXPECT_EQ(message("label,type\n1,a\n2,b\n1,b\n"), file + ":4: label 1 has a type already, in line 2.");
  EXPECT_EQ(message("label,type\n1,a\n0,b\n"),
            file + ":3: label is \"0\", but must be an integer of at least 1.");
  EXPECT_EQ(message("label,type\n1\n"), file + ":2: there is 1 field, but must be 2, as in the header.");
  EXPECT_EQ(message("id,type\n1,a\n"),
            file + ":1: the columns are \"id,type\", but one must be \"label\" and one \"type\".");
  EXPECT_EQ(message("label,type\n"),
            file + ":1: the table ends here without a single label, but must hold at least one.");
  EXPECT_EQ(message("label,type\n1,a\n2,b\n"),
            "m.toml: initial.0 (labels) has the file labels.npy with the label 5, "
            "for which types.csv gives no type.");
  EXPECT_EQ(message("label,type\n1,a\n2,b\n", "type = \"a\""), "");
  EXPECT_EQ(
      message("label,type\n1,a\n", "label_types = { \"1\" = \"a\" }"),
      "m.toml:9: initial.0.label_types and initial.0.label_types_file are both given; take one of them.");
}

TEST_F(InitialLabels, SaysWhatIsWrong) {
  const std::string start = "test.toml: initial.0 (labels) has the file labels.npy";
  EXPECT_EQ(
      error_of(model_with<uint8_t>({4, 3, 1}, "u1", "(4, 3)", std::vector<uint8_t>(12, 1))),
      start +
          ", which covers 3 x 4 sites; the lattice has 4 x 3, and must have the same unless offset says "
          "where the image lies.");
  const std::string file = (folder_ / "labels.npy").string();
  EXPECT_EQ(error_of(model_with<float>({2, 1, 1}, "f4", "(1, 2)", {1, 2.5})),
            file + " holds the value 2.5; labels must be integers.");
  EXPECT_EQ(error_of(model_with<double>({2, 1, 1}, "f8", "(1, 2)", {1, NAN})),
            file + " holds the value nan; labels must be integers.");
  Model coarse = model_with<uint8_t>({2, 1, 1}, "u1", "(1, 2)", {1, 2});
  coarse.initial[0].image.placement.voxel_um = Vec3d{352.8, 352.8, 1};
  EXPECT_EQ(
      error_of(coarse),
      start +
          ", which covers 706 x 353 sites (its voxels are 352.8 x 352.8 µm wide and sites 1 µm; voxel_um of "
          "the image corrects the first); the lattice has 2 x 1, and must have the same unless offset says "
          "where the image lies.");
  EXPECT_EQ(
      error_of(model_with<uint8_t>({2, 2, 1}, "u1", "(3, 2, 2)", std::vector<uint8_t>(12, 1))),
      file +
          " has 3 slices, but the lattice is 2-D; crop it to one of them, or use a lattice with a third "
          "side.");
  EXPECT_EQ(error_of(model_with<int8_t>({2, 2, 1}, "i1", "(2, 2)", {1, 2, 0, -3})),
            start + " with the label -3 at x = 1, y = 1, z = 0; labels must be 0 or more.");
  Model untyped = model_with<int8_t>({2, 1, 1}, "i1", "(1, 2)", {1, 2});
  untyped.initial[0].types.clear();
  untyped.initial[0].label_types = {{1, kDark}};
  EXPECT_EQ(error_of(untyped), start + " with the label 2, for which the model gives no type.");
  untyped.initial[0].image.file = "missing.npy";
  EXPECT_NE(error_of(untyped).find("missing.npy"), std::string::npos);
}

}  // namespace
}  // namespace kiln
