#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/tell.hpp"
#include "base/wording.hpp"
#include "cli/commands.hpp"
#include "cli/replayed_run.hpp"
#include "cli/run_view.hpp"
#include "core/lattice_size.hpp"
#include "data/hdf5/file.hpp"  // kHasHdf5
#include "model/explain.hpp"
#include "output/state/part_files.hpp"
#include "simulation/progress.hpp"
#include "simulation/run/run.hpp"
#include "simulation/run/summary.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

// "Try again later", of sysexits.h.
constexpr int kExitTimeLimit = 75;

RunSettings settings_of(const RunOptions& options, Controller* controller) {
  RunSettings settings;
  settings.engine = options.engine;
  settings.out = options.out;
  settings.name = options.model.empty() ? "demo" : fs::path(options.model).stem().string();
  settings.given = given_text(options.model);
  settings.input = options.model;
  settings.from = options.from;
  settings.if_exists = options.resume  ? IfExists::resume
                       : options.force ? IfExists::replace
                                       : IfExists::refuse;
  settings.times = options.times;
  settings.controller = controller;
  return settings;
}

void announce(Run& run) {
  const Model& model = run.model();
  const Engine& engine = run.simulation().engine();
  const Look look(run.simulation().engine());
  const double cells = double(look.cell_count()) - 1;
  const CellCounts there = cell_counts(look, model.frozen_types());
  tell(stderr, "{}\n", model.title.empty() ? model.source : model.title);
  tell(stderr, "  lattice {}, {}{}, {} MCS, seed {}\n", size_text(model.lattice),
       counted(double(there.living), "cell"),
       there.frozen == 0 ? "" : fmt::format(" and {} frozen", grouped(double(there.frozen))),
       grouped(double(model.total_mcs())), model.seed);
  tell(stderr, "  memory {}, disk about {}, into {}\n",
       bytes_text(memory_need(model, cells).total() + copy_bytes(model, cells)),
       bytes_text(disk_need(model, cells)), run.folder().path.string());
  tell(stderr, "  engine {} on {}; schedule {}{}\n", engine.name(), device_of(engine), engine.schedule(),
       engine.settings().empty() ? "" : ": " + engine.settings());
  const RunStart& start = run.start();
  if (start.resumed || start.from)
    tell(stderr, "  goes on at MCS {}, from {}\n", grouped(double(look.mcs())),
         start.from ? start.from->file : start.resumed->file.string());
  for (const std::string& note : model_notes(model)) tell(stderr, "  note: {}\n", note);
}

// The bar, or the lines, on standard error.
class ProgressObserver : public Observer {
 public:
  ProgressObserver(Run& run, bool quiet)
      : simulation_(run.simulation()),
        model_(run.model()),
        progress_(run.start_mcs(), model_.total_mcs(), double(model_.lattice.sites()), quiet) {}

  int64_t next_due(int64_t) const override { return kNeverDue; }
  Work look(const Glance&) override { return {}; }
  void pulse(int64_t mcs) override {
    progress_.update(mcs, model_.phase_at(mcs - 1).name, simulation_.seconds());
  }
  void finish() override { progress_.finish(); }

 private:
  const Simulation& simulation_;
  const Model& model_;
  Progress progress_;
};

void print_summary(Run& run, bool json) {
  if (json)
    tell(stdout, "{}\n", summary_json(run.record()));
  else
    tell(stdout, "{}",
         summary_text(run.record(), run.model(), Look(run.simulation().engine()), run.simulation().counts(),
                      run.writer()));
}

Ending play(Run& run, const InterruptGuard& interrupt, bool quiet) {
  ProgressObserver progress(run, quiet);
  run.add(progress);
  return run.go(&interrupt);
}

}  // namespace

int run_command(const RunOptions& given) {
  RunOptions options = given;
  RunView view(options);
  std::optional<ReplayedRun> replayed;
  if (!options.replay.empty()) replayed.emplace(options.replay).complete(options);
  const auto started = WallClock::Clock::now();
  prefer_errors_to_signals();
  const auto model =
      std::make_shared<const Model>(load_model(options.model, options.set, options.seed, options.mcs));
  PartFiles parts(model->units.voxel_um, property_names(*model));
  if (kHasHdf5) options.engine.store = &parts;
  if (!meet_others(options.engine, *model)) return follow_orders(options.engine, *model);
  Run run(model, settings_of(options, view.controller()), started);
  if (replayed) replayed->check_start(run, given);
  if (!options.json) announce(run);
  for (const std::string& note : run.start().notes) tell(stderr, "  note: {}\n", note);
  if (!options.json && options.model.empty() && !options.view)
    tell(stderr, "  --view shows it in a browser while it runs\n");
  const InterruptGuard interrupt;
  view.begin(run, interrupt);
  const Ending ending = play(run, interrupt, options.json);
  print_summary(run, options.json);
  const bool is_right = !replayed || ending != Ending::finished || replayed->check_end(run);
  view.stay(run, interrupt);
  return ending == Ending::finished     ? (is_right ? 0 : 1)
         : ending == Ending::time_limit ? kExitTimeLimit
                                        : 128 + interrupt.signal();
}

}  // namespace kiln
