// A look at a tissue at one moment of a run: what a measure sees.
#pragma once

#include <algorithm>

#include "base/parallel.hpp"
#include "engine/engine.hpp"

namespace kiln {

// The lattice may lie on a GPU, or in several processes; what is asked of it is then counted there where it
// can be, and brought here where it cannot. Tables of cells are at hand where one process plays; what goes
// from slice to slice of them (each_slice) works everywhere without a process that holds all.
class Look {
 public:
  Look(const State& state) : outline_(&state) {}  // not explicit: a state is one that can be looked at
  // Cells of one process are brought here at once, or when they are first asked for.
  enum class Cells { now, when_asked };
  explicit Look(Engine& engine, Cells cells = Cells::now)
      : engine_(&engine), outline_(&engine.outline()), survey_(engine.survey()) {
    if (cells == Cells::now && !is_shared_out()) engine.state_of_cells();
  }

  int64_t mcs() const { return outline_->mcs; }
  const Lattice& lattice() const { return outline_->lattice; }
  // Their books, and values that may be old ones.
  const std::vector<Substance>& substances() const {
    return is_shared_out() ? outline_->substances : state_of_cells().substances;
  }
  CellId cell_count() const { return is_shared_out() ? engine_->cell_count() : outline_->cells.count(); }
  void each_slice(const TakeSlice& take) const {
    is_shared_out() ? engine_->each_slice(take) : take({state_of_cells().cells});
  }
  // All of them, brought together where need be; the state's lattice may be an old one.
  const State& state_of_cells() const { return engine_ == nullptr ? *outline_ : engine_->state_of_cells(); }
  // The same, with no more of cells than types and sizes.
  const State& state_of_sizes() const { return engine_ == nullptr ? *outline_ : engine_->state_of_sizes(); }
  const kiln::Cells& all_cells() const { return state_of_cells().cells; }
  // Whether several processes have the cells: then one thing at a time can be asked.
  bool is_shared_out() const { return engine_ != nullptr && engine_->processes() > 1; }
  // All of it.
  const State& state() const { return engine_ == nullptr ? *outline_ : engine_->state(); }
  // A snapshot of all of it that stays valid while the run goes on; memory of `to` is used again. See
  // Engine::begin_copy.
  std::function<void()> begin_copy(State& to, int threads) const {
    if (engine_ != nullptr) return engine_->begin_copy(to);
    copy_state(*outline_, to, threads);
    return [] {};
  }
  // Where several processes hold it; nullptr elsewhere. See Engine::parts.
  StateParts* parts() const { return engine_ == nullptr ? nullptr : engine_->parts(); }
  // Cores that the run does not compute on. Where a GPU does, one is kept for the thread that drives it.
  int spare_cores() const {
    if (is_on_gpu()) return std::max(1, all_threads() - 1);
    return engine_ == nullptr ? all_threads() : std::max(0, all_threads() - engine_->threads());
  }
  bool is_on_gpu() const { return engine_ != nullptr && !engine_->gpu().empty(); }
  // nullptr where the lattice is at hand.
  LatticeSurvey* survey() const { return survey_; }

 private:
  Engine* engine_ = nullptr;
  const State* outline_;
  LatticeSurvey* survey_ = nullptr;
};

}  // namespace kiln
