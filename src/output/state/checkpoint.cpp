#include "output/state/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "data/hdf5/file.hpp"
#include "output/state/cell_columns.hpp"
#include "output/state/hdf5_seal.hpp"
#include "output/state/own_sites.hpp"

namespace kiln {

CheckpointInfo checkpoint_info(const Model& model, int64_t mcs, const AttemptCounts& counts,
                               const std::string& schedule) {
  CheckpointInfo info;
  info.seed = model.seed;
  info.model = model.resolved;
  info.schedule = schedule;
  info.phase = model.phase_number(mcs);
  info.counts = counts;
  info.types = type_memories(model);
  info.properties = property_names(model);
  return info;
}
namespace {

const hdf5::SealKind kSeal{"checkpoint", 1}, kPartSeal{"checkpoint's part", 1};

hdf5::Shape sites_of(const Lattice& lattice) {
  return {uint64_t(lattice.size.z), uint64_t(lattice.size.y), uint64_t(lattice.size.x)};
}

void write_frame(const hdf5::Group& root, const Lattice& lattice, int64_t mcs, const Cells& cells) {
  root.set("size", std::vector<int64_t>{lattice.size.x, lattice.size.y, lattice.size.z});
  root.set("periodic", std::vector<int64_t>{lattice.periodic.x, lattice.periodic.y, lattice.periodic.z});
  root.set("dimension", int64_t(lattice.dimension));
  root.set("mcs", mcs);
  root.set("history_length", int64_t(cells.history_length));
}

template <class AnySubstance>
auto books_of(AnySubstance& s) {
  using Number = std::conditional_t<std::is_const_v<AnySubstance>, const double, double>;
  return std::vector<std::pair<const char*, Number*>>{
      {"first_total", &s.first_total},  {"total", &s.total},
      {"secreted", &s.budget.secreted}, {"taken_up", &s.budget.taken_up},
      {"decayed", &s.budget.decayed},   {"crossed_walls", &s.budget.crossed_walls},
      {"held", &s.budget.held}};
}

// In the order of their numbers: a group has no order of its own.
void write_substances(const hdf5::Group& root, const std::vector<Substance>& substances) {
  if (substances.empty()) return;
  const hdf5::Group all = root.create_group("substances");
  for (const Substance& s : substances) {
    const hdf5::Dataset dataset =
        all.write(fmt::format("{:06}", all.members().size()), s.values.data(), sites_of(s.voxels));
    dataset.set("name", s.name);
    dataset.set("coarsen", int64_t(s.coarsen));
    dataset.set("periodic",
                std::vector<int64_t>{s.voxels.periodic.x, s.voxels.periodic.y, s.voxels.periodic.z});
    for (const auto& [name, number] : books_of(s)) dataset.set(name, *number);
  }
}

std::vector<Substance> read_substances_of(const hdf5::Group& root, const Lattice& sites) {
  std::vector<Substance> result;
  if (!root.has("substances")) return result;
  const hdf5::Group all = root.open_group("substances");
  for (const std::string& member : all.members()) {
    Substance& s = result.emplace_back();
    const hdf5::Dataset dataset = all.open_dataset(member, hdf5::Element::f64);
    s.name = dataset.text("name");
    s.coarsen = int32_t(dataset.whole("coarsen"));
    s.voxels = voxels_of(sites, s.coarsen);
    const std::vector<int64_t> periodic = dataset.wholes("periodic");
    for (std::size_t axis = 0; axis < std::min<std::size_t>(periodic.size(), 3); ++axis)
      s.voxels.periodic[int(axis)] = periodic[axis] != 0;
    s.values = all.read_all<double>(member);
    s.show();
    for (const auto& [name, number] : books_of(s)) *number = dataset.real(name);
  }
  return result;
}

void write_state(const hdf5::Group& root, const State& state) {
  const Lattice& lattice = state.lattice;
  write_frame(root, lattice, state.mcs, state.cells);
  root.write("ids", state.ids.data(), sites_of(lattice));
  if (!state.act.empty()) root.write("act", state.act.data(), sites_of(lattice));
  write_columns(root, state.cells);
  write_substances(root, state.substances);
}

// The same, as the files of parts have it.
void link_state(const hdf5::Group& root, const StateParts& state, const LinkedParts& parts) {
  write_frame(root, state.lattice(), state.mcs(), state.like());
  parts.write(root);
  root.create_virtual("ids", hdf5::element_of<CellId>, sites_of(state.lattice()), parts.sites("ids", false));
  if (state.has_act())
    root.create_virtual("act", hdf5::element_of<ActValue>, sites_of(state.lattice()),
                        parts.sites("act", false));
  link_columns(root, state.like(), parts);
  write_substances(root, state.substances());
}

template <class T>
HugeVector<T> read_sites(const hdf5::Group& root, const char* name, const Lattice& lattice) {
  const hdf5::Dataset dataset = root.open_dataset(name, hdf5::element_of<T>, sites_of(lattice));
  HugeVector<T> values(std::size_t(lattice.sites()));
  dataset.read(values.data());
  return values;
}

// Without sites and cells.
State read_frame(const hdf5::Group& root) {
  State state;
  const std::vector<int64_t> size = root.wholes("size"), periodic = root.wholes("periodic");
  for (std::size_t axis = 0; axis < std::min({size.size(), periodic.size(), std::size_t(3)}); ++axis) {
    state.lattice.size[int(axis)] = int32_t(size[axis]);
    state.lattice.periodic[int(axis)] = periodic[axis] != 0;
  }
  state.lattice.dimension = int(root.whole("dimension"));
  state.mcs = root.whole("mcs");
  state.cells.history_length = int(root.whole("history_length"));
  state.cells.property_count = properties_of_columns(root);
  return state;
}

State read_state(const hdf5::Group& root) {
  State state = read_frame(root);
  state.ids = read_sites<CellId>(root, "ids", state.lattice);
  if (root.has("act")) state.act = read_sites<ActValue>(root, "act", state.lattice);
  state.cells = read_columns(root, state.cells, 0, count_of_columns(root));
  state.substances = read_substances_of(root, state.lattice);
  return state;
}

void write_info(const hdf5::Group& root, const CheckpointInfo& info) {
  root.set("seed", std::to_string(info.seed));  // text: HDF5's integers here are signed
  root.set("model", info.model);
  root.set("schedule", info.schedule);
  root.set("phase", int64_t(info.phase));
  root.set("attempts", info.counts.attempts);
  root.set("live", info.counts.live);
  root.set("accepted", info.counts.accepted);
  std::vector<std::string> types;
  std::vector<int64_t> lags;
  for (const TypeMemory& type : info.types) {
    types.push_back(type.name);
    lags.push_back(type.persistence_lag);
  }
  root.set("type_names", types);
  root.set("persistence_lags", lags);
  if (!info.properties.empty()) root.set("property_names", info.properties);
  if (info.from) {
    const hdf5::Group from = root.create_group("from");
    from.set("file", info.from->file);
    from.set("hash", info.from->hash);
    from.set("mcs", info.from->mcs);
  }
  if (info.steering) {
    const hdf5::Group steering = root.create_group("steering");
    steering.set("by", info.steering->by);
    steering.set("changed", int64_t(info.steering->changed));
    steering.set("model", info.steering->model);
    steering.set("mcs", info.steering->mcs);
  }
  const hdf5::Group extra = root.create_group("extra");
  for (const auto& [name, values] : info.extra)  // any name is allowed here, not so in HDF5
    extra.write(fmt::format("{:06}", extra.members().size()), values.data(), {values.size()})
        .set("name", name);
}

CheckpointInfo read_info(const hdf5::Group& root) {
  CheckpointInfo info;
  const std::string seed = root.text("seed");
  std::from_chars(seed.data(), seed.data() + seed.size(), info.seed);
  info.model = root.text("model");
  info.schedule = root.text("schedule");
  info.phase = int(root.whole("phase"));
  info.counts = {root.whole("attempts"), root.whole("live"), root.whole("accepted")};
  const std::vector<std::string> types = root.texts("type_names");
  const std::vector<int64_t> lags = root.wholes("persistence_lags");
  for (std::size_t i = 0; i < std::min(types.size(), lags.size()); ++i)
    info.types.push_back({types[i], lags[i]});
  if (root.has("property")) info.properties = root.texts("property_names");
  if (root.has("from")) {
    const hdf5::Group from = root.open_group("from");
    info.from = BranchPoint{from.text("file"), from.text("hash"), from.whole("mcs")};
  }
  if (root.has("steering")) {
    const hdf5::Group steering = root.open_group("steering");
    info.steering = Steering{steering.text("by"), steering.whole("changed") != 0, steering.text("model"),
                             steering.whole("mcs")};
  }
  const hdf5::Group extra = root.open_group("extra");
  for (const std::string& member : extra.members())
    info.extra[extra.open_dataset(member, hdf5::Element::f64).text("name")] = extra.read_all<double>(member);
  return info;
}

template <class WriteState>
void write_sealed(const std::filesystem::path& path, const std::string& hash, const CheckpointInfo& info,
                  const WriteState& write_state_to) {
  hdf5::require();
  write_atomically(path, [&](const std::filesystem::path& temporary) {
    hdf5::File file(temporary, hdf5::File::Mode::create, hdf5::kSealBytes);
    file.root().set("kiln_version", std::string(KILN_VERSION));
    file.root().set("hash", hash);
    write_info(file.root(), info);
    write_state_to(file.root());
    file.close();
    hdf5::seal(temporary, kSeal);
  });
}

// Opened for every read: while a file is open, other threads wait for the library.
class StoredCheckpoint : public StateSource {
 public:
  explicit StoredCheckpoint(const std::filesystem::path& path) : path_(path) {
    const hdf5::File file(path_, hdf5::File::Mode::read);
    frame_ = read_frame(file.root());
    cells_ = count_of_columns(file.root());
    has_act_ = file.root().has("act");
  }

