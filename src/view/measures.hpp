// The columns of a run's measures while the run goes on.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "output/report/plots.hpp"

namespace kiln::view {

// Shared by all that draw them; another pointer once there are more rows. nullptr: no table yet.
using Measures = std::shared_ptr<const std::vector<TableColumn>>;

// measures.csv of a run's folder, read from where the last look ended.
class MeasuresFile {
 public:
  explicit MeasuresFile(std::filesystem::path file) : file_(std::move(file)) {}

  // Up to the last whole row. A file that has become shorter, as that of a run that goes on from a
  // checkpoint, is read again from its beginning.
  Measures read();

 private:
  std::filesystem::path file_;
  std::mutex mutex_;
  int64_t bytes_ = 0;  // of the file that are in `known_`
  Measures known_;
};

}  // namespace kiln::view
