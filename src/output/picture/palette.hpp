// Which colour a site of a picture has. Colours are chosen in OKLab (Ottosson 2020), where equal steps look
// equal.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/model.hpp"
#include "output/picture/image.hpp"

namespace kiln {

// Linear light, 0 to 1 per channel: what shading and averaging work in.
Vec3f to_linear(Colour colour);
Colour to_srgb(const Vec3f& linear);

struct OkLab {
  float lightness, a, b;
};
OkLab to_oklab(Colour colour);
Colour from_oklab(const OkLab& lab);  // cut to what sRGB can show

// A colour for `share` of Max, 0 to 1: light grey, then a ramp over yellow, orange and red to dark violet
// that only ever gets darker.
Colour act_colour(double share);

// The same colour for the same cell, whatever the run: pastel to saturated, hues all around the circle.
Colour cell_colour(CellId cell);

// The least and the largest value of the property that a picture shows, over the cells that it shows it in.
class PropertyRange {
 public:
  PropertyRange(const PictureSettings& settings, const Model& model);
  void add(const Cells& cells);
  bool shows(TypeId type) const { return type < shown_.size() && shown_[type]; }
  double value_of(const Cells& cells, CellId cell) const {
    return cells.property[cell * std::size_t(cells.property_count) + property_];
  }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  std::vector<bool> shown_;  // by type
  std::size_t property_ = 0;
  bool any_ = false;
  double low_ = 0, high_ = 1;
};

class Palette {
 public:
  // Cells have the colours of `numbers`, where there are any, in place of their ids.
  Palette(const PictureSettings& settings, const Model& model, const State& state,
          std::span<const CellId> numbers = {});
  Palette(PictureSettings::ColourBy colour_by, const Model& model, const State& state);  // of no property

  // Whether colours show a property; the mean of a substance in each cell, where surfaces are drawn; or that
  // substance at every site.
  bool by_number() const { return by_cells_number_ || by_substance(); }
  bool by_substance() const { return substance_ != nullptr && !by_cells_number_; }
  // Whether sites of one cell may differ: `site_value` is then what `colour` looks at.
  bool by_site() const { return by_act() || by_substance(); }
  float site_value(const State& state, Site site) const;
  // Whether `colour` looks at the Act value.
  bool by_act() const { return colour_by_ == PictureSettings::ColourBy::act; }
  PictureSettings::ColourBy colour_by() const { return colour_by_; }

  // `at_site` is what `site_value` gives, maybe a mean over sites. Frozen types and the medium have the
  // colour of their type, but where a substance is shown that can enter them.
  Colour colour(CellId cell, TypeId type, float at_site = 0) const {
    return colours_[index(cell, type, at_site)];
  }

  // The same as a place in a table that follows from the model alone, so that all pictures of a run share it.
  std::size_t index(CellId cell, TypeId type, float at_site = 0) const;
  const std::vector<Colour>& colours() const { return colours_; }

  bool is_plain(TypeId type) const { return types_[type].plain; }
  // Whether a substance is shown that cells of the type are open to.
  bool shows_in(TypeId type) const { return by_substance() && types_[type].has_number; }
  float act_max(TypeId type) const { return types_[type].act_max; }
  // Of the property or the substance, at the ends of the ramp.
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  void read_property(const PictureSettings& settings, const Model& model, const State& state);
  void read_substance(const PictureSettings& settings, const Model& model, const State& state);
  void show_values(const PictureSettings& settings, const Cells& cells, const std::vector<double>& values);
  CellId number_of(CellId cell) const { return numbers_.empty() ? cell : numbers_[cell]; }

  struct Type {
    bool plain;  // frozen, or the medium
    float act_max;
    bool has_number;
    std::size_t
        first;  // of its colours; a cell has one of several shades, so that neighbours can be told apart
    Colour colour;
  };

  PictureSettings::ColourBy colour_by_;
  std::span<const CellId> numbers_;
  std::vector<Type> types_;
  std::size_t first_shared_ = 0;  // of the colours that do not depend on the type
  std::vector<Colour> colours_;
  double low_ = 0, high_ = 1;
  bool by_cells_number_ = false;
  std::vector<uint8_t> steps_;            // by cell: of the ramp, where colours show a number of cells
  const Substance* substance_ = nullptr;  // of the state
};

}  // namespace kiln
