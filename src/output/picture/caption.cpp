#include "output/picture/caption.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/wording.hpp"

namespace kiln {
namespace {

constexpr int kNarrowest = 200;  // pixels
constexpr double kAxis = 1.8;    // length of an axis, in letters

// The largest of 1, 2, 5, 10, 20, ... that is at most `limit`.
double round_length(double limit) {
  const double power = std::pow(10.0, std::floor(std::log10(limit)));
  for (const double factor : {5.0, 2.0})
    if (factor * power <= limit) return factor * power;
  return power;
}

// Draws row by row into a strip that is as high as it has to be.
class Strip {
 public:
  Strip(int width, const Caption& caption)
      : caption_(caption), width_(width), letter_(std::clamp(0.018 * width, 9.0, 40.0)) {}

  Image draw() {
    place_rows();
    image_ = Image(width_, int(std::ceil(top_of_row_.back())));
    draw_axes();
    draw_scale();
    draw_time();
    for (const Item& item : items_) draw_item(item);
    return std::move(image_);
  }

 private:
  struct Area {
    Point low, high;
  };
  // A swatch, or the ramp, with words.
  struct Item {
    double x;
    std::size_t row;
    const Caption::Entry* type;  // nullptr: the ramp
    std::string name;
  };

  double ramp_width() const { return 8 * letter_; }
  std::string ramp_start() const { return caption_.ramp->name + "  " + caption_.ramp->low; }
  double scale_um() const { return round_length(0.2 * width_ * caption_.um_per_pixel); }
  double scale_width() const {
    return scale_um() / caption_.um_per_pixel + letter_ + text_width(letter_, scale_text());
  }
  std::string scale_text() const {
    const double um = scale_um();
    return um >= 1000 ? fmt::format("{:g} mm", um / 1000) : fmt::format("{:g} µm", um);
  }

  double axes_width() const {
    if (caption_.axes.empty()) return 0;
    const Area area = axes_box();
    return area.high.x - area.low.x + 1.2 * letter_;
  }
  // Around the origin, with room for the names.
  Area axes_box() const {
    Point low{0, 0}, high{0, 0};
    for (const Caption::Axis& axis : caption_.axes) {
      const Point name = name_of_axis(axis);
      low = {std::min(low.x, name.x - 0.4 * letter_), std::min(low.y, name.y - 0.5 * letter_)};
      high = {std::max(high.x, name.x + 0.4 * letter_), std::max(high.y, name.y + 0.5 * letter_)};
    }
    return {low, high};
  }
  // Where the middle of its name lies.
  Point name_of_axis(const Caption::Axis& axis) const {
    const double length = std::hypot(axis.along.x, axis.along.y);
    const double reach = letter_ * (kAxis + 0.75 / std::max(length, 0.3));
    return {axis.along.x * reach, axis.along.y * reach};
  }

  // Rows of the strip: the scale and the time, or one each where both do not fit; then what the colours mean.
  void place_rows() {
    const double first_height = caption_.axes.empty() ? 0 : axes_box().high.y - axes_box().low.y;
    top_of_row_ = {0, std::max(3 * letter_, first_height + letter_)};
    const double left = letter_ + axes_width() + scale_width();
    if (left + 3 * letter_ + text_width(letter_, caption_.time) > width_) add_row();
    time_row_ = top_of_row_.size() - 2;
    if (caption_.ramp) {
      add_row();
      items_.push_back({letter_, top_of_row_.size() - 2, nullptr, {}});
    }
    double x = width_;
    if (caption_.ramp)
      x = letter_ + text_width(letter_, ramp_start() + "  ") + ramp_width() + 3 * letter_ +
          text_width(letter_, caption_.ramp->high);
    for (const Caption::Entry& entry : caption_.types) {
      const std::string name = shortened(entry.name);
      const double room = 1.5 * letter_ + text_width(letter_, name);
      if (x + room + letter_ > width_) {
        add_row();
        x = letter_;
      }
      items_.push_back({x, top_of_row_.size() - 2, &entry, name});
      x += room + 2 * letter_;
    }
    if (top_of_row_.size() > 2) top_of_row_.back() += 0.6 * letter_;
  }
  void add_row() { top_of_row_.push_back(top_of_row_.back() + 2 * letter_); }

  std::string shortened(const std::string& name) const {
    const double room = width_ - 4 * letter_;
    if (text_width(letter_, name) <= room) return name;
    std::string cut = name;
    while (!cut.empty() && text_width(letter_, cut + "...") > room) {
      while (!cut.empty() && (uint8_t(cut.back()) & 0xC0) == 0x80) cut.pop_back();
      if (!cut.empty()) cut.pop_back();
    }
    return cut + "...";
  }

  double text_top(std::size_t row) const {
    // Rows after the first hang close together.
    return row == 0 ? (top_of_row_[1] - letter_) / 2 : top_of_row_[row] + 0.2 * letter_;
  }

