#include "output/state/snapshot.hpp"

#include <cmath>
#include <functional>

#include "base/error.hpp"
#include "data/hdf5/file.hpp"
#include "file_examples.hpp"
#include "model/file/read.hpp"
#include "xml_elements.hpp"

namespace kiln {
namespace {

const ExampleKind kFlat{{13, 9, 1}, 2, false, false};
const ExampleKind kSolid{{70, 6, 66}, 3, true, true};

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

class SnapshotOfKind : public ::testing::TestWithParam<ExampleKind> {};

TEST_P(SnapshotOfKind, ComesBack) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const State first = example_state(GetParam(), 7, 100), second = example_state(GetParam(), 9, 20000);
  LatticeFile file(folder.path(), example_model(GetParam()));
  file.add(first);
  EXPECT_FALSE(std::filesystem::exists(folder / "lattice.h5"));
  file.add(second);
  file.finish();
  EXPECT_FALSE(std::filesystem::exists(folder / "snapshots"));
  EXPECT_EQ(snapshot_times(folder / "lattice.h5"), (std::vector<int64_t>{100, 20000}));

  for (const State* written : {&first, &second}) {
    const State read =
        written == &first ? read_snapshot(folder / "lattice.h5", 100) : read_snapshot(folder / "lattice.h5");
    EXPECT_EQ(read.mcs, written->mcs);
    EXPECT_EQ(read.lattice.size, written->lattice.size);
    EXPECT_EQ(read.lattice.periodic, written->lattice.periodic);
    EXPECT_EQ(read.lattice.dimension, written->lattice.dimension);
    EXPECT_TRUE(read.ids == written->ids);
    EXPECT_TRUE(read.act == written->act);
    EXPECT_EQ(read.cells.type, written->cells.type);
    EXPECT_EQ(read.cells.extent, written->cells.extent);
    EXPECT_EQ(read.cells.centroid.size(), written->cells.centroid.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SnapshotOfKind, ::testing::Values(kFlat, kSolid));

TEST(Snapshot, HoldsSubstancesAndWhatCellsLiveBy) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const Model model = parse_model(
      "[lattice]\nsize = [24, 16]\n[substances.o2]\ndiffusion = 1\ncoarsen = 4\nstart = \"x + 0.5 * y\"\n"
      "[types.cell]\nproperties = { dye = \"x\", clock = 3 }\n",
      "m.toml", ".");
  const State state = initial_state(model);
  LatticeFile file(folder.path(), model);
  file.add(state);
  file.finish();
  const State read = read_snapshot(folder / "lattice.h5", 0, {"clock", "other", "dye"});
  ASSERT_EQ(read.substances.size(), 1u);
  EXPECT_EQ(read.substances[0].name, "o2");
  EXPECT_EQ(read.substances[0].coarsen, 4);
  EXPECT_EQ(read.substances[0].values, state.substances[0].values);
  EXPECT_EQ(read.substances[0].shown, state.substances[0].shown);
  ASSERT_EQ(read.cells.property.size(), 3 * state.cells.count());
  for (CellId cell = 1; cell < state.cells.count(); ++cell) {
    EXPECT_EQ(read.cells.property[cell * 3], 3);
    EXPECT_EQ(read.cells.property[cell * 3 + 1], 0);
    EXPECT_EQ(read.cells.property[cell * 3 + 2], state.cells.property[cell * 2]);
  }
  const hdf5::File h5(folder / "lattice.h5", hdf5::File::Mode::read);
  const hdf5::Group group = h5.root().open_group("mcs_00000000");
  EXPECT_EQ(group.open_group("cells").read_all<int64_t>("parent").size(), state.cells.count());
  const std::string xdmf = bytes_of(folder / "lattice.xdmf");
  EXPECT_NE(xdmf.find("lattice.h5:/mcs_00000000/substances/o2"), std::string::npos);
  EXPECT_NE(xdmf.find("Dimensions=\"2 5 7\""), std::string::npos) << xdmf;
}

TEST(Snapshot, HoldsWhatItsDescriptionSays) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  State state = example_state(kSolid, 4, 100);
  state.cells.extent[1] = {4, 10};
  state.cells.centroid[1] = {{7, -3, 2}, {2, 1, 6}};  // (7.5, -2.75, 3.5) in sites of 2 um
  state.cells.extent[2] = {0, 0};
  LatticeFile file(folder.path(), example_model(kSolid));
  file.add(state);
  file.finish();

