#include "output/state/snapshot.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"
#include "data/hdf5/file.hpp"
#include "model/branch.hpp"
#include "output/state/linked_parts.hpp"
#include "output/state/own_sites.hpp"
#include "output/state/xdmf.hpp"
#include "output/table/columns.hpp"

namespace kiln {
namespace {

using std::filesystem::path;

// Where snapshots are collected until a run ends.
path parts_of(const path& folder) { return folder / "snapshots"; }

std::string group_name(int64_t mcs) { return fmt::format("mcs_{:08}", mcs); }

hdf5::Shape shape_of(const Lattice& lattice) {
  const Vec3<uint64_t> n{uint64_t(lattice.size.x), uint64_t(lattice.size.y), uint64_t(lattice.size.z)};
  if (lattice.dimension == 2) return {n.y, n.x};
  return {n.z, n.y, n.x};
}

std::vector<int64_t> times_named(const std::vector<std::string>& names) {
  std::vector<int64_t> times;
  for (const std::string& name : names) {
    int64_t mcs = -1;
    if (name.rfind("mcs_", 0) != 0) continue;
    std::from_chars(name.data() + 4, name.data() + name.size(), mcs);
    if (mcs >= 0 && name == group_name(mcs)) times.push_back(mcs);
  }
  std::sort(times.begin(), times.end());
  return times;
}

std::vector<int64_t> times_in(const hdf5::Group& root) { return times_named(root.members()); }

// Where the parts of a snapshot lie, if several processes wrote it.
const char* const kLinked = "lattice-parts";

path part_of(const path& folder, int64_t mcs) { return parts_of(folder) / (group_name(mcs) + ".h5"); }

std::vector<int64_t> times_in(const path& parts) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(parts, none))
    if (entry.path().extension() == ".h5" || entry.is_directory())
      names.push_back(entry.path().stem().string());
  return times_named(names);
}

void make_folder(const path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Failure(fmt::format("cannot write {}: {}.", folder.string(), error.message()));
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
    in_parallel(int64_t(types.size()), all_threads(), [&](int, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) types[std::size_t(i)] = state.cells.type[ids[i]];
    });
    dataset.write_rows(first, rows, types.data());
  }
}

void set_unit_of_cells(const hdf5::Dataset& dataset, const std::string& name) {
  set_unit(dataset, column_named("lattice.h5", "mcs_N/cells/" + name));
}

// Rows from cell `first` on.
void write_cells(const hdf5::Group& group, const Cells& cells, CellId first, double voxel_um) {
  const std::size_t count = cells.count();
  std::vector<int32_t> volume(count), perimeter(count);
  std::vector<double> place[3];
  for (auto& axis : place) axis.assign(count, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < count; ++i) {
    volume[i] = cells.extent[i].volume;
    perimeter[i] = cells.extent[i].perimeter;
    if (first + i == kMedium || volume[i] <= 0) continue;
    const Vec3d position = cells.position(CellId(i));
    for (int axis = 0; axis < 3; ++axis) place[axis][i] = position[axis] * voxel_um;
  }
  const auto write = [&](const std::string& name, const auto& values) {
    set_unit_of_cells(group.write(name, values.data(), {count}), name);
  };
  write("type", cells.type);
  write("volume", volume);
  write("perimeter", perimeter);
  for (int axis = 0; axis < 3; ++axis) write(std::string(1, "xyz"[axis]), place[axis]);
}

// Of cells that live.
void write_lives(const hdf5::Group& group, const Cells& cells, const std::vector<std::string>& properties) {
  const std::size_t count = cells.count();
  if (cells.life.empty()) return;
  std::vector<int64_t> parent;
  std::vector<int32_t> generation;
  for (const Cells::Life& life : cells.life) {
    parent.push_back(life.parent);
    generation.push_back(life.generation);
  }
  group.write("parent", parent.data(), {count});
  group.write("generation", generation.data(), {count});
  const hdf5::Group all = group.create_group("properties");
  std::vector<double> values(count);
  for (std::size_t p = 0; p < properties.size(); ++p) {
    for (std::size_t cell = 0; cell < count; ++cell)
      values[cell] = cells.property[cell * properties.size() + p];
    all.write(properties[p], values.data(), {count});
  }
}

