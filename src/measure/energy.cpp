#include "measure/energy.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/parallel.hpp"
#include "measure/statistics.hpp"
#include "terms/hamiltonian.hpp"

namespace kiln {
namespace {

// Cells of a table as terms see them.
struct TableOfCells {
  const Cells& cells;

  int32_t volume(CellId cell) const { return cells.extent[cell].volume; }
  int32_t perimeter(CellId cell) const { return cells.extent[cell].perimeter; }
  const Vec3i& anchor(CellId cell) const { return cells.centroid[cell].anchor; }
  const Vec3<int64_t>& sum(CellId cell) const { return cells.centroid[cell].sum; }
  const Moments& moments(CellId cell) const { return cells.moments[cell]; }
  const Cells::Targets& targets(CellId cell) const { return cells.targets[cell]; }
};

// Added up piece by piece, the pieces in order, so that neither the number of threads changes a bit nor where
// slices end: a piece may begin in one and go on in the next.
class PieceSums {
 public:
  template <class Term>
  void add(const CellSlice& slice, const Physics& physics, int threads) {
    const Cells& cells = slice.cells;
    const TableOfCells table{cells};
    if (cells.count() < 2) return;
    const int64_t first = slice.id(1), end = slice.end();
    pieces_.resize(std::size_t(piece_of(end - 1) + 1));
    in_parallel(piece_of(end - 1) - piece_of(first) + 1, threads, [&](int, int64_t from, int64_t to) {
      for (int64_t piece = piece_of(first) + from; piece < piece_of(first) + to; ++piece)
        for (int64_t id = std::max(first, piece * kPiece); id < std::min(end, (piece + 1) * kPiece); ++id) {
          const CellId row = slice.row(CellId(id));
          const TypePhysics& type = physics.types[cells.type[row]];
          if (type.frozen || cells.extent[row].volume == 0 || !Term::acts(type.*Term::kParams)) continue;
          pieces_[std::size_t(piece)] += Term::energy(type.*Term::kParams, CellView(physics, table, row));
        }
    });
  }
  double sum() const { return std::accumulate(pieces_.begin(), pieces_.end(), 0.0); }

 private:
  static constexpr int64_t kPiece = 4096;
  static int64_t piece_of(int64_t id) { return id / kPiece; }

  std::vector<double> pieces_;
};

// In units of J, exact: J times contacts of Moore neighbours, or every site with every neighbour.
int64_t units_of_contacts(const ContactMatrix& contacts, const adhesion::Table& j) {
  int64_t units = 0;
  for (int a = 0; a < contacts.types(); ++a)
    for (int b = a; b < contacts.types(); ++b) units += contacts.at(a, b) * j.row(TypeId(a))[b];
  return units;
}
int64_t units_of_far_contacts(const State& state, const Physics& physics, int threads) {
  const Lattice& lattice = state.lattice;
  const Neighbourhood& n = *physics.adhesion_neighbours;
  std::atomic<int64_t> twice = 0;  // every pair is met from both ends
  in_parallel(lattice.sites(), threads, [&](int, int64_t begin, int64_t end) {
    int64_t own = 0;
    for (Site site = begin; site < end; ++site) {
      const CellId id = state.ids[std::size_t(site)];
      const int32_t* const j = physics.adhesion.row(state.cells.type[id]);
      const Vec3i place = lattice.position(site);
      for (int k = 0; k < n.count; ++k) {
        Vec3i there = place + Vec3i{n.offset[k].x, n.offset[k].y, n.offset[k].z};
        if (!lattice.wrap(there)) continue;
        const CellId other = state.ids[std::size_t(lattice.index(there))];
        if (other != id) own += j[state.cells.type[other]];
      }
    }
    twice += own;
  });
  return twice / 2;
}

}  // namespace

double Energy::sum() const { return std::accumulate(of_terms.begin(), of_terms.end(), adhesion); }

std::vector<const char*> energy_terms() {
  std::vector<const char*> names;
  Terms::each([&](auto term) {
    if constexpr (decltype(term)::kScope == TermScope::cells) names.push_back(decltype(term)::kName);
  });
  return names;
}

Energy energy_of(const Look& look, const Physics& physics, const ContactMatrix& contacts,
                 bool with_far_contacts, int threads) {
  Energy energy;
  if (physics.adhesion_is_moore)
    energy.adhesion = double(units_of_contacts(contacts, physics.adhesion)) * double(physics.adhesion.unit);
  else if (with_far_contacts)
    energy.adhesion =
        double(units_of_far_contacts(look.state(), physics, threads)) * double(physics.adhesion.unit);
  else
    energy.adhesion = kUndefined;
  std::vector<PieceSums> sums(energy.of_terms.size());
  look.each_slice([&](const CellSlice& slice) {
    std::size_t next = 0;
    Terms::each([&](auto term) {
      using Term = decltype(term);
      if constexpr (Term::kScope == TermScope::cells) {
        if (physics.uses.*Term::kUse) sums[next].add<Term>(slice, physics, threads);
        ++next;
      }
    });
  });
  for (std::size_t term = 0; term < sums.size(); ++term) energy.of_terms[term] = sums[term].sum();
  return energy;
}

}  // namespace kiln
