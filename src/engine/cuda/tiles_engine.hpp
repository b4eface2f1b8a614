// The `tiles` schedule on one GPU. It gives the same bits as ThreadsEngine.
#pragma once

#include "engine/cuda/driver.hpp"
#include "engine/cuda/tiles_data.hpp"
#include "engine/cuda/tiles_source.hpp"
#include "engine/engine.hpp"
#include "engine/team.hpp"
#include "engine/tiles_plan.hpp"

namespace kiln::cuda {

class TilesEngine : public Engine {
 public:
  // `max_act` is the largest Act value that any phase can set.
  TilesEngine(State state, const Physics& physics, uint64_t seed, const tiles::Settings& settings,
              int max_act, int device);

  void set_physics(const Physics& physics) override;
  void advance(int64_t mcs) override;
  const State& state() override;
  AttemptCounts counts() const override;
  std::string name() const override { return "cuda"; }
  std::string schedule() const override { return "tiles"; }
  std::string settings() const override { return tiles::describe(settings_); }

 private:
  void number_cells_by_type();
  void allocate();
  void upload();
  void download();
  template <class Word>
  void upload_sites();
  template <class Word>
  void download_sites();
  void compile();
  void launch_span(int64_t mcs);
  void finish_span();
  unsigned simple_grid() const;

  State state_;
  bool state_is_current_ = true;
  Physics physics_;
  tiles::Settings settings_;
  tiles::Clock clock_;
  SiteLayout layout_;
  Device device_;
  Stream stream_;
  Team team_;
  int64_t mcs_;
  std::vector<CellId> to_device_, from_device_;  // ids; empty where they are the same
  Function play_, turn_, move_anchors_, recount_moved_, refresh_stamps_;
  unsigned grid_ = 1;
  Buffer<uint8_t> sites_;
  Buffer<Extent> extents_;
  Buffer<uint64_t> claims_;
  Buffer<Vec3i> anchors_;
  Buffer<Vec3<int64_t>> sums_;
  Buffer<Vec3f> directions_;
  Buffer<Vec3d> history_;
  Buffer<OpenAttempt> open_;
  Buffer<Control> control_;
  std::vector<Buffer<float>> field_values_;
  Tables tables_{};
  int64_t refreshed_at_;  // MCS of the last refresh of stamps
};

}  // namespace kiln::cuda