  const Lattice& lattice() const override { return frame_.lattice; }
  int64_t mcs() const override { return frame_.mcs; }
  bool has_act() const override { return has_act_; }
  CellId cells() const override { return cells_; }
  void read_sites(const Box& box, CellId* ids, ActValue* act) override {
    const hdf5::File file(path_, hdf5::File::Mode::read);
    const hdf5::Shape start = shape_of_box({{0, 0, 0}, box.low}, false), lengths = shape_of_box(box, false);
    const auto read = [&](const char* name, auto* values) {
      file.root()
          .open_dataset(name, hdf5::element_of<std::remove_pointer_t<decltype(values)>>)
          .read_box(start, lengths, values);
    };
    read("ids", ids);
    if (act != nullptr) read("act", act);
  }
  Cells read_rows(CellId first, CellId count) override {
    const hdf5::File file(path_, hdf5::File::Mode::read);
    return read_columns(file.root(), frame_.cells, first, count);
  }
  std::vector<Substance> read_substances() override {
    const hdf5::File file(path_, hdf5::File::Mode::read);
    return read_substances_of(file.root(), frame_.lattice);
  }

 private:
  std::filesystem::path path_;
  State frame_;
  CellId cells_ = 0;
  bool has_act_ = false;
};

}  // namespace

std::unique_ptr<StateSource> open_checkpoint(const std::filesystem::path& path) {
  return std::make_unique<StoredCheckpoint>(path);
}

// Readers would take what is missing for medium.
void check_checkpoint_parts(const std::filesystem::path& path, int first, int step) {
  const std::optional<LinkedParts> parts = LinkedParts::read(hdf5::File(path, hdf5::File::Mode::read).root());
  for (std::size_t i = std::size_t(first); parts && i < parts->places.size(); i += std::size_t(step)) try {
      hdf5::check_seal(path.parent_path() / parts->file(i), kPartSeal);
    } catch (const UserError& e) {
      throw UserError(fmt::format("{} It is a part of {}.", e.what(), path.string()));
    }
}

void write_checkpoint(const std::filesystem::path& path, const State& state, const CheckpointInfo& info) {
  write_sealed(path, state_hash(state), info, [&](const hdf5::Group& root) { write_state(root, state); });
}

void write_checkpoint(const std::filesystem::path& path, StateParts& state, const std::string& parts,
                      const CheckpointInfo& info) {
  state.write(PartFile::checkpoint, std::filesystem::absolute(path.parent_path() / parts).string());
  write_sealed(path, state.hash(), info, [&](const hdf5::Group& root) {
    link_state(root, state, {parts, state.places()});
  });
}

void write_checkpoint_part(const std::filesystem::path& folder, const OwnPart& part) {
  hdf5::require();
  write_atomically(folder / LinkedParts::name(part.number), [&](const std::filesystem::path& temporary) {
    hdf5::File file(temporary, hdf5::File::Mode::create, hdf5::kSealBytes);
    write_own_sites(file.root(), part.tissue, {.flat = false, .types = false});
    write_columns(file.root(), part.cells);
    file.close();
    hdf5::seal(temporary, kPartSeal);
  });
}

std::string parts_of_checkpoint(const std::filesystem::path& path) {
  const std::optional<LinkedParts> parts = LinkedParts::read(hdf5::File(path, hdf5::File::Mode::read).root());
  return parts ? parts->folder : "";
}

namespace {

Checkpoint read_with(const std::filesystem::path& path, State (*read)(const hdf5::Group& root)) {
  const hdf5::File file(path, hdf5::File::Mode::read);
  const hdf5::Group& root = file.root();
  State state = read(root);
  return {std::move(state), read_info(root), root.text("kiln_version"), root.text("hash"),
          count_of_columns(root)};
}

}  // namespace

Checkpoint read_checkpoint_without_state(const std::filesystem::path& path) {
  hdf5::require();
  hdf5::check_seal(path, kSeal);
  return read_with(path, read_frame);
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  hdf5::require();
  hdf5::check_seal(path, kSeal);
  check_checkpoint_parts(path, 0, 1);
  Checkpoint checkpoint = read_with(path, read_state);
  check_hash(path, checkpoint.hash, state_hash(checkpoint.state));
  return checkpoint;
}

void check_hash(const std::filesystem::path& path, const std::string& recorded, const std::string& found) {
  if (found != recorded)
    throw UserError(fmt::format("{} is damaged: its state has the hash {}, not {} as recorded in it.",
                                path.string(), found, recorded));
}

}  // namespace kiln
