#include "output/table/track_table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "data/hdf5/file.hpp"
#include "output/table/columns.hpp"
#include "output/table/tables.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

// The head of a row of cells.rows; further columns of cells that live follow, a double each.
struct Record {
  int64_t mcs;
  uint32_t id;
  int32_t volume, perimeter, neighbours;
  float x, y, z;
  uint32_t type;
};
static_assert(sizeof(Record) == 40);

// Rows that are turned into columns, or back, at a time: some chunks of each column.
constexpr int64_t kBlock = int64_t(1) << 21;

std::size_t bytes_of_row(std::size_t lives) { return sizeof(Record) + lives * sizeof(double); }

// Rows side by side.
struct Block {
  std::vector<Record> heads;
  std::vector<double> lives;  // `width` for each
  std::size_t width = 0;

  void resize(std::size_t rows) {
    heads.resize(rows);
    lives.resize(rows * width);
  }
};

// As they lie in cells.rows.
std::vector<char> packed(const Block& block) {
  const std::size_t bytes = bytes_of_row(block.width);
  std::vector<char> raw(block.heads.size() * bytes);
  for (std::size_t i = 0; i < block.heads.size(); ++i) {
    std::memcpy(raw.data() + i * bytes, &block.heads[i], sizeof(Record));
    if (block.width > 0)
      std::memcpy(raw.data() + i * bytes + sizeof(Record), block.lives.data() + i * block.width,
                  block.width * sizeof(double));
  }
  return raw;
}

struct Samples {
  std::vector<int64_t> mcs, first_row, rows;

  void add(std::span<const Record> block, int64_t first) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (mcs.empty() || mcs.back() != block[i].mcs) {
        mcs.push_back(block[i].mcs);
        first_row.push_back(first + int64_t(i));
        rows.push_back(0);
      }
      ++rows.back();
    }
  }
};

// Calls visit(column, value of a record) for every column.
template <class Visit>
void for_each_column(double seconds_per_mcs, const Visit& visit_next) {
  auto column = cells_columns().begin();
  const auto visit = [&](const auto& value) { visit_next(*column++, value); };
  visit([](const Record& r) { return r.id; });
  visit([seconds_per_mcs](const Record& r) { return double(r.mcs) * seconds_per_mcs; });
  visit([](const Record& r) { return r.x; });
  visit([](const Record& r) { return r.y; });
  visit([](const Record& r) { return r.z; });
  visit([](const Record& r) { return r.mcs; });
  visit([](const Record& r) { return uint8_t(r.type); });
  visit([](const Record& r) { return r.volume; });
  visit([](const Record& r) { return r.perimeter; });
  visit([](const Record& r) { return r.neighbours; });
}

class RecordReader {
 public:
  RecordReader(const fs::path& path, std::size_t lives)
      : path_(path), in_(path, std::ios::binary), bytes_(bytes_of_row(lives)) {
    std::error_code error;
    rows_ = int64_t(fs::file_size(path, error) / bytes_);
    if (!in_ || error) fail();
  }
  int64_t rows() const { return rows_; }

  // As many as there is room for.
  void read(int64_t first, Block& to) {
    std::vector<char> raw(to.heads.size() * bytes_);
    in_.seekg(std::streamoff(first) * std::streamoff(bytes_));
    in_.read(raw.data(), std::streamsize(raw.size()));
    if (!in_) fail();
    for (std::size_t i = 0; i < to.heads.size(); ++i) {
      std::memcpy(&to.heads[i], raw.data() + i * bytes_, sizeof(Record));
      if (to.width > 0)
        std::memcpy(to.lives.data() + i * to.width, raw.data() + i * bytes_ + sizeof(Record),
                    to.width * sizeof(double));
    }
  }

  // How many rows are of `last_mcs` or before; they are in order of time.
  int64_t rows_until(int64_t last_mcs) {
    int64_t low = 0, high = rows_;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      Record record;
      in_.seekg(std::streamoff(middle) * std::streamoff(bytes_));
      in_.read(reinterpret_cast<char*>(&record), sizeof record);
      if (!in_) fail();
      (record.mcs <= last_mcs ? low : high) = record.mcs <= last_mcs ? middle + 1 : middle;
    }
    return low;
  }

 private:
  [[noreturn]] void fail() const { throw Failure(fmt::format("cannot read {}.", path_.string())); }

  fs::path path_;
  std::ifstream in_;
  std::size_t bytes_;
  int64_t rows_ = 0;
};

