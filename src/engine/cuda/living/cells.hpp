// Cells that live, on a GPU: their formulas are played there, cell by cell; what happens to a few of them
// after an MCS is worked out by the host from their rows and sites (engine/living/events.hpp), as on a
// processor.
#pragma once

#include <functional>

#include "engine/cuda/between/tick.hpp"
#include "engine/cuda/living/counts.hpp"
#include "engine/living/events.hpp"

namespace kiln::cuda {

// What an engine has to do when cells have come or gone.
struct LivingHooks {
  // On the device; also where only their cells' types have.
  std::function<void(const ChangedSite* changed, int64_t count)> sites_changed;
  std::function<void()> rows_changed;  // addresses of all tables, and sizes
};

// Room for cells to come, by what the rules of a model whose cells live can make.
CellRoom room_for(const Model& model, const State& state, const std::vector<std::size_t>& at_least = {});
// The same where a model may be none, or of other cells.
std::function<CellRoom(const State&)> room_of(const Model* model);

class DeviceCells : private TissueSites {
 public:
  DeviceCells(const Device& device, const Stream& stream, const Model& model, const Physics& physics,
              DeviceState& state, LivingHooks hooks);

  // The one that counts from now on: it has to last until the next.
  void set_physics(const Physics& physics) { physics_ = physics; }
  // What follows is the end of MCS number `mcs`, in this order.
  void count(int64_t mcs, const DeviceSubstances* substances);
  // By row: what cells secrete of a substance, where a formula says it; nullptr where none does.
  const double* secretion(std::size_t substance, int64_t mcs);
  // Throws UserError where a formula has no number.
  void play(int64_t mcs);
  // After the MCS, for what was not looked at yet.
  void require_success();

 private:
  void each(int64_t count, const std::function<void(int64_t)>& work) override { state_.each(count, work); }
  void change(const Cells& cells, const CellChanges& changes) override;
  void count_perimeters(Cells& cells, const CellChanges& changes) override;

  void use_rows();
  bool is_ruled(int64_t mcs) const { return mcs % living_->every == 0; }
  void take_events();
  void end_vanished(int64_t mcs);
  void make_room_for_events();
  std::vector<TouchedSite> find_sites();
  void carry_out_events(int64_t mcs);
  void free_row(CellId cell);
  void store_changed(const CellChanges& changes);

  const Device& device_;
  const Stream& stream_;
  Model model_;
  Physics physics_;  // of which nothing is read that may change
  std::shared_ptr<const Living> living_;
  DeviceState& state_;
  LivingHooks hooks_;
  LivingPrograms programs_;
  DeviceCounts counts_;
  CellEvents carry_out_;
  bool has_equations_ = false, changes_targets_ = false;  // by growth, or where cells shrink away

  Function live_, grow_, work_out_secretion_, mark_rows_, find_touched_, change_sites_, count_perimeters_;
  LivingTables tables_{};
  Buffer<ListedEvent> listed_;
  Buffer<double> set_;
  Buffer<uint32_t> event_count_;
  Buffer<LivingFailure> failure_;
  std::vector<Buffer<double>> secretion_;  // by substance
  Buffer<CellId> to_mark_;
  Buffer<uint8_t> marked_;
  Buffer<TouchedSite> found_;
  Buffer<uint64_t> found_count_;
  Buffer<ChangedSite> changed_;
  Buffer<int32_t> perimeters_;

  // Of one MCS.
  std::vector<CellEvent> events_;
  std::vector<CellId> vanished_, freed_rows_;
  int64_t now_ = 0;
};

}  // namespace kiln::cuda
