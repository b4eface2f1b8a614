#include "cli/run_view.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/tell.hpp"

namespace kiln {
namespace {

std::vector<view::Change> changes_of(const std::string& folder) {
  const std::filesystem::path file = RunFolder{folder}.steering();
  if (!std::filesystem::exists(file))
    throw UserError(
        fmt::format("{} has no {}: it is no run that was steered.", folder, file.filename().string()));
  return view::read_changes(file);
}

}  // namespace

RunView::RunView(const RunOptions& options) : options_(options) {
  if (!options.view && (options.steer || options.viewer.port || options.viewer.listen != view::kLoopback))
    throw UserError("--steer, --port and --listen go with --view.");
  if (options.view) http::require_server();
  if (options.steer && options.engine.crew != nullptr)
    throw UserError("--steer changes a run of one process, but several were started; --view alone shows it.");
  if (options.steer) steerer_.emplace();
  if (!options.replay.empty()) replay_.emplace(changes_of(options.replay));
}

RunView::~RunView() {
  if (steerer_) steerer_->close();
  if (live_) live_->close();
}

Controller* RunView::controller() {
  if (steerer_) return &*steerer_;
  return replay_ ? &*replay_ : nullptr;
}

void RunView::begin(Run& run, const InterruptGuard& interrupt) {
  if (replay_) replay_->attach(run);
  if (!options_.view) return;
  live_ = std::make_shared<view::LiveRun>(run, steerer_ ? &*steerer_ : nullptr);
  if (steerer_) steerer_->attach(run, interrupt, [this] { live_->serve_frames(true); });
  run.add(*live_);
  viewer_.emplace(live_, options_.viewer);
  viewer_->announce();
  viewer_->open_browser();
}

void RunView::stay(const Run& run, const InterruptGuard& interrupt) {
  if (!viewer_) return;
  if (steerer_) steerer_->close();
  live_->close();
  if (!viewer_->is_watched() || interrupt.requested()) return;
  if (options_.engine.crew != nullptr) {  // others wait for this process: time for the page to see the end
    const auto end = view::LiveRun::Clock::now() + std::chrono::seconds(1);
    viewer_->stay([&] { return interrupt.requested() || view::LiveRun::Clock::now() > end; });
    return;
  }
  viewer_->show_saved_states(run.folder().path);
  tell(stderr, "The page shows the finished run until it is closed; Ctrl-C ends it now.\n");
  viewer_->stay([&] { return interrupt.requested(); });
}

}  // namespace kiln
