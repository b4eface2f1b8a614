// Words and lines in pictures, in a stroke font of our own: a picture must not depend on the fonts of a
// machine.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "output/picture/image.hpp"

namespace kiln {

// From paper (white) to full ink, in even steps of light. Edges of strokes take one of these, so that a
// picture of few colours stays one.
inline constexpr int kInkLevels = 8;
const std::array<Colour, kInkLevels + 1>& ink_levels();

struct Point {
  double x, y;
};
struct Segment {
  Point from, to;
};

// Lines with round ends, in ink on paper.
void draw_segments(Image& image, const std::vector<Segment>& segments, double half_width);

// ASCII letters, digits, the punctuation of names and "µ"; any other character is an empty box. The text is
// UTF-8; x, y is its upper left corner, `height` that of a digit, in pixels. Letters such as p reach a
// quarter of the height below that.
void draw_text(Image& image, double x, double y, double height, std::string_view text);
double text_width(double height, std::string_view text);

}  // namespace kiln
