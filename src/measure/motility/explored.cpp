#include "measure/motility/explored.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <utility>

#include "base/parallel.hpp"
#include "measure/cell_table.hpp"
#include "measure/statistics.hpp"

namespace kiln {

namespace {

// `bits_of(word)` gives 64 bits.
template <class BitsOf>
int64_t mark_words(std::span<uint64_t> seen, int threads, const BitsOf& bits_of) {
  std::atomic<int64_t> fresh = 0;
  in_parallel(int64_t(seen.size()), threads, [&](int, int64_t begin, int64_t end) {
    int64_t own = 0;
    for (auto word = std::size_t(begin); word < std::size_t(end); ++word) {
      const uint64_t bits = bits_of(word);
      own += std::popcount(bits & ~seen[word]);
      seen[word] |= bits;
    }
    fresh += own;
  });
  return fresh;
}

}  // namespace

int64_t mark_explored(std::span<const CellId> ids, std::span<const uint8_t> flags,
                      std::vector<uint64_t>& seen, int threads) {
  constexpr std::size_t kBits = 64;
  seen.resize((ids.size() + kBits - 1) / kBits);
  return mark_words(seen, threads, [&](std::size_t word) {
    const CellId* site = ids.data() + word * kBits;
    const std::size_t count = std::min(kBits, ids.size() - word * kBits);
    uint64_t bits = 0;
    for (std::size_t i = 0; i < count; ++i) bits |= uint64_t(flags[site[i]]) << i;
    return bits;
  });
}

int64_t mark_explored(int64_t first, std::span<const uint64_t> bits, std::vector<uint64_t>& seen,
                      int threads) {
  return mark_words(std::span(seen).subspan(std::size_t(first), bits.size()), threads,
                    [&](std::size_t word) { return bits[word]; });
}

Explored::Explored(std::vector<bool> frozen, Limits limits, int threads, ExploredData data)
    : frozen_(std::move(frozen)), limits_(limits), threads_(threads), data_(std::move(data)) {
  limits_.cells = std::min(limits_.cells, kMostCells);
}

void Explored::begin(const Look& look) {
  data_ = {};
  if (limits_.cells > 0) {
    data_.stride = sampling_stride(int64_t(look.cell_count()) - 1, 1, limits_.cells);
    int64_t id = 1;
    look.each_slice([&](const CellSlice& slice) {
      for (const Cells& cells = slice.cells; id < slice.end(); id += data_.stride) {
        const CellId row = slice.row(CellId(id));
        const bool is_there = is_tracked(cells, frozen_, row) && was_there(cells, row);
        data_.cells += is_there && cells.extent[row].volume > 0 ? 1 : 0;
      }
    });
  }
  add(look);
}

void Explored::add(const Look& look) {
  if (LatticeSurvey* const survey = look.survey()) {
    data_.seen.resize(std::size_t((look.lattice().sites() + 63) / 64));
    survey->tracked_sites([&](int64_t first, std::span<const uint64_t> bits) {
      data_.sites += mark_explored(first, bits, data_.seen, threads_);
    });
  } else {
    const State& state = look.state();
    std::vector<uint8_t> flags(state.cells.count());
    for (CellId cell = 1; cell < state.cells.count(); ++cell)
      flags[cell] = is_tracked(state.cells, frozen_, cell) ? 1 : 0;
    data_.sites += mark_explored({state.ids.data(), state.ids.size()}, flags, data_.seen, threads_);
  }
  if (data_.cells > 0) add_visits(visits_now(look));
}

// Cells that are born later are not among those that were counted at the beginning.
bool Explored::was_there(const Cells& cells, CellId cell) {
  return cells.life.empty() || cells.life[cell].parent == 0;
}

// The lattice is walked in order of sites, so that visits come sorted.
std::vector<uint64_t> Explored::visits_now(const Look& look) const {
  std::vector<uint64_t> now;
  if (LatticeSurvey* const survey = look.survey()) {
    for (const LatticeSurvey::SiteOfCell& s : survey->sites_of_sample(data_.stride))
      now.push_back(uint64_t(s.site) * kMostCells + uint64_t(s.number));
    return now;
  }
  const State& state = look.state();
  std::vector<int32_t> number(state.cells.count(), -1);
  for (int64_t id = 1; id < int64_t(number.size()); id += data_.stride)
    if (is_tracked(state.cells, frozen_, CellId(id)) && was_there(state.cells, CellId(id)))
      number[id] = int32_t((id - 1) / data_.stride);
  std::vector<std::vector<uint64_t>> found(std::size_t(std::max(threads_, 1)));
  in_parallel(int64_t(state.ids.size()), threads_, [&](int part, int64_t begin, int64_t end) {
    for (int64_t site = begin; site < end; ++site)
      if (const int32_t cell = number[state.ids[site]]; cell >= 0)
        found[std::size_t(part)].push_back(uint64_t(site) * kMostCells + uint64_t(cell));
  });
  for (const std::vector<uint64_t>& part : found) now.insert(now.end(), part.begin(), part.end());
  return now;
}

void Explored::add_visits(const std::vector<uint64_t>& now) {
  std::vector<uint64_t> all;
  all.reserve(data_.visits.size() + now.size());
  std::set_union(data_.visits.begin(), data_.visits.end(), now.begin(), now.end(), std::back_inserter(all));
  data_.visits = std::move(all);
  while (data_.visits.size() > limits_.visits && data_.cells > 1) leave_out_every_second();
}

// Every cell that is looked at has a visit, from when the phase began.
void Explored::leave_out_every_second() {
  std::vector<bool> has_visit(kMostCells);
  std::vector<uint64_t> kept;
  for (const uint64_t visit : data_.visits) {
    const uint64_t site = visit / kMostCells, cell = visit % kMostCells;
    if (cell % 2 != 0) continue;
    has_visit[cell / 2] = true;
    kept.push_back(site * kMostCells + cell / 2);
  }
  data_.visits = std::move(kept);
  data_.stride *= 2;
  data_.cells = std::count(has_visit.begin(), has_visit.end(), true);
}

double Explored::mean_sites_of_cells() const {
  return data_.cells > 0 ? double(data_.visits.size()) / double(data_.cells) : kUndefined;
}

}  // namespace kiln
