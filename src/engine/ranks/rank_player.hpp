// What plays one brick of a tissue, together with those of the other ranks: threads, or a GPU.
#pragma once

#include <functional>
#include <memory>

#include "engine/engine.hpp"
#include "engine/ranks/sharing.hpp"

namespace kiln {

enum class PartOf { cells, sites, all };

class RankPlayer {
 public:
  virtual ~RankPlayer() = default;

  // These three are called by all ranks at once.
  virtual void set_physics(const Physics& physics) = 0;
  virtual void advance(int64_t mcs) = 0;
  // Brings tissue() up to date, where it lies elsewhere; its MCS always is.
  virtual void fetch(PartOf) {}

  virtual const TissuePart& tissue() const = 0;
  virtual const Sharing& sharing() const = 0;
  virtual AttemptCounts counts() const = 0;
  virtual Traffic traffic() const = 0;
  virtual int threads() const { return 0; }  // of a processor
  virtual std::string gpu() const { return ""; }
};

// What a brick that was fetched adds to the hash of the whole.
uint64_t hash_part(const RankPlayer& rank);

using Holders = std::map<CellId, std::vector<int>>;  // see Sharing
// What makes the players of a tissue's bricks.
struct MakeRank {
  // The rank that a part is for is in it.
  std::function<std::unique_ptr<RankPlayer>(TissuePart part, Exchange& exchange, const Holders& holders,
                                            const Physics& physics)>
      make;
  bool on_gpus = false;  // ranks then agree at leisure (Sharing), and leave cores free
};

// How far from its target a rank reads sites.
int reach_of(const Physics& physics);

}  // namespace kiln
