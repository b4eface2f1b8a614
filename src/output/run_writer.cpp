#include "output/run_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "measure/cell_table.hpp"
#include "measure/track_arrays.hpp"
#include "output/checkpoint_pair.hpp"
#include "output/motility_tables.hpp"
#include "output/picture.hpp"
#include "output/png.hpp"
#include "output/tables.hpp"

namespace kiln {
namespace {

constexpr double kSecondsPerFrame = 0.12;
constexpr int64_t kMostSitesForFragments = int64_t(1) << 26;  // with more, only at the end of a run

int measuring_threads() { return int(std::max(1u, std::thread::hardware_concurrency())); }

RecorderOptions recorder_options() {
  RecorderOptions options;
  options.threads = measuring_threads();
  return options;
}

Recorder make_recorder(const Model& model, const Checkpoint* resumed) {
  if (resumed == nullptr || resumed->info.extra.empty()) return Recorder(model, recorder_options());
  Recorder recorder(model, recorder_options(), tracks_from_arrays(resumed->info.extra));
  recorder.set_last_counts(counts_from_arrays(resumed->info.extra));
  return recorder;
}

Motility make_motility(const Model& model, const Checkpoint* resumed) {
  if (resumed == nullptr || resumed->info.extra.empty()) return Motility(model, measuring_threads());
  return Motility(model, measuring_threads(), motility_from_arrays(resumed->info.extra));
}

bool is_multiple(int64_t mcs, int64_t every) { return every > 0 && mcs % every == 0; }

}  // namespace

int phase_at(const Model& model, int64_t mcs) {
  int64_t end = 0;
  for (std::size_t i = 0; i + 1 < model.phases.size(); ++i) {
    end += model.phases[i].mcs;
    if (mcs < end) return int(i);
  }
  return int(model.phases.size()) - 1;
}

RunWriter::RunWriter(const Model& model, const RunFolder& folder, CellId cells, const Checkpoint* resumed,
                     std::optional<BranchPoint> from)
    : model_(model),
      folder_(folder),
      recorder_(make_recorder(model, resumed)),
      motility_(make_motility(model, resumed)),
      frozen_(model.frozen_types()),
      from_(resumed == nullptr ? std::move(from) : resumed->info.from),
      start_(from_ ? from_->mcs : 0),
      end_(model.total_mcs()),
      checkpoint_at_(resumed == nullptr ? -1 : resumed->state.mcs),
      first_measured_(start_) {
  while (first_measured_ < end_ && !is_measured(first_measured_)) ++first_measured_;
  const int64_t last_kept = checkpoint_at_ - 1;
  const auto table = [&](const std::filesystem::path& path, const std::vector<std::string>& columns) {
    return resumed == nullptr ? CsvTable(path, columns) : CsvTable::continue_from(path, columns, last_kept);
  };
  if (model.measure.every > 0) measures_.emplace(table(folder.measures(), measures_columns(model)));
  if (model.measure.cells_every > 0) {
    cells_.emplace(table(folder.cells(), cells_columns()));
    const int64_t samples = (end_ - first_measured_) / model.measure.cells_every + 2;
    cell_stride_ = sampling_stride(int64_t(cells) - 1, samples, kMostCellRows);
    if (cell_stride_ > 1)
      notes_.push_back(
          fmt::format("cells.csv holds every {}th cell (ids 1, {}, {}, ...), to stay below a million "
                      "rows.",
                      cell_stride_, 1 + cell_stride_, 1 + 2 * cell_stride_));
  }
  if (model.measure.direction_correlation) {
    correlation_.emplace(table(folder.direction_correlation(), correlation_columns()));
    const int64_t stride = sampling_stride(int64_t(cells) - 1, 1, model.measure.correlation_cells);
    if (stride > 1)
      notes_.push_back(
          fmt::format("direction_correlation.csv holds the pairs of every {}th cell (ids 1, {}, {}, ...) "
                      "with all others.",
                      stride, 1 + stride, 1 + 2 * stride));
  }
  if (kHasHdf5) {
    lattice_.emplace(resumed == nullptr ? LatticeFile(folder.path, model)
                                        : LatticeFile::continue_from(folder.path, model, last_kept));
  } else {
    notes_.push_back(
        "No lattice.h5 and no checkpoint: this build has no HDF5 (install libhdf5-dev and rebuild).");
  }
  for (const PictureSettings& settings : model.pictures) {
    series_.push_back({settings, std::nullopt, {}});
    if (settings.animation) series_.back().animation.emplace(kSecondsPerFrame);
  }
  if (!kHasPng) {
    if (!series_.empty())
      notes_.push_back("No pictures: this build has no PNG (install libpng-dev and rebuild).");
    series_.clear();
  }
  if (resumed != nullptr) take_up_pictures(last_kept);
}

bool RunWriter::is_measured(int64_t mcs) const {
  return model_.phases[std::size_t(phase_at(model_, mcs))].measured;
}

bool RunWriter::is_due(int64_t mcs, int64_t every, Moment moment) const {
  if (every <= 0 || !is_measured(mcs)) return false;
  return mcs % every == 0 || mcs == first_measured_ || moment == Moment::end;
}

bool RunWriter::wants_checkpoint(int64_t mcs, Moment moment) const {
  if (!kHasHdf5 || mcs == checkpoint_at_) return false;
  // A branch has one from the start: without any, --resume would begin with the model's first state.
  const bool begins_branch = moment == Moment::start && from_;
  return is_multiple(mcs, model_.output.checkpoint_every) || begins_branch || moment == Moment::saved ||
         moment == Moment::end || moment == Moment::interrupted;
}

int64_t RunWriter::next_due(int64_t mcs) const {
  int64_t next = end_;
  const auto consider = [&](int64_t every) {
    if (every > 0) next = std::min(next, (mcs / every + 1) * every);
  };
  consider(model_.measure.every);
  consider(model_.measure.cells_every);
  consider(model_.output.lattice_every);
  consider(model_.output.checkpoint_every);
  for (const Series& s : series_) consider(s.settings.every);
  if (const int64_t due = motility_.next_due(mcs); due > mcs) next = std::min(next, due);
  int64_t phase_end = 0;
  for (const Phase& phase : model_.phases) {
    phase_end += phase.mcs;
    if (phase_end > mcs) next = std::min(next, phase_end);
  }
  return next;
}

void RunWriter::write(const Look& look, const AttemptCounts& counts, const std::string& schedule,
                      Moment moment) {
  std::optional<CheckpointInfo> info;
  if (wants_checkpoint(look.mcs(), moment)) info = checkpoint_info(look.mcs(), counts, schedule);
  take_measures(look, counts, moment);
  draw_pictures(look, moment);
  if (lattice_ && (is_multiple(look.mcs(), model_.output.lattice_every) || moment == Moment::end))
    lattice_->add(look.state());
  if (info) save(look.state(), *info);
}

bool RunWriter::counts_fragments(Moment moment) const {
  return moment == Moment::end || model_.lattice.sites() <= kMostSitesForFragments;
}

void RunWriter::take_measures(const Look& look, const AttemptCounts& counts, Moment moment) {
  const int number = phase_at(model_, look.mcs());
  const std::string& phase = model_.phases[std::size_t(number)].name;
  const std::vector<CorrelationBin> correlation =
      motility_.watch(look, is_measured(look.mcs()) ? number : -1);
  if (correlation_ && !correlation.empty()) {
    add_correlation(*correlation_, look.mcs(), correlation, model_);
    correlation_->flush();
  }
  if (measures_ && is_due(look.mcs(), model_.measure.every, moment)) {
    last_row_ = recorder_.record(look, counts, phase, counts_fragments(moment));
    last_row_->explored = motility_.explore(look);
    last_row_->mixed_fraction = motility_.mixed(look);
    add_measures(*measures_, *last_row_);
    measures_->flush();
  }
  if (cells_ && is_due(look.mcs(), model_.measure.cells_every, moment)) {
    add_cells(*cells_, look.mcs(), cell_rows(look, frozen_, cell_stride_, measuring_threads()), model_);
    cells_->flush();
  }
}

std::string RunWriter::still_name(const Series& series, int64_t mcs) const {
  return fmt::format("pictures/{}_{:08}.png", series.settings.name, mcs);
}

void RunWriter::draw_pictures(const Look& look, Moment moment) {
  for (Series& s : series_) {
    const bool regular =
        is_due(look.mcs(), s.settings.every, moment) || moment == Moment::start || moment == Moment::end;
    if (!regular && moment != Moment::interrupted) continue;
    if (!s.drawn.empty() && s.drawn.back() == look.mcs()) continue;
    const Image image = draw(s.settings, model_, look.state());
    write_png(image, folder_.path / still_name(s, look.mcs()));
    s.drawn.push_back(look.mcs());
    if (s.animation && regular) s.animation->add(image);
  }
}

CheckpointInfo RunWriter::checkpoint_info(int64_t mcs, const AttemptCounts& counts,
                                          const std::string& schedule) const {
  CheckpointInfo info;
  info.seed = model_.seed;
  info.model = model_.resolved;
  info.schedule = schedule;
  info.phase = phase_at(model_, mcs);
  info.counts = counts;
  info.types = type_memories(model_);
  info.from = from_;
  info.extra = arrays_of(recorder_.tracks().data(), recorder_.last_counts());
  add_arrays(motility_.data(), info.extra);
  return info;
}

// The tables first: whoever goes on from the checkpoint finds all rows before it, also after a loss of power.
void RunWriter::save(const State& state, const CheckpointInfo& info) {
  for (std::optional<CsvTable>* table : {&measures_, &cells_, &correlation_})
    if (*table) (*table)->sync();
  add_checkpoint(folder_, state, info);
  checkpoint_at_ = state.mcs;
}

// The pictures that an earlier part of the run left; its animations are put together again from the stills.
void RunWriter::take_up_pictures(int64_t last_mcs) {
  for (Series& s : series_) {
    std::vector<int64_t> found;
    const std::string prefix = s.settings.name + "_";
    for (const auto& entry : std::filesystem::directory_iterator(folder_.pictures())) {
      const std::string name = entry.path().filename().string();
      if (name.size() != prefix.size() + 12 || name.rfind(prefix, 0) != 0) continue;
      const std::string digits = name.substr(prefix.size(), 8);
      if (digits.find_first_not_of("0123456789") != std::string::npos) continue;
      const int64_t mcs = std::stoll(digits);
      if (mcs <= last_mcs) found.push_back(mcs);
    }
    std::sort(found.begin(), found.end());
    s.drawn = found;
    if (!s.animation) continue;
    for (const int64_t mcs : found)
      if (mcs == start_ || is_due(mcs, s.settings.every, Moment::under_way))
        s.animation->add(read_png(folder_.path / still_name(s, mcs)));
  }
}

void RunWriter::finish() {
  if (measures_) measures_->finish();
  if (cells_) cells_->finish();
  if (correlation_) correlation_->finish();
  if (measures_) write_lags(folder_.lags(), recorder_.tracks().lags());
  if (model_.measure.speed_interval_mcs > 0) {
    const std::vector<SpeedSums> speeds = motility_.speeds().sums();
    write_speeds(folder_.speeds(), speeds, model_);
    write_motility(folder_.motility(), speeds, model_);
  }
  if (lattice_ && !lattice_->saved().empty()) lattice_->finish();
  for (const Series& s : series_)
    if (s.animation && s.animation->frames() > 1)
      s.animation->finish(folder_.pictures() / (s.settings.name + ".png"));
}

std::map<std::string, std::vector<std::string>> RunWriter::stills() const {
  std::map<std::string, std::vector<std::string>> result;
  for (const Series& s : series_)
    for (const int64_t mcs : s.drawn) result[s.settings.name].push_back(still_name(s, mcs));
  return result;
}

std::vector<std::string> RunWriter::animations() const {
  std::vector<std::string> result;
  for (const Series& s : series_)
    if (s.animation && s.animation->frames() > 1) result.push_back("pictures/" + s.settings.name + ".png");
  return result;
}

}  // namespace kiln
