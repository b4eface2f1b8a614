// The files of a run as h5py and ParaView's readers find them.
#include "file_examples.hpp"
#include "output/state/snapshot.hpp"
#include "output/table/cell_tracks.hpp"
#include "support/python.hpp"

namespace kiln {
namespace {

constexpr const char* kScript = "output/check_files.py";
constexpr const char* kModules = "h5py, tifffile and numpy";

class OtherPrograms : public ::testing::TestWithParam<ExampleKind> {
 protected:
  void SetUp() override {
    if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
    LatticeFile file(folder_.path(), example_model(GetParam()));
    std::string ids;
    for (const int64_t mcs : {3, 100}) {
      const State state = example_state(GetParam(), 7, mcs);
      file.add(state);
      ids.append(reinterpret_cast<const char*>(state.ids.data()), state.ids.size() * sizeof(CellId));
    }
    file.finish();
    set_bytes(folder_ / "ids", ids);
  }

  const ScratchFolder folder_;
};

TEST_P(OtherPrograms, ReadSnapshots) {
  check_with_python(kScript,
                    {"snapshots", (folder_ / "lattice.h5").string(), (folder_ / "ids").string(), "3,100"},
                    kModules);
}

TEST_P(OtherPrograms, ReadXdmf) {
  const Vec3i& size = GetParam().size;
  check_with_python(
      kScript,
      {"xdmf", (folder_ / "lattice.xdmf").string(), (folder_ / "ids").string(), "1.5,50",
       std::to_string(size.z) + "," + std::to_string(size.y) + "," + std::to_string(size.x), "2"},
      "ParaView (python3-paraview, a gigabyte)", Missing::skips);
}

INSTANTIATE_TEST_SUITE_P(Kinds, OtherPrograms,
                         ::testing::Values(ExampleKind{{13, 9, 1}, 2, false, false},
                                           ExampleKind{{70, 6, 66}, 3, true, true}));

}  // namespace
}  // namespace kiln
