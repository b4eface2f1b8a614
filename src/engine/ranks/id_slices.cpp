#include "engine/ranks/id_slices.hpp"

#include <algorithm>

#include "engine/ranks/parcels.hpp"

namespace kiln {

IdSlice id_slice(CellId cells, int ranks, int rank) {
  const auto begin = [&](int r) { return CellId(uint64_t(cells) * uint64_t(r) / uint64_t(ranks)); };
  return {begin(rank), begin(rank + 1) - begin(rank)};
}

int slice_owner(CellId cells, int ranks, CellId number) {
  int rank = int(uint64_t(number) * uint64_t(ranks) / std::max<uint64_t>(1, cells));
  rank = std::min(rank, ranks - 1);
  while (rank + 1 < ranks && id_slice(cells, ranks, rank + 1).first <= number) ++rank;
  return rank;
}

namespace {

// Those of the rank's slice, the first of which goes to row `first_row`.
Cells collect_rows(const RankPlayer& rank, Exchange& exchange, CellId cells, CellId first_row) {
  const TissuePart& tissue = rank.tissue();
  const IdSlice slice = id_slice(cells, exchange.ranks(), exchange.rank());
  TissuePart rows;  // without a brick: its anchors are places in the lattice
  rows.state.cells = empty_cells_like(tissue.state.cells, first_row + slice.count);
  const bool has_medium = first_row > 0 || (slice.first == kMedium && slice.count > 0);
  if (has_medium) copy_row(tissue.state.cells, kMedium, rows.state.cells, kMedium);
  const CellId end = tissue.state.cells.count();
  CellId own = 1;
  send_parcels(
      exchange,
      [&](std::vector<Message>& messages) {
        for (std::size_t bytes = 0; own < end && bytes < kParcelBytes; ++own) {
          if (!tissue.is_cell(own) || !rank.sharing().keeps(own)) continue;
          Message& message = messages[std::size_t(slice_owner(cells, exchange.ranks(), tissue.number[own]))];
          const std::size_t before = message.size();
          append(message, tissue.number[own]);
          append_row(message, tissue, own);
          bytes += message.size() - before;
        }
        return own == end;
      },
      [&](Reading message) {
        while (!message.done()) {
          const auto number = message.take<CellId>();
          read_row(message, rows, first_row + number - slice.first);
        }
      });
  return std::move(rows.state.cells);
}

}  // namespace

Cells cells_of_slice(const RankPlayer& rank, Exchange& exchange, CellId cells) {
  return collect_rows(rank, exchange, cells, 0);
}

Cells table_of_slice(const RankPlayer& rank, Exchange& exchange, CellId cells) {
  // The first slice begins with the medium anyway.
  const bool begins_with_medium = id_slice(cells, exchange.ranks(), exchange.rank()).first == kMedium;
  return collect_rows(rank, exchange, cells, begins_with_medium ? 0 : 1);
}

const Cells& table_of_slice(RankPlayer& rank, Exchange& exchange, std::optional<SliceOfMoment>& known) {
  const TissuePart& tissue = rank.tissue();
  if (!known || known->mcs != tissue.state.mcs) {
    rank.fetch(PartOf::cells);
    known = SliceOfMoment{tissue.state.mcs, table_of_slice(rank, exchange, tissue.cells_in_all)};
  }
  return known->cells;
}

}  // namespace kiln