// The columns of the rows first, first + 1, ... of a finished table, as records.
class ColumnReader {
 public:
  explicit ColumnReader(const fs::path& path)
      : file_(path, hdf5::File::Mode::read), cells_(file_.root().open_group("cells")) {
    const hdf5::Group samples = file_.root().open_group("samples");
    mcs_ = samples.read_all<int64_t>("mcs");
    rows_ = samples.read_all<int64_t>("rows");
    if (mcs_.size() != rows_.size())
      throw UserError(fmt::format("cannot read {}: its list of samples is damaged.", path.string()));
  }

  int64_t rows_until(int64_t last_mcs) const {
    int64_t rows = 0;
    for (std::size_t i = 0; i < mcs_.size() && mcs_[i] <= last_mcs; ++i) rows += rows_[i];
    return rows;
  }

  void read(int64_t first, const std::vector<std::string>& lives, Block& to) const {
    const auto column = [&]<class T>(const char* name, T Record::*member) {
      read_column<T>(name, first, to.heads, [member](Record& r, T value) { r.*member = value; });
    };
    column("mcs", &Record::mcs);
    column("id", &Record::id);
    column("volume", &Record::volume);
    column("perimeter", &Record::perimeter);
    column("neighbours", &Record::neighbours);
    column("x", &Record::x);
    column("y", &Record::y);
    column("z", &Record::z);
    read_column<uint8_t>("type", first, to.heads, [](Record& r, uint8_t value) { r.type = value; });
    std::vector<double> values(to.heads.size());
    for (std::size_t k = 0; k < lives.size(); ++k) {
      cells_.open_dataset(lives[k], hdf5::element_of<double>)
          .read_rows(uint64_t(first), values.size(), values.data());
      for (std::size_t i = 0; i < values.size(); ++i) to.lives[i * to.width + k] = values[i];
    }
  }

 private:
  template <class T, class Put>
  void read_column(const char* name, int64_t first, std::span<Record> to, const Put& put) const {
    std::vector<T> values(to.size());
    cells_.open_dataset(name, hdf5::element_of<T>).read_rows(uint64_t(first), values.size(), values.data());
    for (std::size_t i = 0; i < to.size(); ++i) put(to[i], values[i]);
  }

  hdf5::File file_;
  hdf5::Group cells_;
  std::vector<int64_t> mcs_, rows_;
};

template <class Work>
void in_blocks(int64_t rows, const Work& work) {
  for (int64_t first = 0; first < rows; first += kBlock) work(first, std::min(kBlock, rows - first));
}

void write_columns(const hdf5::Group& root, RecordReader& records, const std::vector<std::string>& lives,
                   double seconds_per_mcs) {
  const hdf5::Group cells = root.create_group("cells");
  std::vector<hdf5::Dataset> columns;
  for_each_column(seconds_per_mcs, [&](const ColumnInfo& column, const auto& value) {
    using Value = std::decay_t<decltype(value(Record{}))>;
    columns.push_back(
        cells.create_dataset(std::string(column.name), hdf5::element_of<Value>, {uint64_t(records.rows())}));
    set_unit(columns.back(), column);
  });
  for (std::size_t k = 0; k < lives.size(); ++k) {
    columns.push_back(cells.create_dataset(lives[k], hdf5::element_of<double>, {uint64_t(records.rows())}));
    if (k < lives_columns().size()) set_unit(columns.back(), lives_columns()[k]);
  }
  Samples samples;
  Block block{{}, {}, lives.size()};
  in_blocks(records.rows(), [&](int64_t first, int64_t count) {
    block.resize(std::size_t(count));
    records.read(first, block);
    samples.add(block.heads, first);
    auto column = columns.begin();
    for_each_column(seconds_per_mcs, [&](const ColumnInfo&, const auto& value) {
      std::vector<std::decay_t<decltype(value(Record{}))>> values(block.heads.size());
      std::transform(block.heads.begin(), block.heads.end(), values.begin(), value);
      (column++)->write_rows(uint64_t(first), values.size(), values.data());
    });
    for (std::size_t k = 0; k < block.width; ++k) {
      std::vector<double> values(block.heads.size());
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = block.lives[i * block.width + k];
      (column++)->write_rows(uint64_t(first), values.size(), values.data());
    }
  });
  const hdf5::Group index = root.create_group("samples");
  index.write("mcs", samples.mcs.data(), {samples.mcs.size()});
  index.write("first_row", samples.first_row.data(), {samples.first_row.size()});
  index.write("rows", samples.rows.data(), {samples.rows.size()});
}

}  // namespace

