#include "engine/ranks/brick_life.hpp"

namespace kiln {

BrickLife::BrickLife(const Model& model, TissuePart& part, Sharing& sharing, Exchange& exchange,
                     Traffic& traffic, int threads, std::function<void()> bring_sites)
    : BrickLife(model, part,
                std::make_unique<BrickShare>(part, sharing, exchange, traffic, std::move(bring_sites)),
                threads) {}

BrickLife::BrickLife(const Model& model, TissuePart& part, std::unique_ptr<BrickShare> share, int threads)
    : model_(model),
      part_(part),
      share_(*share),
      stage_(model, part.state, threads, std::move(share)),
      team_(threads) {
  stage_.count_totals(part.state);
}

void BrickLife::play(int64_t mcs) {
  team_.run([&](int member) { stage_.play(part_.state, mcs, team_, member); });
  stage_.require_success();
}

}  // namespace kiln
