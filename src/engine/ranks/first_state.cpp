#include "engine/ranks/first_state.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"
#include "core/gain.hpp"
#include "engine/ranks/id_map.hpp"
#include "engine/ranks/id_slices.hpp"
#include "engine/ranks/parcels.hpp"
#include "model/initial/first_sites.hpp"
#include "model/initial/motion.hpp"

namespace kiln {
namespace {

// What a rank counts of a cell, over its own sites.
struct Counted {
  CellId number;
  Cells::Extent extent;
  Vec3<int64_t> sum;
  Moments moments;
};
struct FirstSite {
  CellId number;
  int32_t rank;
  Site site;
};

class FirstState : public StateSource {
 public:
  FirstState(const Model& model, const BrickGrid& grid, int near, Exchange& exchange,
             std::vector<std::string>* notes)
      : model_(model), own_(grid.brick(exchange.rank())) {
    FirstSites sites(model.lattice, grid.around(own_, near));
    build(sites, exchange, notes);
    window_.lattice = model.lattice;
    for (int axis = 0; axis < 3; ++axis)
      if (grid.is_cut(axis)) window_.lattice.periodic[axis] = false;
    window_.lattice.size = sites.window().size();
    window_.ids = std::move(sites.ids());
    origin_ = sites.window().low;
    act_of_type_ = first_act(model);
    slice_ = id_slice(cells(), exchange.ranks(), exchange.rank());
    rows_ = rows_of(slice_.first, slice_.count);
    medium_ = rows_of(kMedium, 1);
    start_rows(medium_, kMedium);
    list_own_cells();
    anchor_cells(exchange);
    count_cells(exchange);
    start_rows(rows_, slice_.first);
    // Slices rise with ranks: this is the sentence that one process would say.
    if (const std::string wrong = first_text(exchange, wrong_start(model, rows_, slice_.first));
        !wrong.empty())
      throw UserError(wrong);
  }

  const Lattice& lattice() const override { return model_.lattice; }
  int64_t mcs() const override { return 0; }
  bool has_act() const override { return model_.uses_act(); }
  CellId cells() const override { return CellId(types_.size()); }

  void read_sites(const Box& box, CellId* ids, ActValue* act) override {
    std::size_t at = 0;
    for (int32_t z = box.low.z; z < box.high.z; ++z)
      for (int32_t y = box.low.y; y < box.high.y; ++y)
        for (int32_t x = box.low.x; x < box.high.x; ++x, ++at) {
          ids[at] = window_.ids[std::size_t(window_.lattice.index(in_window({x, y, z})))];
          if (act != nullptr) act[at] = ids[at] == kMedium ? ActValue(0) : act_of_type_[types_[ids[at]]];
        }
  }

  std::vector<Substance> read_substances() override { return start_substances(model_); }
  Cells read_rows(CellId first, CellId count) override {
    if (first == slice_.first && count == slice_.count) return rows_;
    if (first == kMedium && count == 1) return medium_;
    throw std::logic_error("a rank has only the rows of its own slice");
  }

 private:
  // Nobody goes on where one of them cannot.
  void build(FirstSites& sites, Exchange& exchange, std::vector<std::string>* notes) {
    std::exception_ptr refused;
    try {
      types_ = build_first_sites(model_, sites, notes);
    } catch (...) {
      refused = std::current_exception();
    }
    const bool any = exchange.any(refused != nullptr);
    if (refused) std::rethrow_exception(refused);
    if (any) throw RefusedElsewhere();
  }

  // Of a place in the lattice that the window shows.
  Vec3i in_window(const Vec3i& place) const {
    Vec3i p = place - origin_;
    for (int axis = 0; axis < 3; ++axis) {
      if (!model_.lattice.periodic[axis]) continue;
      if (p[axis] < 0) p[axis] += model_.lattice.size[axis];
      if (p[axis] >= window_.lattice.size[axis]) p[axis] -= model_.lattice.size[axis];
    }
    return p;
  }
  Cells rows_of(CellId first, CellId count) const {
    Cells cells;
    for (CellId i = 0; i < count; ++i) cells.add(types_[first + i]);
    if (model_.reads(OptionalColumn::moments)) cells.moments.resize(cells.count());
    return cells;
  }
  void start_rows(Cells& cells, CellId first) const {
    start_persistence(model_, cells, first);
    start_targets(model_, cells, first);
    start_lambdas(model_, cells);
    start_living(model_, cells, first);
  }

  // Calls visit(row of own cells, place, sites of other cells around it) for the rank's own sites that are
  // tracked.
  template <class Visit>
  void for_each_own(const Visit& visit) const {
    const Box box = own_.shifted(origin_ * -1);
    std::vector<uint16_t> unlike(std::size_t(window_.lattice.size.x));
    for (int32_t z = box.low.z; z < box.high.z; ++z)
      for (int32_t y = box.low.y; y < box.high.y; ++y) {
        count_unlike_in_row(window_, model_.perimeter_neighbours, y, z, unlike);
        for (int32_t x = box.low.x; x < box.high.x; ++x) {
          const CellId row = own_row(window_.ids[std::size_t(window_.lattice.index({x, y, z}))]);
          if (row != kMedium) visit(row, origin_ + Vec3i{x, y, z}, unlike[std::size_t(x)]);
        }
      }
  }
  CellId own_row(CellId number) const { return number == kMedium ? kMedium : own_row_.find(number); }

