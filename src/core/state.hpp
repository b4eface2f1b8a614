// All that changes while a model runs. The state and (model, seed) fix everything that follows.
#pragma once

#include <string>
#include <vector>

#include "base/huge_vector.hpp"
#include "core/cells.hpp"
#include "core/lattice.hpp"
#include "core/neighbourhood.hpp"
#include "core/substance.hpp"

namespace kiln {

struct State {
  Lattice lattice;
  int64_t mcs = 0;
  HugeVector<CellId> ids;    // per site
  HugeVector<ActValue> act;  // per site; empty where no type uses Act
  Cells cells;
  std::vector<Substance> substances;
};

// Makes `to` the same as `from`, in the memory that it has already where that fits.
void copy_state(const State& from, State& to, int threads);
// The same for what is known of the cells alone.
void copy_tables(const State& from, State& to, int threads);

// Volumes, perimeters, centroid sums and moments from the lattice alone. `frozen[type]` cells stay untracked.
// Anchors are kept where a cell has one inside the state already (`keep_anchors`), else become the cell's
// first site.
void recount(State& state, const Neighbourhood& perimeter, const std::vector<bool>& frozen,
             bool keep_anchors);

// For every site of one row: how many of its neighbours belong to another cell.
void count_unlike_in_row(const State& state, const Neighbourhood& n, int32_t y, int32_t z,
                         std::vector<uint16_t>& unlike);

// "" where the tables equal a recount with the same anchors, else a sentence naming the first cell that
// differs.
std::string audit(const State& state, const Neighbourhood& perimeter, const std::vector<bool>& frozen);

// A hash of (mcs, ids, Act, concentrations, and the cells' columns that are hashed, p among them): a sum of
// mixed (place, value) entries, so it depends on no layout, order or platform. As 16 hexadecimal digits.
std::string state_hash(const State& state);

// The sum that a hash is made of, for who knows a part of the state alone: what time and size, a site, what
// is known of a cell, and all substances add to it.
uint64_t hash_of_frame(const Lattice& lattice, int64_t mcs);
uint64_t hash_of_site(Site site, CellId id);
uint64_t hash_of_act(Site site, ActValue act);
uint64_t hash_of_cell(const Cells& cells, CellId row, CellId cell);
uint64_t hash_of_substances(const std::vector<Substance>& substances);
std::string hash_text(uint64_t sum);

}  // namespace kiln
