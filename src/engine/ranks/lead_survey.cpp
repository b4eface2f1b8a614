#include "engine/ranks/lead_survey.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/thinning.hpp"
#include "engine/host/survey/pair_set.hpp"
#include "engine/ranks/shape_survey.hpp"

namespace kiln {
namespace {

// The bits of a box, x fastest, in those of all sites of a lattice.
void set_bits(const Lattice& lattice, const Box& box, std::span<const uint64_t> bits,
              std::vector<uint64_t>& all) {
  int64_t from = 0;
  for (int32_t z = box.low.z; z < box.high.z; ++z)
    for (int32_t y = box.low.y; y < box.high.y; ++y) {
      const Site row = lattice.index({box.low.x, y, z});
      for (int32_t x = 0; x < box.size().x;) {
        // As many as lie in one word of both.
        const Site to = row + x;
        const auto count = int32_t(std::min({int64_t(box.size().x - x), 64 - from % 64, 64 - to % 64}));
        const uint64_t mask = ~uint64_t(0) >> (64 - count);
        all[std::size_t(to / 64)] |= (bits[std::size_t(from / 64)] >> from % 64 & mask) << to % 64;
        from += count;
        x += count;
      }
    }
}

}  // namespace

// What the own part says, then the others one after the other. Behind an order.
template <class T, class Add>
void LeadSurvey::add_answers(const std::vector<T>& own, const Add& add) {
  add(0, own);
  for (int rank = 1; rank < crew_.ranks(); ++rank) add(rank, receive_numbers<T>(crew_, rank));
  crew_.answers();
}

std::vector<int64_t> LeadSurvey::contacts() {
  crew_.order(Order::contacts);
  std::vector<int64_t> sum;
  add_answers(own().contacts(), [&](int, const std::vector<int64_t>& counts) {
    sum.resize(counts.size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += counts[i];
  });
  return sum;
}

std::vector<uint8_t> LeadSurvey::touching(std::span<const uint8_t> keys) {
  crew_.order(Order::touching);
  for (int rank = 1; rank < crew_.ranks(); ++rank) send_numbers<uint8_t>(crew_, rank, keys);
  std::vector<uint8_t> touches(cell_count());
  add_answers(own().touching(keys), [&](int, const std::vector<CellId>& cells) {
    for (const CellId cell : cells) touches[cell] = 1;
  });
  return touches;
}

std::optional<int64_t> LeadSurvey::frozen_sites() {
  crew_.order(Order::frozen_sites);
  int64_t sum = 0;
  add_answers(std::vector{own().frozen_sites()},
              [&](int, const std::vector<int64_t>& sites) { sum += sites[0]; });
  return sum;
}

void LeadSurvey::tracked_sites(const TakeBits& take) {
  crew_.order(Order::tracked_sites);
  const Lattice& lattice = rank_.tissue().grid.lattice();
  std::vector<uint64_t> all(std::size_t((lattice.sites() + 63) / 64));
  add_answers(own().tracked_sites(), [&](int rank, const std::vector<uint64_t>& bits) {
    set_bits(lattice, rank_.tissue().grid.brick(rank), bits, all);
  });
  take(0, all);
}

LatticeSurvey::ThinnedSites LeadSurvey::thinned_sites(int32_t step, bool with_act) {
  crew_.order(with_act ? Order::thinned_sites_with_act : Order::thinned_sites, step);
  const Lattice& lattice = rank_.tissue().grid.lattice();
  const Thinning thinning(lattice, step);
  Lattice thinned = lattice;
  thinned.size = thinning.size;
  ThinnedSites all;
  const auto put = [&](int rank, const auto& from, auto& to) {
    if (from.empty()) return;
    if (to.empty()) to = std::decay_t<decltype(to)>(std::size_t(thinning.sites()));
    const Box seen = thinning.within(rank_.tissue().grid.brick(rank));
    const int32_t width = seen.size().x;
    auto next = from.begin();
    for (int32_t z = seen.low.z; z < seen.high.z; ++z)
      for (int32_t y = seen.low.y; y < seen.high.y; ++y, next += width)
        std::copy_n(next, width, to.begin() + thinned.index({seen.low.x, y, z}));
  };
  const ThinnedSites own_sites = own().thinned_sites(step, with_act);
  put(0, own_sites.ids, all.ids);
  put(0, own_sites.act, all.act);
  for (int rank = 1; rank < crew_.ranks(); ++rank) {
    put(rank, receive_numbers<CellId>(crew_, rank), all.ids);
    put(rank, receive_numbers<ActValue>(crew_, rank), all.act);
  }
  crew_.answers();
  return all;
}

std::vector<LatticeSurvey::SiteOfCell> LeadSurvey::sites_of_sample(int64_t stride) {
  crew_.order(Order::sites_of_sample, stride);
  std::vector<SiteOfCell> all;
  add_answers(own().sites_of_sample(stride), [&](int, const std::vector<SiteOfCell>& sites) {
    all.insert(all.end(), sites.begin(), sites.end());
  });
  std::sort(all.begin(), all.end(), [](const SiteOfCell& a, const SiteOfCell& b) { return a.site < b.site; });
  return all;
}

std::vector<int32_t> LeadSurvey::neighbours_of_sample(int64_t stride) {
  std::vector<int32_t> counts(std::size_t((int64_t(cell_count()) - 1 + stride - 1) / stride));
  std::vector<bool> is_tracked(counts.size());
  std::size_t next = 0;
  each_slice_([&](const CellSlice& slice) {
    for (; next < counts.size() && 1 + int64_t(next) * stride < slice.end(); ++next)
      is_tracked[next] =
          !rank_.tissue().frozen[slice.cells.type[slice.row(CellId(1 + int64_t(next) * stride))]];
  });
  crew_.order(Order::pairs_of_sample, stride);
  PairSet pairs;
  add_answers(own().pairs_of_sample(stride), [&](int, const std::vector<uint64_t>& found) {
    for (const uint64_t pair : found) pairs.insert(pair);
  });
  pairs.for_each([&](uint64_t pair) {
    for (const auto cell : {CellId(pair >> 32), CellId(pair)})
      if (const auto number = std::size_t((cell - 1) / stride);
          (cell - 1) % stride == 0 && is_tracked[number])
        counts[number] += 1;
  });
  return counts;
}

std::optional<int64_t> LeadSurvey::fragmented_cells() {
  crew_.order(Order::fragmented_cells, cell_count());
  rank_.fetch(PartOf::all);
  return sum_of_answers(fragmented_cells_of_rank(rank_.tissue(), crew_.processes(), cell_count(), threads_));
}

std::optional<int64_t> LeadSurvey::wide_cells() {
  crew_.order(Order::wide_cells, cell_count());
  rank_.fetch(PartOf::all);
  return sum_of_answers(wide_cells_of_rank(rank_.tissue(), crew_.processes(), cell_count()));
}

int64_t LeadSurvey::sum_of_answers(int64_t own) {
  int64_t sum = 0;
  add_answers(std::vector{own}, [&](int, const std::vector<int64_t>& counts) { sum += counts.at(0); });
  return sum;
}

void survey_part(Crew& crew, Order order, int64_t value, const TissuePart& part, int threads) {
  const PartSurvey survey(part, threads);
  const auto send = [&](const auto& numbers) { send_numbers(crew, 0, std::span(numbers)); };
  switch (order) {
    case Order::contacts:
      return send(survey.contacts());
    case Order::touching:
      return send(survey.touching(receive_numbers<uint8_t>(crew, 0)));
    case Order::frozen_sites:
      return send(std::vector{survey.frozen_sites()});
    case Order::tracked_sites:
      return send(survey.tracked_sites());
    case Order::thinned_sites:
    case Order::thinned_sites_with_act: {
      const auto sites = survey.thinned_sites(int32_t(value), order == Order::thinned_sites_with_act);
      send(sites.ids);
      return send(sites.act);
    }
    case Order::sites_of_sample:
      return send(survey.sites_of_sample(value));
    case Order::pairs_of_sample:
      return send(survey.pairs_of_sample(value));
    case Order::fragmented_cells:
      return send(std::vector{fragmented_cells_of_rank(part, crew.processes(), CellId(value), threads)});
    case Order::wide_cells:
      return send(std::vector{wide_cells_of_rank(part, crew.processes(), CellId(value))});
    default:
      throw std::logic_error("an order that asks for no survey");
  }
}

}  // namespace kiln
