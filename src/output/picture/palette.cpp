#include "output/picture/palette.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/random.hpp"

namespace kiln {
namespace {

constexpr int kRampSteps = 96;  // with their dark versions for borders they fit a PNG's palette
constexpr int kLinearSteps = 4096;

float linear_of(int value) {
  const float v = float(value) / 255.0f;
  return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

float srgb_of(float v) { return v <= 0.0031308f ? 12.92f * v : 1.055f * std::pow(v, 1.0f / 2.4f) - 0.055f; }

uint8_t byte_of(float v) { return uint8_t(std::clamp(v, 0.0f, 1.0f) * 255.0f + 0.5f); }

// Uneven steps, so that dark colours, where the curve is steep, keep all their shades.
std::array<uint8_t, kLinearSteps> srgb_table() {
  std::array<uint8_t, kLinearSteps> table{};
  for (int i = 0; i < kLinearSteps; ++i) {
    const float root = (float(i) + 0.5f) / kLinearSteps;
    table[i] = byte_of(srgb_of(root * root));
  }
  return table;
}

// Control points at equal distances.
constexpr std::array<Colour, 6> kActRamp{
    {{226, 226, 226}, {250, 208, 96}, {240, 148, 56}, {208, 76, 72}, {140, 34, 104}, {58, 10, 84}}};

std::array<Colour, kRampSteps> act_table() {
  std::array<Colour, kRampSteps> table{};
  for (int i = 0; i < kRampSteps; ++i) {
    const float place = float(i) / (kRampSteps - 1) * (kActRamp.size() - 1);
    const int left = std::min(int(place), int(kActRamp.size()) - 2);
    const float right_share = place - float(left);
    const OkLab p = to_oklab(kActRamp[left]), q = to_oklab(kActRamp[left + 1]);
    table[i] = from_oklab({p.lightness + (q.lightness - p.lightness) * right_share,
                           p.a + (q.a - p.a) * right_share, p.b + (q.b - p.b) * right_share});
  }
  return table;
}

// Few enough that they and their dark versions, for borders, fit a PNG's palette of 256.
constexpr int kHues = 36;
constexpr int kTones = 3;
constexpr int kShades = 16;

std::array<Colour, kHues * kTones> cell_table() {
  std::array<Colour, kHues * kTones> table{};
  for (int hue = 0; hue < kHues; ++hue) {
    const float angle = 2 * std::numbers::pi_v<float> * float(hue) / kHues;
    for (int tone = 0; tone < kTones; ++tone) {
      const float lightness = 0.68f + 0.07f * float(tone);
      const float chroma = 0.07f + 0.025f * float((tone + hue) % 3);
      table[hue * kTones + tone] =
          from_oklab({lightness, chroma * std::cos(angle), chroma * std::sin(angle)});
    }
  }
  return table;
}

const std::array<Colour, kRampSteps>& act_colours() {
  static const auto table = act_table();
  return table;
}

const std::array<Colour, kHues * kTones>& cell_colours() {
  static const auto table = cell_table();
  return table;
}

std::size_t act_step(double share) {
  return std::size_t(std::clamp(share, 0.0, 1.0) * (kRampSteps - 1) + 0.5);
}

Draw draw_of(CellId cell) { return draw(0, Stream::pictures, cell, 0); }

std::size_t cell_step(CellId cell) {
  Digits digits{draw_of(cell).ab()};
  const uint32_t hue = digits.take(kHues);
  return hue * kTones + digits.take(kTones);
}

}  // namespace

Vec3f to_linear(Colour colour) {
  static const auto table = [] {
    std::array<float, 256> values{};
    for (int i = 0; i < 256; ++i) values[i] = linear_of(i);
    return values;
  }();
  return {table[colour.red], table[colour.green], table[colour.blue]};
}

Colour to_srgb(const Vec3f& linear) {
  static const auto table = srgb_table();
  const auto channel = [&](float v) {
    const float root = std::sqrt(std::clamp(v, 0.0f, 1.0f));
    return table[std::min(int(root * kLinearSteps), kLinearSteps - 1)];
  };
  return {channel(linear.x), channel(linear.y), channel(linear.z)};
}

OkLab to_oklab(Colour colour) {
  const Vec3f c = to_linear(colour);
  const float l = std::cbrt(0.4122214708f * c.x + 0.5363325363f * c.y + 0.0514459929f * c.z);
  const float m = std::cbrt(0.2119034982f * c.x + 0.6806995451f * c.y + 0.1073969566f * c.z);
  const float s = std::cbrt(0.0883024619f * c.x + 0.2817188376f * c.y + 0.6299787005f * c.z);
  return {0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
          1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
          0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s};
}

Colour from_oklab(const OkLab& lab) {
  const auto cube = [](float v) { return v * v * v; };
  const float l = cube(lab.lightness + 0.3963377774f * lab.a + 0.2158037573f * lab.b);
  const float m = cube(lab.lightness - 0.1055613458f * lab.a - 0.0638541728f * lab.b);
  const float s = cube(lab.lightness - 0.0894841775f * lab.a - 1.2914855480f * lab.b);
  const auto channel = [](float v) { return byte_of(srgb_of(std::max(v, 0.0f))); };
  return {channel(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s),
          channel(-1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s),
          channel(-0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s)};
}

Colour act_colour(double share) { return act_colours()[act_step(share)]; }

Colour cell_colour(CellId cell) { return cell_colours()[cell_step(cell)]; }

Palette::Palette(PictureSettings::ColourBy colour_by, const Model& model, const State& state)
    : Palette(
          [&] {
            PictureSettings settings;
            settings.colour_by = colour_by;
            return settings;
          }(),
          model, state) {}

Palette::Palette(const PictureSettings& settings, const Model& model, const State& state,
                 std::span<const CellId> numbers)
    : colour_by_(settings.colour_by), numbers_(numbers) {
  if (by_act() && state.act.empty()) colour_by_ = PictureSettings::ColourBy::type;
  by_cells_number_ = colour_by_ == PictureSettings::ColourBy::property && !state.cells.property.empty();
  if (colour_by_ == PictureSettings::ColourBy::substance)
    for (const Substance& substance : state.substances)
      if (substance.name == settings.shown) substance_ = &substance;
  if (settings.shows_number() && !by_number()) colour_by_ = PictureSettings::ColourBy::type;
  for (std::size_t t = 0; t < model.types.size(); ++t) {
    Type type{t == 0 || model.types[t].frozen, 0, false, colours_.size(), model.types[t].colour};
    // The largest of all phases: a colour keeps its meaning through an animation.
    for (const Phase& phase : model.phases)
      if (t < phase.physics.types.size())
        type.act_max = std::max(type.act_max, phase.physics.types[t].act.max);
    colours_.push_back(type.colour);
    if (!type.plain && colour_by_ == PictureSettings::ColourBy::type) {
      const OkLab lab = to_oklab(type.colour);
      colours_.pop_back();
      for (int i = 0; i < kShades; ++i) {
        const float shift = 0.09f * (float(i) / (kShades - 1) - 0.5f);
        colours_.push_back(from_oklab({lab.lightness + shift, lab.a, lab.b}));
      }
    }
    types_.push_back(type);
  }
  first_shared_ = colours_.size();
  if (by_substance())
    read_substance(settings, model, state);
  else if (by_cells_number_)
    read_property(settings, model, state);
  if (by_act() || by_number()) colours_.insert(colours_.end(), act_colours().begin(), act_colours().end());
  if (colour_by_ == PictureSettings::ColourBy::cell)
    colours_.insert(colours_.end(), cell_colours().begin(), cell_colours().end());
}

float Palette::site_value(const State& state, Site site) const {
  if (by_act()) return state.act[std::size_t(site)];
  const Vec3i place = state.lattice.position(site);
  return state.lattice.dimension == 2 ? concentration_at<2>(substance_->view(), place)
                                      : concentration_at<3>(substance_->view(), place);
}

PropertyRange::PropertyRange(const PictureSettings& settings, const Model& model) {
  if (model.living == nullptr) return;
  const std::vector<Property>& all = model.living->properties;
  while (property_ < all.size() && all[property_].name != settings.shown) ++property_;
  if (property_ == all.size()) return;
  for (std::size_t type = 0; type < model.types.size(); ++type)
    shown_.push_back(type > 0 && model.living->types[type].starts[property_] != kNoFormula);
}

void PropertyRange::add(const Cells& cells) {
  for (CellId cell = 1; cell < cells.count(); ++cell) {
    if (!shows(cells.type[cell]) || cells.extent[cell].volume <= 0) continue;
    const double value = value_of(cells, cell);
    low_ = any_ ? std::min(low_, value) : value;
    high_ = any_ ? std::max(high_, value) : value;
    any_ = true;
  }
}

void Palette::read_property(const PictureSettings& settings, const Model& model, const State& state) {
  PropertyRange range(settings, model);
  for (std::size_t t = 0; t < types_.size(); ++t) types_[t].has_number = range.shows(TypeId(t));
  std::vector<double> values;
  for (CellId cell = 0; cell < state.cells.count(); ++cell)
    values.push_back(range.value_of(state.cells, cell));
  show_values(settings, state.cells, values);
}

// In slices at every site that is open to it, in solid views as the mean in each cell.
void Palette::read_substance(const PictureSettings& settings, const Model& model, const State& state) {
  const auto data = std::find_if(model.substances.begin(), model.substances.end(),
                                 [&](const SubstanceData& s) { return s.name == settings.shown; });
  for (std::size_t t = 0; t < types_.size(); ++t) types_[t].has_number = !data->impermeable[t];
  if (settings.view == PictureSettings::View::slice) {
    const auto [least, most] = std::minmax_element(substance_->values.begin(), substance_->values.end());
    low_ = settings.range.empty() ? *least : settings.range[0];
    high_ = settings.range.empty() ? *most : settings.range[1];
    return;
  }
  std::vector<double> sums(state.cells.count(), 0.0);
  for (Site site = 0; site < state.lattice.sites(); ++site)
    sums[state.ids[std::size_t(site)]] += site_value(state, site);
  for (CellId cell = 1; cell < state.cells.count(); ++cell)
    if (const int32_t volume = state.cells.extent[cell].volume; volume > 0) sums[cell] /= volume;
  by_cells_number_ = true;
  show_values(settings, state.cells, sums);
}

// Of cells that are there.
void Palette::show_values(const PictureSettings& settings, const Cells& cells,
                          const std::vector<double>& values) {
  const auto is_shown = [&](CellId cell) {
    return types_[cells.type[cell]].has_number && cells.extent[cell].volume > 0;
  };
  if (!settings.range.empty()) {
    low_ = settings.range[0];
    high_ = settings.range[1];
  } else {
    bool any = false;
    for (CellId cell = 1; cell < cells.count(); ++cell) {
      if (!is_shown(cell)) continue;
      low_ = any ? std::min(low_, values[cell]) : values[cell];
      high_ = any ? std::max(high_, values[cell]) : values[cell];
      any = true;
    }
  }
  steps_.assign(cells.count(), 0);
  const double span = high_ > low_ ? high_ - low_ : 1;
  for (CellId cell = 1; cell < cells.count(); ++cell)
    if (is_shown(cell)) steps_[cell] = uint8_t(act_step((values[cell] - low_) / span));
}

std::size_t Palette::index(CellId cell, TypeId type, float at_site) const {
  const Type& look = types_[type];
  if (by_substance()) {
    if (!look.has_number) return look.first;
    return first_shared_ + act_step(high_ > low_ ? (at_site - low_) / (high_ - low_) : 0);
  }
  if (look.plain || (by_cells_number_ && !look.has_number)) return look.first;
  if (by_cells_number_) return first_shared_ + steps_[cell];
  if (by_act()) return first_shared_ + act_step(look.act_max > 0 ? at_site / look.act_max : 0);
  if (colour_by_ == PictureSettings::ColourBy::cell) return first_shared_ + cell_step(number_of(cell));
  return look.first + draw_of(number_of(cell)).c % kShades;
}

}  // namespace kiln
