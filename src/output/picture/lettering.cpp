#include "output/picture/lettering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "output/picture/palette.hpp"

namespace kiln {
namespace {

constexpr Colour kInk{70, 74, 82};
constexpr double kUnits = 16;  // height of a digit on the grid of the strokes

// Strokes are runs of points, two digits of base 21 each, x then y (down); a blank ends a stroke.
struct Glyph {
  char name;
  double advance;
  const char* strokes;
};

constexpr char kMicro = 'u';  // stands for µ

constexpr Glyph kGlyphs[] = {
    {'0', 12, "4061848c6f4g2f0c042140"},
    {'1', 12, "13505g"},
    {'2', 12, "042140618385780g8g"},
    {'3', 12, "0321406183856738698b8d6f4g2f0d"},
    {'4', 12, "6g600b9b"},
    {'5', 12, "701007264667898c6f4g2f0d"},
    {'6', 12, "71503114080c2f4g6f8c8a6746270a"},
    {'7', 12, "00803g"},
    {'8', 12, "406173754715132140 47798b8d6f4g2f0d0b1947"},
    {'9', 12, "1f3g5f7c88846140210406294a6986"},
    {'.', 5, "0g0g"},
    {kMicro, 13, "050k 0c1f3g5g7e8c 858g"},
    {'m', 17, "050g 082545686g 6885a5c8cg"},
    {'M', 15, "0g005ba0ag"},
    {'C', 14, "93715031050b3f5g7f9d"},
    {'S', 12, "83614021030527698b8d6f4g2f0d"},
    {' ', 7, ""},
};

const Glyph& glyph_of(char name) {
  for (const Glyph& glyph : kGlyphs)
    if (glyph.name == name) return glyph;
  return kGlyphs[std::size(kGlyphs) - 1];
}

// One letter per character.
std::string letters_of(std::string_view text) {
  constexpr std::string_view kMicroUtf8 = "µ";
  std::string letters(text);
  for (std::size_t at; (at = letters.find(kMicroUtf8)) != std::string::npos;)
    letters.replace(at, kMicroUtf8.size(), 1, kMicro);
  return letters;
}

struct Point {
  double x, y;
};

double distance_to_segment(Point p, Point from, Point to) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const double length2 = dx * dx + dy * dy;
  const double along =
      length2 > 0 ? std::clamp(((p.x - from.x) * dx + (p.y - from.y) * dy) / length2, 0.0, 1.0) : 0.0;
  return std::hypot(p.x - from.x - along * dx, p.y - from.y - along * dy);
}

void blend(Image& image, int x, int y, double share) {
  const Vec3f below = to_linear(image.at(x, y)), ink = to_linear(kInk);
  image.set(x, y, to_srgb(below + (ink - below) * float(share)));
}

struct Segment {
  Point from, to;
};

std::vector<Segment> segments_of(const Glyph& glyph, Point corner, double unit) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<Segment> segments;
  for (const char* c = glyph.strokes; *c != 0;) {
    Point last{};
    bool first = true;
    for (; *c != 0 && *c != ' '; c += 2) {
      const Point next{corner.x + digit(c[0]) * unit, corner.y + digit(c[1]) * unit};
      if (!first) segments.push_back({last, next});
      last = next;
      first = false;
    }
    if (*c == ' ') ++c;
  }
  return segments;
}

// Covers every pixel as far as it lies within half a line width of a segment.
void draw_segments(Image& image, const std::vector<Segment>& segments, double half_width) {
  if (segments.empty()) return;
  Point low = segments[0].from, high = low;
  for (const Segment& s : segments)
    for (const Point p : {s.from, s.to}) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
  const double reach = half_width + 1;
  for (int y = std::max(0, int(low.y - reach)); y <= std::min(image.height - 1, int(high.y + reach)); ++y)
    for (int x = std::max(0, int(low.x - reach)); x <= std::min(image.width - 1, int(high.x + reach)); ++x) {
      double nearest = reach;
      for (const Segment& s : segments)
        nearest = std::min(nearest, distance_to_segment({x + 0.5, y + 0.5}, s.from, s.to));
      if (nearest < half_width + 0.5) blend(image, x, y, std::min(1.0, half_width + 0.5 - nearest));
    }
}

// The largest of 1, 2, 5, 10, 20, ... that is at most `limit`.
double round_length(double limit) {
  const double power = std::pow(10.0, std::floor(std::log10(limit)));
  for (const double factor : {5.0, 2.0})
    if (factor * power <= limit) return factor * power;
  return power;
}

}  // namespace

void draw_text(Image& image, double x, double y, double height, std::string_view text) {
  const double unit = height / kUnits;
  for (const char letter : letters_of(text)) {
    const Glyph& glyph = glyph_of(letter);
    draw_segments(image, segments_of(glyph, {x, y}, unit), 1.0 * unit);
    x += glyph.advance * unit;
  }
}

double text_width(double height, std::string_view text) {
  double units = 0;
  for (const char letter : letters_of(text)) units += glyph_of(letter).advance;
  return units * height / kUnits;
}

Image with_footer(const Image& image, double um_per_pixel, int64_t mcs) {
  constexpr int kNarrowest = 200;
  if (image.width < kNarrowest) return image;
  const double letter = std::clamp(0.018 * image.width, 9.0, 40.0);
  const int strip = int(3 * letter);
  Image result(image.width, image.height + strip);
  std::memcpy(result.rgb.data(), image.rgb.data(), image.rgb.size());

  const double margin = letter;
  const double top = image.height + (strip - letter) / 2;
  const double um = round_length(0.2 * image.width * um_per_pixel);
  const double bar = um / um_per_pixel;
  const double middle = top + letter / 2;
  draw_segments(result, {{{margin, middle}, {margin + bar, middle}}}, letter / 7);
  draw_text(result, margin + bar + letter, top, letter,
            um >= 1000 ? fmt::format("{:g} mm", um / 1000) : fmt::format("{:g} µm", um));
  const std::string time = fmt::format("{} MCS", mcs);
  draw_text(result, image.width - margin - text_width(letter, time), top, letter, time);
  return result;
}

}  // namespace kiln
