#include <fmt/format.h>

#include "cli/commands.hpp"
#include "simulation/plan.hpp"

namespace kiln {

int plan_command(const PlanOptions& options) {
  const Model model = load_model(options.model, options.set, std::nullopt, options.mcs);
  const Plan plan = plan_for(model, options.ranks, options.bricks, hardware_named(options.on));
  fmt::print("{}", options.json ? plan_json(plan, model) : plan_text(plan, model));
  return 0;
}

}  // namespace kiln
