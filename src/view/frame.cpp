#include "view/frame.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/json.hpp"
#include "base/parallel.hpp"
#include "core/concentration.hpp"
#include "core/thinning.hpp"
#include "output/picture/palette.hpp"

namespace kiln::view {
namespace {

static_assert(std::endian::native == std::endian::little, "blocks are sent as they lie in memory");

void add_varint(std::string& to, uint32_t value) {
  for (; value >= 0x80; value >>= 7) to += char(value | 0x80);
  to += char(value);
}

// Packs rows, one after the other.
class RowPacker {
 public:
  explicit RowPacker(std::size_t width) : above_(width, 0) {}

  // Takes the row, and gives the memory of the one before.
  void add(std::vector<uint32_t>& row) {
    const std::size_t width = row.size();
    for (std::size_t x = 0; x < width;) {
      const std::size_t first = x;
      while (x < width && row[x] == above_[x]) ++x;
      if (x > first) {
        add_varint(packed_, uint32_t(x - first) << 1);
        continue;
      }
      const uint32_t value = row[x];
      while (x < width && row[x] == value && (x == first || above_[x] != value)) ++x;
      add_varint(packed_, uint32_t(x - first) << 1 | 1);
      add_varint(packed_, value);
    }
    std::swap(above_, row);
  }
  std::string take() { return std::move(packed_); }

 private:
  std::vector<uint32_t> above_;
  std::string packed_;
};

using Row = std::vector<uint32_t>;

// The sites that are shown: of a state that is at hand, or from where the lattice lies.
class SeenSites {
 public:
  SeenSites(const Look& look, bool with_act) : seen(look.lattice(), reduction_of(look.lattice())) {
    if (LatticeSurvey* const survey = look.survey())
      thinned_ = survey->thinned_sites(seen.step, with_act);
    else
      state_ = &look.state();
  }

  const Thinning seen;

  bool has_act() const { return state_ == nullptr ? !thinned_.act.empty() : !state_->act.empty(); }
  void read_ids(int32_t y, int32_t z, Row& row) const {
    read(
        y, z, state_ == nullptr ? thinned_.ids.data() : state_->ids.data(), [](CellId id) { return id; },
        row);
  }
  template <class NumberOf>
  void read_act(int32_t y, int32_t z, const NumberOf& number_of, Row& row) const {
    read(y, z, state_ == nullptr ? thinned_.act.data() : state_->act.data(), number_of, row);
  }

 private:
  template <class Value, class NumberOf>
  void read(int32_t y, int32_t z, const Value* values, const NumberOf& number_of, Row& row) const {
    const auto width = std::size_t(seen.size.x);
    if (state_ == nullptr) {
      values += (std::size_t(z) * std::size_t(seen.size.y) + std::size_t(y)) * width;
    } else {
      values += state_->lattice.index({0, seen.place(y, 1), seen.place(z, 2)});
      if (seen.step > 1) {
        for (std::size_t x = 0; x < width; ++x) row[x] = number_of(values[seen.place(int32_t(x), 0)]);
        return;
      }
    }
    for (std::size_t x = 0; x < width; ++x) row[x] = number_of(values[x]);
  }

  const State* state_ = nullptr;
  LatticeSurvey::ThinnedSites thinned_;
};

struct PackedRows {
  std::vector<std::string> chunks;
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const std::string& chunk : chunks) sum += chunk.size();
    return sum;
  }
};

// `fill(y, z, row)` writes the values of that row of sites; all cores work on it.
template <class Fill>
PackedRows pack_rows(const Thinning& seen, const Fill& fill) {
  const int64_t rows = int64_t(seen.size.y) * seen.size.z;
  const int64_t chunks = std::min<int64_t>(rows, 64);
  PackedRows packed;
  packed.chunks.resize(std::size_t(chunks));
  parallel_for(chunks, 0, [&](int64_t chunk) {
    RowPacker packer(std::size_t(seen.size.x));
    Row row(std::size_t(seen.size.x));
    for (int64_t r = rows * chunk / chunks; r < rows * (chunk + 1) / chunks; ++r) {
      fill(int32_t(r % seen.size.y), int32_t(r / seen.size.y), row);
      packer.add(row);
    }
    packed.chunks[std::size_t(chunk)] = packer.take();
  });
  return packed;
}

