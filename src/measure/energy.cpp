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

// Added up piece by piece, the pieces in order, so that the number of threads changes no bit.
template <class Term>
double energy_of_cells(const Cells& cells, const Physics& physics, int threads) {
  constexpr int64_t kPiece = 4096;
  const TableOfCells table{cells};
  const int64_t count = cells.count();
  std::vector<double> pieces(std::size_t((count + kPiece - 1) / kPiece));
  in_parallel(int64_t(pieces.size()), threads, [&](int, int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece)
      for (int64_t i = std::max<int64_t>(1, piece * kPiece); i < std::min(count, (piece + 1) * kPiece); ++i) {
        const auto cell = CellId(i);
        const TypePhysics& type = physics.types[cells.type[cell]];
        if (type.frozen || cells.extent[cell].volume == 0 || !Term::acts(type.*Term::kParams)) continue;
        pieces[std::size_t(piece)] += Term::energy(type.*Term::kParams, CellView(physics, table, cell));
      }
  });
  return std::accumulate(pieces.begin(), pieces.end(), 0.0);
}

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
  std::size_t next = 0;
  Terms::each([&](auto term) {
    using Term = decltype(term);
    if constexpr (Term::kScope == TermScope::cells) {
      if (physics.uses.*Term::kUse)
        energy.of_terms[next] = energy_of_cells<Term>(look.cells(), physics, threads);
      ++next;
    }
  });
  return energy;
}

}  // namespace kiln
