#include "engine/living/living_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace kiln {
namespace {

constexpr std::size_t kBatch = 512;  // cells: their columns stay in the cache

// The cells that a member looks after, without the medium.
struct CellRange {
  CellId first, end;
};
CellRange share_of(const Cells& cells, int member, int members) {
  const uint64_t count = cells.count();
  return {std::max<CellId>(CellId(count * uint64_t(member) / uint64_t(members)), 1),
          CellId(count * uint64_t(member + 1) / uint64_t(members))};
}

bool is_alive(const Cells& cells, CellId cell) { return cells.life[cell].end == Cells::End::none; }

std::unique_ptr<TissueShare> whole_unless(std::unique_ptr<TissueShare> share, const Lattice& lattice) {
  return share != nullptr ? std::move(share) : std::make_unique<TissueShare>(frame_of_whole(lattice));
}

}  // namespace

LivingStage::LivingStage(const Model& model, const State& state, int members,
                         std::unique_ptr<TissueShare> share)
    : lives_(model.living != nullptr),
      has_substances_(!model.substances.empty()),
      living_(lives_ ? model.living : std::make_shared<Living>()),
      seed_(model.seed),
      frozen_(model.frozen_types()),
      source_(model.source),
      perimeter_(model.perimeter_neighbours),
      programs_(model),
      carry_out_(model),
      of_rules_(model, programs_.asked_by_rules),
      always_(model, programs_.asked_always),
      tissue_(whole_unless(std::move(share), state.lattice)),
      substances_(model, state, tissue_.share().frame(), tissue_.voxels()),
      members_(std::size_t(members)) {
  for (const CellType& type : model.types) type_names_.push_back(type.name);
  for (Member& member : members_) member.batches.resize(model.types.size());
  if (lives_) secretion_rates_.resize(model.substances.size());
}

void LivingStage::Counts::count(const State& state, SharedTissue& tissue, Team& team, int member) {
  if (neighbours.is_needed()) neighbours.count(state, tissue, team, member);
  if (concentrations.is_needed()) concentrations.count(state, tissue, team, member);
}

void LivingStage::require_success() const {
  if (tissue_.failure()) std::rethrow_exception(tissue_.failure());
  if (has_failed())
    throw UserError(
        fmt::format("{}: {}", source_, substances_.failure().empty() ? failure_ : substances_.failure()));
}

// Before anything happens to a cell.
bool LivingStage::looks_at_sites(int64_t mcs) const {
  return has_substances_ || (lives_ && always_.are_needed()) || (is_ruled(mcs) && of_rules_.are_needed());
}

void LivingStage::play(State& state, int64_t mcs, Team& team, int member) {
  if (tissue_.share().brings_sites() && looks_at_sites(mcs)) {
    if (member == 0) tissue_.speak([](TissueShare& share) { share.bring_sites(); });
    team.wait();
  }
  if (lives_) always_.count(state, tissue_, team, member);
  if (is_ruled(mcs)) of_rules_.count(state, tissue_, team, member);
  play_substances(state, mcs, team, member);
  if (lives_) play_cells(state, mcs, team, member);
}

void LivingStage::play_substances(State& state, int64_t mcs, Team& team, int member) {
  Member& me = members_[std::size_t(member)];
  if (!programs_.secretions.empty()) {
    if (member == 0)
      for (const LivingPrograms::Secretion& secretion : programs_.secretions)
        secretion_rates_[secretion.substance].assign(state.cells.count(), 0.0);
    team.wait();
    in_batches(state.cells, me, member, team.members(), [&](TypeId type, Batch& batch) {
      for (const LivingPrograms::Secretion& secretion : programs_.secretions)
        if (secretion.type == type) work_out_secretion(state.cells, mcs, secretion, batch, me);
    });
    team.wait();
  }
  const auto rates = [this](std::size_t substance) -> std::span<const double> {
    if (secretion_rates_.empty()) return {};
    return secretion_rates_[substance];
  };
  substances_.play(state, mcs, rates, team, member);
}

