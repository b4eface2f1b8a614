#include "simulation/simulation.hpp"

#include <algorithm>
#include <chrono>

#include "base/seconds.hpp"
#include "engine/schedule/tiles_plan.hpp"
#include "model/branch.hpp"

namespace kiln {
namespace {

std::shared_ptr<Engine> engine_for(const Model& model, State state, const EngineOptions& options) {
  const Physics physics = model.phase_at(state.mcs).physics.view();
  return make_engine(model, physics, std::move(state), options);
}

// Whether types keep what they carry with them: sites, Act, directions and past places.
bool carry_the_same(const TypePhysics& a, const TypePhysics& b) {
  return a.frozen == b.frozen && a.act.max == b.act.max && a.persistence.dt == b.persistence.dt &&
         (a.persistence.lambda != 0) == (b.persistence.lambda != 0);
}

// Whether both are played by the same schedule: all of its settings, since each of them shapes the result.
bool play_alike(const Model& a, const Model& b) {
  return a.seed == b.seed && tiles::settings_for(a) == tiles::settings_for(b) &&
         a.checkerboard == b.checkerboard;
}

// Whether an engine at work needs to be told no more than the new parameters.
bool only_numbers_differ(const Model& a, const Model& b) {
  bool same = a.lattice.dimension == b.lattice.dimension && a.lattice.size == b.lattice.size &&
              a.lattice.periodic == b.lattice.periodic && a.types.size() == b.types.size() &&
              a.phases.size() == b.phases.size() && a.perimeter_order == b.perimeter_order &&
              a.uses_act() == b.uses_act() && a.history_length() == b.history_length() &&
              a.reads(OptionalColumn::moments) == b.reads(OptionalColumn::moments) &&
              a.has_own_targets() == b.has_own_targets() && !a.has_stages() && !b.has_stages();
  for (std::size_t p = 0; same && p < a.phases.size(); ++p) {
    const PhysicsData &x = a.phases[p].physics, &y = b.phases[p].physics;
    for (std::size_t t = 0; same && t < a.types.size(); ++t)
      same = a.types[t].name == b.types[t].name && carry_the_same(x.types[t], y.types[t]);
  }
  return same && play_alike(a, b);
}

// Lambdas of cells that no rule has set yet are those that the types have now.
void follow_types(const Model& before, const Model& now, Cells& cells) {
  const PhysicsData &old_physics = before.phases.front().physics, &physics = now.phases.front().physics;
  for (CellId cell = 1; cell < cells.own_lambdas.size(); ++cell) {
    const TypeId type = cells.type[cell];
    if (type >= before.types.size() || before.types[type].name != now.types[type].name) continue;
    const OwnLambdas old = declared_lambdas(old_physics.declared(type)),
                     own = declared_lambdas(physics.declared(type));
    OwnLambdas& of_cell = cells.own_lambdas[cell];
    Terms::each([&](auto term) {
      constexpr auto kWhich = decltype(term)::kOwnLambdas;
      if constexpr (kWhich != nullptr)
        if (of_cell.*kWhich == old.*kWhich) of_cell.*kWhich = own.*kWhich;
    });
  }
}

}  // namespace

Simulation::Simulation(std::shared_ptr<const Model> model, State state, const EngineOptions& options,
                       const AttemptCounts& before)
    : model_(std::move(model)),
      options_(options),
      before_(before),
      mcs_(state.mcs),
      phase_(model_->phase_number(state.mcs)) {
  engine_ = engine_for(*model_, std::move(state), options_);
  // Other states come from memory.
  options_.stored.clear();
  options_.build = false;
  options_.notes = nullptr;
}

AttemptCounts Simulation::counts() const {
  AttemptCounts all = before_;
  all.add(engine_->counts());
  return all;
}

void Simulation::advance(int64_t mcs) {
  const auto start = std::chrono::steady_clock::now();
  for (const int64_t end = mcs_ + mcs; mcs_ < end;) {
    use_phase();
    const int64_t phase_end = model_->phase_end(mcs_);
    const int64_t part = phase_end > mcs_ ? std::min(end, phase_end) - mcs_ : end - mcs_;
    engine_->advance(part);
    mcs_ += part;
  }
  last_while_s_ = seconds_since(start);
  seconds_ += last_while_s_;
}

void Simulation::use_phase() {
  const int phase = model_->phase_number(mcs_);
  if (phase == phase_) return;
  phase_ = phase;
  engine_->set_physics(model_->phases[std::size_t(phase)].physics.view());
}

int64_t Simulation::advance_a_while(int64_t most) {
  const int64_t mcs = std::min(most, chunk_);
  advance(mcs);
  const double per_mcs = last_while_s_ / double(std::max<int64_t>(1, mcs));
  chunk_ = std::clamp<int64_t>(int64_t(0.1 / std::max(per_mcs, 1e-9)), 1, 10'000);
  return mcs;
}

void Simulation::change_model(std::shared_ptr<const Model> model) {
  if (only_numbers_differ(*model_, *model)) {
    engine_->set_physics(model->phase_at(mcs_).physics.view());
    phase_ = model->phase_number(mcs_);
    model_ = std::move(model);
    return;
  }
  options_.numbers_in_memory = true;  // who changes a model once may do so often
  State state;
  engine_->begin_copy(state)();
  state = branched_state(*model, std::move(state), type_memories(*model_), "the state it has come to",
                         property_names(*model_));
  follow_types(*model_, *model, state.cells);
  const std::shared_ptr<const Model> old = std::exchange(model_, std::move(model));
  try {
    change_state(std::move(state));
  } catch (...) {
    model_ = old;
    throw;
  }
}

void Simulation::change_state(State state) {
  const AttemptCounts so_far = counts();
  const int phase = model_->phase_number(state.mcs);
  const int64_t mcs = state.mcs;
  engine_ = engine_for(*model_, std::move(state), options_);
  before_ = so_far;
  mcs_ = mcs;
  phase_ = phase;
}

}  // namespace kiln
