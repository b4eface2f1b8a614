#include "view/picture_wish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "output/picture/picture.hpp"
#include "output/picture/png.hpp"

namespace kiln::view {
namespace {

constexpr int kWidth = 1024;  // pixels

double degrees_of(const http::Request& request, const char* name, double otherwise) {
  const std::string text = request.argument(name);
  if (text.empty()) return otherwise;
  const std::optional<double> degrees = number_in(text);
  if (!degrees || *degrees < -1e6 || *degrees > 1e6)
    throw UserError(fmt::format("{} must be a number of degrees.", name));
  return *degrees;
}

}  // namespace

std::optional<int64_t> number_of(const http::Request& request, const char* name) {
  const std::string text = request.argument(name);
  if (text.empty()) return std::nullopt;
  const std::optional<int64_t> number = whole_in(text);
  if (!number || *number < 0) throw UserError(fmt::format("{} must be a whole number from 0 on.", name));
  return number;
}

PictureWish picture_wish(const http::Request& request) {
  PictureWish wish;
  PictureSettings& picture = wish.settings;
  const std::string view = request.argument("view"), axis = request.argument("axis");
  if (view != "slice" && view != "solid") throw UserError("view must be slice or solid.");
  picture.view = view == "slice" ? PictureSettings::View::slice : PictureSettings::View::solid;
  if (!axis.empty() && axis != "x" && axis != "y" && axis != "z") throw UserError("axis must be x, y or z.");
  if (!axis.empty()) picture.axis = axis[0] - 'x';
  if (const auto position = number_of(request, "position"))
    picture.position = int32_t(std::min<int64_t>(*position, std::numeric_limits<int32_t>::max()));
  picture.turn = degrees_of(request, "turn", picture.turn);
  picture.tilt = std::clamp(degrees_of(request, "tilt", picture.tilt), -85.0, 85.0);
  picture.cut_away = request.argument("cut") == "1";
  picture.name = "picture";  // in messages
  picture.width = kWidth;
  wish.colour = request.argument("colour").empty() ? "type" : request.argument("colour");
  wish.mcs = number_of(request, "mcs");
  return wish;
}

std::string draw_wish(const PictureWish& wish, const Model& model, const State& state) {
  PictureSettings settings = wish.settings;
  const auto colour = colour_named(model, wish.colour);
  if (!colour) throw UserError(fmt::format("{} is nothing that colours of pictures can show.", wish.colour));
  settings.colour_by = *colour;
  if (settings.shows_number()) settings.shown = wish.colour;
  if (model.lattice.dimension == 2 && settings.view == PictureSettings::View::solid)
    throw UserError("a 2-D lattice has no solid view.");
  return png_file(PictureSeries(settings, model).draw_png(state));
}

}  // namespace kiln::view
