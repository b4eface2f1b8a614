#include "engine/ranks/tissue_part.hpp"

#include "core/columns.hpp"

namespace kiln {
namespace {

// Calls visit(row of the stored lattice, first place in the lattice that it shows, sites) for stretches that
// lie in a row of both.
template <class Visit>
void for_each_stretch(const TissuePart& part, const Box& stored, const Visit& visit) {
  const Lattice& lattice = part.grid.lattice();
  for (int32_t z = stored.low.z; z < stored.high.z; ++z)
    for (int32_t y = stored.low.y; y < stored.high.y; ++y)
      for (int32_t x = stored.low.x; x < stored.high.x;) {
        Vec3i place = part.brick.origin + Vec3i{x, y, z};
        lattice.wrap(place);
        const int32_t length = std::min(stored.high.x - x, lattice.size.x - place.x);
        visit(part.state.lattice.index({x, y, z}), lattice.index(place), length);
        x += length;
      }
}

std::size_t first_row(const Column& column, const Cells& cells, CellId cell) {
  return std::size_t(cell) * std::size_t(column.rows_per_cell(cells));
}
std::size_t bytes_of_rows(const Column& column, const Cells& cells) {
  return std::size_t(column.rows_per_cell(cells)) * column.row_bytes;
}

}  // namespace

Cells empty_cells_like(const Cells& other, CellId count) {
  Cells cells;
  cells.history_length = other.history_length;
  cells.property_count = other.property_count;
  for (const Column& column : columns())
    if (column.is_there(other))
      column.resize(cells, std::size_t(column.rows_per_cell(cells)) * std::size_t(count));
  return cells;
}

void copy_row(const Cells& from, CellId source, Cells& to, CellId target) {
  for (const Column& column : columns())
    if (column.is_there(from))
      std::memcpy(column.data(to) + first_row(column, to, target) * column.row_bytes,
                  column.data_of(from) + first_row(column, from, source) * column.row_bytes,
                  bytes_of_rows(column, from));
}

Vec3i TissuePart::stored_place(const Vec3i& place) const {
  const Lattice& lattice = grid.lattice();
  Vec3i p = place - brick.origin;
  for (int axis = 0; axis < lattice.dimension; ++axis) {
    if (!lattice.periodic[axis] || !grid.is_cut(axis)) continue;
    if (p[axis] < 0)
      p[axis] += lattice.size[axis];
    else if (p[axis] >= lattice.size[axis])
      p[axis] -= lattice.size[axis];
  }
  return p;
}

CellId TissuePart::add_cell(CellId number_of_cell) {
  CellId own;
  if (free_rows.empty()) {
    own = state.cells.add(0);
    number.push_back(kNowhere);
    here.push_back(0);
  } else {
    own = free_rows.back();
    free_rows.pop_back();
    Cells fresh = empty_cells_like(state.cells, 0);
    copy_row(fresh, fresh.add(0), state.cells, own);
  }
  number[own] = number_of_cell;
  here[own] = 0;
  own_id.insert(number_of_cell, own);
  return own;
}

void TissuePart::drop_cell(CellId own) {
  own_id.erase(number[own]);
  number[own] = kNowhere;
  state.cells.extent[own] = {};  // so that nothing turns it or moves its anchor
  state.cells.type[own] = 0;
  free_rows.push_back(own);
}

void append_row(Message& message, const TissuePart& part, CellId own) {
  const Cells& cells = part.state.cells;
  for (const Column& column : columns()) {
    if (!column.is_there(cells)) continue;
    const std::byte* const first = column.data_of(cells) + first_row(column, cells, own) * column.row_bytes;
    message.insert(message.end(), first, first + bytes_of_rows(column, cells));
  }
  append(message, cells.centroid[own].anchor + part.brick.origin);
}

void read_row(Reading& message, TissuePart& part, CellId own) {
  Cells& cells = part.state.cells;
  for (const Column& column : columns()) {
    if (!column.is_there(cells)) continue;
    const std::size_t bytes = bytes_of_rows(column, cells);
    std::memcpy(column.data(cells) + first_row(column, cells, own) * column.row_bytes,
                message.take_bytes(bytes), bytes);
  }
  cells.centroid[own].anchor = message.take<Vec3i>() - part.brick.origin;
}

TissuePart empty_part(const BrickGrid& grid, int rank, int halo, const std::vector<bool>& frozen) {
  TissuePart part;
  part.grid = grid;
  part.brick = brick_with_halo(grid, rank, halo);
  part.frozen = frozen;
  part.state.lattice = part.brick.stored;
  return part;
}

TissuePart cut_out(const State& whole, const BrickGrid& grid, int rank, int halo,
                   const std::vector<CellId>& numbers, const std::vector<bool>& frozen) {
  TissuePart part = empty_part(grid, rank, halo, frozen);
  State& state = part.state;
  state.mcs = whole.mcs;
  state.substances = whole.substances;
  state.cells = empty_cells_like(whole.cells, 1);
  copy_row(whole.cells, kMedium, state.cells, kMedium);
  part.cells_in_all = whole.cells.count();
  part.number = {kMedium};
  part.here = {0};
  for (const CellId number : numbers) {
    const CellId own = part.add_cell(number);
    copy_row(whole.cells, number, state.cells, own);
    state.cells.centroid[own].anchor = state.cells.centroid[own].anchor - part.brick.origin;
  }
  const auto sites = std::size_t(state.lattice.sites());
  state.ids = HugeVector<CellId>(sites);
  if (!whole.act.empty()) state.act = HugeVector<ActValue>(sites);
  for_each_stretch(part, {{0, 0, 0}, state.lattice.size}, [&](Site stored, Site site, int32_t length) {
    for (int32_t i = 0; i < length; ++i) {
      const CellId number = whole.ids[std::size_t(site + i)];
      state.ids[std::size_t(stored + i)] = number == kMedium ? kMedium : part.own_id.find(number);
      if (!whole.act.empty()) state.act[std::size_t(stored + i)] = whole.act[std::size_t(site + i)];
    }
  });
  count_here(part);
  return part;
}

void count_here(TissuePart& part) {
  std::fill(part.here.begin(), part.here.end(), 0);
  for_each_stretch(part, part.brick.own_stored(), [&](Site stored, Site, int32_t length) {
    for (int32_t i = 0; i < length; ++i) part.here[part.state.ids[std::size_t(stored + i)]] += 1;
  });
}

std::vector<bool> frozen_types_of(const Physics& physics) {
  std::vector<bool> frozen;
  for (int type = 0; type < physics.adhesion.types; ++type) frozen.push_back(physics.types[type].frozen);
  return frozen;
}

uint64_t hash_of_sites(const TissuePart& part) {
  const State& state = part.state;
  uint64_t sum = 0;
  for_each_stretch(part, part.brick.own_stored(), [&](Site stored, Site site, int32_t length) {
    for (int32_t i = 0; i < length; ++i) {
      sum += hash_of_site(site + i, part.number[state.ids[std::size_t(stored + i)]]);
      if (!state.act.empty()) sum += hash_of_act(site + i, state.act[std::size_t(stored + i)]);
    }
  });
  return sum;
}

uint64_t hash_of_cell(const TissuePart& part, CellId own) {
  Cells row = empty_cells_like(part.state.cells, 1);  // as the whole has it
  copy_row(part.state.cells, own, row, 0);
  if (own != kMedium) row.centroid[0].anchor = row.centroid[0].anchor + part.brick.origin;
  return hash_of_cell(row, 0, part.number[own]);
}

void copy_own_layers(const TissuePart& part, int32_t first, int32_t count, CellId* ids, ActValue* act,
                     TypeId* types) {
  const State& state = part.state;
  Box layers = part.brick.own_stored();
  layers.low.z += first;
  layers.high.z = layers.low.z + count;
  std::size_t at = 0;
  for_each_stretch(part, layers, [&](Site stored, Site, int32_t length) {
    for (int32_t i = 0; i < length; ++i, ++at) {
      const CellId own = state.ids[std::size_t(stored + i)];
      if (ids != nullptr) ids[at] = part.number[own];
      if (act != nullptr) act[at] = state.act[std::size_t(stored + i)];
      if (types != nullptr) types[at] = state.cells.type[own];
    }
  });
}

Box bounds_of_types(const TissuePart& part, const std::vector<uint8_t>& types) {
  const State& state = part.state;
  Box bounds{part.grid.lattice().size, {0, 0, 0}};
  for_each_stretch(part, part.brick.own_stored(), [&](Site stored, Site site, int32_t length) {
    int32_t first = 0, last = length - 1;
    const auto is_seen = [&](int32_t i) {
      return types[state.cells.type[state.ids[std::size_t(stored + i)]]] != 0;
    };
    while (first <= last && !is_seen(first)) ++first;
    while (last >= first && !is_seen(last)) --last;
    if (first > last) return;
    const Vec3i place = part.grid.lattice().position(site);
    bounds.include({place + Vec3i{first, 0, 0}, place + Vec3i{last + 1, 1, 1}});
  });
  return bounds;
}

void own_sites_of(const TissuePart& part, const Box& box, std::vector<CellId>& ids,
                  std::vector<ActValue>& act) {
  const State& state = part.state;
  const Box own = part.brick.own.within(box);
  ids.clear();
  act.clear();
  if (own.empty()) return;
  for_each_stretch(part, own.shifted(part.brick.origin * -1), [&](Site stored, Site, int32_t length) {
    for (int32_t i = 0; i < length; ++i) {
      ids.push_back(part.number[state.ids[std::size_t(stored + i)]]);
      if (!state.act.empty()) act.push_back(state.act[std::size_t(stored + i)]);
    }
  });
}

void put_back_sites(const TissuePart& part, State& whole) {
  const State& state = part.state;
  for_each_stretch(part, part.brick.own_stored(), [&](Site stored, Site site, int32_t length) {
    for (int32_t i = 0; i < length; ++i) {
      whole.ids[std::size_t(site + i)] = part.number[state.ids[std::size_t(stored + i)]];
      if (!whole.act.empty()) whole.act[std::size_t(site + i)] = state.act[std::size_t(stored + i)];
    }
  });
}

void put_back_cells(const TissuePart& part, State& whole) {
  const State& state = part.state;
  whole.mcs = state.mcs;
  while (whole.cells.count() < part.cells_in_all) whole.cells.add(0);
  for (CellId own = 1; own < state.cells.count(); ++own) {
    if (!part.is_cell(own)) continue;
    copy_row(state.cells, own, whole.cells, part.number[own]);
    whole.cells.centroid[part.number[own]].anchor = state.cells.centroid[own].anchor + part.brick.origin;
  }
}

}  // namespace kiln
