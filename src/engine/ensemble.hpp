// Many simulations of one model at once: same physics, each with a seed and a first state of its own. Every
// member has the result that it would have alone, bit for bit.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace kiln {

class Ensemble {
 public:
  virtual ~Ensemble() = default;

  virtual int64_t size() const = 0;
  // Applies to every MCS from now on, of all members.
  virtual void set_physics(const Physics& physics) = 0;
  virtual void advance(int64_t mcs) = 0;
  // A member's state as it is now; the reference stays good until the next call.
  virtual const State& state(int64_t member) = 0;
  // Calls look(member, state) for all, for several at a time on threads of their own.
  using Visitor = std::function<void(int64_t, const State&)>;
  virtual void visit(const Visitor& look) = 0;
  // Of every member.
  virtual std::vector<AttemptCounts> counts() const = 0;
  virtual std::string name() const = 0;
  virtual std::string schedule() const = 0;
  virtual std::string settings() const = 0;
  // The GPU it runs on; "" for a processor.
  virtual std::string gpu() const = 0;
};

// One seed per state; all states are at the same MCS. Throws UserError where the engine or schedule is not
// known or not to be had.
std::unique_ptr<Ensemble> make_ensemble(const Model& model, const Physics& physics, std::vector<State> states,
                                        const std::vector<uint64_t>& seeds, const EngineOptions& options);

}  // namespace kiln
