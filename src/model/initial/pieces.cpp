#include "model/initial/pieces.hpp"

#include <algorithm>
#include <map>

#include "base/parallel.hpp"

namespace kiln {
namespace {

constexpr uint32_t kNoPiece = 0xFFFFFFFFu;

// Sides that two pieces share, one of them at least a sliver.
struct Border {
  uint32_t sliver, other;
};

class Slivers {
 public:
  Slivers(StepBuilder& builder, std::vector<int64_t>& sites, double least)
      : builder_(builder), sites_(sites), least_(least), first_(builder.next_cell()) {
    owner_.resize(sites.size());
    for (uint32_t piece = 0; piece < sites.size(); ++piece) owner_[piece] = piece;
  }

  bool is_sliver(uint32_t piece) const { return sites_[piece] > 0 && double(sites_[piece]) < least_; }

  void drop() {
    for (uint32_t piece = 0; piece < sites_.size(); ++piece) {
      if (!is_sliver(piece)) continue;
      if (!builder_.sites().is_whole()) throw NeedsWhole();
      owner_[piece] = kNoPiece;
    }
  }

  // The smallest first, the first of equals: two slivers may become one piece of a proper size.
  void give() {
    std::vector<uint32_t> slivers;
    for (uint32_t piece = 0; piece < sites_.size(); ++piece)
      if (is_sliver(piece)) slivers.push_back(piece);
    if (slivers.empty()) return;
    if (!builder_.sites().is_whole()) throw NeedsWhole();
    std::sort(slivers.begin(), slivers.end(), [this](uint32_t a, uint32_t b) {
      return sites_[a] != sites_[b] ? sites_[a] < sites_[b] : a < b;
    });
    count_borders();
    for (const uint32_t sliver : slivers) {
      if (owner_[sliver] != sliver || !is_sliver(sliver)) continue;  // has grown by then
      const uint32_t heir = longest_border(sliver);
      owner_[sliver] = heir;
      if (heir == kNoPiece) continue;
      sites_[heir] += sites_[sliver];
      for (const auto& [other, sides] : borders_[sliver]) borders_[heir][other] += sides;
    }
  }

  // Where the sites of a piece went, kNoPiece where to nothing.
  uint32_t owner(uint32_t piece) const {
    while (piece != kNoPiece && owner_[piece] != piece) piece = owner_[piece];
    return piece;
  }

 private:
  uint32_t longest_border(uint32_t sliver) {
    std::map<uint32_t, int64_t> sides;  // by what the neighbours have become
    for (const auto& [other, count] : borders_[sliver])
      if (const uint32_t now = owner(other); now != kNoPiece && now != sliver) sides[now] += count;
    uint32_t longest = kNoPiece;
    for (const auto& [other, count] : sides)
      if (longest == kNoPiece || count > sides[longest]) longest = other;
    return longest;
  }

  uint32_t piece_at(Site site) const {
    const CellId id = builder_.sites().ids()[std::size_t(site)];
    return id >= first_ && id - first_ < sites_.size() ? id - first_ : kNoPiece;
  }

  void count_borders() {
    const Lattice& lattice = builder_.lattice();
    const int threads = all_threads();
    std::vector<std::vector<Border>> found(static_cast<std::size_t>(threads));
    in_parallel(int64_t(lattice.size.y) * lattice.size.z, threads, [&](int part, int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        for (int32_t x = 0; x < lattice.size.x; ++x) {
          const Vec3i place{x, int32_t(row % lattice.size.y), int32_t(row / lattice.size.y)};
          const uint32_t own = piece_at(lattice.index(place));
          if (own == kNoPiece) continue;
          for (int axis = 0; axis < lattice.dimension; ++axis) {
            Vec3i next = place;
            ++next[axis];
            if (!lattice.wrap(next)) continue;
            const uint32_t other = piece_at(lattice.index(next));
            if (other == kNoPiece || other == own) continue;
            if (is_sliver(own)) found[std::size_t(part)].push_back({own, other});
            if (is_sliver(other)) found[std::size_t(part)].push_back({other, own});
          }
        }
    });
    for (const std::vector<Border>& borders : found)
      for (const Border& border : borders) ++borders_[border.sliver][border.other];
  }

  StepBuilder& builder_;
  std::vector<int64_t>& sites_;
  double least_;
  CellId first_;
  std::vector<uint32_t> owner_;  // the piece that a piece was given to; itself where it stays
  std::map<uint32_t, std::map<uint32_t, int64_t>> borders_;
};

}  // namespace

void make_cells(StepBuilder& builder, std::vector<int64_t> sites, double full) {
  const InitialStep& step = builder.step();
  Slivers slivers(builder, sites, step.smallest_share * full);
  if (step.slivers == InitialStep::Slivers::give) slivers.give();
  if (step.slivers == InitialStep::Slivers::drop) slivers.drop();
  const CellId first = builder.next_cell();
  std::vector<CellId> cell(sites.size(), kMedium);
  bool changed = false;
  for (uint32_t piece = 0; piece < sites.size(); ++piece) {
    if (sites[piece] == 0 || slivers.owner(piece) != piece) continue;
    cell[piece] = builder.next_cell();
    builder.add_cell();
  }
  for (uint32_t piece = 0; piece < sites.size(); ++piece) {
    const uint32_t owner = slivers.owner(piece);
    if (owner != piece) cell[piece] = owner == kNoPiece ? kMedium : cell[owner];
    changed |= cell[piece] != first + piece;
  }
  if (!changed) return;
  HugeVector<CellId>& ids = builder.sites().ids();
  in_parallel(int64_t(ids.size()), all_threads(), [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (CellId& id = ids[std::size_t(i)]; id >= first && id - first < cell.size()) id = cell[id - first];
  });
}

}  // namespace kiln
