// How much of the lattice cells have explored: the sites that any tracked cell was seen on since a phase
// began. What happens between two looks is not seen.
#pragma once

#include <span>
#include <vector>

#include "measure/look.hpp"

namespace kiln {

// Sets the bits of all sites that belong to a cell with a flag; returns how many were not set before.
int64_t mark_explored(std::span<const CellId> ids, std::span<const uint8_t> flags,
                      std::vector<uint64_t>& seen, int threads = 1);
// Sets bits that are known, the first of them in word number `first`; `seen` is long enough.
int64_t mark_explored(int64_t first, std::span<const uint64_t> bits, std::vector<uint64_t>& seen,
                      int threads = 1);

// All that Explored remembers, for checkpoints.
struct ExploredData {
  std::vector<uint64_t> seen;  // a bit per site
  int64_t sites = 0;           // bits that are set
  // Some cells are looked at one by one: every stride-th id, where it was tracked when the phase began.
  int64_t stride = 0;
  int64_t cells = 0;             // how many of them
  std::vector<uint64_t> visits;  // (site, cell) pairs, as site * kMostCells + number of the cell; rising
};

class Explored {
 public:
  static constexpr int64_t kMostCells = 100'000;

  // What is looked at one by one: at most `cells` cells. Where they have more visits than `visits`, every
  // second of them is left out, again and again.
  struct Limits {
    int64_t cells = 1000;
    std::size_t visits = 10'000'000;  // 8 bytes each
  };
  Explored(std::vector<bool> frozen, Limits limits, int threads, ExploredData data = {});

  // Forgets everything and looks at the state.
  void begin(const Look& look);
  void add(const Look& look);

  int64_t sites() const { return data_.sites; }
  // The mean over the cells that are looked at of the number of sites each was seen on.
  double mean_sites_of_cells() const;
  const ExploredData& data() const { return data_; }

 private:
  static bool was_there(const Cells& cells, CellId cell);
  std::vector<uint64_t> visits_now(const Look& look) const;
  void add_visits(const std::vector<uint64_t>& now);
  void leave_out_every_second();

  std::vector<bool> frozen_;
  Limits limits_;
  int threads_;
  ExploredData data_;
};

}  // namespace kiln
