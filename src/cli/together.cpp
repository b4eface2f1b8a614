// Several processes that play one tissue.
#include "cli/commands.hpp"
#include "engine/engine_choice.hpp"
#include "engine/ranks/lead_engine.hpp"
#include "engine/ranks/make_ranks.hpp"
#include "simulation/interrupt.hpp"

namespace kiln {

bool meet_others(EngineOptions& engine, const Model& model) {
  if (engine.crew == nullptr) return true;
  chosen_engine(model, engine);  // what is refused is so before anybody waits
  if (!engine.crew->meet(model.resolved)) return false;
  if (engine.engine == "auto") {
    Processes& all = engine.crew->processes();
    const bool on_gpus = engine.schedule != "serial" && !model.has_stages() && is_worth_gpu(model);
    engine.engine = all.sum(on_gpus ? 1 : 0) == uint64_t(all.ranks()) ? "cuda" : "threads";
  }
  return engine.crew->leads();
}

int follow_orders(const EngineOptions& engine, const Model& model) {
  if (!engine.crew->is_manned()) return 0;
  const InterruptGuard interrupt;
  const auto signal = [&] { return interrupt.signal(); };
  const EngineOptions chosen = chosen_engine(model, engine);
  follow(*engine.crew, model, make_ranks(model, chosen, engine.crew->ranks()), chosen.threads, signal,
         engine.store);
  return 0;
}

}  // namespace kiln
