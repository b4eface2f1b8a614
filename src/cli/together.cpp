// Several processes that play one tissue.
#include "cli/commands.hpp"
#include "engine/engine_choice.hpp"
#include "engine/ranks/lead_engine.hpp"
#include "engine/ranks/make_ranks.hpp"
#include "simulation/interrupt.hpp"

namespace kiln {

bool meet_others(const EngineOptions& engine, const Model& model) {
  if (engine.crew == nullptr) return true;
  chosen_engine(model, engine);  // what is refused is so before anybody waits
  return engine.crew->meet(model.resolved) && engine.crew->leads();
}

int follow_orders(const EngineOptions& engine, const Model& model) {
  if (!engine.crew->is_manned()) return 0;
  const InterruptGuard interrupt;
  const auto signal = [&] { return interrupt.signal(); };
  const EngineOptions chosen = chosen_engine(model, engine);
  follow(*engine.crew, model, make_ranks(model, chosen, engine.crew->ranks()), chosen.threads, signal);
  return 0;
}

}  // namespace kiln
