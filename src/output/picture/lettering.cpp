#include "output/picture/lettering.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "output/picture/palette.hpp"

namespace kiln {
namespace {

constexpr Colour kInk{70, 74, 82};
constexpr double kUnits = 16;  // height of a digit on the grid of the strokes

// Strokes are runs of points, two digits of base 21 each, x then y (down); a blank ends a stroke. Capitals
// and digits stand between y = 0 and g, small letters begin at 5, what hangs down ends at k.
struct Glyph {
  char name;
  double advance;
  const char* strokes;
};

constexpr char kMicro = '\x01';    // stands for µ
constexpr char kUnknown = '\x02';  // for what the font does not have

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
    {'A', 14, "0g50ag 2b8b"},
    {'B', 13, "0g00507183856707 67899b9d7f5g0g"},
    {'C', 14, "93715031050b3f5g7f9d"},
    {'D', 14, "000g4g7f9c94714000"},
    {'E', 12, "80000g8g 0868"},
    {'F', 11, "80000g 0868"},
    {'G', 14, "93715031050b3f5g7f9d9959"},
    {'H', 13, "000g 909g 0898"},
    {'I', 5, "000g"},
    {'J', 11, "707c6f4g2g0e"},
    {'K', 13, "000g 800a 369g"},
    {'L', 11, "000g8g"},
    {'M', 15, "0g005ba0ag"},
    {'N', 13, "0g009g90"},
    {'O', 15, "5031050b3f5g7faba57150"},
    {'P', 12, "0g0050718385775808"},
    {'Q', 15, "5031050b3f5g7faba57150 6cag"},
    {'R', 13, "0g0050718385775808 489g"},
    {'S', 12, "83614021030527698b8d6f4g2f0d"},
    {'T', 13, "00a0 505g"},
    {'U', 13, "000b1e3g6g8e9b90"},
    {'V', 13, "005ga0"},
    {'W', 16, "003g649gc0"},
    {'X', 13, "009g 900g"},
    {'Y', 13, "0058a0 585g"},
    {'Z', 13, "00900g9g"},
    {'a', 12, "858g 886535170a0b1e3g6g8d"},
    {'b', 12, "000g 082555778a8b7e5g2g0d"},
    {'c', 11, "876535170a0b1e3g6g8e"},
    {'d', 12, "808g 886535170a0b1e3g6g8d"},
    {'e', 12, "0a8a89765535170a0b1e3g6g8e"},
    {'f', 8, "6040222g 0555"},
    {'g', 12, "858h6k3k1j 886535170a0b1e3g6g8d"},
    {'h', 11, "000g 082555787g"},
    {'i', 5, "050g 0101"},
    {'j', 6, "252i0k 2121"},
    {'k', 11, "000g 750c 398g"},
    {'l', 5, "000g"},
    {'m', 17, "050g 082545686g 6885a5c8cg"},
    {'n', 11, "050g 082555787g"},
    {'o', 12, "35170a0b1e3g5g7e8b8a775535"},
    {'p', 12, "050k 082555778a8b7e5g2g0d"},
    {'q', 12, "858k 886535170a0b1e3g6g8d"},
    {'r', 8, "050g 082545"},
    {'s', 11, "77552507082a5b7d7e5g2g0e"},
    {'t', 9, "212d4g6g 0555"},
    {'u', 12, "050c1f3g5g7e8c 858g"},
    {'v', 11, "054g85"},
    {'w', 15, "053g679gc5"},
    {'x', 11, "058g 850g"},
    {'y', 11, "054g 852k0k"},
    {'z', 11, "05850g8g"},
    {'.', 5, "0g0g"},
    {',', 6, "1g0j"},
    {':', 5, "0707 0g0g"},
    {'-', 9, "1a6a"},
    {'_', 11, "0h8h"},
    {'+', 12, "0a8a 464e"},
    {'=', 12, "0888 0d8d"},
    {'/', 9, "0h60"},
    {'(', 7, "3014080c1g3k"},
    {')', 7, "0024383c2g0k"},
    {kMicro, 13, "050k 0c1f3g5g7e8c 858g"},
    {kUnknown, 12, "000g8g8000"},
    {' ', 7, ""},
};

const Glyph& glyph_of(char name) {
  const Glyph* unknown = nullptr;
  for (const Glyph& glyph : kGlyphs) {
    if (glyph.name == name) return glyph;
    if (glyph.name == kUnknown) unknown = &glyph;
  }
  return *unknown;
}

// One letter per character.
std::string letters_of(std::string_view text) {
  constexpr std::string_view kMicroUtf8 = "µ";
  std::string letters;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, kMicroUtf8.size()) == kMicroUtf8) {
      letters += kMicro;
      at += kMicroUtf8.size();
      continue;
    }
    const bool ascii = uint8_t(text[at]) >= ' ' && uint8_t(text[at]) < 0x80;
    letters += ascii ? text[at] : kUnknown;
    ++at;
    while (!ascii && at < text.size() && (uint8_t(text[at]) & 0xC0) == 0x80)
      ++at;  // the rest of the character
  }
  return letters;
}

double distance2_to_segment(Point p, const Segment& s) {
  const double dx = s.to.x - s.from.x, dy = s.to.y - s.from.y;
  const double length2 = dx * dx + dy * dy;
  const double along =
      length2 > 0 ? std::clamp(((p.x - s.from.x) * dx + (p.y - s.from.y) * dy) / length2, 0.0, 1.0) : 0.0;
  const double ex = p.x - s.from.x - along * dx, ey = p.y - s.from.y - along * dy;
  return ex * ex + ey * ey;
}

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

// The level of ink that a pixel has; 0 also where it has none of these colours.
int level_of(Colour colour) {
  const auto& levels = ink_levels();
  for (int level = kInkLevels; level > 0; --level)
    if (levels[level] == colour) return level;
  return 0;
}

}  // namespace

const std::array<Colour, kInkLevels + 1>& ink_levels() {
  static const auto levels = [] {
    std::array<Colour, kInkLevels + 1> result;
    const Vec3f paper{1, 1, 1}, ink = to_linear(kInk);
    for (int i = 0; i <= kInkLevels; ++i)
      result[i] = to_srgb(paper + (ink - paper) * (float(i) / kInkLevels));
    return result;
  }();
  return levels;
}

// Every pixel is covered as far as it lies within half a line width of a segment; where segments overlap, the
// one that covers most counts.
void draw_segments(Image& image, const std::vector<Segment>& segments, double half_width) {
  const double reach = half_width + 0.5;
  for (const Segment& s : segments) {
    const int left = std::max(0, int(std::floor(std::min(s.from.x, s.to.x) - reach)));
    const int right = std::min(image.width - 1, int(std::max(s.from.x, s.to.x) + reach));
    const int top = std::max(0, int(std::floor(std::min(s.from.y, s.to.y) - reach)));
    const int bottom = std::min(image.height - 1, int(std::max(s.from.y, s.to.y) + reach));
    for (int y = top; y <= bottom; ++y)
      for (int x = left; x <= right; ++x) {
        const double distance2 = distance2_to_segment({x + 0.5, y + 0.5}, s);
        if (distance2 >= reach * reach) continue;
        const double share = std::min(1.0, reach - std::sqrt(distance2));
        const int level = int(share * kInkLevels + 0.5);
        if (level > level_of(image.at(x, y))) image.set(x, y, ink_levels()[level]);
      }
  }
}

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

}  // namespace kiln