// Puts blocks together and notes where they lie.
class Blocks {
 public:
  template <class Number>
  void add_column(const std::string& name, const char* kind, const std::vector<Number>& values) {
    JsonObject block = started(name, kind);
    block.add("count", values.size());
    append(values.data(), values.size() * sizeof(Number), block);
  }
  void add_rows(const std::string& name, const PackedRows& rows) {
    JsonObject block = started(name, "rows");
    std::vector<std::string> lengths;
    for (const std::string& chunk : rows.chunks) lengths.push_back(std::to_string(chunk.size()));
    block.add("chunks", fmt::format("{}", fmt::join(lengths, " ")));
    block.add("offset", bytes_.size()).add("bytes", rows.bytes());
    described_.push_back(block);
    for (const std::string& chunk : rows.chunks) bytes_ += chunk;
    pad();
  }
  std::string with_header(JsonObject& header) const {
    header.add("blocks", described_);
    std::string text = header.line();
    text.resize((text.size() + 3) / 4 * 4, ' ');
    const auto length = uint32_t(text.size());
    std::string all = "KILN";
    all.reserve(8 + text.size() + bytes_.size());
    all.append(reinterpret_cast<const char*>(&length), 4);
    return all.append(text).append(bytes_);
  }

 private:
  static JsonObject started(const std::string& name, const char* kind) {
    JsonObject block;
    block.add("name", name).add("kind", kind);
    return block;
  }
  void append(const void* from, std::size_t size, JsonObject& block) {
    block.add("offset", bytes_.size()).add("bytes", size);
    described_.push_back(block);
    bytes_.append(static_cast<const char*>(from), size);
    pad();
  }
  void pad() { bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0'); }

  std::string bytes_;
  std::vector<JsonObject> described_;
};

template <class Value>
std::vector<float> column_of(const State& state, const Value& value) {
  std::vector<float> column(state.cells.count());
  for (CellId cell = 0; cell < state.cells.count(); ++cell) column[cell] = float(value(cell));
  return column;
}

std::vector<std::string> texts_of(const std::vector<Colour>& colours) {
  std::vector<std::string> texts;
  for (const Colour& c : colours) texts.push_back(fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue));
  return texts;
}

// The places in the palettes of the run's own pictures, so that a cell has the same colour here and there.
void add_colours(Blocks& blocks, JsonObject& header, const State& state, const Model& model) {
  using By = PictureSettings::ColourBy;
  for (const auto& [name, by] : {std::pair{"by_type", By::type}, std::pair{"by_cell", By::cell}}) {
    const Palette palette(by, model, state);
    std::vector<uint16_t> places(state.cells.count());
    for (CellId cell = 0; cell < state.cells.count(); ++cell)
      places[cell] = uint16_t(palette.index(cell, state.cells.type[cell]));
    blocks.add_column(name, "u16", places);
    header.add(fmt::format("colours_{}", name), texts_of(palette.colours()));
  }
}

void add_cells(Blocks& blocks, const State& state, const Model& model, bool positions) {
  const Cells& cells = state.cells;
  blocks.add_column("type", "u8", cells.type);
  blocks.add_column("volume", "f32", column_of(state, [&](CellId c) { return cells.extent[c].volume; }));
  blocks.add_column("perimeter", "f32",
                    column_of(state, [&](CellId c) { return cells.extent[c].perimeter; }));
  if (positions) {
    const std::vector<bool> frozen = model.frozen_types();
    const float none = std::numeric_limits<float>::quiet_NaN();
    for (int axis = 0; axis < model.lattice.dimension; ++axis)
      blocks.add_column(std::string(1, "xyz"[axis]), "f32", column_of(state, [&](CellId c) {
                          const bool tracked =
                              c != kMedium && !frozen[cells.type[c]] && cells.extent[c].volume > 0;
                          return tracked ? float(cells.position(c)[axis]) : none;
                        }));
  }
  if (!cells.life.empty() && positions)
    blocks.add_column("age", "f32",
                      column_of(state, [&](CellId c) { return state.mcs - cells.life[c].born; }));
  if (model.living == nullptr || cells.property.empty()) return;
  const std::vector<Property>& properties = model.living->properties;
  for (std::size_t p = 0; p < properties.size(); ++p)
    blocks.add_column(properties[p].name, "f32",
                      column_of(state, [&](CellId c) { return cells.property[c * properties.size() + p]; }));
}

