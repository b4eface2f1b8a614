// The snapshots of a run as an observer: lattice.h5, and labels/ as OME-TIFF.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "output/run/folder.hpp"
#include "output/run/observer.hpp"
#include "output/state/snapshot.hpp"

namespace kiln {

class RunSnapshots : public Observer {
 public:
  // With `last_kept`, those of an earlier part of the run up to that MCS are kept, and later ones taken away.
  RunSnapshots(const Model& model, const RunFolder& folder, std::optional<int64_t> last_kept);

  int64_t next_due(int64_t mcs) const override { return next_multiple(mcs, every_); }
  Work look(const Glance& now) override;
  void finish() override;
  void model_changed(const Model& model) override { model_ = &model; }

  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void drop_labels_after(int64_t last_kept) const;

  const Model* model_;
  RunFolder folder_;
  int64_t every_;  // MCS
  bool labels_;
  std::optional<LatticeFile> lattice_;
  std::vector<std::string> notes_;
};

}  // namespace kiln