  const hdf5::File written(folder / "lattice.h5", hdf5::File::Mode::read);
  const hdf5::Group& root = written.root();
  EXPECT_EQ(root.wholes("size"), (std::vector<int64_t>{70, 6, 66}));
  EXPECT_EQ(root.wholes("periodic"), (std::vector<int64_t>{1, 0, 1}));
  EXPECT_EQ(root.whole("dimension"), 3);
  EXPECT_EQ(root.real("voxel_um"), 2.0);
  EXPECT_EQ(root.real("seconds_per_mcs"), 30.0);
  EXPECT_EQ(root.texts("type_names"), (std::vector<std::string>{"medium", "T cell", "B \"cell\" <2>"}));
  EXPECT_EQ(root.text("kiln_version"), KILN_VERSION);
  const hdf5::Group group = root.open_group("mcs_00000100");
  EXPECT_EQ(group.whole("mcs"), 100);
  std::vector<uint8_t> types(state.ids.size());
  group.read("type", types.data(), {66, 6, 70});
  for (std::size_t site = 0; site < types.size(); ++site)
    ASSERT_EQ(types[site], state.cells.type[state.ids[site]]) << site;
  const hdf5::Group cells = group.open_group("cells");
  EXPECT_EQ(cells.read_all<double>("x")[1], 15.0);
  EXPECT_EQ(cells.read_all<double>("y")[1], -5.5);
  EXPECT_EQ(cells.read_all<double>("z")[1], 7.0);
  EXPECT_EQ(cells.open_dataset("x", hdf5::Element::f64).text("unit"), "um");
  EXPECT_TRUE(std::isnan(cells.read_all<double>("x")[0]));
  EXPECT_TRUE(std::isnan(cells.read_all<double>("z")[2]));
}

TEST_P(SnapshotOfKind, HasAnXdmfThatPointsAtIt) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  LatticeFile file(folder.path(), example_model(GetParam()));
  file.add(example_state(GetParam(), 7, 3));
  file.add(example_state(GetParam(), 7, 100));
  file.finish();
  const bool flat = GetParam().dimension == 2;
  std::vector<std::string> times, found;
  const hdf5::File written(folder / "lattice.h5", hdf5::File::Mode::read);
  const std::string xml = bytes_of(folder / "lattice.xdmf");
  for (XmlElement& element : xml_elements(xml)) {
    if (element.name == "Time") times.push_back(element.attributes["Value"]);
    // Corners, one more than sites; and sites of 2 um, site i centred at 2 i.
    if (element.name == "Topology") {
      EXPECT_EQ(element.attributes["Dimensions"], flat ? "2 10 14" : "67 7 71");
    }
    if (element.attributes["Name"] == "Origin") {
      EXPECT_EQ(element.text, "-1 -1 -1");
    }
    if (element.attributes["Name"] == "Spacing") {
      EXPECT_EQ(element.text, "2 2 2");
    }
    if (element.name != "DataItem" || element.attributes["Format"] != "HDF") continue;
    ASSERT_EQ(element.text.rfind("lattice.h5:/", 0), 0u);
    const std::string bytes = element.attributes["Precision"];
    const hdf5::Dataset dataset =
        written.root().open_dataset(element.text.substr(12), bytes == "4"   ? hdf5::Element::u32
                                                             : bytes == "2" ? hdf5::Element::u16
                                                                            : hdf5::Element::u8);
    std::string shape = flat ? "1" : "";
    for (const uint64_t length : dataset.shape())
      shape += (shape.empty() ? "" : " ") + std::to_string(length);
    EXPECT_EQ(shape, element.attributes["Dimensions"]);
    found.push_back(element.text.substr(12));
  }
  EXPECT_EQ(times, (std::vector<std::string>{"1.5", "50"}));  // MCS 3 and 100 of 30 s, in minutes
  std::vector<std::string> expected;
  for (const std::string group : {"mcs_00000003", "mcs_00000100"})
    for (const std::string name : {"/ids", "/type", "/act"})
      if (!flat || name != "/act") expected.push_back(group + name);
  EXPECT_EQ(found, expected);
}

