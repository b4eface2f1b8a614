// A region row by row: which sites along x it holds. Visiting rows costs far less than asking site by site.
#pragma once

#include <vector>

#include "model/model.hpp"

namespace kiln {

// Sites begin <= x < end.
struct Span {
  int32_t begin = 0, end = 0;

  int32_t length() const { return end > begin ? end - begin : 0; }
  Span within(Span other) const {
    return {begin > other.begin ? begin : other.begin, end < other.end ? end : other.end};
  }
};

// Parts of a row in ascending order, none of them empty.
struct RowSpans {
  std::vector<Span> part;

  int64_t length() const {
    int64_t sites = 0;
    for (const Span& span : part) sites += span.length();
    return sites;
  }
};

// Exactly the sites of the row whose coordinates the region contains.
RowSpans row_spans(const Region& region, const Lattice& lattice, int32_t y, int32_t z);

// Corners of a box that holds the region, those of the lattice where the region has no end: low <= place <
// high.
struct Bounds {
  Vec3d low, high;
};
Bounds bounds_of(const Region& region, const Lattice& lattice);

// The smallest box of sites that holds all sites of the bounds; sides may be empty.
struct SiteBox {
  Span x, y, z;

  const Span& operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  int64_t sites() const { return int64_t(x.length()) * y.length() * z.length(); }
};
SiteBox bounding_box(const Region& region, const Lattice& lattice);

// False where no site of the lattice lies in the region, as far as a search of some million rows can tell.
bool holds_any_site(const Region& region, const Lattice& lattice);

// Sites a <= place < b along an axis of this length.
Span sites_between(double a, double b, int32_t length);

}  // namespace kiln
