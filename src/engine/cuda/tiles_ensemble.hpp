// Many simulations at once on one GPU, with the `tiles` schedule: each has the bits of TilesEngine.
#pragma once

#include "engine/cuda/ensemble_state.hpp"
#include "engine/cuda/field_values.hpp"
#include "engine/cuda/tiles_data.hpp"
#include "engine/cuda/tiles_source.hpp"
#include "engine/ensemble.hpp"
#include "engine/tiles_plan.hpp"

namespace kiln::cuda {

class TilesEnsemble : public Ensemble {
 public:
  // `max_act` is the largest Act value that any phase can set.
  TilesEnsemble(std::vector<State> states, const Physics& physics, const std::vector<uint64_t>& seeds,
                const tiles::Settings& settings, int max_act, int device);

  int64_t size() const override { return state_.size(); }
  void set_physics(const Physics& physics) override;
  void advance(int64_t mcs) override;
  const State& state(int64_t member) override;
  void visit(const Visitor& look) override;
  std::vector<AttemptCounts> counts() const override;
  std::string name() const override { return "cuda"; }
  std::string schedule() const override { return "tiles"; }
  std::string settings() const override { return tiles::describe(settings_, state_.lattice().dimension); }
  std::string gpu() const override { return device_.info().name; }

 private:
  void compile(const Physics& physics);
  void reserve_lists(const KernelShape& shape, int64_t crews);
  void write_tables();
  void find_live();
  void launch(int64_t mcs);
  void renew_claims();
  void fetch_cells();
  Launch block_per_member() const;

  tiles::Settings settings_;
  std::vector<uint64_t> seeds_;
  Device device_;
  Stream stream_;
  EnsembleState state_;
  FieldValues fields_;
  tiles::Clock clock_;
  Function play_, count_sums_, find_live_;
  Launch shape_;
  Buffer<Extent> extents_;
  Buffer<uint64_t> claims_;
  Buffer<uint32_t> open_;
  Buffer<uint64_t> live_;
  Buffer<Control> control_;
  Buffer<TilesTables> tables_;  // one per member
  int64_t open_per_warp_ = 0;
  bool sparse_ = false;
  int64_t refreshed_at_, claims_renewed_at_, looked_at_ = 0;  // MCS
};

}  // namespace kiln::cuda
