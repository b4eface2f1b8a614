#include "engine/ranks/sharing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "core/lattice_size.hpp"

namespace kiln {
namespace {

constexpr int kRoundsBetween = 4, kRoundsBetweenAtLeisure = 6;

// How far away a cell can be and be within reach when others hear of it.
int nearness(int reach, const Pace& pace) { return reach + pace.between + pace.lag; }

void sort_and_unite(std::vector<int>& ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
}

bool holds(const std::vector<int>& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// Ranks whose bricks are near to that of `rank`, and where; by rising rank.
std::vector<std::pair<int, std::vector<Box>>> zones_of(const BrickGrid& grid, int rank, int near) {
  const Vec3i margin{grid.is_cut(0) ? near : 0, grid.is_cut(1) ? near : 0, grid.is_cut(2) ? near : 0};
  const Box own = grid.brick(rank);
  std::vector<std::pair<int, std::vector<Box>>> result;
  for (int other = 0; other < grid.ranks(); ++other) {
    std::vector<Box> zones;
    for (const Box& image : grid.images_near(grid.brick(other), own, near)) {
      const Box zone = Box{image.low - margin, image.high + margin}.within(own);
      if (other != rank && !zone.empty()) zones.push_back(zone);
    }
    if (!zones.empty()) result.emplace_back(other, zones);
  }
  return result;
}

}  // namespace

// Cells that come near are those of the next bricks.
Pace pace_of(const BrickGrid& grid, int reach, bool at_leisure) {
  const int free = std::max(1, grid.thinnest() - reach);
  if (!at_leisure) return {std::min(free, kRoundsBetween)};
  const int between = std::clamp(2 * free / 3, 1, kRoundsBetweenAtLeisure);
  return {between, std::min(free - between, between / 2)};
}

int shared_within(const BrickGrid& grid, int reach, bool at_leisure) {
  return nearness(reach, pace_of(grid, reach, at_leisure));
}

int thinnest_brick(int reach) { return std::max(2 * reach, nearness(reach, {})); }

Sharing::Sharing(TissuePart& part, Exchange& exchange, int reach,
                 const std::map<CellId, std::vector<int>>& holders, bool at_leisure)
    : part_(part),
      exchange_(exchange),
      pace_(pace_of(part.grid, reach, at_leisure)),
      near_enough_(nearness(reach, pace_)),
      owners_(part.state.cells.count()),
      set_of_(part.state.cells.count(), 0) {
  for (auto& [rank, zones] : zones_of(part.grid, part.brick.rank, near_enough_)) {
    for (Box& zone : zones) zone = zone.shifted(part.brick.origin * -1);
    neighbours_.push_back({rank, zones});
    partners_.push_back(rank);
  }
  for (CellId own = 1; own < part.state.cells.count(); ++own) {
    const auto found = holders.find(part.number[own]);
    if (part_.is_frozen(own)) {
      keeps_frozen_.resize(own + 1, false);
      keeps_frozen_[own] = found == holders.end() || found->second.front() == part.brick.rank;
    } else if (found != holders.end()) {
      share(own, found->second);
    }
  }
}

bool Sharing::keeps(CellId own) const { return part_.is_frozen(own) ? keeps_frozen_[own] : is_first(own); }

// Of those who share a cell.
bool Sharing::is_first(CellId own) const {
  return std::none_of(sharers_of(own).begin(), sharers_of(own).end(),
                      [&](int partner) { return partners_[std::size_t(partner)] < part_.brick.rank; });
}

void Sharing::make_room() {
  owners_.resize(part_.state.cells.count());
  set_of_.resize(part_.state.cells.count(), 0);
}

void Sharing::add_daughter(CellId mother, CellId own) {
  make_room();
  owners_[own] = owners_[mother];
  put_into(own, set_of_[mother]);
}

void Sharing::freeze(CellId own) {
  keeps_frozen_.resize(std::max<std::size_t>(keeps_frozen_.size(), own + 1), false);
  keeps_frozen_[own] = is_first(own);
  owners_[own].clear();
  put_into(own, 0);
}

const std::vector<int>& Sharing::neighbours_of(int rank) {
  const auto [place, is_new] = neighbours_of_.try_emplace(rank);
  if (is_new)
    for (const auto& [other, zones] : zones_of(part_.grid, rank, near_enough_))
      place->second.push_back(other);
  return place->second;
}

std::size_t Sharing::partner_of(int rank) {
  const auto index = std::size_t(std::find(partners_.begin(), partners_.end(), rank) - partners_.begin());
  if (index == partners_.size()) partners_.push_back(rank);
  return index;
}

// Good until the next call.
const std::vector<int>& Sharing::sharers_by(std::span<const Owner> owners) {
  std::vector<int>& ranks = sharers_;
  ranks.clear();
  for (const Owner& owner : owners) {
    ranks.push_back(owner.rank);
    if (owner.near == 0) continue;
    const std::vector<int>& neighbours = neighbours_of(owner.rank);
    for (std::size_t n = 0; n < neighbours.size(); ++n)
      if (owner.near >> n & 1) ranks.push_back(neighbours[n]);
  }
  sort_and_unite(ranks);
  return ranks;
}

bool Sharing::names(const Owner& owner, int rank) {
  if (owner.rank == rank) return true;
  const std::vector<int>& neighbours = neighbours_of(owner.rank);
  const auto at = std::find(neighbours.begin(), neighbours.end(), rank) - neighbours.begin();
  return at < std::ssize(neighbours) && (owner.near >> at & 1) != 0;
}

// With these ranks, the rank itself among them.
void Sharing::share(CellId own, const std::vector<int>& ranks) {
  std::vector<int>& others = others_;
  others.clear();
  for (const int rank : ranks)
    if (rank != part_.brick.rank) others.push_back(int(partner_of(rank)));
  const auto [place, is_new] = set_numbers_.try_emplace(others, uint32_t(sets_.size()));
  if (is_new) {
    sets_.push_back(others);
    cells_of_set_.push_back(0);
  }
  put_into(own, place->second);
}

void Sharing::put_into(CellId own, uint32_t set) {
  cells_of_set_[set_of_[own]] -= 1;
  cells_of_set_[set] += 1;
  set_of_[own] = set;
}

int64_t Sharing::shared_cells() const {
  return std::accumulate(cells_of_set_.begin() + 1, cells_of_set_.end(), int64_t(0));
}

std::vector<int64_t> Sharing::shared_with() const {
  std::vector<int64_t> cells(partners_.size(), 0);
  for (std::size_t set = 1; set < sets_.size(); ++set)
    for (const int partner : sets_[set]) cells[std::size_t(partner)] += cells_of_set_[set];
  return cells;
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

// Cells that the rank owns in another way than those who share them know.
std::vector<Sharing::Change> Sharing::find_changes() {
  mark_near_cells();
  std::vector<Change> found;
  for (CellId own = 1; own < part_.state.cells.count(); ++own) {
    const bool owns = part_.here[own] > 0;
    if (near_[own] == 0 && !is_shared(own)) continue;
    if (!part_.is_cell(own) || part_.is_frozen(own)) continue;
    const Owners& owners = owners_[own];
    const auto mine = owner(owners, part_.brick.rank);
    const Owner now{part_.brick.rank, near_[own]};
    if (owns ? mine == owners.end() || *mine != now : mine != owners.end())
      found.push_back({own, owns, near_[own]});
  }
  return found;
}

// Tells all who share a cell, and those who are to, how the rank owns it from now on.
void Sharing::tell_changes(const std::vector<Change>& found, std::vector<Message>& out) {
  const int me = part_.brick.rank;
  for (const auto& [own, owns, near] : found) {
    Owners& owners = owners_[own];
    const auto mine = owner(owners, me);
    const Owner now{me, near};
    std::vector<int>& told = before_;
    told.clear();
    if (owns) told = sharers_by({&now, 1});
    for (const int partner : sharers_of(own)) told.push_back(partners_[std::size_t(partner)]);
    sort_and_unite(told);
    for (const int rank : told) {
      if (rank == me) continue;
      Message& message = out[partner_of(rank)];
      append(message, part_.number[own]);
      append(message, uint32_t(owns));
      append(message, now.near);
    }
    if (mine != owners.end()) owners.erase(mine);
    if (owns) owners.push_back(now);
    changed_.push_back(own);
    is_changed_[own] = true;
  }
}

void Sharing::hear_changes(const std::vector<Message>& in) {
  for (std::size_t p = 0; p < in.size(); ++p)
    for (Reading message(in[p]); !message.done();) {
      const CellId own = part_.own_id.find(message.take<CellId>());
      const bool owns = message.take<uint32_t>() != 0;
      const Owner now{partners_[p], message.take<uint32_t>()};
      if (own == kMedium) continue;  // it was named for the first time: the row comes with all that is known
      std::erase_if(owners_[own], [&](const Owner& o) { return o.rank == now.rank; });
      if (owns) owners_[own].push_back(now);
      if (!is_changed_[own]) changed_.push_back(own);
      is_changed_[own] = true;
    }
}

// All who shared a cell know now who is to.
void Sharing::settle() {
  const int me = part_.brick.rank;
  newcomers_.clear();
  for (const CellId own : changed_) {
    Owners& owners = owners_[own];
    std::sort(owners.begin(), owners.end(), [](const Owner& a, const Owner& b) { return a.rank < b.rank; });
    const std::vector<int>& ranks = sharers_by(owners);
    std::vector<int>& before = before_;
    before.assign(1, me);
    for (const int partner : sharers_of(own)) before.push_back(partners_[std::size_t(partner)]);
    for (const int rank : ranks) {
      if (holds(before, rank)) continue;
      const auto sender =
          std::find_if(owners.begin(), owners.end(), [&](const Owner& owner) { return names(owner, rank); });
      if (sender->rank == me) newcomers_.push_back({own, partner_of(rank)});
    }
    if (holds(ranks, me))
      share(own, ranks);
    else if (!ranks.empty() || *std::min_element(before.begin(), before.end()) != me)
      left_.push_back(own);
    else
      share(own, {me});  // the cell is gone, and the first of those who knew it keeps its row
    if (ranks.size() < 2) owners.clear();
  }
}

void Sharing::welcome(const std::vector<Message>& in) {
  for (const Message& bytes : in)
    for (Reading message(bytes); !message.done();) {
      const CellId own = part_.add_cell(message.take<CellId>());
      came_.push_back(own);
      make_room();
      Owners& owners = owners_[own];
      owners.resize(message.take<uint32_t>());
      for (Owner& owner : owners) owner = message.take<Owner>();
      read_row(message, part_, own);
      share(own, sharers_by(owners));
    }
}

void Sharing::swap(std::span<const int> partners, std::vector<Message>& out, std::vector<Message>& in,
                   Traffic& traffic) {
  for (const Message& message : out) traffic.sharing += int64_t(message.size());
  traffic.swaps += 1;
  exchange_.swap(partners, out, in);
}

void Sharing::agree(const std::vector<Change>& found, Traffic& traffic) {
  for (std::vector<CellId>* cells : {&changed_, &came_, &left_}) cells->clear();
  is_changed_.resize(part_.state.cells.count(), false);
  // As many as there were: a partner that is new to one side is not known to the other yet.
  taking_part_ = partners_;
  std::vector<Message> out(taking_part_.size()), in;
  tell_changes(found, out);
  swap(taking_part_, out, in, traffic);
  hear_changes(in);
  for (const CellId own : changed_) is_changed_[own] = false;
  settle();
}

void Sharing::complete(const BringRows& bring, Traffic& traffic) {
  std::vector<Message> out(taking_part_.size()), in;
  if (bring && !newcomers_.empty()) {
    std::vector<CellId> wanted;
    for (const auto& [own, partner] : newcomers_)
      if (wanted.empty() || wanted.back() != own) wanted.push_back(own);
    bring(wanted);
  }
  for (const auto& [own, partner] : newcomers_) {
    Message& message = out[partner];
    append(message, part_.number[own]);
    append(message, uint32_t(owners_[own].size()));
    for (const Owner& owner : owners_[own]) append(message, owner);
    append_row(message, part_, own);
  }
  swap(taking_part_, out, in, traffic);
  for (const CellId own : left_) {
    part_.drop_cell(own);
    owners_[own].clear();
    put_into(own, 0);
  }
  welcome(in);
}

Vec3i bricks_for(const Model& model, const std::string& text, int ranks) {
  const int thinnest = thinnest_brick(longest_reach(model.adhesion_neighbours, model.perimeter_neighbours));
  if (text.empty()) return brick_counts(model.lattice, ranks, thinnest);
  const Vec3i counts = bricks_from_text(text, model.lattice.dimension);
  if (ranks > 0 && counts.x * counts.y * counts.z != ranks)
    throw UserError(fmt::format("--bricks is \"{}\", but there are {} ranks.", text, ranks));
  for (int axis = 0; axis < 3; ++axis)
    if (counts[axis] > 1 && model.lattice.size[axis] / counts[axis] < thinnest)
      throw UserError(fmt::format(
          "--bricks is \"{}\", but bricks have to be {} sites thick at least, and the lattice is {}.", text,
          thinnest, size_text(model.lattice)));
  return counts;
}

std::vector<std::vector<CellId>> cells_by_rank(const State& whole, const BrickGrid& grid, int reach,
                                               bool at_leisure) {
  const Lattice& lattice = grid.lattice();
  const int near = shared_within(grid, reach, at_leisure);
  std::vector<std::vector<CellId>> result;
  std::vector<bool> has_site(whole.cells.count(), false);
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    const Box zone = grid.around(grid.brick(rank), near);
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
