#include "engine/ranks/sharing.hpp"

#include <algorithm>
#include <limits>

namespace kiln {
namespace {

constexpr int kRoundsBetween = 4;

// How far away a cell can be and be within reach after so many rounds.
int nearness(int reach, int rounds_between) { return reach + rounds_between; }

void sort_and_unite(std::vector<int>& ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

bool holds(const std::vector<int>& sorted, int rank) {
  return std::binary_search(sorted.begin(), sorted.end(), rank);
}

}  // namespace

int thinnest_brick(int reach) { return std::max(2 * reach, nearness(reach, 1)); }

static int rounds_between_refreshes(const BrickGrid& grid, int reach) {
  return std::clamp(grid.thinnest() - reach, 1, kRoundsBetween);
}

Sharing::Sharing(TissuePart& part, Exchange& exchange, int reach,
                 const std::map<CellId, std::vector<int>>& holders)
    : part_(part), exchange_(exchange), rounds_between_(rounds_between_refreshes(part.grid, reach)) {
  const BrickGrid& grid = part.grid;
  const int near = nearness(reach, rounds_between_);
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    if (rank == part.brick.rank) continue;
    Neighbour neighbour{rank, {}};
    for (const Box& image : grid.images_near(grid.brick(rank), part.brick.own, near)) {
      const Vec3i margin{grid.is_cut(0) ? near : 0, grid.is_cut(1) ? near : 0, grid.is_cut(2) ? near : 0};
      const Box zone = Box{image.low - margin, image.high + margin}.within(part.brick.own);
      if (!zone.empty()) neighbour.zones.push_back(zone.shifted(part.brick.origin * -1));
    }
    if (!neighbour.zones.empty()) neighbours_.push_back(neighbour);
  }
  std::map<CellId, std::vector<int>> by_own_id;
  for (CellId own = 1; own < part.state.cells.count(); ++own) {
    const auto found = holders.find(part.number[own]);
    if (found != holders.end()) by_own_id[own] = found->second;
  }
  use_sets(by_own_id);
}

// Cells that are shared by these ranks, the rank itself among them; all others are its own.
void Sharing::use_sets(const std::map<CellId, std::vector<int>>& ranks_by_own_id) {
  partners_.clear();
  for (const Neighbour& neighbour : neighbours_) partners_.push_back(neighbour.rank);
  for (const auto& [own, ranks] : ranks_by_own_id)
    partners_.insert(partners_.end(), ranks.begin(), ranks.end());
  sort_and_unite(partners_);
  std::erase(partners_, part_.brick.rank);
  sets_.assign(1, {});
  set_of_.assign(part_.state.cells.count(), 0);
  std::map<std::vector<int>, uint32_t> known{{{}, 0}};
  for (const auto& [own, ranks] : ranks_by_own_id) {
    if (part_.is_frozen(own)) continue;  // nobody ever changes it
    std::vector<int> others;
    for (const int rank : ranks)
      if (rank != part_.brick.rank)
        others.push_back(int(std::lower_bound(partners_.begin(), partners_.end(), rank) - partners_.begin()));
    const auto [place, is_new] = known.try_emplace(others, uint32_t(sets_.size()));
    if (is_new) sets_.push_back(others);
    set_of_[own] = place->second;
  }
}

void Sharing::mark_near_cells() {
  const State& state = part_.state;
  near_.assign(state.cells.count(), 0);
  for (std::size_t n = 0; n < neighbours_.size(); ++n)
    for (const Box& zone : neighbours_[n].zones)
      for (int32_t z = zone.low.z; z < zone.high.z; ++z)
        for (int32_t y = zone.low.y; y < zone.high.y; ++y) {
          const CellId* const row = state.ids.data() + state.lattice.index({0, y, z});
          for (int32_t x = zone.low.x; x < zone.high.x; ++x) near_[row[x]] |= 1u << n;
        }
}

void Sharing::refresh() {
  mark_near_cells();
  const int me = part_.brick.rank;
  const CellId count = part_.state.cells.count();
  std::vector<Message> out(partners_.size()), in;
  const auto index_of = [&](int rank) {
    return std::size_t(std::lower_bound(partners_.begin(), partners_.end(), rank) - partners_.begin());
  };

  // Whoever has sites of a cell tells those who share it, and those who are to, whom its sites are near to.
  std::map<CellId, Agreement> agreed;  // by number
  for (CellId own = 1; own < count; ++own) {
    if (!part_.is_cell(own) || part_.is_frozen(own)) continue;
    if (part_.here[own] == 0 ? !is_shared(own) : (near_[own] == 0 && !is_shared(own))) continue;
    Agreement& agreement = agreed[part_.number[own]];
    if (part_.here[own] == 0) continue;
    std::vector<int> near;
    for (std::size_t n = 0; n < neighbours_.size(); ++n)
      if (near_[own] >> n & 1) near.push_back(neighbours_[n].rank);
    agreement.owners.push_back(me);
    agreement.near = near;
    for (const int rank : near) agreement.named_by.emplace_back(rank, me);
    std::vector<int> told = near;
    for (const int partner : sharers_of(own)) told.push_back(partners_[std::size_t(partner)]);
    sort_and_unite(told);
    for (const int rank : told) {
      Message& message = out[index_of(rank)];
      append(message, part_.number[own]);
      append(message, uint32_t(near.size()));
      for (const int named : near) append(message, int32_t(named));
    }
  }
  exchange_.swap(partners_, out, in);
  for (std::size_t p = 0; p < in.size(); ++p)
    for (Reading message(in[p]); !message.done();) {
      Agreement& agreement = agreed[message.take<CellId>()];
      agreement.owners.push_back(partners_[p]);
      for (uint32_t left = message.take<uint32_t>(); left > 0; --left) {
        const int named = message.take<int32_t>();
        agreement.near.push_back(named);
        agreement.named_by.emplace_back(named, partners_[p]);
      }
    }

  // All who shared a cell know now who is to. To a newcomer the first who named it sends the row, and the
  // ranks.
  std::map<CellId, std::vector<int>> sets;  // by own id
  std::vector<CellId> left;
  for (Message& message : out) message.clear();
  for (auto& [number, agreement] : agreed) {
    const CellId own = part_.own_id.find(number);
    if (own == kMedium) continue;  // we are the newcomer
    std::vector<int> ranks = agreement.owners;
    ranks.insert(ranks.end(), agreement.near.begin(), agreement.near.end());
    sort_and_unite(ranks);
    std::vector<int> before{me};
    for (const int partner : sharers_of(own)) before.push_back(partners_[std::size_t(partner)]);
    std::sort(before.begin(), before.end());
    for (const int rank : ranks) {
      if (holds(before, rank)) continue;
      int sender = std::numeric_limits<int>::max();
      for (const auto& [named, by] : agreement.named_by)
        if (named == rank) sender = std::min(sender, by);
      if (sender != me) continue;
      Message& message = out[index_of(rank)];
      append(message, number);
      append(message, uint32_t(ranks.size()));
      for (const int sharer : ranks) append(message, int32_t(sharer));
      append_row(message, part_, own);
    }
    if (holds(ranks, me)) {
      if (ranks.size() > 1) sets[own] = ranks;
    } else if (!ranks.empty() || before.front() != me) {
      left.push_back(own);  // of a cell that is gone the first keeps the row
    }
  }
  exchange_.swap(partners_, out, in);
  for (const CellId own : left) part_.drop_cell(own);
  for (const Message& bytes : in)
    for (Reading message(bytes); !message.done();) {
      const CellId own = part_.add_cell(message.take<CellId>());
      std::vector<int>& ranks = sets[own];
      ranks.resize(message.take<uint32_t>());
      for (int& rank : ranks) rank = message.take<int32_t>();
      read_row(message, part_, own);
    }
  use_sets(sets);
}

std::vector<std::vector<CellId>> cells_by_rank(const State& whole, const BrickGrid& grid, int reach) {
  const Lattice& lattice = grid.lattice();
  const int near = nearness(reach, rounds_between_refreshes(grid, reach));
  std::vector<std::vector<CellId>> result;
  std::vector<bool> has_site(whole.cells.count(), false);
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    Box zone = grid.brick(rank);
    for (int axis = 0; axis < 3; ++axis) {
      if (!grid.is_cut(axis)) continue;
      zone.low[axis] -= near;
      zone.high[axis] += near;
    }
    std::vector<bool> seen(whole.cells.count(), false);
    for (int32_t z = zone.low.z; z < zone.high.z; ++z)
      for (int32_t y = zone.low.y; y < zone.high.y; ++y)
        for (int32_t x = zone.low.x; x < zone.high.x; ++x) {
          Vec3i place{x, y, z};
          if (lattice.wrap(place)) seen[whole.ids[std::size_t(lattice.index(place))]] = true;
        }
    std::vector<CellId>& cells = result.emplace_back();
    for (CellId cell = 1; cell < whole.cells.count(); ++cell) {
      if (!seen[cell]) continue;
      cells.push_back(cell);
      has_site[cell] = true;
    }
  }
  for (CellId cell = 1; cell < whole.cells.count(); ++cell)
    if (!has_site[cell]) result.front().push_back(cell);
  return result;
}

std::map<CellId, std::vector<int>> holders_of(const std::vector<std::vector<CellId>>& cells_by_rank) {
  std::map<CellId, std::vector<int>> holders;
  for (std::size_t rank = 0; rank < cells_by_rank.size(); ++rank)
    for (const CellId cell : cells_by_rank[rank]) holders[cell].push_back(int(rank));
  std::erase_if(holders, [](const auto& entry) { return entry.second.size() < 2; });
  return holders;
}

}  // namespace kiln
