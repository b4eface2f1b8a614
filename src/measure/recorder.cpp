#include "measure/recorder.hpp"

#include <future>
#include <utility>

#include "measure/shape.hpp"

namespace kiln {

std::vector<std::pair<TypeId, TypeId>> contact_pairs(const std::vector<CellType>& types) {
  std::vector<std::pair<TypeId, TypeId>> pairs;
  for (std::size_t a = 1; a < types.size(); ++a)
    for (std::size_t b = 0; b < types.size() && !types[a].frozen; ++b)
      pairs.push_back({TypeId(a), TypeId(b)});
  return pairs;
}

Recorder::Recorder(const Model& model, RecorderOptions options, TrackData tracks)
    : types_(model.types),
      frozen_(model.frozen_types()),
      units_(model.units),
      options_(options),
      tracks_(model.units, frozen_, options.tracks, std::move(tracks)) {}

MeasureRow Recorder::record(const Look& look, const AttemptCounts& counts, const std::string& phase,
                            bool with_fragments) {
  const int threads = options_.threads;
  MeasureRow row;
  row.mcs = look.mcs();
  row.minutes = double(look.mcs()) * units_.seconds_per_mcs / 60.0;
  row.phase = phase;
  // What the table of cells tells is worked out while contacts are counted, maybe on a GPU.
  std::future<void> of_cells = std::async(std::launch::async, [&] {
    row.size = size_statistics(look.cells(), frozen_, threads).all;
    row.cells = row.size.volume.count;
    row.extinct = extinct_cells(look.cells(), frozen_, threads);
    row.motion = tracks_.add(look);
  });
  if (with_fragments) row.fragmented = fragmented_cells(look.state(), frozen_, threads);
  row.acceptance = acceptance_between(last_counts_, counts);
  last_counts_ = counts;
  const ContactMatrix contacts = contact_matrix(look, int(types_.size()), threads);
  row.interface = interface_by_kind(contacts, frozen_);
  for (const auto& [a, b] : contact_pairs(types_)) row.contact_fractions.push_back(contacts.fraction(a, b));
  of_cells.get();
  return row;
}

}  // namespace kiln
