#include "engine/ranks/shape_survey.hpp"

#include <algorithm>
#include <numeric>

#include "engine/host/survey/pieces.hpp"
#include "engine/ranks/id_slices.hpp"
#include "engine/ranks/parcels.hpp"

namespace kiln {
namespace {

// A piece of a cell as a rank sees it, with its halo.
struct SeenPiece {
  CellId cell;
  int32_t rank;
  uint64_t piece;
  auto operator<=>(const SeenPiece&) const = default;
};
// A site of it: who sees the same site sees the same piece.
struct SiteOfPiece {
  Site site;
  SeenPiece piece;
  CellId number() const { return piece.cell; }
};
struct OwnPiece {
  SeenPiece piece;
  CellId number() const { return piece.cell; }
};
struct SpansOfCell {
  CellId cell;
  OffsetSpans spans;
  CellId number() const { return cell; }
};

bool is_tracked(const TissuePart& part, CellId own) { return part.is_cell(own) && !part.is_frozen(own); }
// Every record goes to the rank in whose slice its cell is.
template <class Record>
std::vector<Record> sorted_out(const std::vector<Record>& records, CellId cells, Exchange& exchange) {
  std::vector<Record> mine;
  send_records<Record>(
      exchange, records.size(),
      [&](std::size_t i) { return slice_owner(cells, exchange.ranks(), records[i].number()); },
      [&](std::size_t i) { return records[i]; }, [&](const Record& record) { mine.push_back(record); });
  return mine;
}

// Calls visit(own id, first place as stored, sites) for every stretch of one cell along x in the rank's own
// rows.
template <class Visit>
void for_each_own_stretch(const TissuePart& part, const Visit& visit) {
  const Box own = part.brick.own_stored();
  for (int32_t z = own.low.z; z < own.high.z; ++z)
    for (int32_t y = own.low.y; y < own.high.y; ++y)
      for_each_run(part.state.ids.data() + part.state.lattice.index({own.low.x, y, z}), own.size().x,
                   [&](int32_t begin, int32_t end, CellId cell) {
                     if (is_tracked(part, cell)) visit(cell, Vec3i{own.low.x + begin, y, z}, end - begin);
                   });
}

// Which cells are in the brick with all their sites, and which in part.
class Whereabouts {
 public:
  explicit Whereabouts(const TissuePart& part) : part_(part), here_(part.number.size()) {
    for_each_own_stretch(part, [&](CellId own, const Vec3i&, int32_t count) { here_[own] += count; });
  }
  bool is_whole(CellId own) const { return here_[own] == part_.state.cells.extent[own].volume; }
  bool is_cut(CellId own) const { return here_[own] > 0 && !is_whole(own); }

