#include <fmt/format.h>

#include <algorithm>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/tell.hpp"
#include "base/wording.hpp"
#include "cli/commands.hpp"
#include "model/explain.hpp"
#include "simulation/run/runner.hpp"
#include "simulation/run/start.hpp"
#include "simulation/run/summary.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

// "Try again later", of sysexits.h.
constexpr int kExitTimeLimit = 75;

fs::path folder_of(const RunOptions& options) {
  if (!options.out.empty()) return options.out;
  const std::string name = options.model.empty() ? "demo" : fs::path(options.model).stem().string();
  return options.resume ? fs::path("runs") / name : unused_run_folder(name);
}

void announce(const Model& model, Engine& engine, const RunStart& start, const fs::path& out) {
  const State& state = engine.state();
  const double cells = double(state.cells.count()) - 1;
  const std::vector<bool> frozen = model.frozen_types();
  const int64_t living = living_cells(state, frozen);
  const int64_t still = std::count_if(state.cells.type.begin(), state.cells.type.end(),
                                      [&frozen](TypeId type) { return bool(frozen[type]); });
  tell(stderr, "{}\n", model.title.empty() ? model.source : model.title);
  tell(stderr, "  lattice {}, {} cell{}{}, {} MCS, seed {}\n", size_text(model.lattice),
       grouped(double(living)), living == 1 ? "" : "s",
       still == 0 ? "" : fmt::format(" and {} frozen", grouped(double(still))),
       grouped(double(model.total_mcs())), model.seed);
  tell(stderr, "  memory {}, disk about {}, into {}\n",
       bytes_text(memory_need(model, cells).total() + copy_bytes(model, cells)),
       bytes_text(disk_need(model, cells)), out.string());
  tell(stderr, "  engine {} on {}; schedule {}{}\n", engine.name(), device_of(engine), engine.schedule(),
       engine.settings().empty() ? "" : ": " + engine.settings());
  if (start.resumed || start.from)
    tell(stderr, "  goes on at MCS {}, from {}\n", grouped(double(state.mcs)),
         start.from ? start.from->file : start.resumed->file.string());
  for (const std::string& note : model_notes(model)) tell(stderr, "  note: {}\n", note);
}

double guess_of_checkpoint_seconds(const State& state) {
  constexpr double kBytesPerSite = 6, kBytesPerCell = 100, kBytesPerSecond = 50e6;
  return (double(state.ids.size()) * kBytesPerSite + double(state.cells.count()) * kBytesPerCell) /
         kBytesPerSecond;
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

// Everything between a start and the files that a run leaves.
class RunCommand {
 public:
  RunCommand(const RunOptions& options, WallClock::Clock::time_point started)
      : options_(options),
        started_(started),
        shared_model_(
            std::make_shared<const Model>(load_model(options.model, options.set, options.seed, options.mcs))),
        model_(*shared_model_),
        folder_{folder_of(options)} {}

  int run() {
    check_run_folder(folder_.path, if_exists());
    if (fs::is_directory(folder_.path)) lock_.emplace(folder_.path);
    start_ = find_start({options_.resume, options_.from}, model_, folder_);
    start_mcs_ = start_.state.mcs;
    cells_ = start_.state.cells.count();
    first_guess_s_ = guess_of_checkpoint_seconds(start_.state);
    simulation_.emplace(shared_model_, std::move(start_.state), engine_for(options_.engine, start_, folder_),
                        start_.resumed ? start_.resumed->checkpoint.info.counts : AttemptCounts{});
    if (!options_.json) announce(model_, simulation_->engine(), start_, folder_.path);
    for (const std::string& note : start_.notes) tell(stderr, "  note: {}\n", note);
    record_.started = iso_time(std::chrono::system_clock::now());
    record_.notes = start_.notes;
    const InterruptGuard interrupt;
    const Ending ending = nothing_left_to_do() ? Ending::finished : go(interrupt);
    print_summary();
    return ending == Ending::finished     ? 0
           : ending == Ending::time_limit ? kExitTimeLimit
                                          : 128 + interrupt.signal();
  }

 private:
  IfExists if_exists() const {
    return options_.resume ? IfExists::resume : options_.force ? IfExists::replace : IfExists::refuse;
  }

  // A process may have died between the last checkpoint and the last file.
  bool nothing_left_to_do() {
    if (!start_.resumed || start_mcs_ < model_.total_mcs()) return false;
    if (!is_record_of(folder_.record(), start_.resumed->checkpoint.hash)) return false;
    fill_record(record_, model_, simulation_->engine(), start_mcs_);
    record_.out = folder_.path.string();
    return true;
  }

  Ending go(const InterruptGuard& interrupt) {
    make_run_folder(folder_.path, if_exists());
    if (!lock_) lock_.emplace(folder_.path);
    try {
      return write_and_run(interrupt);
    } catch (const Failure& e) {
      throw ended_by(e.what(), folder_, last_checkpoint());
    } catch (const fs::filesystem_error& e) {
      throw ended_by(e.what(), folder_, last_checkpoint());
    }
  }

  int64_t last_checkpoint() const {
    return writer_ ? writer_->checkpoint_at() : start_.resumed ? start_mcs_ : -1;
  }

  Ending write_and_run(const InterruptGuard& interrupt) {
    const Checkpoint* resumed = start_.resumed ? &start_.resumed->checkpoint : nullptr;
    write_text_atomically(folder_.model(), model_.resolved);
    if (resumed != nullptr) put_refused_aside(folder_, *start_.resumed);
    writer_.emplace(model_, folder_, cells_, resumed, start_.from);
    Progress progress(start_mcs_, model_.total_mcs(), double(model_.lattice.sites()), options_.json);
    Runner runner(*simulation_, *writer_);
    WallTimes times = options_.times;
    if (!kHasHdf5) times.checkpoint_every_s = 0;
    WallClock clock(times, started_, first_guess_s_);
    const Ending ending = runner.run(interrupt, clock, progress);
    record_.seconds = simulation_->seconds();
    record_.interrupted = ending != Ending::finished;
    record_.stopped_by = ending == Ending::time_limit ? "the time limit" : interrupt.name();
    record_.from = writer_->from();
    progress.finish();
    writer_->finish();
    record_.output_seconds = writer_->seconds();
    fill_record(record_, model_, simulation_->engine(), start_mcs_, writer_->last_row());
    record_.out = folder_.path.string();
    write_summary_files(record_, model_, simulation_->engine().state(), *writer_, folder_);
    return ending;
  }

  void print_summary() {
    if (options_.json)
      tell(stdout, "{}\n", summary_json(record_));
    else
      tell(stdout, "{}",
           summary_text(record_, model_, simulation_->engine().state(), simulation_->counts(),
                        writer_ ? &*writer_ : nullptr));
  }

  const RunOptions& options_;
  WallClock::Clock::time_point started_;
  std::shared_ptr<const Model> shared_model_;
  const Model& model_;
  RunFolder folder_;
  std::optional<FolderLock> lock_;
  RunStart start_;
  int64_t start_mcs_ = 0;
  CellId cells_ = 0;
  double first_guess_s_ = 0;
  std::optional<Simulation> simulation_;
  std::optional<RunWriter> writer_;
  RunRecord record_;
};

}  // namespace

int run_command(const RunOptions& options) {
  const auto started = WallClock::Clock::now();
  prefer_errors_to_signals();
  return RunCommand(options, started).run();
}

}  // namespace kiln
