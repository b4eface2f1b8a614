#include "engine/ranks/part_survey.hpp"

#include "core/thinning.hpp"
#include "engine/host/survey/counts.hpp"

namespace kiln {
namespace {

bool is_of_sample(CellId number, int64_t stride) { return (number - 1) % stride == 0; }

}  // namespace

// Calls visit(ids of the row, the place of its first site in the lattice, sites).
template <class Visit>
void PartSurvey::for_each_own_row(const Visit& visit) const {
  const Box own = part_.brick.own, stored = part_.brick.own_stored();
  const Lattice& lattice = part_.state.lattice;
  for (int32_t z = 0; z < own.size().z; ++z)
    for (int32_t y = 0; y < own.size().y; ++y)
      visit(part_.state.ids.data() + lattice.index(stored.low + Vec3i{0, y, z}), own.low + Vec3i{0, y, z},
            own.size().x);
}

std::vector<int64_t> PartSurvey::contacts() const {
  return count_contacts(part_.state, part_.brick.own_stored(), int(part_.frozen.size()), threads_);
}

std::vector<CellId> PartSurvey::touching(std::span<const uint8_t> keys) const {
  std::vector<uint8_t> own_keys(part_.number.size());
  for (CellId own = 1; own < own_keys.size(); ++own)
    if (part_.is_cell(own) && part_.number[own] < keys.size()) own_keys[own] = keys[part_.number[own]];
  const std::vector<uint8_t> touches =
      find_touching(part_.state, part_.brick.own_stored(), own_keys, threads_);
  std::vector<CellId> numbers;
  for (CellId own = 1; own < touches.size(); ++own)
    if (touches[own] != 0) numbers.push_back(part_.number[own]);
  return numbers;
}

int64_t PartSurvey::frozen_sites() const {
  int64_t sites = 0;
  for_each_own_row([&](const CellId* ids, const Vec3i&, int32_t count) {
    for (int32_t x = 0; x < count; ++x) sites += part_.is_frozen(ids[x]) ? 1 : 0;
  });
  return sites;
}

std::vector<uint64_t> PartSurvey::tracked_sites() const {
  const Vec3i size = part_.brick.own.size();
  std::vector<uint64_t> bits(std::size_t((int64_t(size.x) * size.y * size.z + 63) / 64));
  int64_t next = 0;
  for_each_own_row([&](const CellId* ids, const Vec3i&, int32_t count) {
    for (int32_t x = 0; x < count; ++x, ++next)
      if (ids[x] != kMedium && !part_.is_frozen(ids[x]))
        bits[std::size_t(next / 64)] |= uint64_t(1) << next % 64;
  });
  return bits;
}

LatticeSurvey::ThinnedSites PartSurvey::thinned_sites(int32_t step, bool with_act) const {
  const Thinning thinning(part_.grid.lattice(), step);
  const Box seen = thinning.within(part_.brick.own);
  const State& state = part_.state;
  LatticeSurvey::ThinnedSites sites;
  const Vec3i size = seen.size();
  sites.ids = HugeVector<CellId>::unset(seen.empty() ? 0 : std::size_t(int64_t(size.x) * size.y * size.z));
  if (with_act && !state.act.empty()) sites.act = HugeVector<ActValue>::unset(sites.ids.size());
  std::size_t next = 0;
  for (int32_t z = seen.low.z; z < seen.high.z; ++z)
    for (int32_t y = seen.low.y; y < seen.high.y; ++y)
      for (int32_t x = seen.low.x; x < seen.high.x; ++x, ++next) {
        const Vec3i place{thinning.place(x, 0), thinning.place(y, 1), thinning.place(z, 2)};
        const auto stored = std::size_t(state.lattice.index(place - part_.brick.origin));
        sites.ids[next] = part_.number[state.ids[stored]];
        if (!sites.act.empty()) sites.act[next] = state.act[stored];
      }
  return sites;
}

std::vector<LatticeSurvey::SiteOfCell> PartSurvey::sites_of_sample(int64_t stride) const {
  std::vector<LatticeSurvey::SiteOfCell> found;
  for_each_own_row([&](const CellId* ids, const Vec3i& first, int32_t count) {
    const Site site = part_.grid.lattice().index(first);
    for (int32_t x = 0; x < count; ++x) {
      if (ids[x] == kMedium || part_.is_frozen(ids[x])) continue;
      const CellId number = part_.number[ids[x]];
      if (is_of_sample(number, stride)) found.push_back({site + x, (number - 1) / stride});
    }
  });
  return found;
}

std::vector<uint64_t> PartSurvey::pairs_of_sample(int64_t stride) const {
  std::vector<uint8_t> wanted(part_.number.size());
  for (CellId own = 1; own < wanted.size(); ++own)
    wanted[own] = part_.is_cell(own) && is_of_sample(part_.number[own], stride);
  std::vector<uint64_t> pairs;
  touching_pairs(part_.state, part_.brick.own_stored(), wanted, threads_).for_each([&](uint64_t pair) {
    pairs.push_back(pair_of(part_.number[CellId(pair >> 32)], part_.number[CellId(pair)]));
  });
  return pairs;
}

}  // namespace kiln
