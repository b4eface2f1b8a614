#include "view/frame.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

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
  // `value_of` tells the value of a row.
  template <class Number, class ValueOf>
  void add_column(const std::string& name, const char* kind, std::size_t count, const ValueOf& value_of) {
    JsonObject block = started(name, kind);
    const std::size_t offset = bytes_.size(), size = count * sizeof(Number);
    described_.push_back(block.add("count", count).add("offset", offset).add("bytes", size));
    bytes_.resize(offset + size);
    constexpr std::size_t kFewRows = 1 << 16;  // that need no second thread
    in_parallel(int64_t(count), count < kFewRows ? 1 : all_threads(), [&](int, int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const auto value = Number(value_of(CellId(row)));
        std::memcpy(bytes_.data() + offset + std::size_t(row) * sizeof value, &value, sizeof value);
      }
    });
    pad();
  }
  void add_rows(const std::string& name, const PackedRows& rows) {
    JsonObject block = started(name, "rows");
    std::vector<std::string> lengths;
    for (const std::string& chunk : rows.chunks) lengths.push_back(std::to_string(chunk.size()));
    block.add("chunks", fmt::format("{}", fmt::join(lengths, " ")));
    described_.push_back(block.add("offset", bytes_.size()).add("bytes", rows.bytes()));
    bytes_.reserve(bytes_.size() + rows.bytes() + 4);
    for (const std::string& chunk : rows.chunks) bytes_ += chunk;
    pad();
  }
  std::string with_header(JsonObject header) const {
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
  void pad() { bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0'); }

  std::string bytes_;
  std::vector<JsonObject> described_;
};

std::vector<std::string> texts_of(const std::vector<Colour>& colours) {
  std::vector<std::string> texts;
  for (const Colour& c : colours) texts.push_back(fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue));
  return texts;
}

// Beside its volume.
void add_numbers(Blocks& blocks, const State& state, const Model& model, bool positions) {
  const Cells& cells = state.cells;
  const std::size_t count = cells.count();
  const auto add = [&](const std::string& name, const auto& value_of) {
    blocks.add_column<float>(name, "f32", count, value_of);
  };
  add("perimeter", [&](CellId c) { return cells.extent[c].perimeter; });
  if (positions) {
    const std::vector<bool> frozen = model.frozen_types();
    const float none = std::numeric_limits<float>::quiet_NaN();
    for (int axis = 0; axis < model.lattice.dimension; ++axis)
      add(std::string(1, "xyz"[axis]), [&](CellId c) {
        const bool tracked = c != kMedium && !frozen[cells.type[c]] && cells.extent[c].volume > 0;
        return tracked ? float(cells.position(c)[axis]) : none;
      });
  }
  if (!cells.life.empty() && positions) add("age", [&](CellId c) { return state.mcs - cells.life[c].born; });
  if (model.living == nullptr || cells.property.empty()) return;
  const std::vector<Property>& properties = model.living->properties;
  for (std::size_t p = 0; p < properties.size(); ++p)
    add(properties[p].name, [&](CellId c) { return cells.property[c * properties.size() + p]; });
}

// What colours can show, whether or not this frame has it.
std::vector<std::string> names_of_numbers(const State& state, const Model& model, bool positions) {
  std::vector<std::string> names = {"volume", "perimeter"};
  if (!state.cells.life.empty() && positions) names.push_back("age");
  if (model.living != nullptr && !state.cells.property.empty())
    for (const Property& property : model.living->properties) names.push_back(property.name);
  if (positions) names.push_back("speed");
  return names;
}

// 0 to 255 over the range of a field.
struct Scale {
  double low = 0, high = 1;
  uint32_t operator()(double value) const {
    return uint32_t(std::clamp((value - low) / (high - low), 0.0, 1.0) * 255 + 0.5);
  }
};

