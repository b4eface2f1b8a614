// The sites of a lattice while its first state is built: all of them, or those of a window. Of the others no
// more is known than whether they are taken, a bit each at most: that is all that steps ask for, and so every
// process can build its part of a tissue that no memory holds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/huge_vector.hpp"
#include "core/box.hpp"
#include "core/lattice.hpp"
#include "core/site_bits.hpp"

namespace kiln {

struct Model;

// SiteBits for sites most of whose rows have one stretch that is set, as where a tissue is filled from one
// side to the other: such rows take 16 bytes, others as many as there.
class SiteStretches {
 public:
  SiteStretches() = default;
  explicit SiteStretches(const Lattice& lattice)
      : length_(lattice.size.x),
        rows_in_layer_(lattice.size.y),
        rows_(std::size_t(lattice.size.y) * std::size_t(lattice.size.z)) {}

  bool empty() const { return rows_.empty(); }
  bool operator[](const Vec3i& place) const {
    const Row& row = rows_[number(place)];
    return row.bits == nullptr ? place.x >= row.begin && place.x < row.end : row.has(place.x);
  }
  void set(const Vec3i& place, bool value);

 private:
  struct Row {
    int32_t begin = 0, end = 0;             // of the stretch; with bits: how many are set, and nothing
    std::unique_ptr<uint64_t[]> bits = {};  // where it is not one stretch

    bool has(int32_t x) const { return (bits[std::size_t(x / 64)] >> (x % 64) & 1) != 0; }
    void set(int32_t x, bool value);
  };
  std::size_t number(const Vec3i& place) const {
    return std::size_t(place.z) * std::size_t(rows_in_layer_) + std::size_t(place.y);
  }
  bool set_in_stretch(Row& row, int32_t x, bool value) const;
  void take_bits(Row& row) const;

  int32_t length_ = 0, rows_in_layer_ = 0;
  std::vector<Row> rows_;
};

class FirstSites {
 public:
  explicit FirstSites(const Lattice& lattice);
  // A window may reach beyond periodic axes, and then shows what lies there.
  FirstSites(const Lattice& lattice, const Box& window);

  const Lattice& lattice() const { return lattice_; }
  bool is_whole() const { return taken_.empty(); }
  // x fastest; of the window, or of all sites.
  HugeVector<CellId>& ids() { return ids_; }
  const HugeVector<CellId>& ids() const { return ids_; }
  const Box& window() const { return window_; }

  // Several threads may work on different rows.
  bool is_free(const Vec3i& place) const {
    if (is_whole()) return ids_[std::size_t(lattice_.index(place))] == kMedium;
    return !taken_[place];
  }
  // To a cell; to kMedium: the site is free again.
  void give(const Vec3i& place, CellId cell) {
    if (is_whole()) {
      ids_[std::size_t(lattice_.index(place))] = cell;
      return;
    }
    taken_.set(place, cell != kMedium);
    give_in_window(place, cell);
  }
  // Where all sites are here: the id at a place, and those of its row behind it. nullptr elsewhere.
  const CellId* whole_row(const Vec3i& place) const {
    return is_whole() ? ids_.data() + lattice_.index(place) : nullptr;
  }

 private:
  void give_in_window(const Vec3i& place, CellId cell);

  Lattice lattice_;
  Box window_;
  HugeVector<CellId> ids_;
  SiteStretches taken_;  // none where all sites are here
};

// A step has to know what is at sites outside of a window: all have to be built.
struct NeedsWhole {};

// Gives the sites to the cells of a model's first state, whose types it returns: that of the medium first.
// Throws NeedsWhole where it cannot do with the window.
std::vector<TypeId> build_first_sites(const Model& model, FirstSites& sites,
                                      std::vector<std::string>* notes = nullptr);

}  // namespace kiln
