// What a survey (engine/lattice_survey.hpp) counts of sites that lie in memory: of a whole lattice, or of a
// box in it. Every pair of neighbours is counted in the box that its first site lies in; the second may lie
// next to it. Cells go by the ids that the state has.
#pragma once

#include <span>
#include <vector>

#include "engine/host/survey/pair_set.hpp"
#include "engine/host/survey/rows.hpp"

namespace kiln {

// Unordered pairs of Moore neighbours that belong to different cells, once each, as [type * types + type].
std::vector<int64_t> count_contacts(const State& state, const Box& box, int types, int threads);

// Per cell: 1 where a site of it is a Moore neighbour of a site of a cell with another key: keys are 1 and 2,
// and 0 for none. Cells beyond the keys have none.
std::vector<uint8_t> find_touching(const State& state, const Box& box, std::span<const uint8_t> keys,
                                   int threads);

// Pairs of cells that touch, of which one is wanted; the medium is none.
PairSet touching_pairs(const State& state, const Box& box, std::span<const uint8_t> wanted, int threads);

}  // namespace kiln
