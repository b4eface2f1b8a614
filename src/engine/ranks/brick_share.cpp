#include "engine/ranks/brick_share.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "engine/living/programs.hpp"

namespace kiln {

// Cells have rows here, and sites that are stored.
class BrickShare::Sites : public TissueSites {
 public:
  Sites(BrickShare& share, State& state, const Neighbourhood& perimeter)
      : share_(share), state_(state), perimeter_(perimeter) {}

  Vec3i origin() const override { return share_.part_.brick.origin; }
  CellId number_of(CellId cell) const override { return share_.number_of(cell); }

  // Numbers follow those of all mothers, wherever they are.
  std::vector<CellId> add_daughters(Cells& cells, std::span<const CellId> mothers) override {
    TissuePart& part = share_.part_;
    Message kept;
    for (const CellId mother : mothers)
      if (share_.sharing_.keeps(mother)) append(kept, part.number[mother]);
    std::vector<CellId> all;
    for (const Message& message : tell_all(share_.exchange_, kept))
      for (Reading reading(message); !reading.done();) all.push_back(reading.take<CellId>());
    std::sort(all.begin(), all.end());
    if (part.cells_in_all + 2 * uint64_t(all.size()) >= uint64_t(kNowhere)) throw UserError(too_many_cells());
    std::vector<CellId> daughters;
    for (const CellId mother : mothers) {
      const auto at = std::lower_bound(all.begin(), all.end(), part.number[mother]) - all.begin();
      for (const CellId which : {0, 1}) {
        daughters.push_back(part.add_cell(part.cells_in_all + 2 * CellId(at) + which));
        cells.type[daughters.back()] = cells.type[mother];
        share_.sharing_.add_daughter(mother, daughters.back());
      }
    }
    part.cells_in_all += 2 * CellId(all.size());
    return daughters;
  }

  void change(const Cells&, const CellChanges& changes) override {
    TissuePart& part = share_.part_;
    share_.changes_ = {changes.born, changes.of_new_type, {}};
    for (const TouchedSite& touched : changes.sites) {
      const Vec3i place = stored(touched.site);
      if (!state_.lattice.contains(place)) continue;
      const auto at = std::size_t(state_.lattice.index(place));
      if (is_own(place)) {
        part.here[state_.ids[at]] -= 1;
        part.here[touched.cell] += touched.cell == kMedium ? 0 : 1;
      }
      state_.ids[at] = touched.cell;
      if (touched.cell == kMedium && !state_.act.empty()) state_.act[at] = 0;
      share_.changes_.sites.push_back({touched.cell, Site(at)});
    }
    part.here[kMedium] = 0;
  }

  void count_perimeters(Cells& cells, const CellChanges& changes) override {
    for (const std::size_t i : changes.of_born) {
      const TouchedSite& touched = changes.sites[i];
      const Vec3i place = stored(touched.site);
      if (!state_.lattice.contains(place) || !is_own(place)) continue;
      cells.extent[touched.cell].perimeter +=
          unlike_neighbours(state_.lattice, state_.ids.data(), place, touched.cell, perimeter_);
    }
    share_.start_telling();
    for (const CellId cell : changes.born)
      if (share_.part_.here[cell] > 0)
        share_.tell(cell, Counted{share_.number_of(cell), cells.extent[cell].perimeter});
    share_.hear([&](Reading& message) {
      const auto counted = message.take<Counted>();
      cells.extent[share_.row_of(counted.cell)].perimeter += counted.perimeter;
    });
    for (const std::vector<CellId>* changed : {&changes.born, &changes.of_new_type})
      for (const CellId cell : *changed)
        if (share_.part_.is_frozen(cell)) share_.sharing_.freeze(cell);
  }

 private:
  struct Counted {
    CellId cell;  // its number
    int32_t perimeter;
  };

  Vec3i stored(Site site) const { return share_.part_.stored_place(share_.frame().lattice.position(site)); }
  bool is_own(const Vec3i& place) const { return share_.frame().own.contains(place); }

  BrickShare& share_;
  State& state_;
  const Neighbourhood& perimeter_;
};

BrickShare::BrickShare(TissuePart& part, Sharing& sharing, Exchange& exchange, Traffic& traffic,
                       std::function<void()> bring_sites)
    : TissueShare({part.grid.lattice(), part.brick.origin, part.brick.own_stored()}),
      part_(part),
      sharing_(sharing),
      exchange_(exchange),
      traffic_(traffic),
      voxels_(part, exchange, traffic.substances),
      bring_sites_(std::move(bring_sites)) {}

std::unique_ptr<TissueSites> BrickShare::sites(State& state, const Neighbourhood& perimeter) {
  return std::make_unique<Sites>(*this, state, perimeter);
}

void BrickShare::start_telling() {
  out_.resize(sharing_.partners().size());
  for (Message& message : out_) message.clear();
}

template <class Take>
void BrickShare::hear(const Take& take) {
  for (const Message& message : out_) traffic_.living += int64_t(message.size());
  traffic_.swaps += 1;
  exchange_.swap(sharing_.partners(), out_, in_);
  for (const Message& message : in_)
    for (Reading reading(message); !reading.done();) take(reading);
}

double BrickShare::largest(double here) {
  Message message;
  append(message, here);
  for (const Message& other : tell_all(exchange_, message))
    here = std::max(here, Reading(other).take<double>());
  return here;
}

// Of cells that have sites here: others have counted nothing of them.
template <class T>
void BrickShare::unite_rows(std::vector<T>& values, std::size_t width) {
  start_telling();
  for (CellId own = 1; own < part_.state.cells.count(); ++own) {
    if (!sharing_.is_shared(own) || part_.here[own] == 0) continue;
    const auto first = values.begin() + std::ptrdiff_t(own * width), end = first + std::ptrdiff_t(width);
    if (std::all_of(first, end, [](T value) { return value == 0; })) continue;
    tell(own, part_.number[own]);
    for (auto value = first; value != end; ++value) tell(own, *value);
  }
  hear([&](Reading& message) {
    const auto first = std::size_t(row_of(message.take<CellId>())) * width;
    for (std::size_t i = first; i < first + width; ++i) values[i] += message.take<T>();
  });
}

void BrickShare::unite(std::vector<Touch>& touches) {
  start_telling();
  for (const Touch& touch : touches)
    tell(touch.cell, Touch{part_.number[touch.cell], touch.other, touch.type});
  hear([&](Reading& message) {
    const auto touch = message.take<Touch>();
    touches.push_back({row_of(touch.cell), touch.other, touch.type});
  });
  std::sort(touches.begin(), touches.end());
  touches.erase(std::unique(touches.begin(), touches.end()), touches.end());
}

void BrickShare::unite(std::vector<TouchedSite>& sites) {
  start_telling();
  for (const TouchedSite& touched : sites)
    tell(touched.cell, TouchedSite{part_.number[touched.cell], touched.site});
  hear([&](Reading& message) {
    const auto touched = message.take<TouchedSite>();
    sites.push_back({row_of(touched.cell), touched.site});
  });
}

std::string BrickShare::first_of(const std::string& here) { return first_text(exchange_, here); }

}  // namespace kiln
