#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <optional>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/seconds.hpp"
#include "base/tell.hpp"
#include "base/wording.hpp"
#include "cli/commands.hpp"
#include "core/lattice_size.hpp"
#include "engine/devices.hpp"
#include "output/run/record.hpp"
#include "simulation/interrupt.hpp"
#include "simulation/progress.hpp"
#include "simulation/sweep/folder.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const SweepOptions& options) {
  if (!options.out.empty()) return options.out;
  const std::string name = fs::path(options.model).stem().string() + "-sweep";
  // Shards share one folder, so none of them takes the next free name.
  return options.resume || options.shard ? fs::path("runs") / name : claim_run_folder(name);
}

std::vector<Variation> variations_of(const SweepOptions& options) {
  std::vector<Variation> result;
  for (const std::string& text : options.vary) result.push_back(parse_variation(text));
  return result;
}

std::string values_text(const Variation& variation) {
  constexpr std::size_t kShown = 8;
  const std::vector<std::string>& v = variation.values;
  if (v.size() <= kShown) return fmt::format("{}", fmt::join(v, ", "));
  return fmt::format("{}, ... {} ({} values)", fmt::join(v.begin(), v.begin() + kShown - 1, ", "), v.back(),
                     v.size());
}

class SweepCommand {
 public:
  SweepCommand(const SweepOptions& options, SweepShare share)
      : options_(options),
        sweep_(
            variations_of(options), options.replicas,
            [&options](const std::vector<Override>& varied) {
              return load_model(options.model, options.set, options.seed, options.mcs, varied);
            },
            options.engine, std::move(share)),
        out_(folder_of(options)),
        folder_(out_, if_exists(), load_model(options.model, options.set, options.seed, options.mcs),
                sweep_.engine().schedule, options.shard) {}

  int run() {
    const SweepProgress before = progress_in(folder_, sweep_);
    finished_ = before.finished;
    if (!options_.json) announce();
    const InterruptGuard interrupt;
    play(interrupt, before.all_mcs);
    folder_.write_tables(sweep_);
    folder_.write_record(record());
    if (options_.json)
      tell(stdout, "{}\n", summary_json());
    else
      print_summary(interrupt);
    return interrupt.requested() ? 128 + interrupt.signal() : failed_.empty() ? 0 : 1;
  }

 private:
  IfExists if_exists() const {
    return options_.resume ? IfExists::resume : options_.force ? IfExists::replace : IfExists::refuse;
  }

  void announce() const {
    const Model& model = sweep_.first_model();
    const EngineOptions& engine = sweep_.engine();
    const double combinations = double(sweep_.combinations().size()), replicas = double(sweep_.replicas());
    tell(stderr, "A sweep of {}: {}, {} of each, {}{}\n", options_.model,
         counted(combinations, "combination"), counted(replicas, "replica"),
         counted(combinations * replicas, "run"),
         options_.shard ? fmt::format("; shard {} has {} of them", options_.shard->text(),
                                      grouped(double(sweep_.runs().size())))
                        : "");
    for (const Variation& variation : sweep_.variations())
      tell(stderr, "  {} = {}\n", variation.key, values_text(variation));
    const std::vector<int>& devices = sweep_.share().devices;
    tell(stderr, "  lattice {}, {} MCS each; engine {}{}, schedule {}; into {}\n", size_text(model.lattice),
         grouped(double(model.total_mcs())), engine.engine,
         devices.size() > 1 ? fmt::format(" on GPUs {}", fmt::join(devices, ", ")) : "", engine.schedule,
         folder_.path().string());
    if (finished_ > 0)
      tell(stderr, "  {} of these runs {} finished already\n", grouped(double(finished_)),
           finished_ == 1 ? "is" : "are");
  }