void LivingStage::play_cells(State& state, int64_t mcs, Team& team, int member) {
  Member& me = members_[std::size_t(member)];
  const int members = team.members();
  Cells& cells = state.cells;
  const bool ruled = is_ruled(mcs);
  me.events.clear();
  me.sites.clear();
  if (ruled) find_ended(cells, mcs, me, member, members);
  in_batches(cells, me, member, members, [&](TypeId type, Batch& batch) {
    if (living_->types[type].equations != nullptr) advance_equations(cells, mcs, type, batch, me);
    if (ruled && !programs_.types[type].at.empty()) follow_rules(cells, mcs, type, batch, me);
  });
  team.wait();
  if (member == 0) collect_events();
  if (member == 0 && ruled) agree_on_events(state);
  team.wait();
  if (ruled && has_failed()) return;  // as all others do who play the tissue
  if (any_events_) {
    find_sites(state, me, member, members);
    team.wait();
    if (member == 0) carry_out_events(state, mcs);
    team.wait();
  }
  in_batches(cells, me, member, members, [&](TypeId type, Batch& batch) {
    if (living_->types[type].growth != kNoFormula) grow(cells, mcs, type, batch, me);
  });
  shrink_dying(cells, member, members);
  team.wait();
  if (member == 0) {
    take_failures();
    tissue_.speak([&](TissueShare& share) { failure_ = share.first_of(failure_); });
  }
  team.wait();
}

void LivingStage::take_failures() {
  for (const Member& member : members_)
    if (failure_.empty()) failure_ = member.failure;
}

// Calls work(type, batch) for cells that live and are not dying. Which cells are in a batch does not matter.
template <class Work>
void LivingStage::in_batches(const Cells& cells, Member& me, int member, int members, const Work& work) {
  const CellRange mine = share_of(cells, member, members);
  const auto empty = [&](TypeId type) {
    Batch& batch = me.batches[type];
    if (!batch.cells.empty() && me.failure.empty()) work(type, batch);
    batch.cells.clear();
  };
  for (CellId cell = mine.first; cell < mine.end; ++cell) {
    const TypeId type = cells.type[cell];
    if (frozen_[type] || !is_alive(cells, cell) || cells.life[cell].shrinks > 0) continue;
    if (cells.extent[cell].volume == 0) continue;
    me.batches[type].cells.push_back(cell);
    if (me.batches[type].cells.size() == kBatch) empty(type);
  }
  for (std::size_t type = 1; type < me.batches.size(); ++type) empty(TypeId(type));
}

Readings LivingStage::readings_of(const Cells& cells, int64_t mcs, const Counts& counts) const {
  return {cells,
          *living_,
          seed_,
          kiln::Stream::rules,
          mcs,
          &counts.neighbours.values(),
          &counts.concentrations.values(),
          tissue_.share().frame().origin,
          tissue_.share().numbers()};
}

void LivingStage::read(const formula::Program& program, const Cells& cells, int64_t mcs, const Counts& counts,
                       Batch& batch) const {
  const Readings readings = readings_of(cells, mcs, counts);
  batch.inputs.resize(std::max(batch.inputs.size(), program.inputs().size()));
  batch.results.resize(std::max(batch.results.size(), program.results()));
  std::vector<const double*> inputs;
  std::vector<double*> results;
  for (std::size_t i = 0; i < program.inputs().size(); ++i) {
    batch.inputs[i].resize(kBatch);
    readings.gather(program.inputs()[i], batch.cells, batch.inputs[i].data());
    inputs.push_back(batch.inputs[i].data());
  }
  for (std::size_t i = 0; i < program.results(); ++i) {
    batch.results[i].resize(kBatch);
    results.push_back(batch.results[i].data());
  }
  program.run(inputs, results, int64_t(batch.cells.size()));
}

// Rates below 0 count as 0.
void LivingStage::work_out_secretion(const Cells& cells, int64_t mcs,
                                     const LivingPrograms::Secretion& secretion, Batch& batch, Member& me) {
  read(secretion.rate, cells, mcs, always_, batch);
  std::vector<double>& rates = secretion_rates_[secretion.substance];
  for (std::size_t i = 0; i < batch.cells.size(); ++i) {
    const CellId cell = batch.cells[i];
    const double rate = batch.results[0][i];
    if (!std::isfinite(rate))
      return fail(me, cell, mcs, fmt::format("what it secretes is {}", rate), secretion.rate, batch, i);
    const double sites = secretion.per == SubstanceUse::Per::cell ? double(cells.extent[cell].volume) : 1.0;
    rates[cell] = std::max(rate, 0.0) / sites;
  }
}