TrackTable::TrackTable(fs::path path, const Model& model, int64_t one_cell_in,
                       std::optional<int64_t> last_mcs)
    : path_(std::move(path)),
      part_(path_.parent_path() / "cells.rows"),
      units_(model.units),
      one_cell_in_(one_cell_in) {
  hdf5::require();
  for (const CellType& type : model.types) type_names_.push_back(type.name);
  lives_ = names_of_lives(model);
  if (last_mcs) take_up(*last_mcs);
  file_.reset(std::fopen(part_.c_str(), last_mcs ? "ab" : "wb"));
  if (!file_) fail();
}

void TrackTable::take_up(int64_t last_mcs) {
  if (fs::exists(part_)) {
    const int64_t rows = RecordReader(part_, lives_.size()).rows_until(last_mcs);
    std::error_code error;
    fs::resize_file(part_, uint64_t(rows) * bytes_of_row(lives_.size()), error);
    if (error) throw Failure(fmt::format("cannot write {}: {}.", part_.string(), error.message()));
    return;
  }
  if (!fs::exists(path_)) return;
  const ColumnReader columns(path_);
  write_atomically(part_, [&](const fs::path& temporary) {
    std::ofstream out(temporary, std::ios::binary);
    Block block{{}, {}, lives_.size()};
    in_blocks(columns.rows_until(last_mcs), [&](int64_t first, int64_t count) {
      block.resize(std::size_t(count));
      columns.read(first, lives_, block);
      const std::vector<char> raw = packed(block);
      out.write(raw.data(), std::streamsize(raw.size()));
    });
    out.close();
    if (!out) throw Failure(fmt::format("cannot write {}: {}.", part_.string(), std::strerror(errno)));
  });
}

void TrackTable::add(int64_t mcs, std::span<const CellRow> rows) {
  Block block{{}, {}, lives_.size()};
  for (const CellRow& row : rows) {
    const Vec3d place = row.position * units_.voxel_um;
    block.heads.push_back({mcs, row.id, row.volume, row.perimeter, row.neighbours, float(place.x),
                           float(place.y), float(place.z), row.type});
    for (std::size_t k = 0; k < block.width; ++k)
      block.lives.push_back(row.living[k] * (k == kAgeOfLife ? units_.seconds_per_mcs : 1));
  }
  const std::vector<char> raw = packed(block);
  if (std::fwrite(raw.data(), 1, raw.size(), file_.get()) != raw.size()) fail();
}

void TrackTable::flush() {
  if (file_ && std::fflush(file_.get()) != 0) fail();
}

void TrackTable::sync() {
  flush();
  if (file_ && ::fsync(::fileno(file_.get())) != 0) fail();
}

void TrackTable::finish() {
  if (!file_) return;
  flush();
  file_.reset();
  RecordReader records(part_, lives_.size());
  write_atomically(path_, [&](const fs::path& temporary) {
    hdf5::File file(temporary, hdf5::File::Mode::create);
    const hdf5::Group& root = file.root();
    root.set("voxel_um", units_.voxel_um);
    root.set("seconds_per_mcs", units_.seconds_per_mcs);
    root.set("type_names", type_names_);
    root.set("one_cell_in", one_cell_in_);
    root.set("kiln_version", std::string(KILN_VERSION));
    if (!lives_.empty()) root.set("lives", lives_);
    write_columns(root, records, lives_, units_.seconds_per_mcs);
    file.close();
  });
  fs::remove(part_);
}

void TrackTable::fail() const {
  throw Failure(fmt::format("cannot write {}: {}", part_.string(), std::strerror(errno)));
}

}  // namespace kiln
