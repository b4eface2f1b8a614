#include "output/snapshot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/error.hpp"
#include "data/atomic_file.hpp"
#include "data/hdf5.hpp"
#include "output/xdmf.hpp"

namespace kiln {
namespace {

using std::filesystem::path;

std::string group_name(int64_t mcs) { return fmt::format("mcs_{:08}", mcs); }

hdf5::Shape shape_of(const Lattice& lattice) {
  const Vec3<uint64_t> n{uint64_t(lattice.size.x), uint64_t(lattice.size.y), uint64_t(lattice.size.z)};
  if (lattice.dimension == 2) return {n.y, n.x};
  return {n.z, n.y, n.x};
}

std::vector<int64_t> times_in(const hdf5::Group& root) {
  std::vector<int64_t> times;
  for (const std::string& name : root.members()) {
    int64_t mcs = -1;
    if (name.rfind("mcs_", 0) != 0) continue;
    std::from_chars(name.data() + 4, name.data() + name.size(), mcs);
    if (mcs >= 0 && name == group_name(mcs)) times.push_back(mcs);
  }
  std::sort(times.begin(), times.end());
  return times;
}

Lattice read_lattice(const hdf5::Group& root, const path& file) {
  const std::vector<int64_t> size = root.wholes("size");
  const std::vector<int64_t> periodic = root.wholes("periodic");
  const int64_t dimension = root.whole("dimension");
  bool good =
      size.size() == 3 && periodic.size() == 3 && (dimension == 3 || (dimension == 2 && size[2] == 1));
  Lattice lattice;
  lattice.dimension = int(dimension);
  for (int axis = 0; good && axis < 3; ++axis) {
    good = size[axis] >= 1 && size[axis] <= std::numeric_limits<int32_t>::max();
    lattice.size[axis] = int32_t(size[axis]);
    lattice.periodic[axis] = periodic[axis] != 0;
  }
  if (!good)
    throw UserError(fmt::format("cannot read {}: its lattice, size ({}) and dimension {}, is none of Kiln's.",
                                file.string(), fmt::join(size, ", "), dimension));
  return lattice;
}

// The types of all sites, a layer of chunks at a time: a whole array of them would be a quarter of the ids
// again.
void write_types(const hdf5::Group& group, const State& state) {
  const hdf5::Shape shape = shape_of(state.lattice);
  const hdf5::Dataset dataset = group.create_dataset("type", hdf5::element_of<TypeId>, shape);
  const uint64_t row = hdf5::elements(shape) / shape[0];
  std::vector<TypeId> types;
  for (uint64_t first = 0; first < shape[0]; first += dataset.rows_per_chunk()) {
    const uint64_t rows = std::min(dataset.rows_per_chunk(), shape[0] - first);
    types.resize(rows * row);
    const CellId* ids = state.ids.data() + first * row;
    for (std::size_t i = 0; i < types.size(); ++i) types[i] = state.cells.type[ids[i]];
    dataset.write_rows(first, rows, types.data());
  }
}

void write_cells(const hdf5::Group& group, const State& state, double voxel_um) {
  const Cells& cells = state.cells;
  const std::size_t count = cells.count();
  std::vector<int32_t> volume(count), perimeter(count);
  std::vector<double> place[3];
  for (auto& axis : place) axis.assign(count, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < count; ++i) {
    volume[i] = cells.extent[i].volume;
    perimeter[i] = cells.extent[i].perimeter;
    if (i == kMedium || volume[i] <= 0) continue;
    const Vec3d position = cells.position(CellId(i));
    for (int axis = 0; axis < 3; ++axis) place[axis][i] = position[axis] * voxel_um;
  }
  group.write("type", cells.type.data(), {count});
  group.write("volume", volume.data(), {count}).set("unit", std::string("sites"));
  group.write("perimeter", perimeter.data(), {count}).set("unit", std::string("pairs of sites"));
  for (int axis = 0; axis < 3; ++axis)
    group.write(std::string(1, "xyz"[axis]), place[axis].data(), {count}).set("unit", std::string("um"));
}

}  // namespace

LatticeFile::Settings LatticeFile::settings_of(const Model& model) {
  Settings settings{model.lattice, model.units, {}};
  for (const CellType& type : model.types) settings.type_names.push_back(type.name);
  return settings;
}

void LatticeFile::describe(const hdf5::Group& root) const {
  const Lattice& lattice = settings_.lattice;
  root.set("size", std::vector<int64_t>{lattice.size.x, lattice.size.y, lattice.size.z});
  root.set("periodic", std::vector<int64_t>{lattice.periodic.x, lattice.periodic.y, lattice.periodic.z});
  root.set("dimension", int64_t(lattice.dimension));
  root.set("voxel_um", settings_.units.voxel_um);
  root.set("seconds_per_mcs", settings_.units.seconds_per_mcs);
  root.set("type_names", settings_.type_names);
  root.set("kiln_version", std::string(KILN_VERSION));
}

path LatticeFile::part_of(int64_t mcs) const { return parts() / (group_name(mcs) + ".h5"); }

LatticeFile::LatticeFile(const path& folder, Settings settings)
    : folder_(folder), settings_(std::move(settings)) {
  hdf5::require();
}

LatticeFile::LatticeFile(const path& folder, const Model& model) : LatticeFile(folder, settings_of(model)) {
  std::error_code error;
  std::filesystem::remove_all(parts(), error);
  if (!error) std::filesystem::create_directory(parts(), error);
  if (error) throw Failure(fmt::format("cannot write {}: {}.", parts().string(), error.message()));
}

LatticeFile LatticeFile::continue_from(const path& folder, const Model& model, int64_t last_mcs) {
  LatticeFile result(folder, settings_of(model));
  result.take_over(last_mcs);
  return result;
}

void LatticeFile::take_over(int64_t last_mcs) {
  std::error_code error;
  std::filesystem::create_directory(parts(), error);
  if (error) throw Failure(fmt::format("cannot write {}: {}.", parts().string(), error.message()));
  std::vector<path> files;
  for (const auto& entry : std::filesystem::directory_iterator(parts()))
    if (entry.path().extension() == ".h5") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (std::filesystem::exists(file())) files.push_back(file());
  for (const path& found : files) {
    try {
      take_over_file(found, last_mcs);
    } catch (const UserError& e) {
      throw UserError(fmt::format("{} To go on without its snapshots, move it away.", e.what()));
    }
  }
}

void LatticeFile::take_over_file(const path& found, int64_t last_mcs) {
  std::vector<int64_t> times;
  {
    const hdf5::File source(found, hdf5::File::Mode::read);
    const Lattice lattice = read_lattice(source.root(), found);
    const Vec3i& size = settings_.lattice.size;
    if (lattice.dimension != settings_.lattice.dimension || !(lattice.size == size))
      throw UserError(fmt::format(
          "cannot go on with {}: its lattice has {} x {} x {} sites, the model's {} x {} x {}.",
          found.string(), lattice.size.x, lattice.size.y, lattice.size.z, size.x, size.y, size.z));
    times = times_in(source.root());
  }
  for (const int64_t mcs : times) {
    if (mcs > last_mcs) {
      if (found != file()) std::filesystem::remove(found);
    } else if (!std::binary_search(saved_.begin(), saved_.end(), mcs)) {
      saved_.insert(std::upper_bound(saved_.begin(), saved_.end(), mcs), mcs);
    }
  }
}

void LatticeFile::add(const State& state) {
  if (std::binary_search(saved_.begin(), saved_.end(), state.mcs)) return;
  write_atomically(part_of(state.mcs), [&](const path& temporary) {
    hdf5::File part(temporary, hdf5::File::Mode::create);
    describe(part.root());
    const hdf5::Group group = part.root().create_group(group_name(state.mcs));
    const hdf5::Shape shape = shape_of(state.lattice);
    group.set("mcs", state.mcs);
    group.write("ids", state.ids.data(), shape);
    write_types(group, state);
    if (!state.act.empty()) group.write("act", state.act.data(), shape);
    write_cells(group.create_group("cells"), state, settings_.units.voxel_um);
    part.close();
  });
  saved_.insert(std::upper_bound(saved_.begin(), saved_.end(), state.mcs), state.mcs);
}

void LatticeFile::finish() {
  join();
  write_xdmf();
  std::filesystem::remove_all(parts());
}

void LatticeFile::join() const {
  write_atomically(file(), [&](const path& temporary) {
    // Nothing is packed anew: the compressed chunks are copied.
    hdf5::File target(temporary, hdf5::File::Mode::create);
    describe(target.root());
    for (const int64_t mcs : saved_) {
      const path part = part_of(mcs);
      const hdf5::File source(std::filesystem::exists(part) ? part : file(), hdf5::File::Mode::read);
      target.root().copy_from(source.root(), group_name(mcs));
    }
    target.close();
  });
}

void LatticeFile::write_xdmf() const {
  const Vec3i& size = settings_.lattice.size;
  XdmfSeries series{"lattice.h5", {size.z, size.y, size.x}, settings_.units.voxel_um, {}};
  {
    const hdf5::File written(file(), hdf5::File::Mode::read);
    for (const int64_t mcs : saved_) {
      const std::string name = group_name(mcs);
      const bool has_act = written.root().open_group(name).has("act");
      series.steps.push_back({name, double(mcs) * settings_.units.seconds_per_mcs / 60, has_act});
    }
  }
  write_text_atomically(folder_ / "lattice.xdmf", xdmf_text(series));
}

std::vector<int64_t> snapshot_times(const path& path) {
  const hdf5::File file(path, hdf5::File::Mode::read);
  return times_in(file.root());
}

State read_snapshot(const path& path, std::optional<int64_t> mcs) {
  const hdf5::File file(path, hdf5::File::Mode::read);
  const std::vector<int64_t> times = times_in(file.root());
  if (times.empty()) throw UserError(fmt::format("{} has no snapshot of a lattice in it.", path.string()));
  if (mcs && !std::binary_search(times.begin(), times.end(), *mcs))
    throw UserError(
        fmt::format("{} has no snapshot of MCS {}; it has {}.", path.string(), *mcs, fmt::join(times, ", ")));
  State state;
  state.mcs = mcs.value_or(times.back());
  state.lattice = read_lattice(file.root(), path);
  const hdf5::Shape shape = shape_of(state.lattice);
  const hdf5::Group group = file.root().open_group(group_name(state.mcs));
  const auto read_sites = [&](const char* name, auto& values) {
    using Value = std::remove_reference_t<decltype(values[0])>;
    const hdf5::Dataset dataset = group.open_dataset(name, hdf5::element_of<Value>, shape);
    values = HugeVector<Value>(hdf5::elements(shape));
    dataset.read(values.data());
  };
  read_sites("ids", state.ids);
  if (group.has("act")) read_sites("act", state.act);

  const hdf5::Group cells = group.open_group("cells");
  state.cells.type = cells.read_all<TypeId>("type");
  const std::size_t count = state.cells.type.size();
  std::vector<int32_t> volume(count), perimeter(count);
  cells.read("volume", volume.data(), {count});
  cells.read("perimeter", perimeter.data(), {count});
  state.cells.extent.resize(count);
  state.cells.centroid.resize(count);
  for (std::size_t i = 0; i < count; ++i) state.cells.extent[i] = {volume[i], perimeter[i]};
  const CellId largest = *std::max_element(state.ids.begin(), state.ids.end());
  if (largest >= count)
    throw UserError(
        fmt::format("cannot read {}: cell {} lies on the lattice of MCS {}, but only {} cells are listed.",
                    path.string(), largest, state.mcs, count));
  return state;
}

}  // namespace kiln
