#include "engine/living/events.hpp"

#include <algorithm>
#include <numeric>

#include "core/gain.hpp"

namespace kiln {
namespace {

constexpr int32_t kFewestToDivide = 4;  // sites

void end_life(Cells& cells, CellId cell, Cells::End end, int64_t mcs) {
  cells.life[cell].end = end;
  cells.life[cell].ended = mcs;
}

// Of a cell that has no sites any more, or whose sites are not tracked.
void clear_sizes(Cells& cells, CellId cell) {
  cells.extent[cell] = {};
  cells.centroid[cell].sum = {};
  if (!cells.moments.empty()) cells.moments[cell] = {};
}

}  // namespace

std::vector<CellId> TissueSites::add_daughters(Cells& cells, std::span<const CellId> mothers) {
  std::vector<CellId> daughters;
  for (const CellId mother : mothers)
    for (int i = 0; i < 2; ++i) daughters.push_back(cells.add(cells.type[mother]));
  return daughters;
}

// Two daughters, and how the mother's sites fall to them.
struct CellEvents::Cut {
  CellId first = kMedium, second = kMedium;
  std::span<const EventSite> sites;
  int64_t volume = 0, first_volume = 0;
  std::size_t at = 0, at_of_born = 0;  // where its sites begin among those that change

  bool is_one() const { return first_volume > 0 && first_volume < volume; }
};

CellEvents::CellEvents(const Model& model)
    : living_(model.living), seed_(model.seed), frozen_(model.frozen_types()) {
  const PhysicsData& physics = model.phases.front().physics;
  for (std::size_t type = 0; type < physics.types.size(); ++type) declared_.push_back(physics.declared(type));
}

void CellEvents::set(Cells& cells, CellId cell, const Setting& setting, double value) const {
  switch (setting.what) {
    case Setting::What::property:
      cells.property[cell * living_->properties.size() + std::size_t(setting.property)] = value;
      return;
    case Setting::What::target_volume:
      cells.life[cell].target = std::max(value, 0.0);
      cells.targets[cell].volume = float(cells.life[cell].target);
      return;
    case Setting::What::target_perimeter:
      cells.targets[cell].perimeter = float(std::max(value, 0.0));
      return;
    case Setting::What::lambda:
      cells.own_lambdas[cell].*setting.lambda = float(std::clamp(value, setting.least, setting.most));
      return;
  }
}

void CellEvents::apply_sets(Cells& cells, const CellEvent& event) const {
  for (std::size_t i = 0; i < event.rule->sets.size(); ++i)
    set(cells, event.cell, event.rule->sets[i], event.values[i]);
}

// What a type says of its cells, for one that has it from now on. Properties that it did not have are 0.
void CellEvents::start_type(Cells& cells, CellId cell, TypeId type) const {
  cells.type[cell] = type;
  Cells::Life& life = cells.life[cell];
  const float declared = declared_[type].volume.target;
  life.target = declared == kOwnTarget ? double(cells.extent[cell].volume) : double(declared);
  life.shrinks = 0;
  life.gone_at = 0;
  if (!cells.targets.empty()) {
    cells.targets[cell].volume = float(life.target);
    cells.targets[cell].perimeter = float(cells.extent[cell].perimeter);
  }
  if (!cells.own_lambdas.empty()) cells.own_lambdas[cell] = declared_lambdas(declared_[type]);
}

bool CellEvents::moves_sites(const CellEvent& event) {
  if (event.rule == nullptr || event.rule->deed == Rule::Deed::divide || event.rule->new_type) return true;
  return event.rule->deed == Rule::Deed::die && event.rule->dies_over_mcs == 0;
}

const CellChanges& CellEvents::carry_out(Cells& cells, const Lattice& lattice,
                                         std::span<const CellEvent> events,
                                         std::span<const TouchedSite> sites, int64_t mcs,
                                         TissueSites& tissue) {
  lattice_ = &lattice;
  tissue_ = &tissue;
  sort_sites(cells, events, sites);
  changes_ = {};
  daughters_.clear();
  to_set_.clear();
  std::vector<Cut> cuts = cut_all(cells, events, mcs);
  for (std::size_t e = 0; e < events.size(); ++e) {
    const CellEvent& event = events[e];
    if (event.rule == nullptr || event.rule->deed != Rule::Deed::divide) {
      end(cells, event, sites_of(e), mcs);
    } else if (cuts[e].is_one()) {
      bear(cells, event, cuts[e], mcs);
      changes_.ended.push_back(event.cell);
    }
  }
  tissue.each(int64_t(cuts.size()), [&](int64_t e) {
    if (cuts[std::size_t(e)].is_one()) share_sites(cells, cuts[std::size_t(e)]);
  });
  tissue.change(cells, changes_);
  tissue.count_perimeters(cells, changes_);
  finish_daughters(cells);
  return changes_;
}

// Of the events that divide cells; all that do get rows for their daughters.
std::vector<CellEvents::Cut> CellEvents::cut_all(Cells& cells, std::span<const CellEvent> events,
                                                 int64_t mcs) {
  std::vector<Cut> cuts(events.size());
  tissue_->each(int64_t(events.size()), [&](int64_t i) {
    const auto e = std::size_t(i);
    const CellEvent& event = events[e];
    if (!moves_sites(event)) return;
    const std::span<EventSite> sites = sites_of(e);
    for (EventSite& site : sites) site.place = lattice_->position(site.site);
    add_up_sites(cells, event.cell, sites);
    if (event.rule != nullptr && event.rule->deed == Rule::Deed::divide)
      cuts[e] = cut_of(cells, event, sites, mcs);
  });
  std::vector<CellId> mothers;
  for (std::size_t e = 0; e < events.size(); ++e)
    if (cuts[e].is_one()) mothers.push_back(events[e].cell);
  const std::vector<CellId> daughters = tissue_->add_daughters(cells, mothers);
  auto next = daughters.begin();
  for (Cut& cut : cuts)
    if (cut.is_one()) {
      cut.first = *next++;
      cut.second = *next++;
    }
  return cuts;
}

// Centroid sums are kept up to date only where something reads them after every copy.
void CellEvents::add_up_sites(Cells& cells, CellId cell, std::span<const EventSite> sites) const {
  const Vec3i origin = tissue_->origin();
  Cells::Centroid& centroid = cells.centroid[cell];
  centroid.sum = {};
  for (const EventSite& site : sites) {
    const Vec3i offset = offset_from_anchor(*lattice_, centroid.anchor, site.place - origin);
    for (int axis = 0; axis < 3; ++axis) centroid.sum[axis] += offset[axis];
  }
}

// A cell dies, begins to, or changes its type.
void CellEvents::end(Cells& cells, const CellEvent& event, std::span<const EventSite> sites, int64_t mcs) {
  const Rule::Deed deed = event.rule == nullptr ? Rule::Deed::die : event.rule->deed;
  if (event.rule != nullptr && event.rule->new_type) {
    start_type(cells, event.cell, *event.rule->new_type);
    apply_sets(cells, event);
    if (deed == Rule::Deed::die) end_life(cells, event.cell, Cells::End::died, mcs);
    if (frozen_[*event.rule->new_type]) clear_sizes(cells, event.cell);
    clear_history(cells, event.cell);
    changes_.of_new_type.push_back(event.cell);
    for (const EventSite& site : sites) changes_.sites.push_back({event.cell, site.site});
  } else if (event.rule != nullptr && event.rule->dies_over_mcs > 0) {
    apply_sets(cells, event);
    Cells::Life& life = cells.life[event.cell];
    life.shrinks = float(std::max(life.target, 1.0) / event.rule->dies_over_mcs);
    life.gone_at = event.rule->gone_at;
  } else {
    for (const EventSite& site : sites) changes_.sites.push_back({kMedium, site.site});
    clear_sizes(cells, event.cell);
    end_life(cells, event.cell, Cells::End::died, mcs);
    changes_.ended.push_back(event.cell);
  }
}

// The sites of each event's cell side by side, by counting.
void CellEvents::sort_sites(const Cells& cells, std::span<const CellEvent> events,
                            std::span<const TouchedSite> sites) {
  event_of_.resize(cells.count());
  for (std::size_t e = 0; e < events.size(); ++e) event_of_[events[e].cell] = uint32_t(e);
  first_site_.assign(events.size() + 1, 0);
  for (const TouchedSite& touched : sites) first_site_[event_of_[touched.cell] + 1] += 1;
  std::partial_sum(first_site_.begin(), first_site_.end(), first_site_.begin());
  std::vector<std::size_t> next = first_site_;
  sorted_.resize(sites.size());
  for (const TouchedSite& touched : sites)
    sorted_[next[event_of_[touched.cell]]++] = {touched.site, {}, false};
}

// A cell that is too small, or all on one side of the plane, stays as it is. Places are seen as anchors are:
// from the tissue's origin.
CellEvents::Cut CellEvents::cut_of(const Cells& cells, const CellEvent& event, std::span<EventSite> sites,
                                   int64_t mcs) const {
  const Lattice& lattice = *lattice_;
  const Vec3i origin = tissue_->origin();
  const Cells::Centroid& centroid = cells.centroid[event.cell];
  const auto offset_of = [&](const EventSite& site) {
    return offset_from_anchor(lattice, centroid.anchor, site.place - origin);
  };
  Cut cut;
  cut.sites = sites;
  cut.volume = cells.extent[event.cell].volume;
  if (cut.volume < kFewestToDivide) return cut;
  const DivisionDraws draws{seed_, tissue_->number_of(event.cell), uint32_t(mcs)};
  Vec3d normal;
  if (event.rule->normal) {
    normal = draws.flips() ? *event.rule->normal * -1.0 : *event.rule->normal;
  } else {
    Moments moments;
    for (const EventSite& site : sites) moments.add(offset_of(site), +1, lattice.dimension);
    normal = division_normal(event.rule->plane,
                             principal_axes(cut.volume, centroid.sum, moments, lattice.dimension),
                             lattice.dimension, draws);
  }
  for (EventSite& site : sites) {
    site.is_first = is_first_daughter(normal, cut.volume, centroid.sum, offset_of(site), site.place);
    cut.first_volume += site.is_first ? 1 : 0;
  }
  return cut;
}

// Rows for both daughters: all that the mother had, shared by their volumes where it is to be shared. What
// the rule sets comes later, when they are counted.
void CellEvents::bear(Cells& cells, const CellEvent& event, Cut& cut, int64_t mcs) {
  const CellId mother = event.cell;
  const double first_share = double(cut.first_volume) / double(cut.volume);
  const auto shared = [&](double whole, CellId daughter) {
    return daughter == cut.first ? whole * first_share : whole - whole * first_share;
  };
  const std::size_t properties = living_->properties.size(), rule_sets = event.rule->sets.size();
  std::size_t next = rule_sets;
  for (const CellId daughter : {cut.first, cut.second}) {
    const Cells::Life& before = cells.life[mother];
    cells.life[daughter] = {.parent = int64_t(tissue_->number_of(mother)),
                            .born = mcs,
                            .target = shared(before.target, daughter),
                            .generation = before.generation + 1};
    cells.centroid[daughter].anchor = cells.centroid[mother].anchor;
    if (!cells.direction.empty()) cells.direction[daughter] = cells.direction[mother];
    if (!cells.own_lambdas.empty()) cells.own_lambdas[daughter] = cells.own_lambdas[mother];
    for (std::size_t p = 0; p < properties; ++p) {
      const double whole = cells.property[mother * properties + p];
      cells.property[daughter * properties + p] =
          living_->properties[p].extensive ? shared(whole, daughter) : whole;
    }
    const Rule::Daughter& differs = event.rule->daughters[daughter == cut.first ? 0 : 1];
    if (differs.type) cells.type[daughter] = *differs.type;
    daughters_.push_back({daughter, differs.type.has_value()});
    changes_.born.push_back(daughter);
    for (std::size_t i = 0; i < rule_sets; ++i)
      to_set_.push_back({daughter, &event.rule->sets[i], event.values[i]});
    for (const Setting& setting : differs.sets) to_set_.push_back({daughter, &setting, event.values[next++]});
  }
  end_life(cells, mother, Cells::End::divided, mcs);
  clear_sizes(cells, mother);
  cut.at = changes_.sites.size();
  cut.at_of_born = changes_.of_born.size();
  changes_.sites.resize(cut.at + cut.sites.size());
  changes_.of_born.resize(cut.at_of_born + cut.sites.size());
}

// All but the perimeters.
void CellEvents::share_sites(Cells& cells, const Cut& cut) {
  const Lattice& lattice = *lattice_;
  const Vec3i origin = tissue_->origin();
  for (std::size_t i = 0; i < cut.sites.size(); ++i) {
    const EventSite& site = cut.sites[i];
    const CellId daughter = site.is_first ? cut.first : cut.second;
    const Vec3i place = site.place - origin;
    if (lattice.dimension == 2)
      gain_site<2>(lattice, cells, daughter, place, +1, 0);
    else
      gain_site<3>(lattice, cells, daughter, place, +1, 0);
    changes_.sites[cut.at + i] = {daughter, site.site};
    changes_.of_born[cut.at_of_born + i] = cut.at + i;
  }
}

// When their perimeters are known.
void CellEvents::finish_daughters(Cells& cells) {
  for (const auto& [daughter, has_other_type] : daughters_) {
    if (has_other_type) start_type(cells, daughter, cells.type[daughter]);
    if (!cells.targets.empty())
      cells.targets[daughter] = {float(cells.life[daughter].target), float(cells.extent[daughter].perimeter)};
    clear_history(cells, daughter);
    if (frozen_[cells.type[daughter]]) clear_sizes(cells, daughter);
  }
  for (const ToSet& it : to_set_) set(cells, it.cell, *it.setting, it.value);
}

void CellEvents::clear_history(Cells& cells, CellId cell) const {
  const auto slots = std::size_t(cells.history_length);
  for (std::size_t slot = 0; slot < slots; ++slot)
    cells.history[cell * slots + slot] =
        cells.extent[cell].volume > 0 ? cells.position(cell, tissue_->origin()) : Vec3d{};
}

}  // namespace kiln
