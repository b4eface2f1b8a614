// What the recorder remembers, as named arrays of numbers, for checkpoints.
#pragma once

#include "engine/engine.hpp"
#include "measure/motility/tracks.hpp"
#include "measure/named_arrays.hpp"

namespace kiln {

NamedArrays arrays_of(const TrackData& tracks, const AttemptCounts& last_counts);
TrackData tracks_from_arrays(const NamedArrays& arrays);
AttemptCounts counts_from_arrays(const NamedArrays& arrays);

}  // namespace kiln
