// What every process of a run writes itself.
#pragma once

#include "engine/state_parts.hpp"

namespace kiln {

class PartFiles : public PartStore {
 public:
  // `properties` of cells, by name.
  PartFiles(double voxel_um, std::vector<std::string> properties)
      : voxel_um_(voxel_um), properties_(std::move(properties)) {}
  void write(PartFile kind, const std::string& folder, const OwnPart& part) override;
  std::unique_ptr<StateSource> open(const std::string& checkpoint) override;
  std::string check(const std::string& checkpoint, int process, int processes) override;

 private:
  double voxel_um_;
  std::vector<std::string> properties_;
};

}  // namespace kiln
