// A brick of a lattice that is too large to be held as a whole.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <span>

#include "core/state.hpp"
#include "engine/ranks/rank_player.hpp"
#include "model/model.hpp"

namespace kiln::test {

// Others that never have anything to say: nothing may be said to them.
class Nobody : public Exchange {
 public:
  Nobody(int rank, int ranks) : rank_(rank), ranks_(ranks) {}
  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  void swap(std::span<const int> to, std::span<Message> out, std::vector<Message>& in) override {
    for (const Message& message : out) EXPECT_TRUE(message.empty());
    in.assign(to.size(), {});
  }
  uint64_t sum(uint64_t here) override { return here; }

 private:
  int rank_, ranks_;
};

// A few cells amid a brick of a lattice that is empty otherwise.
struct Islet {
  Nobody nobody;
  std::unique_ptr<RankPlayer> player;

  Islet(const Model& model, const Vec3i& bricks, const Box& cells, const MakeRank& ranks)
      : nobody(BrickGrid(model.lattice, bricks).owner_of(cells.low), bricks.x * bricks.y * bricks.z) {
    const Physics physics = model.phases[0].physics.view();
    const int reach = longest_reach(model.adhesion_neighbours, model.perimeter_neighbours);
    TissuePart part;
    part.grid = BrickGrid(model.lattice, bricks);
    part.brick = brick_with_halo(part.grid, nobody.rank(), reach);
    part.frozen = frozen_types_of(physics);
    part.state.lattice = part.brick.stored;
    part.state.ids = HugeVector<CellId>(std::size_t(part.brick.stored.sites()));
    part.state.act = HugeVector<ActValue>(part.state.ids.size());
    part.state.cells.add(0);
    part.number = {kMedium};
    part.here = {0};
    constexpr int32_t kEdge = 6;
    for (int32_t z = cells.low.z; z < cells.high.z; z += kEdge)
      for (int32_t y = cells.low.y; y < cells.high.y; y += kEdge)
        for (int32_t x = cells.low.x; x < cells.high.x; x += kEdge) {
          const CellId own = part.add_cell(CellId(part.number.size()));
          part.state.cells.type[own] = 1;
          for (int32_t i = 0; i < kEdge * kEdge * kEdge; ++i) {
            const Vec3i place{x + i % kEdge, y + i / kEdge % kEdge, z + i / (kEdge * kEdge)};
            part.state.ids[std::size_t(part.state.lattice.index(place - part.brick.origin))] = own;
          }
        }
    recount(part.state, model.perimeter_neighbours, part.frozen, false);
    for (CellId own = 1; own < part.number.size(); ++own)
      part.here[own] = part.state.cells.extent[own].volume;
    player = ranks.make(std::move(part), nobody, Holders{}, physics);
  }
  // By place in the lattice.
  std::map<Site, CellId> cells() {
    player->fetch(PartOf::sites);
    const TissuePart& part = player->tissue();
    std::map<Site, CellId> result;
    for (Site site = 0; site < part.state.lattice.sites(); ++site)
      if (const CellId own = part.state.ids[std::size_t(site)]; own != kMedium)
        result[part.grid.lattice().index(part.state.lattice.position(site) + part.brick.origin)] =
            part.number[own];
    return result;
  }
};

}  // namespace kiln::test
