#include "simulation/run/run.hpp"

#include <fmt/format.h>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "engine/ranks/lead_engine.hpp"
#include "simulation/run/summary.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

double guess_of_checkpoint_seconds(const Lattice& lattice, CellId cells) {
  constexpr double kBytesPerSite = 6, kBytesPerCell = 100, kBytesPerSecond = 50e6;
  return (double(lattice.sites()) * kBytesPerSite + double(cells) * kBytesPerCell) / kBytesPerSecond;
}

// Several processes read what each of them needs.
ReadCheckpoint how_to_read(const EngineOptions& engine) {
  if (engine.crew == nullptr || engine.store == nullptr) return read_checkpoint;
  return [&crew = *engine.crew, &store = *engine.store](const fs::path& file) {
    Checkpoint checkpoint = read_checkpoint_without_state(file);
    const std::string wrong = check_together(crew, store, fs::absolute(file).string());
    if (!wrong.empty()) throw UserError(wrong);
    return checkpoint;
  };
}

// Why a run ended that could not write, and what is left of it.
Failure ended_by(const std::string& reason, const RunFolder& folder, int64_t checkpoint_mcs) {
  const std::string sentence = reason.ends_with('.') ? reason : reason + ".";
  if (checkpoint_mcs < 0)
    return Failure(fmt::format("{} There is no checkpoint yet: --resume starts {} anew.", sentence,
                               folder.path.string()));
  return Failure(fmt::format("{} The checkpoint of MCS {} in {} is whole; --resume goes on from it.",
                             sentence, checkpoint_mcs, folder.path.string()));
}

// What a folder's files are made of stays, or their parts would not fit together.
void check_change(const Model& now, const Model& then) {
  const auto refuse = [](const char* what) {
    throw UserError(fmt::format("{} cannot change in a run that writes a folder.", what));
  };
  if (now.measure != then.measure) refuse("[measure]");
  if (now.pictures != then.pictures) refuse("[[pictures]]");
  if (now.output != then.output) refuse("[output]");
  if (now.units != then.units) refuse("[units]");
  bool same_phases = now.phases.size() == then.phases.size();
  for (std::size_t i = 0; same_phases && i < now.phases.size(); ++i)
    same_phases = now.phases[i].name == then.phases[i].name && now.phases[i].mcs == then.phases[i].mcs &&
                  now.phases[i].measured == then.phases[i].measured;
  if (!same_phases) refuse(now.has_phases ? "The phases" : "mcs");
}

}  // namespace

Run::Run(std::shared_ptr<const Model> model, RunSettings settings, Clock::time_point started)
    : given_(std::move(model)), settings_(std::move(settings)), started_(started) {
  const bool resumes = settings_.if_exists == IfExists::resume;
  folder_.path = !settings_.out.empty() ? settings_.out : resumes ? fs::path("runs") / settings_.name : "";
  if (!folder_.path.empty()) {
    check_run_folder(folder_.path, settings_.if_exists, settings_.input);
    if (fs::is_directory(folder_.path)) lock_.emplace(folder_.path);
  }
  start_ = find_start(start_options(), *given_, folder_);
  start_mcs_ = start_.state.mcs;
  simulation_.emplace(start_.model ? start_.model : given_, std::move(start_.state),
                      engine_for(settings_.engine, start_, folder_, &start_.notes),
                      start_.resumed ? start_.resumed->checkpoint.info.counts : AttemptCounts{});
  cells_ = start_.build ? simulation_->engine().cell_count() : start_.cells;
  first_guess_s_ = guess_of_checkpoint_seconds(given_->lattice, cells_);
  if (!start_.stored.empty())
    check_hash(start_.stored, start_.resumed->checkpoint.hash, simulation_->engine().hash());
  if (start_.resumed && start_.resumed->checkpoint.info.steering)
    steering_ = *start_.resumed->checkpoint.info.steering;
  if (folder_.path.empty()) folder_.path = claim_run_folder(settings_.name);
  record_.started = iso_time(std::chrono::system_clock::now());
  record_.notes = start_.notes;
}

StartOptions Run::start_options() const {
  StartOptions options;
  options.resume = settings_.if_exists == IfExists::resume;
  options.from = settings_.from;
  options.steered = settings_.controller != nullptr;
  if (Crew* const crew = settings_.engine.crew; crew != nullptr) {
    const Processes& all = crew->processes();
    options.together = true;
    options.memory *= double(all.ranks()) / double(all.ranks_here());
    options.read = how_to_read(settings_.engine);
  }
  return options;
}

