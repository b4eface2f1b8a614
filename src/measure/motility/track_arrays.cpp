#include "measure/motility/track_arrays.hpp"

#include "base/error.hpp"

namespace kiln {

NamedArrays arrays_of(const TrackData& t, const AttemptCounts& counts) {
  NamedArrays result;
  result["tracks.numbers"] = {double(t.stride), double(t.last_mcs), double(t.samples), double(t.keep_every),
                              double(t.keep_track)};
  result["tracks.motion"] = {double(t.motion.tracks), t.motion.displacement_um,
                             t.motion.msd_um2,        t.motion.speed_um_per_min,
                             t.motion.order_index,    t.motion.direction_autocorrelation,
                             t.motion.straightness};
  result["tracks.speed_by_type"] = t.speed_by_type;
  result["tracks.first"] = flat(t.first);
  result["tracks.last"] = flat(t.last);
  result["tracks.first_heading"] = flat(t.first_heading);
  result["tracks.path"] = t.path;
  result["tracks.mcs"] = std::vector<double>(t.mcs.begin(), t.mcs.end());
  std::vector<double>& positions = result["tracks.positions"];
  std::vector<double>& sizes = result["tracks.sample_sizes"];  // they differ where cells are born
  for (const std::vector<Vec3d>& sample : t.positions) {
    const std::vector<double> numbers = flat(sample);
    positions.insert(positions.end(), numbers.begin(), numbers.end());
    sizes.push_back(double(sample.size()));
  }
  result["counts"] = {double(counts.attempts), double(counts.live), double(counts.accepted)};
  return result;
}

TrackData tracks_from_arrays(const NamedArrays& arrays) {
  TrackData t;
  const std::vector<double>& numbers = array_named(arrays, "tracks.numbers");
  const std::vector<double>& motion = array_named(arrays, "tracks.motion");
  if (numbers.size() != 5 || motion.size() != 7)
    throw UserError("the checkpoint's arrays of tracks have the wrong length; it cannot be resumed.");
  t.stride = int64_t(numbers[0]);
  t.last_mcs = int64_t(numbers[1]);
  t.samples = int64_t(numbers[2]);
  t.keep_every = int64_t(numbers[3]);
  t.keep_track = int64_t(numbers[4]);
  t.motion = {int64_t(motion[0]), motion[1], motion[2], motion[3], motion[4], motion[5], motion[6]};
  t.speed_by_type = array_named(arrays, "tracks.speed_by_type");
  t.first = vectors_named(arrays, "tracks.first");
  t.last = vectors_named(arrays, "tracks.last");
  t.first_heading = vectors_named(arrays, "tracks.first_heading");
  t.path = array_named(arrays, "tracks.path");
  for (const double mcs : array_named(arrays, "tracks.mcs")) t.mcs.push_back(int64_t(mcs));
  const std::vector<Vec3d> positions = vectors_named(arrays, "tracks.positions");
  const auto sizes = arrays.find("tracks.sample_sizes");  // earlier checkpoints have samples of one size
  const std::size_t per_sample = t.mcs.empty() ? 0 : positions.size() / t.mcs.size();
  std::size_t begin = 0;
  for (std::size_t i = 0; i < t.mcs.size(); ++i) {
    const bool known = sizes != arrays.end() && i < sizes->second.size();
    const std::size_t end = begin + (known ? std::size_t(sizes->second[i]) : per_sample);
    if (end > positions.size())
      throw UserError("the checkpoint's arrays of tracks have the wrong length; it cannot be resumed.");
    t.positions.emplace_back(positions.begin() + long(begin), positions.begin() + long(end));
    begin = end;
  }
  return t;
}

AttemptCounts counts_from_arrays(const NamedArrays& arrays) {
  const std::vector<double>& counts = array_named(arrays, "counts");
  if (counts.size() != 3) throw UserError("the checkpoint's counts are damaged; it cannot be resumed.");
  return {int64_t(counts[0]), int64_t(counts[1]), int64_t(counts[2])};
}

}  // namespace kiln
