#include "core/error.hpp"
#include "engine/serial.hpp"

namespace kiln {

std::unique_ptr<Engine> make_engine(const Model& model, const Physics& physics, State state,
                                    const EngineOptions& options) {
  if (options.engine != "auto" && options.engine != "serial")
    throw UserError("--engine is \"" + options.engine +
                    "\", but this version of Kiln has only \"serial\" (or \"auto\").");
  if (!options.schedule.empty() && options.schedule != "serial")
    throw UserError("--schedule is \"" + options.schedule +
                    "\", but this version of Kiln has only \"serial\".");
  if (model.lattice.dimension == 2)
    return std::make_unique<SerialEngine<2>>(std::move(state), physics, model.seed);
  return std::make_unique<SerialEngine<3>>(std::move(state), physics, model.seed);
}

}  // namespace kiln
