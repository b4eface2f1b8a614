#include "output/run/tables.hpp"

#include <fmt/format.h>

#include <utility>

#include "output/table/motility_tables.hpp"
#include "output/table/tables.hpp"

namespace kiln {
namespace {

constexpr const char* kTrackPlan = "cells.plan";  // in checkpoints

}  // namespace

RunTables::RunTables(const Model& model, const RunFolder& folder, CellId cells, int64_t start,
                     const Checkpoint* resumed)
    : model_(&model), folder_(folder), start_(start) {
  watch_.emplace(model, start, resumed == nullptr ? NamedArrays{} : resumed->info.extra);
  const auto table = [&](const std::filesystem::path& path, const std::vector<std::string>& columns) {
    return resumed == nullptr ? CsvTable(path, columns)
                              : CsvTable::continue_from(path, columns, resumed->state.mcs - 1);
  };
  if (model.measure.every > 0) measures_.emplace(table(folder.measures(), measures_columns(model)));
  if (model.measure.cells_every > 0) start_tracks(cells, resumed);
  if (model.measure.direction_correlation) {
    correlation_.emplace(table(folder.direction_correlation(), names_of(correlation_columns())));
    const int64_t stride = sampling_stride(int64_t(cells) - 1, 1, model.measure.correlation_cells);
    if (stride > 1)
      notes_.push_back(
          fmt::format("direction_correlation.csv holds the pairs of every {}th cell (ids 1, {}, {}, ...) "
                      "with all others.",
                      stride, 1 + stride, 1 + 2 * stride));
  }
}

// A resumed run goes on with the tracks as they are, even if it is longer now than it was meant to be.
void RunTables::start_tracks(CellId cells, const Checkpoint* resumed) {
  const MeasureSettings& measure = model_->measure;
  const int64_t samples = (model_->total_mcs() - watch_->first_measured()) / measure.cells_every + 2;
  track_plan_ = plan_tracks(measure, int64_t(cells) - 1, samples);
  std::optional<int64_t> last_mcs;
  if (resumed != nullptr) {
    last_mcs = resumed->state.mcs - 1;  // that state is written again
    const auto& extra = resumed->info.extra;
    if (const auto found = extra.find(kTrackPlan); found != extra.end() && found->second.size() == 2)
      track_plan_ = {found->second[0] != 0, int64_t(found->second[1])};
  }
  cells_.emplace(folder_, *model_, track_plan_, last_mcs);
  for (const std::string& note : track_notes(track_plan_, measure)) notes_.push_back(note);
}

Observer::Work RunTables::look(const Glance& now) {
  const Seen seen = watch_->look(now.look, now.counts, now.moment == Moment::end, track_plan_.one_cell_in);
  if (correlation_ && !seen.correlation.empty()) {
    correlation_->add(correlation_rows(now.mcs(), seen.correlation, *model_));
    correlation_->flush();
  }
  if (seen.row) {
    last_row_ = seen.row;
    add_measures(*measures_, *last_row_);
    measures_->flush();
  }
  if (seen.cells) cells_->add(now.mcs(), *seen.cells);
  return {};
}

Observer::Memory RunTables::remember() {
  std::swap(remembered_, next_remembered_);  // the former may still be read
  watch_->copy_memory(*next_remembered_);
  return [memory = next_remembered_.get(), plan = track_plan_](NamedArrays& to) {
    to.merge(arrays_of(*memory));
    to[kTrackPlan] = {plan.hdf5 ? 1.0 : 0.0, double(plan.one_cell_in)};
  };
}

void RunTables::sync() {
  if (measures_) measures_->sync();
  if (cells_) cells_->sync();
  if (correlation_) correlation_->sync();
}

void RunTables::finish() {
  if (measures_) measures_->finish();
  if (cells_) cells_->finish();
  if (correlation_) correlation_->finish();
  if (measures_) write_table(folder_.lags(), lag_rows(watch_->tracks().lags()));
  if (!model_->measure.speed_intervals_mcs.empty()) {
    const std::vector<SpeedSums> speeds = watch_->motility().speeds();
    write_table(folder_.speeds(), speed_rows(speeds, *model_));
    write_table(folder_.motility(), motility_rows(speeds, *model_));
  }
}

void RunTables::model_changed(const Model& model) {
  WatchMemory memory;
  watch_->copy_memory(memory);
  model_ = &model;
  watch_.emplace(model, start_, arrays_of(memory));
  if (cells_) cells_->model_changed(model);
}

void RunTables::cells_changed() {
  const NamedArrays memory = memory_without_cells(*model_, start_, *watch_);
  watch_.emplace(*model_, start_, memory);
}

}  // namespace kiln
