// Who touches whom. A contact is an unordered pair of Moore neighbours (sites) that belong to different
// cells; the medium is one cell. Pairs are counted as the adhesion energy counts them: on a periodic axis of
// length 2 two sites are neighbours on either side, and make two pairs.
#pragma once

#include <vector>

#include "measure/look.hpp"

namespace kiln {

class ContactMatrix {
 public:
  explicit ContactMatrix(int types) : types_(types), count_(std::size_t(types) * types) {}

  int types() const { return types_; }
  int64_t at(int a, int b) const { return count_[std::size_t(a) * types_ + b]; }
  // Adds to both (a, b) and (b, a).
  void add(int a, int b, int64_t contacts);

  // What the cells of a type show to the outside: (site of such a cell, neighbour not of the cell) pairs. A
  // contact of two cells of this type counts for both.
  int64_t interface_of(int type) const;
  // The share of interface_of(a) that faces cells of type b (or the medium, 0): what an average cell of type
  // a sees. NaN where type a has no interface.
  double fraction(int a, int b) const;

 private:
  int types_;
  std::vector<int64_t> count_;
};

// `types` is the number of types, with the medium.
ContactMatrix contact_matrix(const Look& look, int types, int threads = 1);

// Contacts by kind; "cell" is one that is neither medium nor frozen. Contacts among frozen cells and the
// medium are in none of them.
struct Interface {
  int64_t homotypic = 0;    // two cells of one type
  int64_t heterotypic = 0;  // two cells of different types
  int64_t with_medium = 0;  // a cell and the medium
  int64_t with_frozen = 0;  // a cell and a frozen cell
  bool operator==(const Interface&) const = default;
};
Interface interface_by_kind(const ContactMatrix& contacts, const std::vector<bool>& frozen);

}  // namespace kiln
