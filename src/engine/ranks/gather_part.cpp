#include "engine/ranks/gather_part.hpp"

#include <algorithm>

#include "engine/ranks/id_slices.hpp"
#include "engine/ranks/parcels.hpp"

namespace kiln {
namespace {

constexpr int32_t kLayersAtOnce = 64;  // files keep cubes of this edge together

// A set of numbers that is about as long as there are different ones in it.
class NumberSet {
 public:
  void add(CellId number) {
    if (number == last_) return;
    last_ = number;
    if (number == kMedium) return;
    numbers_.push_back(number);
    if (numbers_.size() >= limit_) limit_ = std::max(kLeast, 2 * sorted().size());
  }
  const std::vector<CellId>& sorted() {
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    return numbers_;
  }

 private:
  static constexpr std::size_t kLeast = std::size_t(1) << 20;
  std::vector<CellId> numbers_;
  CellId last_ = kMedium;
  std::size_t limit_ = kLeast;
};

// A stretch of an axis that lies in one piece in the lattice: where, and where it begins as the brick sees
// it.
struct Stretch {
  int32_t begin, length, in_lattice;
};
std::vector<Stretch> stretches(int32_t low, int32_t high, int32_t size, bool periodic) {
  std::vector<Stretch> result;
  if (!periodic) low = std::max(low, 0), high = std::min(high, size);
  for (int32_t at = low; at < high;) {
    const int32_t in_lattice = ((at % size) + size) % size;
    const int32_t length = std::min(high - at, size - in_lattice);
    result.push_back({at, length, in_lattice});
    at += length;
  }
  return result;
}

// Reads all that is near to the brick: what is stored of it goes into the part, with numbers for ids; the
// cells of the rest are noted, too.
class Window {
 public:
  Window(StateSource& stored, TissuePart& part, int near) : stored_(stored), part_(part) {
    zone_ = part.grid.around(part.brick.own, near);
    State& state = part.state;
    state.ids = HugeVector<CellId>(std::size_t(state.lattice.sites()));
    if (stored.has_act()) state.act = HugeVector<ActValue>(state.ids.size());
  }

  NumberSet read() {
    const Lattice& lattice = part_.grid.lattice();
    const auto along = [&](int axis) {
      return stretches(zone_.low[axis], zone_.high[axis], lattice.size[axis], lattice.periodic[axis]);
    };
    for (const Stretch& z : along(2))
      for (const Stretch& y : along(1))
        for (const Stretch& x : along(0))
          for (int32_t first = 0; first < z.length; first += kLayersAtOnce)
            read_box({x.begin, y.begin, z.begin + first}, {x.in_lattice, y.in_lattice, z.in_lattice + first},
                     {x.length, y.length, std::min(kLayersAtOnce, z.length - first)});
    return std::move(found_);
  }

 private:
  void read_box(const Vec3i& begin, const Vec3i& in_lattice, const Vec3i& size) {
    const auto sites = std::size_t(size.x) * std::size_t(size.y) * std::size_t(size.z);
    ids_.resize(sites);
    act_.resize(stored_.has_act() ? sites : 0);
    stored_.read_sites({in_lattice, in_lattice + size}, ids_.data(), act_.empty() ? nullptr : act_.data());
    for (const CellId id : ids_) found_.add(id);
    const Vec3i corner = begin - part_.brick.origin;
    const Box kept = Box{corner, corner + size}.within({{0, 0, 0}, part_.state.lattice.size});
    if (kept.empty()) return;
    for (int32_t z = kept.low.z; z < kept.high.z; ++z)
      for (int32_t y = kept.low.y; y < kept.high.y; ++y) {
        const Vec3i place{kept.low.x, y, z}, there = place - corner;
        const auto from =
            (std::size_t(there.z) * std::size_t(size.y) + std::size_t(there.y)) * std::size_t(size.x) +
            std::size_t(there.x);
        const auto to = std::size_t(part_.state.lattice.index(place));
        std::copy_n(ids_.data() + from, kept.size().x, part_.state.ids.data() + to);
        if (!act_.empty()) std::copy_n(act_.data() + from, kept.size().x, part_.state.act.data() + to);
      }
  }

