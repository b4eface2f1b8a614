// The few words a picture carries: a scale bar and the time.
#pragma once

#include <string_view>

#include "output/picture/image.hpp"

namespace kiln {

// Knows digits, '.', and the letters of "µm", "mm" and "MCS"; anything else leaves a gap. The text is UTF-8;
// x, y is its upper left corner, `height` that of a digit, in pixels.
void draw_text(Image& image, double x, double y, double height, std::string_view text);
double text_width(double height, std::string_view text);

// The picture with a white strip below it: at the left a scale bar of a round length, at the right the time
// in MCS. A picture too small for legible words comes back as it is.
Image with_footer(const Image& image, double um_per_pixel, int64_t mcs);

}  // namespace kiln
