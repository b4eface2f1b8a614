#include "simulation/replicas.hpp"

#include <algorithm>
#include <chrono>

#include "base/seconds.hpp"

namespace kiln {
namespace {

// Neither tracks nor what is measured at their rhythm are kept.
Model without_tracks(Model model) {
  model.measure.cells_every = 0;
  model.measure.direction_correlation = false;
  return model;
}

}  // namespace

Replicas::Replicas(const Model& model, std::vector<State> states, const std::vector<uint64_t>& seeds,
                   const EngineOptions& options)
    : model_(without_tracks(model)), results_(states.size()), mcs_(states.at(0).mcs) {
  const int threads = states.size() > 1 ? 1 : options.threads;
  watches_.reserve(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) watches_.emplace_back(model_, mcs_, NamedArrays{}, threads);
  ensemble_ = make_ensemble(model_, model_.phase_at(mcs_).physics.view(), std::move(states), seeds, options);
}

bool Replicas::play(const std::function<bool(int64_t)>& go_on) {
  const int64_t end = model_.total_mcs();
  int phase = model_.phase_number(mcs_);
  look(mcs_ == end);
  while (mcs_ < end) {
    if (model_.phase_number(mcs_) != phase) {
      phase = model_.phase_number(mcs_);
      ensemble_->set_physics(model_.phases[std::size_t(phase)].physics.view());
    }
    const int64_t due = watches_[0].next_due(mcs_, end);  // the same for all
    while (mcs_ < due) {
      mcs_ += advance(due - mcs_);
      if (!go_on(mcs_)) return false;
    }
    look(mcs_ == end);
  }
  return true;
}

// Some MCS, few enough to be asked in time whether to go on.
int64_t Replicas::advance(int64_t most) {
  constexpr double kSeconds = 0.2;
  const int64_t mcs = std::min(most, chunk_);
  const auto start = std::chrono::steady_clock::now();
  ensemble_->advance(mcs);
  const double per_mcs = seconds_since(start) / double(mcs);
  chunk_ = std::clamp<int64_t>(int64_t(kSeconds / std::max(per_mcs, 1e-9)), 1, 10'000);
  return mcs;
}

void Replicas::look(bool last) {
  const std::vector<AttemptCounts> counts = ensemble_->counts();
  ensemble_->visit([&](int64_t member, const State& state) {
    const std::size_t i = std::size_t(member);
    Seen seen = watches_[i].look(Look(state), counts[i], last, 1);
    if (seen.row) results_[i].rows.push_back(std::move(*seen.row));
    if (!last) return;
    results_[i].hash = state_hash(state);
    if (!model_.measure.speed_intervals_mcs.empty()) results_[i].speeds = watches_[i].motility().speeds();
  });
}

}  // namespace kiln
