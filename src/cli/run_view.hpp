// What watches a run and what steers it, as the options of `kiln run` ask for.
#pragma once

#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "simulation/interrupt.hpp"
#include "simulation/run/run.hpp"
#include "view/live_run.hpp"
#include "view/steerer.hpp"

namespace kiln {

class RunView {
 public:
  // UserError where the options do not go together; Failure where this build has no viewer.
  explicit RunView(const RunOptions& options);
  ~RunView();  // no client waits for the run any longer

  Controller* controller();
  // Opens the page. All of them outlive this.
  void begin(Run& run, const InterruptGuard& interrupt);
  // The run has ended: shows its folder for as long as a page is open.
  void stay(const Run& run, const InterruptGuard& interrupt);

 private:
  RunOptions options_;
  std::optional<view::Replay> replay_;
  std::optional<view::Steerer> steerer_;
  std::shared_ptr<view::LiveRun> live_;
  std::optional<view::Viewer> viewer_;
};

}  // namespace kiln
