// What happens between two MCS beside motion (model/living/living.hpp, model/substances.hpp), on a processor:
// substances, equations, rules, what follows from them, growth; in this order.
#pragma once

#include "engine/host/team.hpp"
#include "engine/living/concentrations.hpp"
#include "engine/living/events.hpp"
#include "engine/living/programs.hpp"
#include "engine/living/surroundings.hpp"
#include "engine/living/tissue_share.hpp"
#include "engine/substances/substance_stage.hpp"

namespace kiln {

class LivingStage {
 public:
  // A state of the model: what never changes in it is worked out once. `share` where it is a part of one.
  LivingStage(const Model& model, const State& state, int members,
              std::unique_ptr<TissueShare> share = nullptr);

  // The end of MCS number `mcs`. All members of a team call it.
  void play(State& state, int64_t mcs, Team& team, int member);
  // What there is of substances of a first state.
  void count_totals(State& state) const { substances_.count_totals(state); }
  // Whether formulas read where cells are.
  bool reads_places() const { return programs_.read_places; }
  // Whether the last one made cells, or gave sites other ids: then what is known of them is old.
  bool changed_lattice() const { return changed_; }
  // Whether anything happened to a cell, anywhere in the tissue.
  bool any_events() const { return any_events_; }
  // Whether it cannot go on. All members see the same.
  bool has_failed() const {
    return !failure_.empty() || !substances_.failure().empty() || tissue_.failure() != nullptr;
  }
  // Throws UserError where it cannot, or what kept it from hearing of the rest of the tissue.
  void require_success() const;

 private:
  // What formulas read of more than their cell.
  struct Counts {
    NeighbourCounts neighbours;
    ConcentrationMeans concentrations;

    Counts(const Model& model, const std::vector<formula::Input>& inputs)
        : neighbours(model, inputs), concentrations(model, inputs) {}
    bool are_needed() const { return neighbours.is_needed() || concentrations.is_needed(); }
    void count(const State& state, SharedTissue& tissue, Team& team, int member);
  };
  // Columns of a batch of cells, of one type.
  struct Batch {
    std::vector<CellId> cells;
    std::vector<std::vector<double>> inputs, results;
  };
  struct alignas(64) Member {
    std::vector<Batch> batches;  // by type
    std::vector<CellEvent> events;
    std::vector<TouchedSite> sites;
    std::string failure;
  };

  template <class Work>
  void in_batches(const Cells& cells, Member& me, int member, int members, const Work& work);
  void read(const formula::Program& program, const Cells& cells, int64_t mcs, const Counts& counts,
            Batch& batch) const;
  Readings readings_of(const Cells& cells, int64_t mcs, const Counts& counts) const;
  void work_out_secretion(const Cells& cells, int64_t mcs, const LivingPrograms::Secretion& secretion,
                          Batch& batch, Member& me);
  bool is_ruled(int64_t mcs) const { return lives_ && mcs % living_->every == 0; }
  bool looks_at_sites(int64_t mcs) const;
  void play_cells(State& state, int64_t mcs, Team& team, int member);
  void play_substances(State& state, int64_t mcs, Team& team, int member);
  void advance_equations(Cells& cells, int64_t mcs, TypeId type, Batch& batch, Member& me) const;
  void follow_rules(Cells& cells, int64_t mcs, TypeId type, Batch& batch, Member& me);
  void grow(Cells& cells, int64_t mcs, TypeId type, Batch& batch, Member& me) const;
  void find_ended(Cells& cells, int64_t mcs, Member& me, int member, int members) const;
  void collect_events();
  void take_failures();
  void agree_on_events(const State& state);
  void carry_out_events(State& state, int64_t mcs);
  void shrink_dying(Cells& cells, int member, int members) const;
  void find_sites(const State& state, Member& me, int member, int members) const;
  void fail(Member& me, CellId cell, int64_t mcs, const std::string& what, const formula::Program& program,
            const Batch& batch, std::size_t at) const;

  bool lives_;  // else there are substances alone
  bool has_substances_;
  std::shared_ptr<const Living> living_;
  uint64_t seed_;
  std::vector<bool> frozen_;
  std::string source_;  // the model's file, for messages
  std::vector<std::string> type_names_;
  Neighbourhood perimeter_;
  LivingPrograms programs_;
  std::vector<std::vector<double>> secretion_rates_;  // by substance, then by cell: per site and second
  CellEvents carry_out_;
  Counts of_rules_, always_;  // what rules ask for; what all other formulas do, after every MCS
  SharedTissue tissue_;
  substances::SubstanceStage substances_;
  std::vector<Member> members_;
  std::vector<CellEvent> events_;
  std::vector<uint8_t> touched_;               // by cell
  bool changed_ = false, any_events_ = false;  // of the last MCS; the latter anywhere in the tissue
  std::string failure_;
};

}  // namespace kiln
