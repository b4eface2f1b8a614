// What every process of a run writes itself.
#pragma once

#include "engine/state_parts.hpp"

namespace kiln {

class PartFiles : public PartStore {
 public:
  explicit PartFiles(double voxel_um) : voxel_um_(voxel_um) {}
  void write(PartFile kind, const std::string& folder, const OwnPart& part) override;
  std::unique_ptr<StateSource> open(const std::string& checkpoint) override;
  std::string check(const std::string& checkpoint, int process, int processes) override;

 private:
  double voxel_um_;
};

}  // namespace kiln
