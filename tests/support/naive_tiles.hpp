// The `tiles` schedule as its description reads (engine/schedule/tiles.hpp), one attempt at a time: claims in
// a map, every attempt judged from scratch on the lattice as it is, sizes counted anew after every pass.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "engine/engine.hpp"
#include "engine/host/between_mcs.hpp"
#include "engine/host/bookkeeping.hpp"
#include "engine/schedule/tiles.hpp"
#include "support/small_world.hpp"

namespace kiln::test {

// As the terms see it, but for the mean of Act, which is taken in the engines' precision.
template <int Dim>
class ExactWorld : public NaiveWorld<Dim> {
 public:
  ExactWorld(const SmallWorld& world, const Copy& copy, const Vec3i& target)
      : NaiveWorld<Dim>(world, copy, target), world_(world), copy_(copy), target_(target) {}
  float mean_act_at_target() const { return mean(target_, copy_.loser); }
  float mean_act_at_source() const { return mean(copy_.source, copy_.winner); }

 private:
  float mean(const Vec3i& at, CellId cell) const {
    if (cell == kMedium) return 0;
    const State& s = world_.state;
    const Lattice& lattice = s.lattice;
    std::vector<ActValue> values{s.act[std::size_t(lattice.index(at))]};
    for (const Vec3i& o : moore_offsets(Dim)) {
      Vec3i p;
      if (naive_place(lattice, at, o, p) && s.ids[std::size_t(lattice.index(p))] == cell)
        values.push_back(s.act[std::size_t(lattice.index(p))]);
    }
    int32_t sum = 0;
    for (const ActValue v : values) {
      if (v == 0) return 0;
      sum += act::log_units(v);
    }
    return exp2_of(float(sum) * act::kLogUnit / float(values.size()));
  }

  const SmallWorld& world_;
  Copy copy_;
  Vec3i target_;
};

struct NaiveAttempt {
  Vec3i target;
  Copy copy;
  float threshold;
  uint32_t priority;
};

template <int Dim>
bool accepts_naively(const SmallWorld& w, const Physics& physics, const NaiveAttempt& a) {
  ExactWorld<Dim> world(w, a.copy, a.target);
  CopyChange change;
  return accepts<Dim>(physics, world, a.copy, a.threshold, change);
}

// Whether no change of sizes that is likely could save it.
template <int Dim>
bool is_hopeless_naively(const SmallWorld& w, const Physics& physics, const NaiveAttempt& a, float limit) {
  ExactWorld<Dim> world(w, a.copy, a.target);
  float dh;
  if (!local_delta<Dim>(physics, world, a.copy, dh)) return false;
  dh += cells_delta(physics, world, a.copy, change_of(physics, world, a.copy));
  return lowest_delta(physics, world, a.copy, dh) - a.threshold > limit;
}

inline void carry_out_naively(SmallWorld& w, const NaiveAttempt& a) {
  const std::size_t site = std::size_t(w.state.lattice.index(a.target));
  w.state.ids[site] = a.copy.winner;
  if (!w.state.act.empty())
    w.state.act[site] =
        a.copy.winner == kMedium ? ActValue(0) : ActValue(w.types[a.copy.winner_type].act.max);
}

inline void recount_naively(SmallWorld& w) {
  kiln::recount(w.state, w.perimeter_neighbours, w.frozen(), true);
}

template <int Dim>
class NaiveTiles {
 public:
  // An attempt of the last round, in which pass it was settled, and how.
  struct Settled {
    int pass;
    NaiveAttempt attempt;
    bool accepted;
  };

  NaiveTiles(SmallWorld& world, uint64_t seed, const tiles::Settings& settings)
      : world_(world), seed_(seed), settings_(settings) {}

  const AttemptCounts& counts() const { return counts_; }
  const std::vector<Settled>& last_round() const { return settled_; }

  // floor(m R) rounds by the end of MCS m: R rounds try as many sites on average as there are.
  uint64_t rounds_after(int64_t mcs) const {
    const Lattice& l = world_.state.lattice;
    unsigned __int128 sites = 1, tiles = 1;
    for (int axis = 0; axis < Dim; ++axis) {
      sites *= unsigned(l.periodic[axis] ? l.size[axis] : settings_.tile[axis]);
      tiles *= unsigned(l.periodic[axis] ? l.size[axis] / settings_.tile[axis] : 1);
    }
    return uint64_t(unsigned(mcs) * sites / tiles);
  }

  void advance() {
    const int64_t now = world_.state.mcs;
    for (uint64_t r = rounds_after(now); r < rounds_after(now + 1); ++r) play_round(r);
    finish();
  }
  // What follows the last round of an MCS.
  void finish() { finish_mcs(world_.state, world_.physics()); }

  void play_round(uint64_t number) {
    settled_.clear();
    const Physics physics = world_.physics();
    std::vector<NaiveAttempt> open = live_attempts(number, physics);
    for (int pass = 1; !open.empty(); ++pass) open = play_pass(open, pass, physics);
  }