// A table of cells.
void write_rows(const hdf5::Group& group, const Cells& cells, CellId first, double voxel_um,
                const std::vector<std::string>& properties) {
  write_cells(group, cells, first, voxel_um);
  write_lives(group, cells, properties);
}

void write_substances(const hdf5::Group& group, const std::vector<Substance>& substances) {
  if (substances.empty()) return;
  const hdf5::Group all = group.create_group("substances");
  for (const Substance& s : substances) {
    const hdf5::Dataset dataset = all.write(s.name, s.values.data(), shape_of(s.voxels));
    dataset.set("coarsen", int64_t(s.coarsen));
    dataset.set("periodic",
                std::vector<int64_t>{s.voxels.periodic.x, s.voxels.periodic.y, s.voxels.periodic.z});
  }
}

void read_lives(const hdf5::Group& group, Cells& cells, const std::vector<std::string>& properties) {
  if (!group.has("properties")) return;
  const hdf5::Group all = group.open_group("properties");
  cells.property_count = int(properties.size());
  cells.property.assign(cells.count() * properties.size(), 0);
  for (std::size_t p = 0; p < properties.size(); ++p) {
    if (!all.has(properties[p])) continue;
    std::vector<double> values(cells.count());
    all.read(properties[p], values.data(), {cells.count()});
    for (std::size_t cell = 0; cell < cells.count(); ++cell)
      cells.property[cell * properties.size() + p] = values[cell];
  }
}

std::vector<Substance> read_substances(const hdf5::Group& group, const Lattice& sites) {
  std::vector<Substance> result;
  if (!group.has("substances")) return result;
  const hdf5::Group all = group.open_group("substances");
  for (const std::string& name : all.members()) {
    Substance& s = result.emplace_back();
    const hdf5::Dataset dataset = all.open_dataset(name, hdf5::Element::f64);
    s.name = name;
    s.coarsen = int32_t(dataset.whole("coarsen"));
    s.voxels = voxels_of(sites, s.coarsen);
    const std::vector<int64_t> periodic = dataset.wholes("periodic");
    for (std::size_t axis = 0; axis < std::min<std::size_t>(periodic.size(), 3); ++axis)
      s.voxels.periodic[int(axis)] = periodic[axis] != 0;
    s.values.resize(std::size_t(s.voxels.sites()));
    all.read(name, s.values.data(), shape_of(s.voxels));
    s.show();
  }
  return result;
}

void link_cells(const hdf5::Group& group, const LinkedParts& parts) {
  for (const auto& [name, element] :
       std::initializer_list<std::pair<const char*, hdf5::Element>>{{"type", hdf5::Element::u8},
                                                                    {"volume", hdf5::Element::i32},
                                                                    {"perimeter", hdf5::Element::i32},
                                                                    {"x", hdf5::Element::f64},
                                                                    {"y", hdf5::Element::f64},
                                                                    {"z", hdf5::Element::f64}})
    set_unit_of_cells(group.create_virtual(name, element, {parts.cells()},
                                           parts.rows(fmt::format("cells/{}", name), 1, {1})),
                      name);
}

void link_lives(const hdf5::Group& group, const LinkedParts& parts,
                const std::vector<std::string>& properties) {
  const auto link = [&](const hdf5::Group& to, const std::string& name, hdf5::Element element,
                        const std::string& folder) {
    to.create_virtual(name, element, {parts.cells()}, parts.rows(folder + name, 1, {1}));
  };
  link(group, "parent", hdf5::Element::i64, "cells/");
  link(group, "generation", hdf5::Element::i32, "cells/");
  const hdf5::Group all = group.create_group("properties");
  for (const std::string& name : properties) link(all, name, hdf5::Element::f64, "cells/properties/");
}

