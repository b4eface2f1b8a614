// The HDF5 library takes for granted that every chunk decodes to its full size; where a damaged file holds
// less, it reads beyond the end of its own memory. So chunks of other programs are looked at first.
#pragma once

#include <cstdint>
#include <vector>

namespace kiln::hdf5 {

// Whether all chunks of a chunked dataset that overlap this part are whole, or were never written. True for
// what cannot be told: chunks packed by other filters than deflate, shuffle and fletcher32.
bool chunks_are_whole(int64_t dataset, const std::vector<uint64_t>& start,
                      const std::vector<uint64_t>& lengths);

// Moves `place` on to the next block of this size between `first` and `end`, the last axis fastest. False,
// and back at the first, after the last one.
bool next_block(std::vector<uint64_t>& place, const std::vector<uint64_t>& first,
                const std::vector<uint64_t>& end, const std::vector<uint64_t>& block);

}  // namespace kiln::hdf5