TEST(Snapshot, OfAnEarlierPartAreKeptUpToWhereARunGoesOn) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const Model model = example_model(kFlat);
  {
    LatticeFile died(folder.path(), model);
    for (const int64_t mcs : {100, 200, 300}) died.add(example_state(kFlat, 7, mcs));
  }
  // They can be read meanwhile.
  EXPECT_EQ(snapshot_times(folder.path()), (std::vector<int64_t>{100, 200, 300}));
  EXPECT_TRUE(read_snapshot(folder.path()).ids == example_state(kFlat, 7, 300).ids);
  EXPECT_EQ(read_snapshot(folder.path(), 200).mcs, 200);
  LatticeFile file = LatticeFile::continue_from(folder.path(), model, 200);
  EXPECT_EQ(file.saved(), (std::vector<int64_t>{100, 200}));
  EXPECT_EQ(snapshot_times(folder.path()), (std::vector<int64_t>{100, 200}));
  file.add(example_state(kFlat, 5, 200));  // not taken: it is there
  file.add(example_state(kFlat, 5, 300));
  file.finish();

  LatticeFile longer = LatticeFile::continue_from(folder.path(), model, 300);
  EXPECT_TRUE(std::filesystem::exists(folder / "lattice.h5"));
  longer.add(example_state(kFlat, 7, 400));
  EXPECT_EQ(snapshot_times(folder.path()), (std::vector<int64_t>{100, 200, 300, 400}));
  EXPECT_TRUE(read_snapshot(folder.path(), 300).ids == example_state(kFlat, 5, 300).ids);
  longer.finish();
  EXPECT_EQ(snapshot_times(folder / "lattice.h5"), (std::vector<int64_t>{100, 200, 300, 400}));
  EXPECT_TRUE(read_snapshot(folder / "lattice.h5", 200).ids == example_state(kFlat, 7, 200).ids);
  EXPECT_TRUE(read_snapshot(folder / "lattice.h5", 300).ids == example_state(kFlat, 5, 300).ids);
  const std::string xml = bytes_of(folder / "lattice.xdmf");
  for (const char* group : {"mcs_00000100", "mcs_00000200", "mcs_00000300", "mcs_00000400"})
    EXPECT_NE(xml.find(group), std::string::npos) << group;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(Snapshot, GoesOnFromNothingAndRefusesAnotherLattice) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  LatticeFile file = LatticeFile::continue_from(folder.path(), example_model(kFlat), 500);
  EXPECT_TRUE(file.saved().empty());
  file.add(example_state(kFlat, 7, 600));
  file.finish();
  const std::string path = (folder / "lattice.h5").string();
  EXPECT_EQ(message_of([&] { LatticeFile::continue_from(folder.path(), example_model(kSolid), 600); }),
            "cannot go on with " + path +
                ": its lattice has 13 x 9 x 1 sites, the model's 70 x 6 x 66. To go on without its "
                "snapshots, move it "
                "away.");
}

TEST(Snapshot, ThatIsNotThereIsNamed) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const std::string path = (folder / "lattice.h5").string();
  EXPECT_NE(message_of([&] { read_snapshot(path); }).find("cannot read " + path), std::string::npos);
  LatticeFile file(folder.path(), example_model(kFlat));
  file.finish();
  EXPECT_EQ(message_of([&] { read_snapshot(path); }), path + " has no snapshot of a lattice in it.");
  LatticeFile other(folder.path(), example_model(kFlat));
  other.add(example_state(kFlat, 7, 100));
  other.add(example_state(kFlat, 7, 200));
  other.finish();
  EXPECT_EQ(message_of([&] { read_snapshot(path, 150); }),
            path + " has no snapshot of MCS 150; it has 100, 200.");
}

TEST(Snapshot, CutOffOrChangedIsRefused) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const std::string path = (folder / "lattice.h5").string();
  LatticeFile file(folder.path(), example_model(kSolid));
  file.add(example_state(kSolid, 7, 100));
  file.finish();
  const std::string whole = bytes_of(path);
  set_bytes(path, whole.substr(0, whole.size() / 2));
  EXPECT_NE(message_of([&] { read_snapshot(path); }).find("cannot read " + path), std::string::npos);
  // Ids of a dataset that lists fewer cells than lie on the lattice.
  {
    hdf5::File written(path, hdf5::File::Mode::create);
    const hdf5::Group& root = written.root();
    root.set("size", std::vector<int64_t>{2, 1, 1});
    root.set("periodic", std::vector<int64_t>{0, 0, 0});
    root.set("dimension", int64_t(2));
    const hdf5::Group group = root.create_group("mcs_00000007");
    const std::vector<uint32_t> ids = {0, 2};
    group.write("ids", ids.data(), {1, 2});
    const hdf5::Group cells = group.create_group("cells");
    const std::vector<uint8_t> types = {0, 1};
    const std::vector<int32_t> extents = {0, 1};
    cells.write("type", types.data(), {2});
    cells.write("volume", extents.data(), {2});
    cells.write("perimeter", extents.data(), {2});
    written.close();
  }
  EXPECT_EQ(message_of([&] { read_snapshot(path); }),
            "cannot read " + path + ": cell 2 lies on the lattice of MCS 7, but only 2 cells are listed.");
}

TEST(Snapshot, WithoutHdf5SaysWhatToInstall) {
  if (kHasHdf5) GTEST_SKIP() << "this build has HDF5";
  EXPECT_THROW(LatticeFile(std::filesystem::temp_directory_path(), example_model(kFlat)), Failure);
  EXPECT_THROW(read_snapshot("lattice.h5"), Failure);
}

}  // namespace
}  // namespace kiln