// 0 to 255 over the range that the header tells.
void add_field(Blocks& blocks, JsonObject& header, const Look& look, const Model& model,
               const SeenSites& sites, const std::string& field) {
  double low = 0, high = 1;
  const auto step_of = [&](double value) {
    return uint32_t(std::clamp((value - low) / (high - low), 0.0, 1.0) * 255 + 0.5);
  };
  const Thinning& seen = sites.seen;
  if (field == "act" && sites.has_act()) {
    high = std::max(1, model.largest_act());
    blocks.add_rows("field", pack_rows(seen, [&](int32_t y, int32_t z, Row& row) {
                      sites.read_act(y, z, step_of, row);
                    }));
  } else {
    const auto is_wanted = [&](const Substance& s) { return s.name == field; };
    if (std::none_of(look.substances().begin(), look.substances().end(), is_wanted)) return;
    const State& state = look.state();
    const Substance& substance = *std::find_if(state.substances.begin(), state.substances.end(), is_wanted);
    const auto [least, most] = std::minmax_element(substance.values.begin(), substance.values.end());
    low = *least;
    high = *most > *least ? *most : *least + 1;
    blocks.add_rows("field", pack_rows(seen, [&, view = substance.view()](int32_t y, int32_t z, Row& row) {
                      for (std::size_t x = 0; x < row.size(); ++x) {
                        const Vec3i place{seen.place(int32_t(x), 0), seen.place(y, 1), seen.place(z, 2)};
                        row[x] = step_of(state.lattice.dimension == 2 ? concentration_at<2>(view, place)
                                                                      : concentration_at<3>(view, place));
                      }
                    }));
  }
  header.add("field", field).add("field_low", low).add("field_high", high);
}

}  // namespace

int reduction_of(const Lattice& lattice) {
  const Site most = lattice.dimension == 2 ? kMostSites2d : kMostSites3d;
  const auto fits = [&](int step) {
    Site sites = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const int length = (lattice.size[axis] + step - 1) / step;
      if (length > kLongestAxis) return false;
      sites *= length;
    }
    return sites <= most;
  };
  int step = 1;
  while (!fits(step)) step *= 2;
  return step;
}

std::vector<std::string> site_fields(const Model& model) {
  std::vector<std::string> names;
  if (model.uses_act()) names.push_back("act");
  for (const SubstanceData& substance : model.substances) names.push_back(substance.name);
  return names;
}

std::string pack_frame(const Look& look, const Model& model, const std::string& field, bool positions) {
  const SeenSites sites(look, field == "act");
  const Thinning& seen = sites.seen;
  const State& cells = look.state_of_cells();
  JsonObject header;
  header.add("mcs", look.mcs()).add("cells", cells.cells.count()).add("step", seen.step);
  header.add("nx", seen.size.x).add("ny", seen.size.y).add("nz", seen.size.z);
  Blocks blocks;
  add_cells(blocks, cells, model, positions);
  add_colours(blocks, header, cells, model);
  blocks.add_rows("ids", pack_rows(seen, [&](int32_t y, int32_t z, Row& row) { sites.read_ids(y, z, row); }));
  if (!field.empty()) add_field(blocks, header, look, model, sites, field);
  return blocks.with_header(header);
}

}  // namespace kiln::view
