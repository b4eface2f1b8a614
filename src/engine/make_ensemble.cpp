#include <algorithm>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "engine/cuda/tiles/ensemble.hpp"
#include "engine/engine_choice.hpp"
#include "engine/ensemble.hpp"

namespace kiln {
namespace {

// Each member an engine of its own, dealt out to the processors: on one thread where there are enough of
// them. On a GPU, which each of them fills, they take turns.
class SeparateEngines final : public Ensemble {
 public:
  SeparateEngines(const Model& model, const Physics& physics, std::vector<State> states,
                  const std::vector<uint64_t>& seeds, EngineOptions options)
      : threads_(options.engine == "cuda" ? 1 : options.threads), models_(states.size(), model) {
    options.threads = std::max(1, options.threads / int(states.size()));
    for (std::size_t member = 0; member < states.size(); ++member) {
      models_[member].seed = seeds[member];
      engines_.push_back(make_engine(models_[member], physics, std::move(states[member]), options));
    }
  }

  int64_t size() const override { return int64_t(engines_.size()); }
  void set_physics(const Physics& physics) override {
    for (const auto& engine : engines_) engine->set_physics(physics);
  }
  void advance(int64_t mcs) override {
    parallel_for(size(), threads_, [&](int64_t member) { engine(member).advance(mcs); });
  }
  const State& state(int64_t member) override { return engine(member).state(); }
  void visit(const Visitor& look) override {
    parallel_for(size(), threads_, [&](int64_t member) { look(member, engine(member).state()); });
  }
  std::vector<AttemptCounts> counts() const override {
    std::vector<AttemptCounts> result;
    for (const auto& engine : engines_) result.push_back(engine->counts());
    return result;
  }
  std::string name() const override { return engines_[0]->name(); }
  std::string schedule() const override { return engines_[0]->schedule(); }
  std::string settings() const override { return engines_[0]->settings(); }
  std::string gpu() const override { return engines_[0]->gpu(); }

 private:
  Engine& engine(int64_t member) const { return *engines_[std::size_t(member)]; }

  int threads_;
  std::vector<Model> models_;  // which engines refer to
  std::vector<std::unique_ptr<Engine>> engines_;
};

void check(const std::vector<State>& states, const std::vector<uint64_t>& seeds) {
  if (states.empty() || states.size() != seeds.size())
    throw Failure("an ensemble needs one seed per state, and at least one");
  for (const State& state : states)
    if (state.mcs != states[0].mcs) throw Failure("all states of an ensemble must be at the same MCS");
}

}  // namespace

std::unique_ptr<Ensemble> make_ensemble(const Model& model, const Physics& physics, std::vector<State> states,
                                        const std::vector<uint64_t>& seeds, const EngineOptions& given) {
  check(states, seeds);
  const EngineOptions options = chosen_engine(model, given, int64_t(states.size()));
  if (options.engine != "cuda" || model.has_stages())
    return std::make_unique<SeparateEngines>(model, physics, std::move(states), seeds, options);
  if (options.schedule != "tiles")
    throw UserError(
        "--schedule is \"checkerboard\", but many simulations at once on a GPU play only tiles; --engine "
        "threads has it.");
  return std::make_unique<cuda::TilesEnsemble>(
      std::move(states), physics, seeds, tiles::settings_for(model), model.largest_act(), options.device,
      options.numbers_in_memory ? cuda::Numbers::in_memory : cuda::Numbers::folded);
}

}  // namespace kiln