  void play(const InterruptGuard& interrupt, int64_t mcs) {
    const auto start = std::chrono::steady_clock::now();
    Progress progress(0, mcs, double(sweep_.first_model().lattice.sites()), options_.json);
    failed_ = play_into(folder_, sweep_, [&](const SweepProgress& now) {
      progress.update(now.mcs, fmt::format("{}/{} runs", now.finished, sweep_.runs().size()));
      return !interrupt.requested();
    });
    progress.finish();
    finished_ = progress_in(folder_, sweep_).finished;
    seconds_ = seconds_since(start);
  }

  void print_summary(const InterruptGuard& interrupt) const {
    const std::string out = folder_.path().string();
    tell(stdout, "{} of {} runs finished{}, in {}\n", grouped(double(finished_)),
         grouped(double(sweep_.runs().size())),
         failed_.empty() ? "" : fmt::format(", {} failed", failed_.size()), duration_text(seconds_));
    for (const FailedRun& failed : failed_)
      tell(stdout, "  failed: {} (seed {}): {}\n", failed.run.name, failed.run.seed, failed.why);
    if (interrupt.requested())
      tell(stdout, "  stopped by {}; the same command with --resume --out {} goes on\n", interrupt.name(),
           out_.string());
    tell(stdout, "  {}/sweep.csv     a row per run\n  {}/measures.csv  a row per run and time\n", out, out);
    if (options_.shard)
      tell(stdout, "  Once all shards are played, put them together: --resume --out {} without --shard\n",
           out_.string());
    if (!sweep_.runs().empty()) print_first_run();
  }

  void print_first_run() const {
    const SweepRun& first = sweep_.runs()[0];
    std::string sets;
    for (const std::string& set : options_.set) sets += fmt::format(" --set '{}'", set);
    for (const std::string& set : settings_of(sweep_.variations(), sweep_.combinations()[first.combination]))
      sets += fmt::format(" --set '{}'", set);
    tell(stdout, "  The first of them in full, with pictures:\n    kiln run {} --seed {}{}{}{}\n",
         options_.model, first.seed, sets, options_.mcs ? fmt::format(" --mcs {}", *options_.mcs) : "",
         sweep_.engine().engine == "serial"           ? " --engine serial"
         : sweep_.engine().schedule == "checkerboard" ? " --schedule checkerboard"
                                                      : "");
  }

  // null in JSON where all runs are played.
  std::optional<std::string> shard_text() const {
    return options_.shard ? std::optional(options_.shard->text()) : std::nullopt;
  }

  std::string summary_json() const {
    return JsonObject()
        .add("shard", shard_text())
        .add("runs", sweep_.runs().size())
        .add("finished", finished_)
        .add("failed", failed_.size())
        .add("seconds", seconds_)
        .add("out", folder_.path().string())
        .line();
  }

  std::string record() const {
    JsonObject varied;
    for (const Variation& v : sweep_.variations()) varied.add(v.key, v.values);
    std::vector<JsonObject> failures;
    for (const FailedRun& f : failed_)
      failures.push_back(JsonObject().add("run", f.run.name).add("seed", f.run.seed).add("why", f.why));
    return JsonObject()
        .add("version", KILN_VERSION)
        .add("model", options_.model)
        .add("seed", sweep_.first_model().seed)
        .add("set", options_.set)
        .add_block("vary", varied)
        .add("replicas", sweep_.replicas())
        .add("engine", sweep_.engine().engine)
        .add("schedule", sweep_.engine().schedule)
        .add("shard", shard_text())
        .add("runs", sweep_.runs().size())
        .add("finished", finished_)
        .add("seconds", seconds_)
        .add("failed", failures)
        .lines();
  }

  const SweepOptions& options_;
  Sweep sweep_;
  fs::path out_;  // the sweep's folder, in which a shard has its own
  SweepFolder folder_;
  std::vector<FailedRun> failed_;
  int64_t finished_ = 0;  // runs
  double seconds_ = 0;
};

}  // namespace

int sweep_command(const SweepOptions& options) {
  prefer_errors_to_signals();
  SweepOptions chosen = options;
  SweepShare share{options.shard, choose_devices(options.devices, chosen.engine)};
  return SweepCommand(chosen, std::move(share)).run();
}

}  // namespace kiln