 private:
  const TissuePart& part_;
  std::vector<int32_t> here_;  // sites
};

// Sites that this rank and another one see: next to a face along which the lattice is cut, on either side.
template <class Visit>
void for_each_site_at_cuts(const TissuePart& part, const Visit& visit) {
  const Box own = part.brick.own_stored();
  const Box inner = part.grid.around(own, -1),
            outer = part.grid.around(own, 1).within({{0, 0, 0}, part.state.lattice.size});
  for (int32_t z = outer.low.z; z < outer.high.z; ++z)
    for (int32_t y = outer.low.y; y < outer.high.y; ++y)
      for (int32_t x = outer.low.x; x < outer.high.x; ++x) {
        if (inner.contains({x, y, z})) {
          x = inner.high.x - 1;
          continue;
        }
        visit(Vec3i{x, y, z});
      }
}

class Joined {
 public:
  explicit Joined(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<std::size_t> parent_;
};

// Cells that have more than one piece, when those that share a site are the same.
int64_t count_fragmented(std::vector<SeenPiece> own, std::vector<SiteOfPiece> sites) {
  std::vector<SeenPiece> all = own;
  for (const SiteOfPiece& site : sites) all.push_back(site.piece);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const auto index_of = [&](const SeenPiece& piece) {
    return std::size_t(std::lower_bound(all.begin(), all.end(), piece) - all.begin());
  };
  Joined joined(all.size());
  std::sort(sites.begin(), sites.end(),
            [](const SiteOfPiece& a, const SiteOfPiece& b) { return a.site < b.site; });
  for (std::size_t i = 1; i < sites.size(); ++i)
    if (sites[i].site == sites[i - 1].site)
      joined.join(index_of(sites[i].piece), index_of(sites[i - 1].piece));
  std::vector<std::pair<CellId, std::size_t>> pieces;
  for (const SeenPiece& piece : own) pieces.emplace_back(piece.cell, joined.root(index_of(piece)));
  std::sort(pieces.begin(), pieces.end());
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  int64_t fragmented = 0;
  for (std::size_t i = 1; i < pieces.size(); ++i)
    fragmented +=
        pieces[i].first == pieces[i - 1].first && (i == 1 || pieces[i - 2].first != pieces[i].first);
  return fragmented;
}

}  // namespace

int64_t fragmented_cells_of_rank(const TissuePart& part, Exchange& exchange, CellId cells, int threads) {
  std::vector<char> wanted(part.number.size());
  for (CellId own = 1; own < wanted.size(); ++own) wanted[own] = is_tracked(part, own);
  const Whereabouts where(part);
  const CellPieces pieces(part.state, wanted, threads);
  const std::vector<int32_t> counts = pieces.counts();
  int64_t fragmented = 0;
  for (CellId own = 1; own < wanted.size(); ++own)
    fragmented += wanted[own] && where.is_whole(own) && counts[own] > 1;

  const auto seen = [&](CellId own, const Vec3i& place) {
    return SeenPiece{part.number[own], exchange.rank(), pieces.piece_at(place)};
  };
  std::vector<OwnPiece> own_pieces;
  for_each_own_stretch(part, [&](CellId own, const Vec3i& first, int32_t) {
    if (!where.is_whole(own)) own_pieces.push_back({seen(own, first)});
  });
  std::sort(own_pieces.begin(), own_pieces.end(),
            [](const OwnPiece& a, const OwnPiece& b) { return a.piece < b.piece; });
  own_pieces.erase(std::unique(own_pieces.begin(), own_pieces.end(),
                               [](const OwnPiece& a, const OwnPiece& b) { return a.piece == b.piece; }),
                   own_pieces.end());
  std::vector<SiteOfPiece> sites;
  for_each_site_at_cuts(part, [&](const Vec3i& stored) {
    const CellId own = part.state.ids[std::size_t(part.state.lattice.index(stored))];
    if (own == kMedium || !wanted[own] || where.is_whole(own)) return;
    Vec3i place = stored + part.brick.origin;
    part.grid.lattice().wrap(place);
    sites.push_back({part.grid.lattice().index(place), seen(own, stored)});
  });
  std::vector<SeenPiece> mine;
  for (const OwnPiece& piece : sorted_out(own_pieces, cells, exchange)) mine.push_back(piece.piece);
  return fragmented + count_fragmented(std::move(mine), sorted_out(sites, cells, exchange));
}

int64_t wide_cells_of_rank(const TissuePart& part, Exchange& exchange, CellId cells) {
  const Lattice& lattice = part.grid.lattice();
  if (!lattice.periodic.x && !lattice.periodic.y && !lattice.periodic.z) return 0;
  const Whereabouts where(part);
  std::vector<OffsetSpans> spans(part.number.size());
  for_each_own_stretch(part, [&](CellId own, const Vec3i& first, int32_t count) {
    const Vec3i anchor = part.state.cells.centroid[own].anchor + part.brick.origin;
    spans[own].add(lattice, anchor, first + part.brick.origin, count);
  });
  int64_t wide = 0;
  std::vector<SpansOfCell> others;
  for (CellId own = 1; own < spans.size(); ++own) {
    if (!is_tracked(part, own)) continue;
    if (where.is_whole(own))
      wide += spans[own].is_wide(lattice);
    else if (where.is_cut(own))
      others.push_back({part.number[own], spans[own]});
  }
  std::vector<SpansOfCell> mine = sorted_out(others, cells, exchange);
  std::sort(mine.begin(), mine.end(), [](const auto& a, const auto& b) { return a.cell < b.cell; });
  for (std::size_t i = 0; i < mine.size();) {
    OffsetSpans all = mine[i].spans;
    const CellId cell = mine[i].cell;
    for (++i; i < mine.size() && mine[i].cell == cell; ++i) all.add(mine[i].spans);
    wide += all.is_wide(lattice);
  }
  return wide;
}

}  // namespace kiln