void LivingStage::advance_equations(Cells& cells, int64_t mcs, TypeId type, Batch& batch, Member& me) const {
  const LivingType& of_type = living_->types[type];
  const formula::Equations& equations = *of_type.equations;
  const std::size_t properties = living_->properties.size(), count = batch.cells.size();
  const Readings readings = readings_of(cells, mcs - 1, always_);
  std::vector<std::vector<double>> unknowns(of_type.unknowns.size(), std::vector<double>(count)),
      given(equations.given().size(), std::vector<double>(count));
  std::vector<double*> unknown_columns;
  std::vector<const double*> given_columns;
  for (std::size_t u = 0; u < unknowns.size(); ++u) {
    for (std::size_t i = 0; i < count; ++i)
      unknowns[u][i] = cells.property[batch.cells[i] * properties + std::size_t(of_type.unknowns[u])];
    unknown_columns.push_back(unknowns[u].data());
  }
  for (std::size_t g = 0; g < given.size(); ++g) {
    readings.gather(equations.given()[g], batch.cells, given[g].data());
    given_columns.push_back(given[g].data());
  }
  equations.advance(unknown_columns, given_columns, double(mcs - 1) * living_->seconds_per_mcs,
                    int64_t(count));
  for (std::size_t u = 0; u < unknowns.size(); ++u)
    for (std::size_t i = 0; i < count; ++i) {
      const auto property = std::size_t(of_type.unknowns[u]);
      if (!std::isfinite(unknowns[u][i]) && me.failure.empty())
        me.failure = equation_failure_text(tissue_.share().number_of(batch.cells[i]), type_names_[type], mcs,
                                           living_->properties[property].name, unknowns[u][i],
                                           cells.property[batch.cells[i] * properties + property]);
      cells.property[batch.cells[i] * properties + property] = unknowns[u][i];
    }
}

// Results are worked out for a whole batch before anything is set, and formulas read nothing of other cells
// that rules can change: no rule sees what another does.
void LivingStage::follow_rules(Cells& cells, int64_t mcs, TypeId type, Batch& batch, Member& me) {
  const LivingPrograms::OfType& of_type = programs_.types[type];
  read(of_type.rules, cells, mcs, of_rules_, batch);
  for (std::size_t i = 0; i < batch.cells.size(); ++i) {
    const CellId cell = batch.cells[i];
    CellEvent chosen;
    for (const RuleAt& at : of_type.at) {
      const auto value = [&](std::size_t result) { return batch.results[result][i]; };
      if (at.has_rate() && !std::isfinite(value(at.rate)))
        return fail(me, cell, mcs, fmt::format("{}.rate is {}", at.rule->name, value(at.rate)), of_type.rules,
                    batch, i);
      if (value(at.holds) == 0) continue;
      for (std::size_t k = 0; k < at.count; ++k)
        if (!std::isfinite(value(at.sets + k)))
          return fail(me, cell, mcs, fmt::format("{} sets {}", at.rule->name, value(at.sets + k)),
                      of_type.rules, batch, i);
      if (at.rule->deed == Rule::Deed::set) {
        for (std::size_t k = 0; k < at.count; ++k)
          carry_out_.set(cells, cell, at.rule->sets[k], value(at.sets + k));
        continue;
      }
      CellEvent event{cell, at.rule, {}};
      for (std::size_t k = 0; k < at.count; ++k) event.values.push_back(value(at.sets + k));
      if (chosen.cell == kMedium || rank_of(at.rule->deed) < rank_of(chosen.rule->deed))
        chosen = std::move(event);
    }
    if (chosen.cell != kMedium) me.events.push_back(std::move(chosen));
  }
}

void LivingStage::grow(Cells& cells, int64_t mcs, TypeId type, Batch& batch, Member& me) const {
  const formula::Program& program = programs_.types[type].growth;
  read(program, cells, mcs, always_, batch);
  for (std::size_t i = 0; i < batch.cells.size(); ++i) {
    const double rate = batch.results[0][i];
    if (!std::isfinite(rate))
      return fail(me, batch.cells[i], mcs, fmt::format("its growth is {} sites/s", rate), program, batch, i);
    Cells::Life& life = cells.life[batch.cells[i]];
    const double limit = std::max(life.target, living_->types[type].up_to);
    life.target = std::clamp(life.target + rate * living_->seconds_per_mcs, 0.0, limit);
    cells.targets[batch.cells[i]].volume = float(life.target);
  }
}