  struct Target {
    uint32_t tile;
    Vec3i place;
  };
  // All targets of a round. Tiles are numbered row by row, by rising x; a row begins at a multiple of 32.
  std::vector<Target> targets(uint64_t number) const {
    const Lattice& l = world_.state.lattice;
    const Vec3i& tile = settings_.tile;
    const Draw bits = draw(seed_, Stream::tile_rounds, number, 0);
    Digits digits{bits.ab()};
    Vec3i shift{0, 0, 0}, count{1, 1, 1};
    for (int axis = 0; axis < Dim; ++axis)
      if (l.periodic[axis]) {
        shift[axis] = int32_t(digits.take(uint32_t(l.size[axis])));
        count[axis] = l.size[axis] / tile[axis];
      } else {  // from the first tile that reaches into the lattice to the last
        shift[axis] = -int32_t(digits.take(uint32_t(tile[axis])));
        count[axis] = (l.size[axis] + 2 * (tile[axis] - 1)) / tile[axis];
      }
    const uint32_t row_length = uint32_t(count.x + 31) / 32 * 32;
    std::vector<Target> result;
    for (int32_t k = 0; k < count.z; ++k)
      for (int32_t j = 0; j < count.y; ++j) {
        const uint32_t row = uint32_t(k * count.y + j), h = tiles::mixed(row ^ bits.d);
        const auto digit = [](uint32_t part, int whole, int base) {
          return int32_t(part * uint32_t(base)) / whole;
        };
        const int32_t x = shift.x + digit(h % 65536, 65536, tile.x);
        int32_t y = shift.y + j * tile.y + digit(h / 65536 % 256, 256, tile.y - settings_.apart + 1);
        int32_t z = Dim == 2 ? 0 : shift.z + k * tile.z + digit(h >> 24, 256, tile.z - settings_.apart + 1);
        if (l.periodic.y) y %= l.size.y;
        if (l.periodic.z) z %= l.size.z;
        std::vector<int32_t> xs;
        for (int32_t i = 0; i < count.x; ++i)
          xs.push_back(l.periodic.x ? (x + i * tile.x) % l.size.x : x - (x > 0 ? tile.x : 0) + i * tile.x);
        std::sort(xs.begin(), xs.end());
        for (int32_t i = 0; i < count.x; ++i)
          if (const Vec3i place{xs[std::size_t(i)], y, z}; l.contains(place))
            result.push_back({row * row_length + uint32_t(i), place});
      }
    return result;
  }

 private:
  std::vector<NaiveAttempt> live_attempts(uint64_t number, const Physics& physics) {
    const State& s = world_.state;
    const uint32_t key = draw(seed_, Stream::tile_rounds, number, 0).c;
    const std::vector<Vec3i> offsets = moore_offsets(Dim);
    std::vector<NaiveAttempt> result;
    for (const auto& [tile, place] : targets(number)) {
      counts_.attempts += 1;
      // 128 tiles share 32 draws: tiles k, k + 32, k + 64 and k + 96 have the four words of one.
      const uint64_t index = (number >> 32 << 32) + tile / 128 * 32 + tile % 32;
      const Draw d = draw(seed_, Stream::tile_attempts, index, uint32_t(number));
      const uint32_t words[4] = {d.a, d.b, d.c, d.d};
      const uint64_t scaled = uint64_t(words[tile % 128 / 32]) * offsets.size();
      const Vec3i offset = offsets[scaled >> 32];
      Vec3i source;
      if (!naive_place(s.lattice, place, offset, source)) continue;
      CellId winner = s.ids[std::size_t(s.lattice.index(source))];
      const CellId loser = s.ids[std::size_t(s.lattice.index(place))];
      if (world_.types[s.cells.type[loser]].frozen) continue;
      if (world_.types[s.cells.type[winner]].frozen) winner = kMedium;
      if (winner == loser) continue;
      counts_.live += 1;
      const Copy copy{winner, loser, s.cells.type[winner], s.cells.type[loser], source, offset * -1};
      result.push_back({place, copy, acceptance_threshold(physics.temperature, uint32_t(scaled)),
                        tiles::priority_of(tile, key)});
    }
    return result;
  }

  // Gives back what stays open.
  std::vector<NaiveAttempt> play_pass(const std::vector<NaiveAttempt>& open, int pass,
                                      const Physics& physics) {
    const bool last = pass == settings_.passes;
    std::vector<bool> accepted, hopeless;
    std::map<CellId, uint32_t> claims;  // the lowest priority
    for (const NaiveAttempt& a : open) {
      accepted.push_back(accepts_naively<Dim>(world_, physics, a));
      hopeless.push_back(pass == 1 && is_hopeless_naively<Dim>(world_, physics, a, settings_.hopeless));
      if (!accepted.back()) continue;
      for (const CellId cell : {a.copy.winner, a.copy.loser}) {
        if (cell == kMedium) continue;
        const auto [claim, is_first] = claims.emplace(cell, a.priority);
        claim->second = std::min(claim->second, a.priority);
      }
    }
    const auto is_beaten = [&](CellId cell, uint32_t priority) {
      const auto claim = claims.find(cell);
      return claim != claims.end() && claim->second < priority;
    };
    std::vector<NaiveAttempt> still_open;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const NaiveAttempt& a = open[i];
      const bool winner_is_taken = is_beaten(a.copy.winner, a.priority);
      const bool loser_is_taken = is_beaten(a.copy.loser, a.priority);
      if (last && settings_.passes > 1 && loser_is_taken) continue;
      if (!last && (winner_is_taken || loser_is_taken)) {
        if (!hopeless[i]) still_open.push_back(a);
        continue;
      }
      settled_.push_back({pass, a, accepted[i]});
      if (!accepted[i]) continue;
      counts_.accepted += 1;
      carry_out_naively(world_, a);
    }
    recount_naively(world_);
    return still_open;
  }

  SmallWorld& world_;
  uint64_t seed_;
  tiles::Settings settings_;
  AttemptCounts counts_;
  std::vector<Settled> settled_;
};

}  // namespace kiln::test
