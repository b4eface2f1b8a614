// What one rank knows of a tissue: the sites of its brick and its halo, and the cells that are there or may
// come soon. Cells have numbers of the rank's own, so that tables are as long as the rank has cells; anchors
// are places as stored. The rows of cells that several ranks know are the same on all of them.
#pragma once

#include <vector>

#include "core/state.hpp"
#include "engine/ranks/bricks.hpp"
#include "engine/ranks/exchange.hpp"
#include "engine/ranks/id_map.hpp"
#include "terms/physics.hpp"

namespace kiln {

struct TissuePart {
  BrickGrid grid;
  Brick brick;
  State state;                 // of the stored sites; ids and rows are the rank's own; all of every substance
  CellId cells_in_all = 1;     // numbers that were given in the whole tissue, the medium's among them
  std::vector<CellId> number;  // by own id: that of the whole tissue; kNowhere: the row is free
  std::vector<int32_t> here;   // by own id: sites in the brick
  IdMap own_id;                // by number
  std::vector<CellId> free_rows;
  std::vector<bool> frozen;  // by type

  bool is_cell(CellId own) const { return own != kMedium && number[own] != kNowhere; }
  bool is_frozen(CellId own) const { return frozen[state.cells.type[own]]; }
  // Along the stored lattice; on a periodic axis the image that is stored, where one is.
  Vec3i stored_place(const Vec3i& place) const;

  CellId add_cell(CellId number_of_cell);
  void drop_cell(CellId own);
};

// A table of so many cells with the columns that another has, and a row of it.
Cells empty_cells_like(const Cells& other, CellId count);
void copy_row(const Cells& from, CellId source, Cells& to, CellId target);

// A whole row of the cells' table, as every rank understands it.
void append_row(Message& message, const TissuePart& part, CellId own);
void read_row(Reading& message, TissuePart& part, CellId own);

// The part of a rank without any site or cell, and that with the cells of `numbers`, of a tissue that lies in
// memory as a whole.
TissuePart empty_part(const BrickGrid& grid, int rank, int halo, const std::vector<bool>& frozen);
TissuePart cut_out(const State& whole, const BrickGrid& grid, int rank, int halo,
                   const std::vector<CellId>& numbers, const std::vector<bool>& frozen);
// Counts the sites of each cell in the brick: part.here.
void count_here(TissuePart& part);
// By type.
std::vector<bool> frozen_types_of(const Physics& physics);
// What sites of the brick add to the hash of the whole (core/state.hpp), and what the row of a cell does.
uint64_t hash_of_sites(const TissuePart& part);
uint64_t hash_of_cell(const TissuePart& part, CellId own);
// The rank's own sites in some layers of its brick (z, from that of the brick on), x fastest: ids as the
// whole has them, Act, types; nullptr: not wanted.
void copy_own_layers(const TissuePart& part, int32_t first, int32_t count, CellId* ids, ActValue* act,
                     TypeId* types);
// A box around the rank's own sites of cells of types with a flag; an empty one where there are none.
Box bounds_of_types(const TissuePart& part, const std::vector<uint8_t>& types);
// The rank's own sites of a box of the lattice, in the same way: ids, then Act where there is any.
void own_sites_of(const TissuePart& part, const Box& box, std::vector<CellId>& ids,
                  std::vector<ActValue>& act);
// Writes what the rank knows into the whole: the rows of its cells, and the sites of its brick.
void put_back_cells(const TissuePart& part, State& whole);
void put_back_sites(const TissuePart& part, State& whole);
inline void put_back(const TissuePart& part, State& whole) {
  put_back_cells(part, whole);
  put_back_sites(part, whole);
}

}  // namespace kiln
