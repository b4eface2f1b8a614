#include <fmt/format.h>

#include <chrono>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/summary.hpp"
#include "core/error.hpp"
#include "data/atomic_file.hpp"
#include "data/wording.hpp"
#include "model/explain.hpp"
#include "output/checkpoint.hpp"
#include "output/run_writer.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

AttemptCounts sum(const AttemptCounts& a, const AttemptCounts& b) {
  return {a.attempts + b.attempts, a.live + b.live, a.accepted + b.accepted};
}

// A model's text without what a resumed run may change: how long it goes on.
std::string without_length(const std::string& resolved) {
  std::string result;
  for (std::size_t at = 0; at < resolved.size();) {
    const std::size_t end = std::min(resolved.find('\n', at), resolved.size() - 1) + 1;
    const std::string line = resolved.substr(at, end - at);
    if (line.rfind("mcs = ", 0) != 0) result += line;
    at = end;
  }
  return result;
}

// The checkpoint to go on from, if there is one.
std::optional<Checkpoint> find_checkpoint(const RunFolder& folder, const Model& model) {
  if (!fs::exists(folder.checkpoint())) return std::nullopt;
  Checkpoint found = read_checkpoint(folder.checkpoint());
  if (without_length(found.info.model) != without_length(model.resolved))
    throw UserError(
        fmt::format("{} belongs to another model than the one given: only the number of MCS may change "
                    "on --resume.",
                    folder.checkpoint().string()));
  return found;
}

// A run goes on with the schedule it began with, on whatever engine.
void keep_schedule(EngineOptions& options, const Checkpoint& checkpoint, const RunFolder& folder) {
  const std::string& began = checkpoint.info.schedule;
  const bool serial_asked = options.engine == "serial" || options.schedule == "serial";
  const bool other_engine = options.engine != "auto" && serial_asked != (began == "serial");
  if (other_engine || (!options.schedule.empty() && options.schedule != began))
    throw UserError(
        fmt::format("{} was begun with the schedule {}, and can only be resumed with it; leave --engine and "
                    "--schedule out, or start a new run.",
                    folder.path.string(), began));
  options.schedule = began;
  if (began == "serial") options.engine = "serial";
}

fs::path folder_of(const RunOptions& options) {
  if (!options.out.empty()) return options.out;
  const std::string name = options.model.empty() ? "demo" : fs::path(options.model).stem().string();
  return options.resume ? fs::path("runs") / name : unused_run_folder(name);
}

// Goes through the phases MCS by MCS; several at a time where they are short, so that the bar and Ctrl-C stay
// alive.
class Runner {
 public:
  Runner(const Model& model, Engine& engine, RunWriter& writer, AttemptCounts before)
      : model_(model), engine_(engine), writer_(writer), before_(before) {}

  AttemptCounts counts() const { return sum(before_, engine_.counts()); }
  double seconds() const { return seconds_; }  // of computing

  // True where it came to the end.
  bool run(const InterruptGuard& interrupt, Progress& progress) {
    const int64_t end = model_.total_mcs();
    int64_t mcs = engine_.state().mcs;
    int phase = -1;
    if (mcs == 0) writer_.write(engine_.state(), counts(), engine_.schedule(), Moment::start);
    while (mcs < end) {
      if (phase_at(model_, mcs) != phase) {
        phase = phase_at(model_, mcs);
        engine_.set_physics(model_.phases[std::size_t(phase)].physics.view());
      }
      const int64_t due = writer_.next_due(mcs);
      while (mcs < due) {
        mcs += advance(std::min(due - mcs, chunk_));
        progress.update(mcs, model_.phases[std::size_t(phase)].name);
        if (interrupt.requested()) break;
      }
      if (interrupt.requested() && mcs < end) {
        writer_.write(engine_.state(), counts(), engine_.schedule(), Moment::interrupted);
        return false;
      }
      writer_.write(engine_.state(), counts(), engine_.schedule(),
                    mcs == end ? Moment::end : Moment::under_way);
    }
    return true;
  }