  void list_own_cells() {
    const std::vector<bool> frozen = model_.frozen_types();
    const Box box = own_.shifted(origin_ * -1);
    counted_ = Cells();
    counted_.add(0);
    own_numbers_ = {kMedium};
    first_sites_ = {0};
    for (int32_t z = box.low.z; z < box.high.z; ++z)
      for (int32_t y = box.low.y; y < box.high.y; ++y)
        for (int32_t x = box.low.x; x < box.high.x; ++x) {
          const CellId number = window_.ids[std::size_t(window_.lattice.index({x, y, z}))];
          if (number == kMedium || frozen[types_[number]]) continue;
          const Site site = model_.lattice.index(origin_ + Vec3i{x, y, z});
          CellId row = own_row_.find(number);
          if (row == kMedium) {
            row = counted_.add(types_[number]);
            own_row_.insert(number, row);
            own_numbers_.push_back(number);
            first_sites_.push_back(site);
          }
          first_sites_[row] = std::min(first_sites_[row], site);
        }
    if (model_.reads(OptionalColumn::moments)) counted_.moments.resize(counted_.count());
  }

  // Sends make(row) of every own cell to the rank whose slice it is in.
  template <class Record, class Make, class Take>
  void tell_owners(Exchange& exchange, const Make& make, const Take& take) {
    send_records<Record>(
        exchange, own_numbers_.size() - 1,
        [&](std::size_t i) { return slice_owner(cells(), exchange.ranks(), own_numbers_[i + 1]); },
        [&](std::size_t i) { return make(CellId(i + 1)); }, take);
  }

  // A cell's anchor is its first site, whoever has that.
  void anchor_cells(Exchange& exchange) {
    std::vector<FirstSite> told;
    tell_owners<FirstSite>(
        exchange,
        [&](CellId row) {
          return FirstSite{own_numbers_[row], exchange.rank(), first_sites_[row]};
        },
        [&](const FirstSite& first) { told.push_back(first); });
    std::vector<Site> least(slice_.count, std::numeric_limits<Site>::max());
    for (const FirstSite& first : told) {
      Site& site = least[first.number - slice_.first];
      site = std::min(site, first.site);
    }
    for (CellId i = 0; i < slice_.count; ++i)
      if (least[i] != std::numeric_limits<Site>::max())
        rows_.centroid[i].anchor = model_.lattice.position(least[i]);
    send_records<FirstSite>(
        exchange, told.size(), [&](std::size_t i) { return told[i].rank; },
        [&](std::size_t i) {
          const FirstSite& asked = told[i];
          return FirstSite{asked.number, asked.rank, least[asked.number - slice_.first]};
        },
        [&](const FirstSite& first) {
          counted_.centroid[own_row(first.number)].anchor = model_.lattice.position(first.site);
        });
  }

  void count_cells(Exchange& exchange) {
    for_each_own([&](CellId row, const Vec3i& place, uint16_t unlike) {
      gain_site<3>(model_.lattice, counted_, row, place, +1, unlike);
    });
    tell_owners<Counted>(
        exchange,
        [&](CellId row) {
          Counted counted{own_numbers_[row], counted_.extent[row], counted_.centroid[row].sum, {}};
          if (!counted_.moments.empty()) counted.moments = counted_.moments[row];
          return counted;
        },
        [&](const Counted& counted) {
          const CellId row = counted.number - slice_.first;
          rows_.extent[row].volume += counted.extent.volume;
          rows_.extent[row].perimeter += counted.extent.perimeter;
          for (int axis = 0; axis < 3; ++axis) rows_.centroid[row].sum[axis] += counted.sum[axis];
          for (std::size_t k = 0; !rows_.moments.empty() && k < std::size(counted.moments.of); ++k)
            rows_.moments[row].of[k] += counted.moments.of[k];
        });
    counted_ = Cells();
  }

  const Model& model_;
  Box own_;                    // in the lattice
  State window_;               // sites near to the brick
  Vec3i origin_;               // of the window
  std::vector<TypeId> types_;  // of all cells
  std::vector<ActValue> act_of_type_;
  IdSlice slice_;
  Cells rows_, medium_;
  // Cells of which the rank has sites that count, and what is counted of them.
  IdMap own_row_;
  std::vector<CellId> own_numbers_;
  std::vector<Site> first_sites_;
  Cells counted_;
};

}  // namespace

std::unique_ptr<StateSource> build_first_state(const Model& model, const BrickGrid& grid, int near,
                                               Exchange& exchange, std::vector<std::string>* notes) {
  return std::make_unique<FirstState>(model, grid, near, exchange, notes);
}

}  // namespace kiln
