#include "output/state/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "core/columns.hpp"
#include "data/hdf5/file.hpp"
#include "output/state/hdf5_seal.hpp"

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
  return info;
}
namespace {

const hdf5::SealKind kSeal{"checkpoint", 1};

// Calls visit with a value of the type that an element stands for.
template <class Visit>
void with_type_of(Element element, const Visit& visit) {
  switch (element) {
    case Element::u8:
      return visit(uint8_t());
    case Element::i32:
      return visit(int32_t());
    case Element::i64:
      return visit(int64_t());
    case Element::f32:
      return visit(float());
    case Element::f64:
      return visit(double());
  }
}

// One number per row is stored as a list, several with an axis of their own.
hdf5::Shape shape_of(const Field& field, std::size_t rows) {
  if (field.count == 1) return {rows};
  return {rows, uint64_t(field.count)};
}

// A field's bytes, row after row.
template <class Move>
void for_each_row(const Column& column, const Field& field, std::size_t rows, const Move& move) {
  const std::size_t bytes = std::size_t(field.count) * bytes_of(field.element);
  for (std::size_t row = 0; row < rows; ++row) move(row * column.row_bytes + field.offset, row * bytes, bytes);
}

void write_column(const hdf5::Group& group, const Column& column, const Cells& cells) {
  const std::size_t rows = column.rows(cells);
  for (const Field& field : column.fields)
    with_type_of(field.element, [&](auto number) {
      std::vector<decltype(number)> values(rows * std::size_t(field.count));
      for_each_row(column, field, rows, [&](std::size_t in_column, std::size_t packed, std::size_t bytes) {
        std::memcpy(reinterpret_cast<std::byte*>(values.data()) + packed, column.data_of(cells) + in_column, bytes);
      });
      group.write(field.name, values.data(), shape_of(field, rows));
    });
}

void read_column(const hdf5::Group& group, const Column& column, std::size_t rows, Cells& cells) {
  column.resize(cells, rows);
  for (const Field& field : column.fields)
    with_type_of(field.element, [&](auto number) {
      std::vector<decltype(number)> values(rows * std::size_t(field.count));
      group.read(field.name, values.data(), shape_of(field, rows));
      for_each_row(column, field, rows, [&](std::size_t in_column, std::size_t packed, std::size_t bytes) {
        std::memcpy(column.data(cells) + in_column, reinterpret_cast<const std::byte*>(values.data()) + packed, bytes);
      });
    });
}

// Columns that every state has are in a group of their own.
void write_cells(const hdf5::Group& root, const Cells& cells) {
  const hdf5::Group group = root.create_group("cells");
  for (const Column& column : columns())
    if (!column.optional)
      write_column(group, column, cells);
    else if (column.is_there(cells))
      write_column(root, column, cells);
}

Cells read_cells(const hdf5::Group& root, int history_length) {
  const hdf5::Group group = root.open_group("cells");
  Cells cells;
  cells.history_length = history_length;
  const std::size_t count = group.read_all<TypeId>("type").size();
  for (const Column& column : columns())
    if (!column.optional)
      read_column(group, column, count, cells);
    else if (root.has(column.fields[0].name))
      read_column(root, column, count * std::size_t(column.rows_per_cell(cells)), cells);
  return cells;
}

hdf5::Shape sites_of(const Lattice& lattice) {
  return {uint64_t(lattice.size.z), uint64_t(lattice.size.y), uint64_t(lattice.size.x)};
}

void write_state(const hdf5::Group& root, const State& state) {
  const Lattice& lattice = state.lattice;
  root.set("size", std::vector<int64_t>{lattice.size.x, lattice.size.y, lattice.size.z});
  root.set("periodic", std::vector<int64_t>{lattice.periodic.x, lattice.periodic.y, lattice.periodic.z});
  root.set("dimension", int64_t(lattice.dimension));
  root.set("mcs", state.mcs);
  root.set("history_length", int64_t(state.cells.history_length));
  root.write("ids", state.ids.data(), sites_of(lattice));
  if (!state.act.empty()) root.write("act", state.act.data(), sites_of(lattice));
  write_cells(root, state.cells);
}

template <class T>
HugeVector<T> read_sites(const hdf5::Group& root, const char* name, const Lattice& lattice) {
  const hdf5::Dataset dataset = root.open_dataset(name, hdf5::element_of<T>, sites_of(lattice));
  HugeVector<T> values(std::size_t(lattice.sites()));
  dataset.read(values.data());
  return values;
}

State read_state(const hdf5::Group& root) {
  State state;
  const std::vector<int64_t> size = root.wholes("size"), periodic = root.wholes("periodic");
  for (std::size_t axis = 0; axis < std::min({size.size(), periodic.size(), std::size_t(3)}); ++axis) {
    state.lattice.size[int(axis)] = int32_t(size[axis]);
    state.lattice.periodic[int(axis)] = periodic[axis] != 0;
  }
  state.lattice.dimension = int(root.whole("dimension"));
  state.mcs = root.whole("mcs");
  state.ids = read_sites<CellId>(root, "ids", state.lattice);
  if (root.has("act")) state.act = read_sites<ActValue>(root, "act", state.lattice);
  state.cells = read_cells(root, int(root.whole("history_length")));
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

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const State& state, const CheckpointInfo& info) {
  hdf5::require();
  write_atomically(path, [&](const std::filesystem::path& temporary) {
    hdf5::File file(temporary, hdf5::File::Mode::create, hdf5::kSealBytes);
    file.root().set("kiln_version", std::string(KILN_VERSION));
    file.root().set("hash", state_hash(state));
    write_info(file.root(), info);
    write_state(file.root(), state);
    file.close();
    hdf5::seal(temporary, kSeal);
  });
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  hdf5::require();
  hdf5::check_seal(path, kSeal);
  const hdf5::File file(path, hdf5::File::Mode::read);
  const hdf5::Group& root = file.root();
  Checkpoint checkpoint{read_state(root), read_info(root), root.text("kiln_version"), root.text("hash")};
  const std::string hash = state_hash(checkpoint.state);
  if (hash != checkpoint.hash)
    throw UserError(fmt::format("{} is damaged: its state has the hash {}, not {} as recorded in it.",
                                path.string(), hash, checkpoint.hash));
  return checkpoint;
}

}  // namespace kiln
