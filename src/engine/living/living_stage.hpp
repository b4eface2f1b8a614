// What cells do by themselves between two MCS (model/living/living.hpp), on a processor: equations, rules,
// what follows from them, growth; in this order.
#pragma once

#include "engine/host/team.hpp"
#include "engine/living/events.hpp"
#include "engine/living/surroundings.hpp"
#include "formula/program.hpp"

namespace kiln {

class LivingStage {
 public:
  LivingStage(const Model& model, int members);

  // The end of MCS number `mcs`. All members of a team call it.
  void play(State& state, int64_t mcs, Team& team, int member);
  // Whether the last one made cells, or gave sites other ids: then what is known of them is old.
  bool changed_lattice() const { return changed_; }
  // Whether it cannot go on. All members see the same.
  bool has_failed() const { return !failure_.empty(); }
  // Throws UserError where it cannot.
  void require_success() const;

 private:
  // Where values of a rule are among the results of its type's program.
  struct RuleAt {
    const Rule* rule;
    std::size_t holds, rate, sets;
    std::size_t count;  // of what is set
  };
  struct TypePrograms {
    formula::Program rules, growth;
    std::vector<RuleAt> at;
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
  void read(const formula::Program& program, const Cells& cells, int64_t mcs,
            const NeighbourCounts& neighbours, Batch& batch) const;
  void advance_equations(Cells& cells, int64_t mcs, TypeId type, Batch& batch, Member& me) const;
  void follow_rules(Cells& cells, int64_t mcs, TypeId type, Batch& batch, Member& me);
  void grow(Cells& cells, int64_t mcs, TypeId type, Batch& batch, Member& me) const;
  void find_ended(Cells& cells, int64_t mcs, Member& me, int member, int members) const;
  void collect_events(const State& state);
  void carry_out_events(State& state, int64_t mcs);
  void shrink_dying(Cells& cells, int member, int members) const;
  void find_sites(const State& state, Member& me, int member, int members) const;
  void fail(Member& me, CellId cell, int64_t mcs, const std::string& what, const formula::Program& program,
            const Batch& batch, std::size_t at) const;

  std::shared_ptr<const Living> living_;
  uint64_t seed_;
  std::vector<bool> frozen_;
  std::string source_;  // the model's file, for messages
  std::vector<std::string> type_names_;
  std::vector<TypePrograms> programs_;  // by type
  CellEvents carry_out_;
  NeighbourCounts of_rules_, always_;  // what rules ask for; what equations and growth do, after every MCS
  std::vector<Member> members_;
  std::vector<CellEvent> events_;
  std::vector<uint8_t> touched_;  // by cell
  bool changed_ = false;
  std::string failure_;
};

}  // namespace kiln
