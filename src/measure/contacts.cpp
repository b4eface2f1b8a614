#include "measure/contacts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>

#include "base/parallel.hpp"
#include "measure/rows.hpp"

namespace kiln {
namespace {

// Eight types at a time: a neighbour's type is a one in a field of four bits, and a site has at most 13
// following neighbours, so their sum fits into one word and the loops over a row run on vectors.
constexpr int kTypesPerWord = 8;
constexpr int kRowPiece = 4096;  // sites between two flushes of a ContactTally: 13 x 4096 fits its 16 bits

using PairCounts = std::array<std::array<int64_t, kTypesPerWord>, kMaxTypes>;  // [centre's type][neighbour's]

// The key where the ids differ, else 0; without a branch, so that loops of it become vector instructions.
uint32_t if_unlike(CellId a, CellId b, uint32_t key) { return -uint32_t(a != b) & key; }

void add_unlike(const CellId* own, const PaddedRow& other, int32_t count, uint32_t* sum) {
  const CellId* id = other.id;
  const uint32_t* key = other.key;
  for (int32_t x = 0; x < count; ++x)
    sum[x] += if_unlike(own[x], id[x - 1], key[x - 1]) + if_unlike(own[x], id[x], key[x]) +
              if_unlike(own[x], id[x + 1], key[x + 1]);
}

void add_unlike_next(const PaddedRow& row, int32_t count, uint32_t* sum) {
  const CellId* id = row.id;
  const uint32_t* key = row.key;
  for (int32_t x = 0; x < count; ++x) sum[x] += if_unlike(id[x], id[x + 1], key[x + 1]);
}

// Four fields of four bits become four of sixteen.
uint64_t spread(uint32_t fields) {
  const uint64_t v = fields;
  return (v & 0xF) | (v & 0xF0) << 12 | (v & 0xF00) << 24 | (v & 0xF000) << 36;
}

class ContactTally {
 public:
  ContactTally(const State& state, int types) : type_(state.cells.type), types_(types) {}

  void add(const CellId* ids, const uint32_t* sums, int32_t count) {
    if (pending_ + count > kRowPiece) flush();
    pending_ += count;
    for (int32_t x = 0; x < count; ++x) {
      const TypeId type = type_[ids[x]];
      low_[type] += spread(sums[x]);
      high_[type] += spread(sums[x] >> 16);
    }
  }

  PairCounts total() {
    flush();
    return total_;
  }

 private:
  void flush() {
    for (int type = 0; type < types_; ++type) {
      for (int field = 0; field < 4; ++field) {
        total_[type][field] += int64_t(low_[type] >> (16 * field) & 0xFFFF);
        total_[type][field + 4] += int64_t(high_[type] >> (16 * field) & 0xFFFF);
      }
      low_[type] = high_[type] = 0;
    }
    pending_ = 0;
  }

  const std::vector<TypeId>& type_;
  int types_;
  int32_t pending_ = 0;  // sites added since the last flush
  PairCounts total_{};
  std::array<uint64_t, kMaxTypes> low_{}, high_{};
};

// Contacts whose second site has one of the eight types from first_type on.
PairCounts count_rows(const State& state, int first_type, int types, int64_t begin, int64_t end) {
  std::array<uint32_t, kMaxTypes> key_of_type{};
  for (int i = 0; i < kTypesPerWord && first_type + i < types; ++i)
    key_of_type[first_type + i] = 1u << (4 * i);
  const auto key_of = [&](CellId id) { return key_of_type[state.cells.type[id]]; };

  ContactTally tally(state, types);
  std::array<uint32_t, kRowPiece> sums;
  RowWalk walk(state, key_of);
  walk.run(begin, end, [&](const PaddedRow& row, std::span<const PaddedRow> following) {
    for (int32_t from = 0; from < state.lattice.size.x; from += kRowPiece) {
      const int32_t count = std::min(kRowPiece, state.lattice.size.x - from);
      std::fill_n(sums.begin(), count, 0u);
      add_unlike_next({row.id + from, row.key + from}, count, sums.data());
      for (const PaddedRow& other : following)
        add_unlike(row.id + from, {other.id + from, other.key + from}, count, sums.data());
      tally.add(row.id + from, sums.data(), count);
    }
  });
  return tally.total();
}

}  // namespace

void ContactMatrix::add(int a, int b, int64_t contacts) {
  count_[std::size_t(a) * types_ + b] += contacts;
  if (a != b) count_[std::size_t(b) * types_ + a] += contacts;
}

int64_t ContactMatrix::interface_of(int type) const {
  int64_t sum = at(type, type);
  for (int other = 0; other < types_; ++other) sum += at(type, other);
  return sum;
}

double ContactMatrix::fraction(int a, int b) const {
  const int64_t all = interface_of(a);
  if (all == 0) return std::numeric_limits<double>::quiet_NaN();
  return double(a == b ? 2 * at(a, a) : at(a, b)) / double(all);
}

ContactMatrix contact_matrix(const Look& look, int types, int threads) {
  ContactMatrix result(types);
  if (LatticeSurvey* const survey = look.survey()) {
    const std::vector<int64_t> counts = survey->contacts();
    for (int a = 0; a < types; ++a)
      for (int b = 0; b < types; ++b) result.add(a, b, counts[std::size_t(a) * types + b]);
    return result;
  }
  const State& state = look.state();
  std::mutex adding;
  for (int first = 0; first < types; first += kTypesPerWord)
    in_parallel(row_count(state.lattice), threads, [&](int, int64_t begin, int64_t end) {
      const PairCounts counts = count_rows(state, first, types, begin, end);
      const std::scoped_lock lock(adding);
      for (int a = 0; a < types; ++a)
        for (int b = first; b < std::min(types, first + kTypesPerWord); ++b)
          result.add(a, b, counts[a][b - first]);
    });
  return result;
}

Interface interface_by_kind(const ContactMatrix& contacts, const std::vector<bool>& frozen) {
  Interface result;
  for (int a = 1; a < contacts.types(); ++a) {
    if (frozen[a]) continue;
    result.homotypic += contacts.at(a, a);
    result.with_medium += contacts.at(a, 0);
    for (int b = 1; b < contacts.types(); ++b) {
      if (frozen[b])
        result.with_frozen += contacts.at(a, b);
      else if (b > a)
        result.heterotypic += contacts.at(a, b);
    }
  }
  return result;
}

}  // namespace kiln
