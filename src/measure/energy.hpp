// The energy of a tissue, term by term, with the parameters of a phase. Terms that are a function of the
// state have one: adhesion, and those that hold cells at something (TermScope::cells). The others weigh
// copies, not states.
#pragma once

#include <array>
#include <vector>

#include "measure/contacts.hpp"
#include "terms/physics.hpp"

namespace kiln {

struct Energy {
  double adhesion = 0;  // undefined where it was not asked for
  std::array<double, std::size_t(Terms::count(TermScope::cells))>
      of_terms{};  // as energy_terms(); 0: not in use

  double sum() const;
};

// Names of the terms beside adhesion that have an energy.
std::vector<const char*> energy_terms();

// Of the tracked cells and all contacts. `contacts` are those of the look. Where adhesion has other
// neighbours than Moore's, its pairs are counted anew if `with_far_contacts` asks for it: that takes the
// whole lattice to the host. The same to the bit for any number of threads.
Energy energy_of(const Look& look, const Physics& physics, const ContactMatrix& contacts,
                 bool with_far_contacts, int threads = 1);

}  // namespace kiln
