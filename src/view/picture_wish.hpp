// Pictures that the run draws itself: every site of them, however large the lattice is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/state.hpp"
#include "model/model.hpp"
#include "view/http/message.hpp"

namespace kiln::view {

struct PictureWish {
  PictureSettings settings;
  std::string colour;
  std::optional<int64_t> mcs;  // of a snapshot; none: as it is now
};

// From view=slice|solid, axis=x|y|z, position, colour, turn, tilt, cut=1, mcs. UserError where one is
// something else.
PictureWish picture_wish(const http::Request& request);

// A PNG file. UserError where the model has no such colour, or the lattice no such place.
std::string draw_wish(const PictureWish& wish, const Model& model, const State& state);

// A whole number from 0 on; none where there is nothing, UserError where there is something else.
std::optional<int64_t> number_of(const http::Request& request, const char* name);

}  // namespace kiln::view
