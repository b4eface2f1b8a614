// What happens between two MCS to a brick whose sites lie on a GPU: a processor plays it, on the rows of the
// brick's cells, and on its sites where those matter.
#pragma once

#include <functional>

#include "engine/living/living_stage.hpp"
#include "engine/ranks/brick_share.hpp"

namespace kiln {

class BrickLife {
 public:
  // `bring_sites` puts the sites, as they are now, into the part.
  BrickLife(const Model& model, TissuePart& part, Sharing& sharing, Exchange& exchange, Traffic& traffic,
            int threads, std::function<void()> bring_sites);

  const Model& model() const { return model_; }
  bool reads_places() const { return stage_.reads_places(); }
  // The end of MCS number `mcs`: the rows in the part are current, and so is `here`. Throws as LivingStage
  // does.
  void play(int64_t mcs);
  // Whether cells came, ended or got another type: then sites in the part are current as well, and this is
  // what has changed in it.
  bool changed_lattice() const { return stage_.changed_lattice(); }
  // Whether anything happened on any brick: the same for all of them.
  bool any_events() const { return stage_.any_events(); }
  const BrickShare::Changes& changes() const { return share_.changes(); }

 private:
  BrickLife(const Model& model, TissuePart& part, std::unique_ptr<BrickShare> share, int threads);

  Model model_;
  TissuePart& part_;
  const BrickShare& share_;  // the stage's
  LivingStage stage_;
  Team team_;
};

}  // namespace kiln