// Which of the optional datasets a snapshot has.
struct Present {
  bool act, lives;
};

// A snapshot as the files of its parts have it; substances lie in one piece.
void link_state(const hdf5::Group& group, const LatticeFile::Settings& settings, int64_t mcs,
                const Present& present, const LinkedParts& parts,
                const std::function<void(const hdf5::Group&)>& write_voxels) {
  const Lattice& lattice = settings.lattice;
  const hdf5::Shape shape = shape_of(lattice);
  const auto link = [&](const char* name, hdf5::Element element) {
    group.create_virtual(name, element, shape, parts.sites(name, lattice.dimension == 2));
  };
  group.set("mcs", mcs);
  parts.write(group);
  link("ids", hdf5::element_of<CellId>);
  link("type", hdf5::element_of<TypeId>);
  if (present.act) link("act", hdf5::element_of<ActValue>);
  const hdf5::Group cells = group.create_group("cells");
  link_cells(cells, parts);
  if (present.lives) link_lives(cells, parts, settings.properties);
  write_voxels(group);
}

// Readers would take what is missing for medium.
void check_parts(const path& file, const hdf5::Group& group) {
  const std::optional<LinkedParts> parts = LinkedParts::read(group);
  for (std::size_t i = 0; parts && i < parts->places.size(); ++i)
    if (const path part = file.parent_path() / parts->file(i); !std::filesystem::exists(part))
      throw UserError(fmt::format("cannot read {}: {}, which is a part of it, is missing.", file.string(),
                                  part.string()));
}

void write_state(const hdf5::Group& group, const State& state, double voxel_um,
                 const std::vector<std::string>& properties) {
  const hdf5::Shape shape = shape_of(state.lattice);
  group.set("mcs", state.mcs);
  group.write("ids", state.ids.data(), shape);
  write_types(group, state);
  if (!state.act.empty()) group.write("act", state.act.data(), shape);
  write_rows(group.create_group("cells"), state.cells, kMedium, voxel_um, properties);
  write_substances(group, state.substances);
}

}  // namespace

void write_snapshot_part(const path& folder, const OwnPart& part, double voxel_um,
                         const std::vector<std::string>& properties) {
  hdf5::require();
  write_atomically(folder / LinkedParts::name(part.number), [&](const path& temporary) {
    hdf5::File file(temporary, hdf5::File::Mode::create);
    write_own_sites(file.root(), part.tissue,
                    {.flat = part.tissue.grid.lattice().dimension == 2, .types = true});
    write_rows(file.root().create_group("cells"), part.cells, part.first_cell, voxel_um, properties);
    file.close();
  });
}

LatticeFile::Settings LatticeFile::settings_of(const Model& model) {
  Settings settings{model.lattice, model.units, {}, property_names(model)};
  for (const CellType& type : model.types) settings.type_names.push_back(type.name);
  return settings;
}

void LatticeFile::start(const hdf5::Group& root, const Settings& settings) {
  const Lattice& lattice = settings.lattice;
  root.set("size", std::vector<int64_t>{lattice.size.x, lattice.size.y, lattice.size.z});
  root.set("periodic", std::vector<int64_t>{lattice.periodic.x, lattice.periodic.y, lattice.periodic.z});
  root.set("dimension", int64_t(lattice.dimension));
  root.set("voxel_um", settings.units.voxel_um);
  root.set("seconds_per_mcs", settings.units.seconds_per_mcs);
  root.set("type_names", settings.type_names);
  root.set("kiln_version", std::string(KILN_VERSION));
}

LatticeFile::LatticeFile(const path& folder, Settings settings)
    : folder_(folder), parts_(parts_of(folder)), settings_(std::move(settings)) {}

LatticeFile::LatticeFile(const path& folder, const Model& model) : LatticeFile(folder, settings_of(model)) {
  hdf5::require();
  remove_folder_atomically(parts_);
  remove_folder_atomically(folder / kLinked);
  std::error_code error;
  if (std::filesystem::is_regular_file(folder / "lattice.h5", error))
    std::filesystem::remove(folder / "lattice.h5", error);
  make_folder(parts_);
}

