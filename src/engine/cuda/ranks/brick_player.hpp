// A brick that is played by a GPU: a launch for every part of a round. See engine/cuda/tiles/brick.cuh.
#pragma once

#include "engine/cuda/model_source.hpp"
#include "engine/cuda/ranks/brick_sharing.hpp"
#include "engine/cuda/ranks/mail.hpp"
#include "engine/cuda/state/field_values.hpp"
#include "engine/cuda/tiles/data.hpp"
#include "engine/cuda/tiles/source.hpp"
#include "engine/ranks/brick_life.hpp"
#include "engine/ranks/rank_player.hpp"
#include "engine/schedule/tick.hpp"
#include "engine/schedule/tiles_plan.hpp"

namespace kiln::cuda {

class BrickPlayer : public RankPlayer {
 public:
  BrickPlayer(TissuePart part, Exchange& exchange, const Holders& holders, const Physics& physics,
              uint64_t seed, const tiles::Settings& settings, int max_act, int device,
              std::shared_ptr<PeerGroup> peers, Numbers numbers, int threads = 1,
              const Model* living = nullptr);

  void set_physics(const Physics& physics) override;
  void advance(int64_t mcs) override;
  void fetch(PartOf what) override;
  const TissuePart& tissue() const override { return part_; }
  const Sharing& sharing() const override { return sharing_; }
  AttemptCounts counts() const override;
  Traffic traffic() const override;
  std::string gpu() const override { return device_.info().name; }

 private:
  enum Kind { copies, claims, sums, kinds };  // of what is told

  // All that lies on the device and is made anew where there is no room for cells that come.
  struct Memory {
    Memory(const Device& device, const Stream& stream, TissuePart& part, const Sharing& sharing, int types,
           int max_act, const std::vector<uint32_t>& told, const Model* living);

    BrickState state;
    BrickSharing sharing;
    Buffer<uint64_t> claims;
    Buffer<uint32_t> open;
    Buffer<uint64_t> live;
    Buffer<WarpNotes> warps;
    uint32_t stamp;
  };

  void begin(const std::vector<uint32_t>& told);
  void compile();
  void make_roomier();
  void begin_refresh();
  void complete_refresh();
  void fit_mail();
  void check_faults();
  void play_round(uint64_t number);
  void swap(Kind kind, std::size_t record_bytes);
  void hear_copies();
  void hear_claims();
  bool any_open();
  BrickTurn turn_at(uint64_t number) const;
  void expect_sizes();
  void find_live();
  void finish_mcs();
  void live(int64_t mcs);
  void follow_changes();
  void give_concentrations();
  void unite_sums(bool marked_only);
  void count_all_sums();
  void move_anchors();
  struct Stages;

  Physics physics_;
  uint64_t seed_;
  tiles::Settings settings_;
  int max_act_;
  Numbers numbers_;
  Device device_;
  Stream stream_;
  TissuePart part_;
  Sharing sharing_;
  Exchange& exchange_;
  tiles::Clock clock_;
  Tick tick_;
  std::unique_ptr<Memory> memory_;
  Mail mail_;
  FieldValues fields_;
  std::vector<Buffer<float>> concentrations_;  // of substances that copy attempts read
  Buffer<Control> control_;
  Buffer<uint32_t> open_at_, faults_;
  Buffer<uint64_t> told_;  // records by kind, as far as they are added up
  Pinned<uint32_t> brought_;
  KernelShape shape_;
  Launch launch_;
  TilesTables tables_{};
  BrickTables brick_{};
  AttemptCounts counts_before_;  // of memory that was given up
  Traffic traffic_;              // what the host knows of
  Kind last_kind_ = copies;
  uint64_t rounds_ = 0;                           // played
  bool is_refreshing_ = false;                    // begun, and not complete
  int64_t refreshed_at_ = 0, live_found_at_ = 0;  // MCS
  int64_t sites_per_cell_ = 1;
  bool cells_are_current_ = true, sites_are_current_ = true;  // in part_
  Function judge_all_, judge_open_, carry_out_owned_, carry_out_all_, find_live_;
  Function tell_claims_, tell_sums_, hear_copies_, hear_claims_, hear_sums_;
  Function turn_, move_anchors_, count_sums_, refresh_stamps_;
  std::unique_ptr<BrickLife> life_;
};

// Bricks of one process, dealt to these GPUs; `ranks` in all, or 0 where the others are in other processes.
// `living` is the model where something happens between two MCS, which `threads` of a processor play for each
// brick; it has to be there while ranks are made.
MakeRank ranks_of_gpus(const std::vector<int>& devices, int ranks, uint64_t seed,
                       const tiles::Settings& settings, int max_act, Numbers numbers, int threads = 1,
                       const Model* living = nullptr);

}  // namespace kiln::cuda