 private:
  int64_t advance(int64_t mcs) {
    const auto start = Clock::now();
    engine_.advance(mcs);
    const double seconds = seconds_since(start);
    seconds_ += seconds;
    const double per_mcs = seconds / double(mcs);
    chunk_ = std::clamp<int64_t>(int64_t(0.1 / std::max(per_mcs, 1e-9)), 1, 10'000);
    return mcs;
  }

  const Model& model_;
  Engine& engine_;
  RunWriter& writer_;
  AttemptCounts before_;
  int64_t chunk_ = 1;
  double seconds_ = 0;
};

void announce(const Model& model, Engine& engine, const fs::path& out) {
  const State& state = engine.state();
  const double cells = double(state.cells.count()) - 1;
  fmt::print(stderr, "{}\n", model.title.empty() ? model.source : model.title);
  fmt::print(stderr, "  lattice {}, {} cells, {} MCS, seed {}\n", size_text(model.lattice), grouped(cells),
             grouped(double(model.total_mcs())), model.seed);
  fmt::print(stderr, "  memory {}, disk about {}, into {}\n",
             bytes_text(memory_need(model, cells).total() + copy_bytes(model, cells)),
             bytes_text(disk_need(model, cells)), out.string());
  fmt::print(stderr, "  engine {} on {}; schedule {}{}\n", engine.name(), device_of(engine),
             engine.schedule(), engine.settings().empty() ? "" : ": " + engine.settings());
  for (const std::string& note : model_notes(model)) fmt::print(stderr, "  note: {}\n", note);
}

}  // namespace

int run_command(const RunOptions& options) {
  const Model model = load_model(options.model, options.set, options.seed, options.mcs);
  const fs::path out = folder_of(options);
  const IfExists if_exists = options.resume  ? IfExists::resume
                             : options.force ? IfExists::replace
                                             : IfExists::refuse;
  check_run_folder(out, if_exists);
  std::optional<Checkpoint> checkpoint;
  if (options.resume) checkpoint = find_checkpoint({out}, model);
  if (!checkpoint) require_memory(model);
  State first = checkpoint ? checkpoint->state : initial_state(model);
  const int64_t start_mcs = first.mcs;
  if (checkpoint && start_mcs > model.total_mcs())
    throw UserError(fmt::format("{} stands at MCS {}, beyond the {} that this run has; give a larger --mcs.",
                                out.string(), start_mcs, model.total_mcs()));
  EngineOptions engine_options = options.engine;
  if (checkpoint) keep_schedule(engine_options, *checkpoint, {out});
  const CellId cells = first.cells.count();
  const Physics physics = model.phases[std::size_t(phase_at(model, start_mcs))].physics.view();
  const auto engine = make_engine(model, physics, std::move(first), engine_options);
  if (!options.json) announce(model, *engine, out);

  RunRecord record;
  record.started = iso_time(std::chrono::system_clock::now());
  bool finished = true;
  const AttemptCounts before = checkpoint ? checkpoint->info.counts : AttemptCounts{};
  const InterruptGuard interrupt;
  std::optional<RunWriter> writer;
  AttemptCounts counts = before;
  if (!checkpoint || start_mcs < model.total_mcs()) {
    const RunFolder folder = make_run_folder(out, if_exists);
    write_text_atomically(folder.model(), model.resolved);
    writer.emplace(model, folder, cells, checkpoint ? &*checkpoint : nullptr);
    Progress progress(start_mcs, model.total_mcs(), double(model.lattice.sites()), options.json);
    Runner runner(model, *engine, *writer, before);
    finished = runner.run(interrupt, progress);
    counts = runner.counts();
    record.seconds = runner.seconds();
    progress.finish();
    writer->finish();
    record.output_seconds = writer->seconds();
  }
  fill_record(record, model, *engine, start_mcs);
  record.out = out.string();
  record.interrupted = !finished;
  if (writer) write_summary_files(record, model, engine->state(), *writer, {out});
  if (options.json)
    fmt::print("{}\n", summary_json(record));
  else
    fmt::print("{}", summary_text(record, model, engine->state(), counts, writer ? &*writer : nullptr));
  return finished ? 0 : 128 + interrupt.signal();
}

}  // namespace kiln
