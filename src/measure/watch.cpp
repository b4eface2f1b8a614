#include "measure/watch.hpp"

#include <algorithm>

#include "base/parallel.hpp"
#include "measure/motility/track_arrays.hpp"

namespace kiln {
namespace {

constexpr int64_t kMostSitesToBring = int64_t(1) << 26;  // to the host, for every row

Recorder make_recorder(const Model& model, const NamedArrays& memory, int threads) {
  RecorderOptions options;
  options.threads = threads;
  if (memory.empty()) return Recorder(model, options);
  Recorder recorder(model, options, tracks_from_arrays(memory));
  recorder.set_last_counts(counts_from_arrays(memory));
  return recorder;
}

Motility make_motility(const Model& model, const NamedArrays& memory, int threads) {
  if (memory.empty()) return Motility(model, threads);
  return Motility(model, threads, motility_from_arrays(memory));
}

}  // namespace

Watch::Watch(const Model& model, int64_t start, const NamedArrays& memory, int threads)
    : model_(model),
      frozen_(model.frozen_types()),
      threads_(threads > 0 ? threads : all_threads()),
      first_measured_(start),
      recorder_(make_recorder(model, memory, threads_)),
      motility_(make_motility(model, memory, threads_)) {
  while (first_measured_ < model.total_mcs() && !is_measured(first_measured_)) ++first_measured_;
}

bool Watch::is_measured(int64_t mcs) const { return model_.phase_at(mcs).measured; }

bool Watch::is_due(int64_t mcs, int64_t every, bool last) const {
  if (every <= 0 || !is_measured(mcs)) return false;
  return mcs % every == 0 || mcs == first_measured_ || last;
}

int64_t Watch::next_due(int64_t mcs, int64_t end) const {
  int64_t next = end;
  for (const int64_t every : {model_.measure.every, model_.measure.cells_every})
    if (every > 0) next = std::min(next, (mcs / every + 1) * every);
  if (const int64_t due = motility_.next_due(mcs); due > mcs) next = std::min(next, due);
  if (const int64_t phase_end = model_.phase_end(mcs); phase_end > mcs) next = std::min(next, phase_end);
  return next;
}

Seen Watch::look(const Look& look, const AttemptCounts& counts, bool last, int64_t one_cell_in) {
  Seen seen;
  const int phase = model_.phase_number(look.mcs());
  seen.correlation = motility_.watch(look, is_measured(look.mcs()) ? phase : -1);
  if (is_due(look.mcs(), model_.measure.every, last)) {
    const bool with_lattice = last || look.lattice().sites() <= kMostSitesToBring;
    seen.row = recorder_.record(look, counts, model_.phases[std::size_t(phase)], with_lattice);
    seen.row->explored = motility_.explore(look);
    seen.row->mixed_fraction = motility_.mixed(look);
    seen.row->mixed_within = motility_.mixed_within(look);
  }
  if (is_due(look.mcs(), model_.measure.cells_every, last))
    seen.cells = cell_rows(look, frozen_, one_cell_in, threads_);
  return seen;
}

void Watch::copy_memory(WatchMemory& to) const {
  to.tracks = recorder_.tracks().data();
  to.last_counts = recorder_.last_counts();
  motility_.copy_data(to.motility);
}

NamedArrays arrays_of(const WatchMemory& memory) {
  NamedArrays arrays = arrays_of(memory.tracks, memory.last_counts);
  add_arrays(memory.motility, arrays);
  return arrays;
}

NamedArrays memory_without_cells(const Model& model, int64_t start, const Watch& former) {
  WatchMemory known, fresh;
  former.copy_memory(known);
  Watch(model, start).copy_memory(fresh);
  fresh.last_counts = known.last_counts;
  return arrays_of(fresh);
}

}  // namespace kiln
