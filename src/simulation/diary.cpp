#include "simulation/diary.hpp"

#include <algorithm>
#include <limits>

#include "output/table/cell_tracks.hpp"
#include "output/table/motility_tables.hpp"
#include "output/table/tables.hpp"

namespace kiln {

void TrackColumns::add(int64_t at_mcs, const std::vector<CellRow>& rows, const Model& model) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::string> now = names_of_lives(model);
  for (const std::string& name : now) {
    if (std::find(lives.begin(), lives.end(), name) != lives.end()) continue;
    lives.push_back(name);
    of_lives.emplace_back(mcs.size(), kUnknown);
  }
  for (std::size_t k = 0; k < lives.size(); ++k) {
    const auto at = std::size_t(std::find(now.begin(), now.end(), lives[k]) - now.begin());
    for (const CellRow& row : rows) of_lives[k].push_back(at < row.living.size() ? row.living[at] : kUnknown);
  }
  for (const CellRow& row : rows) {
    mcs.push_back(at_mcs);
    id.push_back(row.id);
    type.push_back(row.type);
    volume.push_back(row.volume);
    perimeter.push_back(row.perimeter);
    neighbours.push_back(row.neighbours);
    x.push_back(row.position.x);
    y.push_back(row.position.y);
    z.push_back(row.position.z);
  }
}

Diary::Diary(Simulation& simulation) : simulation_(simulation), start_(simulation.mcs()) {
  cells_changed();
  correlation_.columns = names_of(correlation_columns());
  const Model& model = simulation.model();
  const int64_t cells = int64_t(simulation.engine().state_of_cells().cells.count()) - 1;
  if (model.measure.cells_every > 0)
    one_cell_in_ =
        plan_tracks(model.measure, cells, model.total_mcs() / model.measure.cells_every + 2).one_cell_in;
  note();
}

void Diary::cells_changed() {
  const std::shared_ptr<const Model> model = simulation_.shared_model();
  const NamedArrays memory = watch_ ? memory_without_cells(*model, start_, *watch_) : NamedArrays{};
  model_ = model;
  watch_.emplace(*model_, start_, memory);
}

void Diary::model_changed() {
  const bool goes_on = simulation_.model().measure == model_->measure &&
                       simulation_.model().phases.size() == model_->phases.size();
  if (!goes_on) return cells_changed();
  WatchMemory memory;
  watch_->copy_memory(memory);
  model_ = simulation_.shared_model();
  watch_.emplace(*model_, start_, arrays_of(memory));
}

void Diary::note() {
  const int64_t mcs = simulation_.mcs();
  if (mcs == noted_) return;
  noted_ = mcs;
  const Seen seen = watch_->look(Look(simulation_.engine()), simulation_.counts(), false, one_cell_in_);
  if (seen.row) rows_.push_back(*seen.row);
  if (seen.cells) tracks_.add(mcs, *seen.cells, *model_);
  for (std::vector<TableValue>& row : correlation_rows(mcs, seen.correlation, *model_).rows)
    correlation_.rows.push_back(std::move(row));
}

}  // namespace kiln