// Cells that were dying and are small enough; and those that copies left without a site.
void LivingStage::find_ended(Cells& cells, int64_t mcs, Member& me, int member, int members) const {
  const CellRange mine = share_of(cells, member, members);
  for (CellId cell = mine.first; cell < mine.end; ++cell) {
    if (frozen_[cells.type[cell]] || !is_alive(cells, cell)) continue;
    Cells::Life& life = cells.life[cell];
    const int32_t volume = cells.extent[cell].volume;
    if (life.shrinks > 0 && volume <= life.gone_at) {
      me.events.push_back({cell, nullptr, {}});
    } else if (volume == 0) {
      life.end = Cells::End::vanished;
      life.ended = mcs;
    }
  }
}

void LivingStage::collect_events() {
  changed_ = any_events_ = false;
  events_.clear();
  take_failures();
  for (Member& member : members_)
    std::move(member.events.begin(), member.events.end(), std::back_inserter(events_));
  const TissueShare& share = tissue_.share();
  std::sort(events_.begin(), events_.end(), [&](const CellEvent& a, const CellEvent& b) {
    return share.number_of(a.cell) < share.number_of(b.cell);
  });
}

// Whether there are any, anywhere; they need not concern a cell that is known here.
void LivingStage::agree_on_events(const State& state) {
  const TissueShare& here = tissue_.share();
  // Each event makes two cells at most; kNowhere is no cell.
  if (failure_.empty() && here.cells_in_all(state.cells) + 2 * events_.size() >= uint64_t(kNowhere))
    failure_ = too_many_cells();
  any_events_ = !events_.empty();
  tissue_.speak([&](TissueShare& share) {
    failure_ = share.first_of(failure_);
    any_events_ = share.any(any_events_);
    if (!events_.empty()) share.bring_sites();
  });
  touched_.assign(any_events_ ? state.cells.count() : 0, 0);
  for (const CellEvent& event : events_) touched_[event.cell] = 1;
}

void LivingStage::carry_out_events(State& state, int64_t mcs) {
  std::vector<TouchedSite> sites;
  for (const Member& member : members_) sites.insert(sites.end(), member.sites.begin(), member.sites.end());
  tissue_.speak([&](TissueShare& share) {
    share.unite(sites);
    const std::unique_ptr<TissueSites> tissue = share.sites(state, perimeter_);
    const CellChanges& changes =
        carry_out_.carry_out(state.cells, share.frame().lattice, events_, sites, mcs, *tissue);
    changed_ = !changes.sites.empty() || !changes.born.empty() || !changes.of_new_type.empty();
    always_.neighbours.inherit(state.cells, changes.born, share);
    always_.concentrations.inherit(state.cells, changes.born, share);
  });
}

void LivingStage::shrink_dying(Cells& cells, int member, int members) const {
  const CellRange mine = share_of(cells, member, members);
  for (CellId cell = mine.first; cell < mine.end; ++cell) {
    Cells::Life& life = cells.life[cell];
    if (life.shrinks == 0 || !is_alive(cells, cell)) continue;
    life.target = std::max(0.0, life.target - double(life.shrinks));
    cells.targets[cell].volume = float(life.target);
  }
}

void LivingStage::find_sites(const State& state, Member& me, int member, int members) const {
  const SiteFrame& frame = tissue_.share().frame();
  for (int64_t row = frame.rows() * member / members; row < frame.rows() * (member + 1) / members; ++row) {
    const Vec3i first = frame.row(row);
    const CellId* const ids = state.ids.data() + state.lattice.index(first);
    const Site site = frame.lattice.index(first + frame.origin);
    for (int32_t x = 0; x < frame.own.size().x; ++x)
      if (touched_[ids[x]] != 0) me.sites.push_back({ids[x], site + x});
  }
}

void LivingStage::fail(Member& me, CellId cell, int64_t mcs, const std::string& what,
                       const formula::Program& program, const Batch& batch, std::size_t at) const {
  if (!me.failure.empty()) return;
  std::vector<double> inputs;
  for (std::size_t i = 0; i < program.inputs().size(); ++i) inputs.push_back(batch.inputs[i][at]);
  me.failure = failure_text(tissue_.share().number_of(cell), mcs, what, program, inputs);
}

}  // namespace kiln