// Nothing where there is no such substance.
std::optional<PackedRows> pack_substance(const Look& look, const Model& model, const std::string& name,
                                         const Thinning& seen, Scale& scale) {
  const auto is_wanted = [&](const auto& substance) { return substance.name == name; };
  if (std::none_of(model.substances.begin(), model.substances.end(), is_wanted)) return std::nullopt;
  const State& state = look.state();
  const Substance& substance = *std::find_if(state.substances.begin(), state.substances.end(), is_wanted);
  const auto [least, most] = std::minmax_element(substance.values.begin(), substance.values.end());
  scale = {*least, *most > *least ? *most : *least + 1};
  return pack_rows(seen, [&, view = substance.view()](int32_t y, int32_t z, Row& row) {
    for (std::size_t x = 0; x < row.size(); ++x) {
      const Vec3i place{seen.place(int32_t(x), 0), seen.place(y, 1), seen.place(z, 2)};
      row[x] = scale(state.lattice.dimension == 2 ? concentration_at<2>(view, place)
                                                  : concentration_at<3>(view, place));
    }
  });
}

// What a frame shows, at one moment.
class TakenFrame {
 public:
  TakenFrame(const Look& look, const Model& model, const FrameContent& content, bool positions)
      : sites_(look, content.field == "act"), field_(content.field) {
    const bool all = content.all_numbers || look.cell_count() <= kManyCells;
    const State& state = all ? look.state_of_cells() : look.state_of_sizes();
    types_ = state.cells.type;
    header_.add("mcs", look.mcs()).add("cells", types_.size()).add("step", sites_.seen.step);
    header_.add("nx", sites_.seen.size.x).add("ny", sites_.seen.size.y).add("nz", sites_.seen.size.z);
    header_.add("all_numbers", all).add("numbers", names_of_numbers(state, model, positions));
    blocks_.add_column<float>("volume", "f32", types_.size(),
                              [&](CellId c) { return state.cells.extent[c].volume; });
    if (all) add_numbers(blocks_, state, model, positions);
    for (const auto by : {PictureSettings::ColourBy::type, PictureSettings::ColourBy::cell})
      palettes_.emplace_back(by, model, state);
    if (field_ == "act" && sites_.has_act())
      scale_.high = std::max(1, model.largest_act());
    else
      substance_ = pack_substance(look, model, field_, sites_.seen, scale_);
  }

  std::string packed() {
    blocks_.add_column<uint8_t>("type", "u8", types_.size(), [&](CellId c) { return types_[c]; });
    add_colours("by_type", palettes_[0]);
    add_colours("by_cell", palettes_[1]);
    blocks_.add_rows(
        "ids", pack_rows(sites_.seen, [&](int32_t y, int32_t z, Row& row) { sites_.read_ids(y, z, row); }));
    if (field_ == "act" && sites_.has_act())
      add_field(pack_rows(sites_.seen,
                          [&](int32_t y, int32_t z, Row& row) { sites_.read_act(y, z, scale_, row); }));
    else if (substance_)
      add_field(*substance_);
    return blocks_.with_header(header_);
  }

 private:
  // The places in the palettes of the run's own pictures, so that a cell has the same colour here and there.
  void add_colours(const std::string& name, const Palette& palette) {
    blocks_.add_column<uint16_t>(name, "u16", types_.size(),
                                 [&](CellId c) { return palette.index(c, types_[c]); });
    header_.add("colours_" + name, texts_of(palette.colours()));
  }
  void add_field(const PackedRows& rows) {
    blocks_.add_rows("field", rows);
    header_.add("field", field_).add("field_low", scale_.low).add("field_high", scale_.high);
  }

  SeenSites sites_;
  std::string field_;
  Scale scale_;
  std::vector<TypeId> types_;
  std::vector<Palette> palettes_;
  std::optional<PackedRows> substance_;
  JsonObject header_;
  Blocks blocks_;
};

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

std::function<std::string()> take_frame(const Look& look, const Model& model, const FrameContent& content,
                                        bool positions) {
  return [frame = std::make_shared<TakenFrame>(look, model, content, positions)] { return frame->packed(); };
}

}  // namespace kiln::view
