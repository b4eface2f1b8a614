// What cells that divide, die or change their type leave behind them: sites with other ids, and tables to
// match.
#pragma once

#include <span>
#include <vector>

#include "core/state.hpp"
#include "model/model.hpp"

namespace kiln {

struct CellEvent {
  CellId cell = kMedium;
  const Rule* rule = nullptr;  // nullptr: it was dying, and is gone now
  std::vector<double> values;  // what is set: of the rule, then of both daughters
};

// A site of a cell that an event happens to.
struct TouchedSite {
  CellId cell;
  Site site;
};

class CellEvents {
 public:
  explicit CellEvents(const Model& model);

  // Events in the order of their cells, at most one each, and all sites of these cells, in any order. New ids
  // follow the order of the events. True where the lattice changed.
  bool carry_out(State& state, std::span<const CellEvent> events, std::span<const TouchedSite> sites,
                 int64_t mcs);

  // The cell's number becomes this.
  void set(Cells& cells, CellId cell, const Setting& setting, double value) const;

 private:
  struct Cut;

  void apply_sets(Cells& cells, const CellEvent& event) const;
  void start_type(Cells& cells, CellId cell, TypeId type) const;
  Cut cut_of(const State& state, const CellEvent& event, std::span<const TouchedSite> sites,
             int64_t mcs) const;
  void bear(Cells& cells, const CellEvent& event, Cut& cut, int64_t mcs);
  void remove(State& state, std::span<const TouchedSite> sites) const;
  void count_daughters(State& state);
  void clear_history(Cells& cells, CellId cell) const;

  std::shared_ptr<const Living> living_;
  uint64_t seed_;
  Neighbourhood perimeter_;
  std::vector<bool> frozen_;
  std::vector<float> declared_volumes_;
  // Of the events that are being carried out.
  struct Daughter {
    CellId cell;
    bool has_other_type;
  };
  struct ToSet {
    CellId cell;
    const Setting* setting;
    double value;
  };
  std::vector<Daughter> daughters_;
  std::vector<TouchedSite> new_sites_;  // of daughters
  std::vector<ToSet> to_set_;
};

}  // namespace kiln
