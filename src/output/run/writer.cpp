#include "output/run/writer.hpp"

#include <algorithm>
#include <chrono>

#include "base/parallel.hpp"
#include "base/seconds.hpp"
#include "output/state/checkpoint_pair.hpp"

namespace kiln {
namespace {

using Clock = std::chrono::steady_clock;

// Files of the checkpoint's own MCS are written again.
std::optional<int64_t> last_kept(const Checkpoint* resumed) {
  return resumed == nullptr ? std::nullopt : std::optional(resumed->state.mcs - 1);
}

}  // namespace

double copy_bytes(const Model& model, double cells) {
  bool regular = model.output.lattice_every > 0 || model.output.checkpoint_every > 0;
  for (const PictureSettings& picture : model.pictures) regular |= picture.every > 0;
  const MemoryNeed need = memory_need(model, cells);
  double copy = need.sites + need.cells + need.history;
  for (const SubstanceData& substance : model.substances)
    copy += double(substance.voxels.sites()) * double(sizeof(double) + sizeof(float));
  return regular && need.total() + copy < physical_memory() ? copy : 0;
}

RunWriter::RunWriter(const Model& model, const RunFolder& folder, CellId cells, const Checkpoint* resumed,
                     std::optional<BranchPoint> from, bool in_parts)
    : model_(&model),
      model_text_(model.resolved),
      folder_(folder),
      from_(resumed == nullptr ? std::move(from) : resumed->info.from),
      start_(from_ ? from_->mcs : 0),
      end_(model.total_mcs()),
      steering_(resumed == nullptr ? std::nullopt : resumed->info.steering),
      tables_(model, folder, cells, start_, resumed),
      pictures_(model, folder, start_, tables_.watch(), last_kept(resumed),
                resumed == nullptr ? NamedArrays{} : resumed->info.extra),
      snapshots_(model, folder, last_kept(resumed)),
      observers_{&tables_, &pictures_, &snapshots_},
      checkpoint_asked_(resumed == nullptr ? -1 : resumed->state.mcs),
      checkpoint_at_(checkpoint_asked_),
      overlaps_(!in_parts && copy_bytes(model, double(cells)) > 0) {
  if (steering_) model_text_ = resumed->info.model;
  prepare_copy();
}

void RunWriter::prepare_copy() {
  if (!overlaps_) return;
  // Fresh pages take longer than the copy itself; here no step of the run waits for them.
  copy_.ids = HugeVector<CellId>(std::size_t(model_->lattice.sites()));
  if (model_->uses_act()) copy_.act = HugeVector<ActValue>(copy_.ids.size());
}

bool RunWriter::wants_checkpoint(int64_t mcs, Moment moment) const {
  if (!kHasHdf5 || mcs == checkpoint_asked_) return false;
  // A branch has one from the start: without any, --resume would begin with the model's first state.
  const bool begins_branch = moment == Moment::start && from_;
  return is_multiple(mcs, model_->output.checkpoint_every) || begins_branch || moment == Moment::saved ||
         moment == Moment::end || moment == Moment::interrupted;
}

int64_t RunWriter::next_due(int64_t mcs) const {
  int64_t next = std::min(end_, next_multiple(mcs, model_->output.checkpoint_every));
  for (const Observer* observer : observers_) next = std::min(next, observer->next_due(mcs));
  return next;
}

void RunWriter::pulse(int64_t mcs) {
  for (Observer* observer : observers_) observer->pulse(mcs);
}

void RunWriter::write(const Look& look, const AttemptCounts& counts, const std::string& schedule,
                      Moment moment) {
  const auto start = Clock::now();
  background_.check();
  const bool goes_on = moment != Moment::end && moment != Moment::interrupted;
  const int spare_cores = overlaps_ && goes_on ? look.spare_cores() : 0;
  const bool saves = wants_checkpoint(look.mcs(), moment);
  // Observers are not asked while they draw: what they remember would be of no one moment.
  if (has_spare_cores_ && (saves || spare_cores == 0)) background_.wait();
  has_spare_cores_ = spare_cores > 0;
  Keep what;
  if (saves) begin_checkpoint(what, look.mcs(), counts, schedule);
  std::vector<Observer::Work> at_once;
  for (Observer* observer : observers_)
    if (Observer::Work work = observer->look({look, counts, moment, spare_cores}))
      (work.beside ? what.works : at_once).push_back(std::move(work));
  if (StateParts* const parts = look.parts()) {
    for (Observer::Work& work : at_once) what.works.push_back(std::move(work));
    at_once.clear();
    keep_parts(look, *parts, what);
  } else if (what.anything()) {
    if (overlaps_ && goes_on) {
      keep_beside(look, std::move(what));
    } else {
      background_.wait();
      keep(look.state(), what);
    }
  }
  for (const Observer::Work& work : at_once) work.on(look.state());
  seconds_ += seconds_since(start);
}

void RunWriter::keep_beside(const Look& look, Keep what) {
  background_.wait();
  auto complete_copy = look.begin_copy(copy_, all_threads());
  // Where a GPU computes, the processors have time; but when the run looks at its cells, it waits for
  // them. Elsewhere the run would wait for a thread that other programs keep from going on.
  const bool gives_way = look.is_on_gpu();
  background_.start(
      [this, what = std::move(what), complete_copy = std::move(complete_copy)] {
        complete_copy();
        keep(copy_, what);
      },
      gives_way);
}

void RunWriter::keep_parts(const Look& look, StateParts& parts, const Keep& what) {
  const auto start = Clock::now();
  if (what.checkpoint) save(parts, what);
  for (const Observer::Work& work : what.works) work.on_parts ? work.on_parts(parts) : work.on(look.state());
  if (what.checkpoint) checkpoint_seconds_ = std::max(checkpoint_seconds_.load(), seconds_since(start));
}

void RunWriter::begin_checkpoint(Keep& what, int64_t mcs, const AttemptCounts& counts,
                                 const std::string& schedule) {
  what.checkpoint = checkpoint_info(*model_, mcs, counts, schedule);
  what.checkpoint->from = from_;
  what.checkpoint->model = model_text_;
  what.checkpoint->steering = steering_;
  for (Observer* observer : observers_)
    if (Observer::Memory memory = observer->remember()) what.memories.push_back(std::move(memory));
  what.mcs = checkpoint_asked_ = mcs;
}

void RunWriter::keep(const State& state, const Keep& what) {
  const auto start = Clock::now();
  if (what.checkpoint) save(state, what);
  for (const Observer::Work& work : what.works) work.on(state);
  if (what.checkpoint) checkpoint_seconds_ = std::max(checkpoint_seconds_.load(), seconds_since(start));
}

// A run that goes on from a checkpoint finds all rows before it, also after a loss of power. Rows may be
// added meanwhile.
template <class Tissue>
void RunWriter::save(Tissue& state, const Keep& what) {
  for (Observer* observer : observers_) observer->sync();
  CheckpointInfo info = *what.checkpoint;
  for (const Observer::Memory& add_to : what.memories) add_to(info.extra);
  add_checkpoint(folder_, state, info);
  checkpoint_at_ = what.mcs;
}

void RunWriter::finish() {
  const auto start = Clock::now();
  background_.wait();
  for (Observer* observer : observers_) observer->finish();
  seconds_ += seconds_since(start);
}

void RunWriter::model_changed(const Model& model) {
  model_ = &model;
  for (Observer* observer : observers_) observer->model_changed(model);
}

void RunWriter::cells_changed() {
  for (Observer* observer : observers_) observer->cells_changed();
}

std::vector<std::string> RunWriter::notes() const {
  std::vector<std::string> all = tables_.notes();
  for (const auto* notes : {&snapshots_.notes(), &pictures_.notes()})
    all.insert(all.end(), notes->begin(), notes->end());
  return all;
}

}  // namespace kiln