  void draw_axes() {
    if (caption_.axes.empty()) return;
    const auto [low, high] = axes_box();
    const Point origin{letter_ - low.x, top_of_row_[1] / 2 - (low.y + high.y) / 2};
    for (const Caption::Axis& axis : caption_.axes) {
      const Point tip{origin.x + axis.along.x * kAxis * letter_, origin.y + axis.along.y * kAxis * letter_};
      std::vector<Segment> strokes{{origin, tip}};
      const double length = std::hypot(axis.along.x, axis.along.y);
      if (length > 0.3)
        for (const double side : {-1.0, 1.0}) {
          const double ux = axis.along.x / length, uy = axis.along.y / length, head = 0.38 * letter_;
          strokes.push_back(
              {tip, {tip.x - head * (ux - side * 0.6 * uy), tip.y - head * (uy + side * 0.6 * ux)}});
        }
      draw_segments(image_, strokes, letter_ / 18);
      const Point name = name_of_axis(axis);
      const std::string text(1, axis.name);
      // Small letters fill the lower two thirds of their height.
      draw_text(image_, origin.x + name.x - text_width(0.8 * letter_, text) / 2 + 0.1 * letter_,
                origin.y + name.y - 0.52 * letter_, 0.8 * letter_, text);
    }
  }

  void draw_scale() {
    const double x = letter_ + axes_width(), bar = scale_um() / caption_.um_per_pixel;
    const double middle = text_top(0) + letter_ / 2;
    draw_segments(image_, {{{x, middle}, {x + bar, middle}}}, letter_ / 7);
    draw_text(image_, x + bar + letter_, text_top(0), letter_, scale_text());
  }

  void draw_time() {
    const double room = text_width(letter_, caption_.time);
    const double x = time_row_ == 0 ? width_ - letter_ - room : letter_;
    draw_text(image_, x, text_top(time_row_), letter_, caption_.time);
  }

  void draw_item(const Item& item) {
    const double top = text_top(item.row);
    if (item.type != nullptr) {
      fill(item.x, top, letter_, [&](double) { return item.type->colour; });
      draw_text(image_, item.x + 1.5 * letter_, top, letter_, item.name);
      return;
    }
    const double ramp = item.x + text_width(letter_, ramp_start() + "  ");
    draw_text(image_, item.x, top, letter_, ramp_start());
    fill(ramp, top, ramp_width(), [](double share) { return act_colour(share); });
    draw_text(image_, ramp + ramp_width() + letter_ / 2, top, letter_, caption_.ramp->high);
  }

  // A box one letter high, with a thin frame: a type may be white.
  template <class ColourAt>
  void fill(double left, double top, double width, const ColourAt& colour_at) {
    const int x0 = int(left + 0.5), x1 = std::min(int(left + width + 0.5), width_);
    const int y0 = int(top + 0.5), y1 = std::min(int(top + letter_ + 0.5), image_.height);
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) {
        const bool edge = x == x0 || x == x1 - 1 || y == y0 || y == y1 - 1;
        image_.set(
            x, y, edge ? ink_levels()[kInkLevels / 2] : colour_at((x - x0 - 1.0) / std::max(1, x1 - x0 - 3)));
      }
  }

  const Caption& caption_;
  int width_;
  double letter_;                   // height of capitals
  std::vector<double> top_of_row_;  // and, last, the height of all
  std::size_t time_row_ = 0;
  std::vector<Item> items_;
  Image image_;
};

}  // namespace

std::string picture_time(const Model& model, int64_t mcs) {
  const std::string steps = grouped(double(mcs)) + " MCS";
  const double seconds_per_mcs = model.units.seconds_per_mcs;
  if (seconds_per_mcs == 1) return steps;
  const double span = std::max(double(model.total_mcs()), double(mcs)) * seconds_per_mcs;
  return time_text(double(mcs) * seconds_per_mcs, span) + ", " + steps;
}

Caption caption_of(const PictureSettings& settings, const Model& model, const Palette& palette, int64_t mcs,
                   double um_per_pixel) {
  Caption caption;
  caption.um_per_pixel = um_per_pixel;
  caption.time = picture_time(model, mcs);
  if (settings.decoration != PictureSettings::Decoration::full) return caption;
  const bool by_type = palette.colour_by() == PictureSettings::ColourBy::type;
  float least = 1e30f, most = 0;
  for (std::size_t t = 1; t < model.types.size(); ++t) {
    const CellType& type = model.types[t];
    const bool hidden = type.hidden && (type.frozen || settings.view == PictureSettings::View::solid);
    if (!hidden && (by_type || (palette.is_plain(TypeId(t)) && !palette.shows_in(TypeId(t)))))
      caption.types.push_back({type.colour, type.name});
    if (const float max = palette.act_max(TypeId(t)); max > 0 && !palette.is_plain(TypeId(t))) {
      least = std::min(least, max);
      most = std::max(most, max);
    }
  }
  if (by_type && caption.types.size() < 2) caption.types.clear();
  if (palette.by_act())
    caption.ramp = {"Act", "0", least == most ? fmt::format("{:g}", most) : "Max of the type"};
  if (palette.by_number()) {
    std::string unit;
    for (std::size_t p = 0; model.living != nullptr && p < model.living->properties.size(); ++p)
      if (model.living->properties[p].name == settings.shown) unit = model.living->properties[p].unit;
    for (const SubstanceData& substance : model.substances)
      if (substance.name == settings.shown) unit = substance.unit;
    caption.ramp = {settings.shown, fmt::format("{:.3g}", palette.low()),
                    fmt::format("{:.3g}", palette.high()) + (unit.empty() ? "" : " " + unit)};
  }
  return caption;
}

Image caption_strip(int width, const Caption& caption) {
  return width < kNarrowest ? Image() : Strip(width, caption).draw();
}

}  // namespace kiln
