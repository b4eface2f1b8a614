#include "measure/recorder.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "measure/shape.hpp"

namespace kiln {
namespace {

int64_t frozen_sites(const Look& look, const std::vector<bool>& frozen, int threads) {
  if (std::find(frozen.begin(), frozen.end(), true) == frozen.end()) return 0;
  if (LatticeSurvey* const survey = look.survey())
    if (const std::optional<int64_t> sites = survey->frozen_sites()) return *sites;
  const State& state = look.state();
  std::atomic<int64_t> total = 0;
  in_parallel(int64_t(state.ids.size()), threads, [&](int, int64_t begin, int64_t end) {
    int64_t own = 0;
    for (int64_t site = begin; site < end; ++site)
      own += frozen[state.cells.type[state.ids[std::size_t(site)]]] ? 1 : 0;
    total += own;
  });
  return total;
}

}  // namespace

std::vector<std::pair<TypeId, TypeId>> contact_pairs(const std::vector<CellType>& types) {
  std::vector<std::pair<TypeId, TypeId>> pairs;
  for (std::size_t a = 1; a < types.size(); ++a)
    for (std::size_t b = 0; b < types.size() && !types[a].frozen; ++b)
      pairs.push_back({TypeId(a), TypeId(b)});
  return pairs;
}

std::vector<TypeId> types_apart(const std::vector<CellType>& types) {
  std::vector<TypeId> apart;
  for (std::size_t type = 1; type < types.size(); ++type)
    if (!types[type].frozen) apart.push_back(TypeId(type));
  return apart.size() > 1 ? apart : std::vector<TypeId>();
}

Recorder::Recorder(const Model& model, RecorderOptions options, TrackData tracks)
    : types_(model.types),
      frozen_(model.frozen_types()),
      units_(model.units),
      options_(options),
      tracks_(model.units, frozen_, options.tracks, std::move(tracks)) {
  for (const SubstanceData& substance : model.substances) steady_.push_back(substance.steady);
}

SubstanceRow row_of(const Substance& substance, bool steady) {
  double sites = 1;  // of a voxel
  for (int axis = 0; axis < substance.voxels.dimension; ++axis) sites *= substance.coarsen;
  SubstanceRow row{substance.total * sites, substance.budget, 0};
  for (double SubstanceBudget::*account :
       {&SubstanceBudget::secreted, &SubstanceBudget::taken_up, &SubstanceBudget::decayed,
        &SubstanceBudget::crossed_walls, &SubstanceBudget::held})
    row.budget.*account *= sites;
  row.unbalanced = steady ? std::numeric_limits<double>::quiet_NaN()
                          : row.total - (substance.first_total * sites + row.budget.gain());
  return row;
}

MeasureRow Recorder::record(const Look& look, const AttemptCounts& counts, const Phase& phase,
                            bool with_lattice) {
  const int threads = options_.threads;
  MeasureRow row;
  row.mcs = look.mcs();
  row.minutes = double(look.mcs()) * units_.seconds_per_mcs / 60.0;
  row.phase = phase.name;
  // What the table of cells tells is worked out while contacts are counted, maybe on a GPU.
  int64_t sites_of_cells = 0;
  const std::launch when = look.is_shared_out() ? std::launch::deferred : std::launch::async;
  std::future<void> of_cells = std::async(when, [&] {
    const SizeStatistics sizes = size_statistics(look, frozen_, threads);
    row.size = sizes.all;
    row.cells = row.size.volume.count;
    sites_of_cells = sizes.sites;
    row.extinct = extinct_cells(look, frozen_, threads);
    row.motion = tracks_.add(look);
    for (const TypeId type : types_apart(types_)) {
      const Summary& volume = sizes.by_type[type].volume;
      row.of_types.push_back({volume.count, volume, tracks_.speed_of_type(type)});
    }
  });
  if (!frozen_sites_) frozen_sites_ = frozen_sites(look, frozen_, threads);
  if (with_lattice) row.fragmented = fragmented_cells(look, frozen_, threads);
  row.acceptance = acceptance_between(last_counts_, counts);
  last_counts_ = counts;
  const ContactMatrix contacts = contact_matrix(look, int(types_.size()), threads);
  row.interface = interface_by_kind(contacts, frozen_);
  for (const auto& [a, b] : contact_pairs(types_)) row.contact_fractions.push_back(contacts.fraction(a, b));
  row.energy = energy_of(look, phase.physics.view(), contacts, with_lattice, threads);
  of_cells.get();
  for (const Substance& substance : look.substances())
    row.substances.push_back(row_of(substance, steady_[row.substances.size()]));
  row.medium_sites = look.lattice().sites() - *frozen_sites_ - sites_of_cells;
  return row;
}

}  // namespace kiln