LatticeFile LatticeFile::continue_from(const path& folder, const Model& model, int64_t last_mcs) {
  hdf5::require();
  LatticeFile result(folder, settings_of(model));
  const path earlier = folder / "lattice.h5";
  if (std::filesystem::exists(earlier)) result.saved_ = result.take_over(earlier);
  make_folder(result.parts_);
  remove_leftovers(result.parts_);
  std::vector<int64_t>& saved = result.saved_;
  for (const int64_t mcs : times_in(result.parts_)) {
    if (mcs <= last_mcs)
      saved.push_back(mcs);
    else
      std::filesystem::remove(result.file_of(mcs));
  }
  for (const int64_t mcs : times_in(folder / kLinked))
    if (mcs > last_mcs) std::filesystem::remove_all(folder / kLinked / group_name(mcs));
  std::sort(saved.begin(), saved.end());
  saved.erase(std::unique(saved.begin(), saved.end()), saved.end());
  saved.erase(std::upper_bound(saved.begin(), saved.end(), last_mcs), saved.end());
  return result;
}

std::vector<int64_t> LatticeFile::take_over(const path& earlier) const {
  try {
    const hdf5::File source(earlier, hdf5::File::Mode::read);
    const Lattice found = read_lattice(source.root(), earlier);
    const Vec3i& size = settings_.lattice.size;
    if (found.dimension != settings_.lattice.dimension || !(found.size == size))
      throw UserError(
          fmt::format("cannot go on with {}: its lattice has {} x {} x {} sites, the model's {} x {} x {}.",
                      earlier.string(), found.size.x, found.size.y, found.size.z, size.x, size.y, size.z));
    return times_in(source.root());
  } catch (const UserError& e) {
    throw UserError(fmt::format("{} To go on without its snapshots, move it away.", e.what()));
  }
}

path LatticeFile::file_of(int64_t mcs) const { return part_of(folder_, mcs); }

void LatticeFile::add(const State& state) {
  if (std::binary_search(saved_.begin(), saved_.end(), state.mcs)) return;
  write_atomically(file_of(state.mcs), [&](const path& temporary) {
    hdf5::File file(temporary, hdf5::File::Mode::create);
    start(file.root(), settings_);
    write_state(file.root().create_group(group_name(state.mcs)), state, settings_.units.voxel_um,
                settings_.properties);
    file.close();
  });
  saved_.insert(std::upper_bound(saved_.begin(), saved_.end(), state.mcs), state.mcs);
}

void LatticeFile::add(StateParts& state) {
  const int64_t mcs = state.mcs();
  if (std::binary_search(saved_.begin(), saved_.end(), mcs)) return;
  const path parts = std::filesystem::absolute(folder_ / kLinked / group_name(mcs));
  std::filesystem::remove_all(parts);  // of a run that died before it had them all
  make_folder(parts);
  state.write(PartFile::snapshot, parts.string());
  write_atomically(file_of(mcs), [&](const path& temporary) {
    hdf5::File file(temporary, hdf5::File::Mode::create);
    start(file.root(), settings_);
    link_state(file.root().create_group(group_name(mcs)), settings_, mcs,
               {state.has_act(), !state.like().life.empty()},
               {(".." / path(kLinked) / group_name(mcs)).string(), state.places()},
               [&](const hdf5::Group& group) { write_substances(group, state.substances()); });
    file.close();
  });
  saved_.insert(std::upper_bound(saved_.begin(), saved_.end(), mcs), mcs);
}

// A snapshot that was made again, after a run went back to an older checkpoint, counts before the earlier
// one.
void LatticeFile::assemble(const path& result) const {
  hdf5::File target(result, hdf5::File::Mode::create);
  start(target.root(), settings_);
  std::optional<hdf5::File> earlier;
  for (const int64_t mcs : saved_) {
    const bool part = std::filesystem::exists(file_of(mcs));
    if (!part && !earlier) earlier.emplace(folder_ / "lattice.h5", hdf5::File::Mode::read);
    if (part)
      add_group(hdf5::File(file_of(mcs), hdf5::File::Mode::read).root(), mcs, target.root());
    else
      add_group(earlier->root(), mcs, target.root());
  }
  target.close();
}

