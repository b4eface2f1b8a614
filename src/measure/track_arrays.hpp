// What the recorder remembers, as named arrays of numbers, for checkpoints.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "measure/tracks.hpp"

namespace kiln {

using NamedArrays = std::map<std::string, std::vector<double>>;

NamedArrays arrays_of(const TrackData& tracks, const AttemptCounts& last_counts);
TrackData tracks_from_arrays(const NamedArrays& arrays);
AttemptCounts counts_from_arrays(const NamedArrays& arrays);

}  // namespace kiln
