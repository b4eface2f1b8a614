// The plots of a run's measures, those of its report, as pages show them.
#pragma once

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "view/source.hpp"

namespace kiln::view {

// Clients share them: one thread at a time draws, and what is drawn is kept until there are more rows.
class MeasurePlots {
 public:
  // Titles, and a version that is another once there are more rows, as JSON.
  std::string list(Source& source);
  // As SVG, with a line where this MCS is; nullptr: there is no such plot.
  Bytes svg(Source& source, const std::string& title, std::optional<int64_t> mcs);

 private:
  using Clock = std::chrono::steady_clock;
  struct Drawn {
    std::string title;
    std::optional<double> mark;
    Bytes svg;
  };
  void look(Source& source);

  std::mutex mutex_;
  Measures measures_;
  int64_t version_ = 0;
  std::vector<Plot> plots_;
  std::deque<Drawn> drawn_;  // of these measures, the last one at the end
  Clock::time_point next_look_ = Clock::now();
};

}  // namespace kiln::view