// A process may have died between the last checkpoint and the last file.
bool Run::has_nothing_left_to_do() {
  if (!start_.resumed || start_mcs_ < given_->total_mcs()) return false;
  return is_record_of(folder_.record(), start_.resumed->checkpoint.hash);
}

Ending Run::go(const InterruptGuard* interrupt) {
  // The folder is free for others when the run has ended, though its simulation may be looked at for longer.
  const std::shared_ptr<void> unlock(nullptr, [this](void*) { lock_.reset(); });
  if (has_nothing_left_to_do()) {
    fill(Ending::finished, interrupt);
    return Ending::finished;
  }
  try {
    return write_and_run(interrupt);
  } catch (const Failure& e) {
    throw ended_by(e.what(), folder_, last_checkpoint());
  } catch (const fs::filesystem_error& e) {
    throw ended_by(e.what(), folder_, last_checkpoint());
  }
}

int64_t Run::last_checkpoint() const {
  return writer_ ? writer_->checkpoint_at() : start_.resumed ? start_mcs_ : -1;
}

Ending Run::write_and_run(const InterruptGuard* interrupt) {
  const Checkpoint* resumed = start_.resumed ? &start_.resumed->checkpoint : nullptr;
  if (resumed == nullptr && settings_.if_exists == IfExists::resume) forget_results(folder_);
  make_run_folder(folder_.path, settings_.if_exists, resumed == nullptr ? settings_.given : "");
  if (!lock_) lock_.emplace(folder_.path);
  write_text_atomically(folder_.model(), given_->resolved);
  if (resumed != nullptr) put_refused_aside(folder_, *start_.resumed);
  writer_.emplace(model(), folder_, cells_, resumed, start_.from, simulation_->engine().parts() != nullptr);
  stopwatch_.emplace(started_, resumed);
  writer_->add(*stopwatch_);
  for (Observer* observer : added_) writer_->add(*observer);
  if (settings_.controller != nullptr) {
    steering_.by = settings_.controller->name();
    settings_.controller->begin();
  }
  WallTimes times = settings_.times;
  if (!kHasHdf5) times.checkpoint_every_s = 0;
  clock_.emplace(times, started_, first_guess_s_);
  const Ending ending =
      Runner(*simulation_, *writer_, settings_.controller, steering_).run(interrupt, *clock_);
  writer_->finish();
  fill(ending, interrupt);
  write_summary_files(record_, model(), Look(simulation_->engine()), *writer_, folder_);
  return ending;
}

void Run::fill(Ending ending, const InterruptGuard* interrupt) {
  record_.seconds = writer_ ? simulation_->seconds() : 0;
  record_.interrupted = ending != Ending::finished;
  record_.stopped_by = ending == Ending::time_limit   ? "the time limit"
                       : ending == Ending::controller ? fmt::format("the call in {}", steering_.by)
                       : ending == Ending::signal     ? interrupt->name()
                                                      : "";
  if (steering_.changed) {
    record_.steered_by = steering_.by;
    record_.notes.push_back(fmt::format(
        "{} has changed the tissue or its parameters on the way (steered by {}); model.toml is what "
        "the run began with.",
        steering_.by, steering_.by));
  }
  if (writer_) {
    record_.from = writer_->from();
    record_.output_seconds = writer_->seconds();
    record_.seconds_in_all = stopwatch_->seconds();
  }
  record_.out = folder_.path.string();
  fill_record(record_, model(), simulation_->engine(), start_mcs_,
              writer_ ? writer_->last_row() : std::nullopt);
}

void Run::change_model(std::shared_ptr<const Model> model) {
  check_change(this->model(), *model);
  writer_->wait();
  const std::shared_ptr<const Model> former = simulation_->shared_model();
  simulation_->change_model(std::move(model));
  writer_->model_changed(this->model());
  steering_.changed = true;
  steering_.model = this->model().resolved;
}

bool Run::is_time_up() const { return clock_ && clock_->is_up(simulation_->last_while_seconds()); }

void Run::change_state(State state) {
  writer_->wait();
  simulation_->change_state(std::move(state));
  writer_->cells_changed();
  steering_.changed = true;
}

}  // namespace kiln
