#include "simulation/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "engine/engine_choice.hpp"
#include "output/table/tables.hpp"
#include "simulation/sweep/deal.hpp"

namespace kiln {
namespace {

// Of all lattices that are on a GPU together; as many are being made ready meanwhile.
constexpr int64_t kMostSites = int64_t(1) << 29;

std::string name_of(const std::vector<std::string>& settings, int64_t replica) {
  std::string name;
  for (const std::string& setting : settings) name += setting + ", ";
  return fmt::format("{}replica {}", name, replica);
}

// All runs of a sweep stand in one table.
void require_same_columns(const Model& first, const Model& other) {
  const bool same = measures_columns(first) == measures_columns(other) &&
                    first.measure.speed_intervals_mcs.empty() == other.measure.speed_intervals_mcs.empty();
  if (!same)
    throw UserError(
        "--vary changes which columns measures.csv has, but the runs of a sweep share one table; vary what "
        "is measured in sweeps of their own.");
}

}  // namespace

Sweep::Sweep(std::vector<Variation> variations, int64_t replicas, MakeModel make_model,
             const EngineOptions& options, SweepShare share)
    : variations_(std::move(variations)),
      replicas_(replicas),
      make_model_(std::move(make_model)),
      share_(std::move(share)) {
  check_sweep(variations_, replicas);
  combinations_ = kiln::combinations(variations_);
  for (std::size_t c = 0; c < combinations_.size(); ++c) {
    Model model = make_model_(overrides_of(variations_, combinations_[c]));
    const std::vector<std::string> settings = settings_of(variations_, combinations_[c]);
    for (int64_t replica = 1; replica <= replicas; ++replica) {
      if (share_.shard && !share_.shard->has(int64_t(c) * replicas + replica - 1)) continue;
      runs_.push_back({c, replica, replica_seed(model.seed, settings, replica), name_of(settings, replica)});
    }
    mcs_.push_back(model.total_mcs());
    if (c == 0)
      first_model_ = std::move(model);
    else
      require_same_columns(first_model_, model);
  }
  engine_ = chosen_engine(first_model_, options, replicas);
  if (engine_.engine == "cuda" && share_.devices.empty()) share_.devices = {engine_.device};
}

// One time that a sweep is played.
class Sweep::Game {
 public:
  Game(Sweep& sweep, const SweepEvents& events) : sweep_(sweep), events_(events) {
    for (const SweepRun& run : sweep_.runs_)
      if (events_.is_wanted(run)) wanted_.push_back(&run);
    make_batches();
  }

  void play() {
    if (devices().empty())
      play_on_cores();
    else
      play_on_devices();
  }

 private:
  // Runs of one combination that are played together.
  using Batch = std::vector<const SweepRun*>;

  struct Ready {
    Batch runs;
    std::unique_ptr<Replicas> replicas;
  };

  const std::vector<int>& devices() const { return sweep_.share_.devices; }

  void make_batches() {
    if (devices().empty()) return make_batches(1);
    make_batches(std::max<int64_t>(1, kMostSites / sweep_.first_model_.lattice.sites()));
    // Few combinations with many replicas are cut, so that no device is without work.
    const int64_t runs = int64_t(wanted_.size()), workers = int64_t(devices().size());
    if (int64_t(batches_.size()) < std::min(runs, workers)) make_batches((runs + workers - 1) / workers);
  }

  void make_batches(int64_t most) {
    batches_.clear();
    for (const SweepRun* run : wanted_) {
      const bool joins = !batches_.empty() && int64_t(batches_.back().size()) < most &&
                         batches_.back()[0]->combination == run->combination;
      if (!joins) batches_.emplace_back();
      batches_.back().push_back(run);
    }
  }

  void play_on_cores() {
    const int workers = int(std::clamp<int64_t>(int64_t(batches_.size()), 1, sweep_.engine_.threads));
    EngineOptions options = sweep_.engine_;
    options.threads = std::max(1, sweep_.engine_.threads / workers);
    parallel_for(int64_t(batches_.size()), workers, [&](int64_t i) {
      if (stopped_) return;
      try {
        Ready ready = prepare(batches_[std::size_t(i)], options);
        play(ready);
      } catch (...) {
        stopped_ = true;
        throw;
      }
    });
  }

  // The next batch of a device is made ready, its kernels compiled, while one is played.
  void play_on_devices() {
    const auto prepare_on = [this](std::size_t batch, int device) {
      EngineOptions options = sweep_.engine_;
      options.device = device;
      return prepare(batches_[batch], options);
    };
    deal(batches_.size(), devices(), stopped_, prepare_on, [this](Ready& ready) { play(ready); });
  }

  // Runs without a first state fail, one by one.
  Ready prepare(const Batch& batch, const EngineOptions& options) {
    Ready ready;
    try {
      Model model =
          sweep_.make_model_(overrides_of(sweep_.variations_, sweep_.combinations_[batch[0]->combination]));
      std::vector<std::optional<State>> made(batch.size());
      parallel_for(int64_t(batch.size()), options.threads, [&](int64_t i) {
        try {
          Model seeded = model;
          seeded.seed = batch[std::size_t(i)]->seed;
          made[std::size_t(i)] = initial_state(seeded);
        } catch (const std::exception& e) {
          report_failure(*batch[std::size_t(i)], e.what());
        }
      });
      std::vector<State> states;
      std::vector<uint64_t> seeds;
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!made[i]) continue;
        states.push_back(std::move(*made[i]));
        seeds.push_back(batch[i]->seed);
        ready.runs.push_back(batch[i]);
      }
      if (!states.empty())
        ready.replicas = std::make_unique<Replicas>(model, std::move(states), seeds, options);
    } catch (const std::exception& e) {
      for (const SweepRun* run : ready.runs.empty() ? batch : ready.runs) report_failure(*run, e.what());
    }
    return ready;
  }

  void play(Ready& ready) {
    if (!ready.replicas) return;
    int64_t played = 0;
    const auto go_on = [&](int64_t mcs) {
      const std::lock_guard lock(one_at_a_time_);
      mcs_ += (mcs - played) * int64_t(ready.runs.size());
      played = mcs;
      if (!stopped_ && !events_.go_on(mcs_)) stopped_ = true;
      return !stopped_;
    };
    try {
      if (!ready.replicas->play(go_on)) return;
    } catch (const std::exception& e) {
      for (const SweepRun* run : ready.runs) report_failure(*run, e.what());
      return;
    }
    const std::lock_guard lock(one_at_a_time_);
    for (std::size_t i = 0; i < ready.runs.size(); ++i)
      events_.finished(*ready.runs[i], ready.replicas->model(), ready.replicas->results()[i]);
  }

  void report_failure(const SweepRun& run, const std::string& why) {
    const std::lock_guard lock(one_at_a_time_);
    events_.failed(run, why);
  }

  Sweep& sweep_;
  const SweepEvents& events_;
  Batch wanted_;  // all runs to be played
  std::vector<Batch> batches_;
  std::atomic<bool> stopped_ = false;
  std::mutex one_at_a_time_;
  int64_t mcs_ = 0;  // of all runs
};

void Sweep::play(const SweepEvents& events) { Game(*this, events).play(); }

}  // namespace kiln
