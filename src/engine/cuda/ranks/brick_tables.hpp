// What a device knows of a brick of a tissue beside its state, and how bricks tell each other what they do.
// Read by both compilers.
#pragma once

#include "core/box.hpp"
#include "core/types.hpp"

namespace kiln::cuda {

// A cell is shared with partners, bits of a word.
inline constexpr int kMostPartners = 64;

// A part of a round, as a launch plays it.
struct BrickTurn {
  uint64_t round;
  uint32_t clock, stamp;
};

// Between the launches of a round: what a warp goes on with, and what it counted so far.
struct WarpNotes {
  uint64_t attempts, live, accepted;
  uint32_t open;  // attempts in its list
};

// Records for one partner, all of one kind (engine/ranks/sent.hpp): on the device, and those that it has no
// room for in the host's memory.
struct Outbox {
  uint8_t* records;
  uint8_t* overflow;
  uint64_t bytes, overflow_bytes;  // that there is room for
};
// What a partner told.
struct Inbox {
  const uint8_t *records, *overflow;
  uint64_t bytes, overflow_bytes;  // of the records that may lie on the device, and beyond
  const uint32_t* count;
  Box brick;  // the partner's, in the lattice
};

// Things that cannot happen, unless there is a mistake in Kiln or very much at once.
enum Fault : uint32_t { kOutboxFull = 1, kCellUnknown = 2 };

// By cell, as the device numbers them, unless it says otherwise.
struct BrickTables {
  CellId* numbers;          // in the whole tissue
  uint32_t* sharers;        // number of the set of partners that share it; 0: not shared
  int32_t* here;            // sites in the brick, of cells that are shared
  uint32_t* told;           // how the brick owns a shared cell, as the partners know it: see kOwner
  uint64_t* sets;           // by number: the partners of a set, as bits
  const uint64_t* own_ids;  // from numbers of shared cells to the device's: a hash table of pairs
  uint32_t own_ids_size;
  const CellId* shared;  // a list of them
  const uint32_t* shared_count;
  const Outbox* outboxes;  // by partner
  uint32_t* sent;          // by partner: records in its outbox
  uint64_t* overflowed;    // by partner: bytes that its outbox should have had, where it had fewer
  uint32_t* sent_before;   // the records of the swap before: read by now
  uint64_t* told_before;   // where those are added up
  WarpNotes* warps;
  uint32_t* open_at;  // the stamp of the last pass that left something open
  uint32_t* faults;
};

inline constexpr uint32_t kOwner =
    0x80000000u;  // the brick has sites of the cell; below, to whom these are near

// Sites of the brick that are near to a neighbour, as stored: near enough to share their cells, and near
// enough to go on sharing them.
struct Zone {
  Box near, still_near;
  uint32_t bit;
};

// How a brick owns a cell from now on.
struct FoundChange {
  CellId cell;
  uint32_t told;
};

// With whom a cell is shared from now on.
struct NewSharing {
  enum Kind : uint32_t { changed, came, left };

  CellId cell;
  Kind kind;
  uint64_t partners;
  CellId number;
  uint32_t set;  // of these partners
};

// A site, as stored, that gets another cell.
struct StoredChange {
  int64_t site;
  CellId row;
};

// The columns of a row, each some words of four bytes, and where they lie.
struct RowPlan {
  static constexpr int kMost = 12;
  uint32_t* columns[kMost];
  uint32_t words[kMost];  // of a row
  int32_t count;
  uint32_t all_words;
};

}  // namespace kiln::cuda
