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

Cells cells_of_slice(const RankPlayer& rank, Exchange& exchange, CellId cells) {
  const TissuePart& tissue = rank.tissue();
  const IdSlice slice = id_slice(cells, exchange.ranks(), exchange.rank());
  TissuePart rows;  // without a brick: its anchors are places in the lattice
  rows.state.cells = empty_cells_like(tissue.state.cells, slice.count);
  if (slice.first == kMedium && slice.count > 0)
    copy_row(tissue.state.cells, kMedium, rows.state.cells, kMedium);
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
          read_row(message, rows, number - slice.first);
        }
      });
  return std::move(rows.state.cells);
}

}  // namespace kiln