// What lies in parts stays there.
void LatticeFile::add_group(const hdf5::Group& from, int64_t mcs, const hdf5::Group& to) const {
  const hdf5::Group group = from.open_group(group_name(mcs));
  std::optional<LinkedParts> parts = LinkedParts::read(group);
  if (!parts) return to.copy_from(from, group_name(mcs));
  parts->folder = (path(kLinked) / group_name(mcs)).string();
  link_state(to.create_group(group_name(mcs)), settings_, mcs,
             {group.has("act"), group.open_group("cells").has("parent")}, *parts,
             [&](const hdf5::Group& linked) {
               if (group.has("substances")) linked.copy_from(group, "substances");
             });
}

void LatticeFile::finish() {
  write_atomically(folder_ / "lattice.h5", [&](const path& temporary) { assemble(temporary); });
  const Vec3i& size = settings_.lattice.size;
  XdmfSeries series{"lattice.h5", {size.z, size.y, size.x}, settings_.units.voxel_um, {}, {}};
  const hdf5::File file(folder_ / "lattice.h5", hdf5::File::Mode::read);
  for (const int64_t mcs : saved_) {
    const bool has_act = file.root().open_group(group_name(mcs)).has("act");
    series.steps.push_back({group_name(mcs), double(mcs) * settings_.units.seconds_per_mcs / 60, has_act});
    if (series.substances.empty())
      for (const Substance& s : read_substances(file.root().open_group(group_name(mcs)), settings_.lattice))
        series.substances.push_back({s.name, {s.voxels.size.z, s.voxels.size.y, s.voxels.size.x}, s.coarsen});
  }
  write_text_atomically(folder_ / "lattice.xdmf", xdmf_text(series));
  remove_folder_atomically(parts_);
}

std::vector<int64_t> snapshot_times(const path& path) {
  if (!std::filesystem::is_directory(path)) return times_in(hdf5::File(path, hdf5::File::Mode::read).root());
  std::vector<int64_t> times = times_in(parts_of(path));
  if (std::filesystem::exists(path / "lattice.h5"))
    for (const int64_t mcs : snapshot_times(path / "lattice.h5")) times.push_back(mcs);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

State read_snapshot(const path& path, std::optional<int64_t> mcs,
                    const std::vector<std::string>& properties) {
  const std::vector<int64_t> times = snapshot_times(path);
  if (times.empty()) throw UserError(fmt::format("{} has no snapshot of a lattice in it.", path.string()));
  if (mcs && !std::binary_search(times.begin(), times.end(), *mcs))
    throw UserError(
        fmt::format("{} has no snapshot of MCS {}; it has {}.", path.string(), *mcs, fmt::join(times, ", ")));
  if (std::filesystem::is_directory(path)) {
    const auto part = part_of(path, mcs.value_or(times.back()));
    return read_snapshot(std::filesystem::exists(part) ? part : path / "lattice.h5",
                         mcs.value_or(times.back()), properties);
  }
  const hdf5::File file(path, hdf5::File::Mode::read);
  State state;
  state.mcs = mcs.value_or(times.back());
  state.lattice = read_lattice(file.root(), path);
  const hdf5::Shape shape = shape_of(state.lattice);
  const hdf5::Group group = file.root().open_group(group_name(state.mcs));
  check_parts(path, group);
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
  read_lives(cells, state.cells, properties);
  state.substances = read_substances(group, state.lattice);
  const CellId largest = *std::max_element(state.ids.begin(), state.ids.end());
  if (largest >= count)
    throw UserError(
        fmt::format("cannot read {}: cell {} lies on the lattice of MCS {}, but only {} cells are listed.",
                    path.string(), largest, state.mcs, count));
  return state;
}

}  // namespace kiln
