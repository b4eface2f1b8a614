#include "engine/checked.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace kiln {

CheckedEngine::CheckedEngine(std::unique_ptr<Engine> engine, const Neighbourhood& perimeter,
                             std::vector<bool> frozen_types)
    : engine_(std::move(engine)), perimeter_(perimeter), frozen_types_(std::move(frozen_types)) {}

void CheckedEngine::advance(int64_t mcs) {
  for (int64_t done = 0; done < mcs; ++done) {
    engine_->advance(1);
    const State& state = engine_->state();
    const std::string wrong = audit(state, perimeter_, frozen_types_);
    if (!wrong.empty())
      throw Failure(fmt::format("the books of the {} engine are wrong after MCS {}: {}.", engine_->name(),
                                state.mcs, wrong));
  }
}

}  // namespace kiln
