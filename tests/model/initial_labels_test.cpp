// Cells from an array of labels.
#include <bit>
#include <cstring>
#include <fstream>

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

TEST_F(InitialLabels, SaysWhatIsWrong) {
  const std::string start = "test.toml: initial.0 (labels) has the file labels.npy";
  EXPECT_EQ(error_of(model_with<uint8_t>({4, 3, 1}, "u1", "(4, 3)", std::vector<uint8_t>(12, 1))),
            start + ", which covers 3 x 4 sites; the lattice has 4 x 3, and must have the same.");
  const std::string file = (folder_ / "labels.npy").string();
  EXPECT_EQ(error_of(model_with<float>({2, 1, 1}, "f4", "(1, 2)", {1, 2})),
            file + " holds real numbers; labels must be integers.");
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
