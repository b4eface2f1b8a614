#include "output/run/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/atomic_file.hpp"
#include "base/parallel.hpp"
#include "base/seconds.hpp"
#include "data/image/image.hpp"  // kHasTiff
#include "measure/cell_table.hpp"
#include "output/picture/picture.hpp"
#include "output/picture/png.hpp"
#include "output/picture/video.hpp"
#include "output/state/checkpoint_pair.hpp"
#include "output/state/label_image.hpp"
#include "output/table/motility_tables.hpp"
#include "output/table/tables.hpp"

namespace kiln {
namespace {

constexpr double kSecondsPerFrame = 0.12;
constexpr const char* kTrackPlan = "cells.plan";  // in checkpoints, as are the frames of pictures:
std::string frame_key(const PictureSettings& settings) { return "picture." + settings.name + ".frame"; }

using Clock = std::chrono::steady_clock;

Frame remembered_frame(const NamedArrays& extra, const PictureSettings& settings) {
  const auto found = extra.find(frame_key(settings));
  return found == extra.end() ? Frame{} : Frame::from_numbers(found->second);
}

bool is_multiple(int64_t mcs, int64_t every) { return every > 0 && mcs % every == 0; }

}  // namespace

double copy_bytes(const Model& model, double cells) {
  bool regular = model.output.lattice_every > 0 || model.output.checkpoint_every > 0;
  for (const PictureSettings& picture : model.pictures) regular |= picture.every > 0;
  const MemoryNeed need = memory_need(model, cells);
  const double copy = need.sites + need.cells + need.history;
  return regular && need.total() + copy < physical_memory() ? copy : 0;
}

RunWriter::RunWriter(const Model& model, const RunFolder& folder, CellId cells, const Checkpoint* resumed,
                     std::optional<BranchPoint> from)
    : model_(model),
      folder_(folder),
      from_(resumed == nullptr ? std::move(from) : resumed->info.from),
      start_(from_ ? from_->mcs : 0),
      end_(model.total_mcs()),
      watch_(model, start_, resumed == nullptr ? NamedArrays{} : resumed->info.extra),
      checkpoint_asked_(resumed == nullptr ? -1 : resumed->state.mcs),
      checkpoint_at_(checkpoint_asked_) {
  const int64_t last_kept = checkpoint_asked_ - 1;
  const auto table = [&](const std::filesystem::path& path, const std::vector<std::string>& columns) {
    return resumed == nullptr ? CsvTable(path, columns) : CsvTable::continue_from(path, columns, last_kept);
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
  if (model.output.lattice_ome_tiff && !kHasTiff)
    notes_.push_back(
        "No labels/*.ome.tif: this build has no TIFF (install libtiff-dev and libpugixml-dev and rebuild).");
  if (kHasHdf5) {
    if (model.output.lattice_hdf5)
      lattice_.emplace(resumed == nullptr ? LatticeFile(folder.path, model)
                                          : LatticeFile::continue_from(folder.path, model, last_kept));
  } else {
    notes_.push_back(
        "No lattice.h5 and no checkpoint: this build has no HDF5 (install libhdf5-dev and rebuild).");
  }
  for (const PictureSettings& settings : model.pictures) {
    const Frame frame = resumed == nullptr ? Frame{} : remembered_frame(resumed->info.extra, settings);
    series_.push_back({settings, PictureSeries(settings, model, frame), std::nullopt, {}});
    if (settings.animation) series_.back().animation.emplace(kSecondsPerFrame);
  }
  if (!kHasPng) {
    if (!series_.empty())
      notes_.push_back("No pictures: this build has no PNG (install libpng-dev and rebuild).");
    series_.clear();
  }
  if (resumed != nullptr) take_up_pictures(last_kept);
  overlaps_ = copy_bytes(model, double(cells)) > 0;
  prepare_copy();
}

void RunWriter::prepare_copy() {
  if (!overlaps_) return;
  // Fresh pages take longer than the copy itself; now nobody waits for them.
  copy_.ids = HugeVector<CellId>(std::size_t(model_.lattice.sites()));
  if (model_.uses_act()) copy_.act = HugeVector<ActValue>(copy_.ids.size());
}

// A resumed run goes on with the tracks as they are, even if it is longer now than it was meant to be.
void RunWriter::start_tracks(CellId cells, const Checkpoint* resumed) {
  const int64_t samples = (end_ - watch_.first_measured()) / model_.measure.cells_every + 2;
  track_plan_ = plan_tracks(model_.measure, int64_t(cells) - 1, samples);
  std::optional<int64_t> last_mcs;
  if (resumed != nullptr) {
    last_mcs = resumed->state.mcs - 1;  // that state is written again
    const auto& extra = resumed->info.extra;
    if (const auto found = extra.find(kTrackPlan); found != extra.end() && found->second.size() == 2)
      track_plan_ = {found->second[0] != 0, int64_t(found->second[1])};
  }
  cells_.emplace(folder_, model_, track_plan_, last_mcs);
  for (const std::string& note : track_notes(track_plan_, model_.measure)) notes_.push_back(note);
}

bool RunWriter::wants_checkpoint(int64_t mcs, Moment moment) const {
  if (!kHasHdf5 || mcs == checkpoint_asked_) return false;
  // A branch has one from the start: without any, --resume would begin with the model's first state.
  const bool begins_branch = moment == Moment::start && from_;
  return is_multiple(mcs, model_.output.checkpoint_every) || begins_branch || moment == Moment::saved ||
         moment == Moment::end || moment == Moment::interrupted;
}

int64_t RunWriter::next_due(int64_t mcs) const {
  int64_t next = watch_.next_due(mcs, end_);
  const auto consider = [&](int64_t every) {
    if (every > 0) next = std::min(next, (mcs / every + 1) * every);
  };
  consider(model_.output.lattice_every);
  consider(model_.output.checkpoint_every);
  for (const Series& s : series_) consider(s.settings.every);
  return next;
}

void RunWriter::write(const Look& look, const AttemptCounts& counts, const std::string& schedule,
                      Moment moment) {
  const auto start = Clock::now();
  background_.check();
  Keep what = what_to_keep(look.mcs(), counts, schedule, moment);  // before the measures see the state
  take_measures(look, counts, moment);
  if (what.anything()) {
    background_.wait();
    const bool goes_on = moment != Moment::end && moment != Moment::interrupted;
    if (overlaps_ && goes_on) {
      auto complete_copy = look.begin_copy(copy_, all_threads());
      // Where a GPU computes, the processors have time; but when the run looks at its cells, it waits for
      // them. Elsewhere the run would wait for a thread that other programs keep from going on.
      const bool gives_way = look.survey() != nullptr;
      background_.start(
          [this, what = std::move(what), complete_copy = std::move(complete_copy)] {
            complete_copy();
            keep(copy_, what);
          },
          gives_way);
    } else {
      keep(look.state(), what);
    }
  }
  has_ended_ = moment == Moment::end;
  seconds_ += seconds_since(start);
}

RunWriter::Keep RunWriter::what_to_keep(int64_t mcs, const AttemptCounts& counts, const std::string& schedule,
                                        Moment moment) {
  Keep what;
  what.moment = moment;
  what.snapshot = is_multiple(mcs, model_.output.lattice_every) || moment == Moment::end;
  for (const Series& s : series_) what.pictures |= is_drawn(s, mcs, moment) || moment == Moment::interrupted;
  if (wants_checkpoint(mcs, moment)) {
    what.checkpoint = checkpoint_info(model_, mcs, counts, schedule);
    what.checkpoint->from = from_;
    std::swap(remembered_, next_remembered_);  // the former may still be read
    what.remembered = next_remembered_.get();
    watch_.copy_memory(*what.remembered);
    checkpoint_asked_ = mcs;
  }
  return what;
}

void RunWriter::keep(const State& state, const Keep& what) {
  const auto start = Clock::now();
  if (what.pictures) draw_pictures(state, what.moment);
  if (what.snapshot) save_snapshot(state);
  if (!what.checkpoint) return;
  sync_tables();
  CheckpointInfo info = *what.checkpoint;
  info.extra = arrays_of(*what.remembered);
  info.extra[kTrackPlan] = {track_plan_.hdf5 ? 1.0 : 0.0, double(track_plan_.one_cell_in)};
  for (const Series& s : series_) info.extra[frame_key(s.settings)] = s.pictures.frame().numbers();
  add_checkpoint(folder_, state, info);
  checkpoint_at_ = state.mcs;
  checkpoint_seconds_ = std::max(checkpoint_seconds_.load(), seconds_since(start));
}

void RunWriter::take_measures(const Look& look, const AttemptCounts& counts, Moment moment) {
  const Seen seen = watch_.look(look, counts, moment == Moment::end, track_plan_.one_cell_in);
  if (correlation_ && !seen.correlation.empty()) {
    correlation_->add(correlation_rows(look.mcs(), seen.correlation, model_));
    correlation_->flush();
  }
  if (seen.row) {
    last_row_ = seen.row;
    add_measures(*measures_, *last_row_);
    measures_->flush();
  }
  if (seen.cells) cells_->add(look.mcs(), *seen.cells);
}

std::string RunWriter::still_name(const Series& series, int64_t mcs) const {
  return fmt::format("pictures/{}_{:08}.png", series.settings.name, mcs);
}

bool RunWriter::is_drawn(const Series& series, int64_t mcs, Moment moment) const {
  return watch_.is_due(mcs, series.settings.every, false) || moment == Moment::start || moment == Moment::end;
}

void RunWriter::draw_pictures(const State& state, Moment moment) {
  for (Series& s : series_) {
    const bool regular = is_drawn(s, state.mcs, moment);
    if (!regular && moment != Moment::interrupted) continue;
    if (!s.drawn.empty() && s.drawn.back() == state.mcs) continue;
    const std::filesystem::path still = folder_.path / still_name(s, state.mcs);
    write_text_atomically(still, png_file(s.pictures.draw_png(state)));
    s.drawn.push_back(state.mcs);
    if (s.animation && regular) s.animation->add_file(still);
  }
}

// Whoever goes on from a checkpoint finds all rows before it, also after a loss of power. Rows may be added
// meanwhile.
void RunWriter::sync_tables() {
  if (measures_) measures_->sync();
  if (cells_) cells_->sync();
  if (correlation_) correlation_->sync();
}

void RunWriter::save_snapshot(const State& state) {
  if (lattice_) lattice_->add(state);
  if (kHasTiff && model_.output.lattice_ome_tiff) write_label_image(folder_.labels(state.mcs), state, model_);
}

// The pictures that an earlier part of the run left; its animations are put together again from the stills.
// Those that the run would not have without its interruption go.
void RunWriter::take_up_pictures(int64_t last_mcs) {
  for (Series& s : series_) {
    std::vector<int64_t> found;
    std::vector<std::filesystem::path> stray;
    const std::string prefix = s.settings.name + "_";
    for (const auto& entry : std::filesystem::directory_iterator(folder_.pictures())) {
      const std::string name = entry.path().filename().string();
      if (name.size() != prefix.size() + 12 || name.rfind(prefix, 0) != 0) continue;
      const std::string digits = name.substr(prefix.size(), 8);
      if (digits.find_first_not_of("0123456789") != std::string::npos) continue;
      const int64_t mcs = std::stoll(digits);
      if (mcs != start_ && !watch_.is_due(mcs, s.settings.every, false))
        stray.push_back(entry.path());
      else if (mcs <= last_mcs)
        found.push_back(mcs);
    }
    for (const std::filesystem::path& path : stray) std::filesystem::remove(path);
    std::sort(found.begin(), found.end());
    s.drawn = found;
    if (!s.animation) continue;
    for (const int64_t mcs : found) s.animation->add_file(folder_.path / still_name(s, mcs));
  }
}

void RunWriter::finish() {
  const auto start = Clock::now();
  background_.wait();
  if (measures_) measures_->finish();
  if (cells_) cells_->finish();
  if (correlation_) correlation_->finish();
  if (measures_) write_table(folder_.lags(), lag_rows(watch_.tracks().lags()));
  if (model_.measure.speed_interval_mcs > 0) {
    const std::vector<SpeedSums> speeds = motility().speeds().sums();
    write_table(folder_.speeds(), speed_rows(speeds, model_));
    write_table(folder_.motility(), motility_rows(speeds, model_));
  }
  if (lattice_ && !lattice_->saved().empty()) lattice_->finish();
  write_animations();
  seconds_ += seconds_since(start);
}

// A run that was interrupted gets its MP4 when it has ended: a batch system may not leave time for it now.
void RunWriter::write_animations() {
  for (const Series& s : series_) {
    if (!s.animation || s.animation->frames() < 2) continue;
    const std::filesystem::path path = folder_.pictures() / s.settings.name;
    if (const int left_out = s.animation->finish(path.string() + ".png"); left_out > 0)
      notes_.push_back(
          fmt::format("{} of {} pictures are not in the animation {}.png: they are gone, or of another size.",
                      left_out, s.animation->frames(), s.settings.name));
    if (!s.settings.mp4 || !has_ended_) continue;
    if (const auto problem = write_mp4(*s.animation, path.string() + ".mp4"))
      notes_.push_back(fmt::format("no pictures/{}.mp4: {}; pictures/{}.png plays in every browser.",
                                   s.settings.name, *problem, s.settings.name));
  }
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
    for (const char* ending : {".png", ".mp4"}) {
      const std::string file = "pictures/" + s.settings.name + ending;
      if (s.animation && s.animation->frames() > 1 && std::filesystem::exists(folder_.path / file))
        result.push_back(file);
    }
  return result;
}

}  // namespace kiln
