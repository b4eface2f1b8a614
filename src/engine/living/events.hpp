// What cells that divide, die or change their type leave behind them: sites with other ids, and tables to
// match.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/state.hpp"
#include "core/touched_site.hpp"
#include "model/model.hpp"

namespace kiln {

struct CellEvent {
  CellId cell = kMedium;
  const Rule* rule = nullptr;  // nullptr: it was dying, and is gone now
  std::vector<double> values;  // what is set: of the rule, then of both daughters
};

// What events change, in the order of the cells they happen to.
struct CellChanges {
  std::vector<CellId> ended, born;   // those that ended have no sites any more
  std::vector<CellId> of_new_type;   // cells that go on, or stay behind
  std::vector<TouchedSite> sites;    // with the cell that has them now, also where that has another type
  std::vector<std::size_t> of_born;  // those of sites that newborn cells have: sites[i] for all these i
};

// The tissue around the cells of a table.
class TissueSites {
 public:
  virtual ~TissueSites() = default;
  // The place from which anchors count, and the numbers that cells of the table have in the tissue.
  virtual Vec3i origin() const { return {}; }
  virtual CellId number_of(CellId cell) const { return cell; }
  // Calls work(i) for every i below `count`, each once; a tissue that has threads to spare shares them out.
  virtual void each(int64_t count, const std::function<void(int64_t)>& work) {
    for (int64_t i = 0; i < count; ++i) work(i);
  }
  // New rows for both daughters of each of these cells, one after the other.
  virtual std::vector<CellId> add_daughters(Cells& cells, std::span<const CellId> mothers);
  // Gives the sites their new ids; those of the medium lose their Act.
  virtual void change(const Cells& cells, const CellChanges& changes) = 0;
  // Counts the perimeters of newborn cells, which are 0, when all sites have changed. There may be none.
  virtual void count_perimeters(Cells& cells, const CellChanges& changes) = 0;
};

class CellEvents {
 public:
  explicit CellEvents(const Model& model);

  // Whether an event needs to know its cell's sites.
  static bool moves_sites(const CellEvent& event);

  // Events in the order of their cells' numbers, at most one each, and all sites of these cells that are to
  // move, in any order; sites go by the tissue's lattice. New numbers follow the order of the events. Only
  // the rows of these cells are looked at, and rows are added. What has changed is good until the next call.
  const CellChanges& carry_out(Cells& cells, const Lattice& lattice, std::span<const CellEvent> events,
                               std::span<const TouchedSite> sites, int64_t mcs, TissueSites& tissue);

  // The cell's number becomes this.
  void set(Cells& cells, CellId cell, const Setting& setting, double value) const;

 private:
  struct Cut;
  // A site of an event's cell, where it is, and the side of the cut on which it lies.
  struct EventSite {
    Site site;
    Vec3i place;
    bool is_first;
  };

  void sort_sites(const Cells& cells, std::span<const CellEvent> events, std::span<const TouchedSite> sites);
  void add_up_sites(Cells& cells, CellId cell, std::span<const EventSite> sites) const;
  void apply_sets(Cells& cells, const CellEvent& event) const;
  void start_type(Cells& cells, CellId cell, TypeId type) const;
  std::span<EventSite> sites_of(std::size_t event) {
    return {sorted_.data() + first_site_[event], first_site_[event + 1] - first_site_[event]};
  }
  Cut cut_of(const Cells& cells, const CellEvent& event, std::span<EventSite> sites, int64_t mcs) const;
  std::vector<Cut> cut_all(Cells& cells, std::span<const CellEvent> events, int64_t mcs);
  void bear(Cells& cells, const CellEvent& event, Cut& cut, int64_t mcs);
  void share_sites(Cells& cells, const Cut& cut);
  void end(Cells& cells, const CellEvent& event, std::span<const EventSite> sites, int64_t mcs);
  void finish_daughters(Cells& cells);
  void clear_history(Cells& cells, CellId cell) const;

  std::shared_ptr<const Living> living_;
  uint64_t seed_;
  Neighbourhood perimeter_;
  std::vector<bool> frozen_;
  std::vector<TypePhysics> declared_;  // types
  // Of the events that are being carried out.
  const Lattice* lattice_ = nullptr;
  TissueSites* tissue_ = nullptr;
  struct Daughter {
    CellId cell;
    bool has_other_type;
  };
  struct ToSet {
    CellId cell;
    const Setting* setting;
    double value;
  };
  std::vector<EventSite> sorted_;
  std::vector<std::size_t> first_site_;  // in `sorted_`, by event; and where the last one's end
  std::vector<uint32_t> event_of_;       // by cell
  std::vector<Daughter> daughters_;
  std::vector<ToSet> to_set_;
  CellChanges changes_;
};

}  // namespace kiln
