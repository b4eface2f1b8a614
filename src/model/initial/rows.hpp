// A region row by row: which sites along x it holds. Visiting rows costs far less than asking site by site.
#pragma once

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

// At most two parts, the second beyond the first: what lies outside of a ball or a box may have two.
struct RowSpans {
  Span part[2];

  int64_t length() const { return int64_t(part[0].length()) + part[1].length(); }
};

// Exactly the sites of the row whose coordinates the region contains.
RowSpans row_spans(const Region& region, const Lattice& lattice, int32_t y, int32_t z);

// The smallest box of sites that holds all sites of the region; sides may be empty.
struct SiteBox {
  Span x, y, z;

  int64_t sites() const { return int64_t(x.length()) * y.length() * z.length(); }
};
SiteBox bounding_box(const Region& region, const Lattice& lattice);

// Sites a <= place < b along an axis of this length.
Span sites_between(double a, double b, int32_t length);

}  // namespace kiln