  StateSource& stored_;
  TissuePart& part_;
  Box zone_;
  NumberSet found_;
  std::vector<CellId> ids_;
  std::vector<ActValue> act_;
};

struct Asked {
  CellId number;
  int32_t rank;
  auto operator<=>(const Asked&) const = default;
};

// For the cells of the rank's slice: who has named them, in order. Cells that nobody has have no site; these
// are kept by the first.
std::vector<Asked> ask_owners(const std::vector<CellId>& numbers, CellId cells, Exchange& exchange) {
  std::vector<Asked> asked;
  send_records<Asked>(
      exchange, numbers.size(),
      [&](std::size_t i) { return slice_owner(cells, exchange.ranks(), numbers[i]); },
      [&](std::size_t i) {
        return Asked{numbers[i], exchange.rank()};
      },
      [&](const Asked& question) { asked.push_back(question); });
  std::sort(asked.begin(), asked.end());
  const IdSlice slice = id_slice(cells, exchange.ranks(), exchange.rank());
  std::vector<Asked> all;
  auto at = asked.begin();
  for (CellId number = std::max<CellId>(1, slice.first); number < slice.first + slice.count; ++number) {
    if (at == asked.end() || at->number != number) all.push_back({number, 0});
    for (; at != asked.end() && at->number == number; ++at) all.push_back(*at);
  }
  return all;
}

// Rows of the slice, to those who asked for them, with who else did.
void answer(const std::vector<Asked>& asked, StateSource& stored, Exchange& exchange, GatheredPart& result) {
  const IdSlice slice = id_slice(stored.cells(), exchange.ranks(), exchange.rank());
  TissuePart rows;
  rows.state.cells = stored.read_rows(slice.first, slice.count);
  auto group = asked.begin();
  send_parcels(
      exchange,
      [&](std::vector<Message>& messages) {
        for (std::size_t bytes = 0; group != asked.end() && bytes < kParcelBytes;) {
          const auto end =
              std::find_if(group, asked.end(), [&](const Asked& a) { return a.number != group->number; });
          Message row;
          append(row, group->number);
          append(row, uint32_t(end - group));
          for (auto holder = group; holder != end; ++holder) append(row, holder->rank);
          append_row(row, rows, group->number - slice.first);
          for (auto holder = group; holder != end; ++holder) {
            Message& message = messages[std::size_t(holder->rank)];
            message.insert(message.end(), row.begin(), row.end());
            bytes += row.size();
          }
          group = end;
        }
        return group == asked.end();
      },
      [&](Reading message) {
        while (!message.done()) {
          const auto number = message.take<CellId>();
          std::vector<int> holders(message.take<uint32_t>());
          for (int& holder : holders) holder = message.take<int32_t>();
          read_row(message, result.part, result.part.add_cell(number));
          if (holders.size() > 1) result.holders.emplace(number, std::move(holders));
        }
      });
}

}  // namespace

GatheredPart gather_part(StateSource& stored, const BrickGrid& grid, int reach,
                         const std::vector<bool>& frozen, bool at_leisure, Exchange& exchange) {
  GatheredPart result{empty_part(grid, exchange.rank(), reach, frozen), {}};
  TissuePart& part = result.part;
  State& state = part.state;
  state.mcs = stored.mcs();
  state.substances = stored.read_substances();
  state.cells = stored.read_rows(kMedium, 1);
  part.cells_in_all = stored.cells();
  part.number = {kMedium};
  part.here = {0};
  NumberSet near = Window(stored, part, shared_within(grid, reach, at_leisure)).read();
  answer(ask_owners(near.sorted(), stored.cells(), exchange), stored, exchange, result);
  for (CellId& id : state.ids)
    if (id != kMedium) id = part.own_id.find(id);
  count_here(part);
  return result;
}

}  // namespace kiln
