// What bricks are tried with, and what they have to know.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>
#include <thread>

#include "engine/ranks/bricks_engine.hpp"

namespace kiln::test {

// Messages that come late, and in another order than they were sent in to different ranks.
class Unreliable : public Exchange {
 public:
  explicit Unreliable(Exchange& inner) : inner_(inner), rng_(unsigned(inner.rank())) {}
  int rank() const override { return inner_.rank(); }
  int ranks() const override { return inner_.ranks(); }
  void swap(std::span<const int> to, std::span<Message> out, std::vector<Message>& in) override {
    std::vector<std::size_t> order(to.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::shuffle(order.begin(), order.end(), rng_);
    std::vector<int> to_now;
    std::vector<Message> out_now, in_now;
    for (const std::size_t k : order) {
      to_now.push_back(to[k]);
      out_now.push_back(out[k]);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(rng_() % 200));
    inner_.swap(to_now, out_now, in_now);
    in.resize(to.size());
    for (std::size_t i = 0; i < order.size(); ++i) in[order[i]] = in_now[i];
  }
  uint64_t sum(uint64_t here) override { return inner_.sum(here); }

 private:
  Exchange& inner_;
  std::mt19937 rng_;
};

// What a brick has of the sites and cells of others is what they have.
inline void expect_true_halos(const BricksEngine& engine, const State& whole) {
  const Lattice& lattice = whole.lattice;
  int64_t of_others = 0;
  for (int rank = 0; rank < engine.bricks(); ++rank) {
    const TissuePart& part = engine.part(rank);
    const State& state = part.state;
    for (Site stored = 0; stored < state.lattice.sites(); ++stored) {
      Vec3i place = state.lattice.position(stored) + part.brick.origin;
      if (!lattice.wrap(place)) continue;  // beyond a closed wall
      const auto site = std::size_t(lattice.index(place));
      of_others += part.brick.own.contains(place) ? 0 : 1;
      ASSERT_EQ(part.number[state.ids[std::size_t(stored)]], whole.ids[site])
          << "rank " << rank << ", site " << site;
      if (!whole.act.empty()) {
        ASSERT_EQ(state.act[std::size_t(stored)], whole.act[site]) << "rank " << rank;
      }
    }
    for (CellId own = 1; own < state.cells.count(); ++own) {
      if (!part.is_cell(own)) continue;
      const CellId cell = part.number[own];
      ASSERT_EQ(hash_of_cell(part, own), hash_of_cell(whole.cells, cell, cell))
          << "rank " << rank << ", cell " << cell;
    }
    ASSERT_EQ(part.cells_in_all, whole.cells.count());
  }
  EXPECT_GT(of_others, 0);
}

}  // namespace kiln::test
