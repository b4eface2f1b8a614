#include "view/live_run.hpp"

#include <algorithm>

#include "base/json.hpp"
#include "base/seconds.hpp"
#include "view/about.hpp"
#include "view/frame.hpp"
#include "view/steerer.hpp"

namespace kiln::view {
namespace {

constexpr double kLeastSeconds = 0.09;  // between two frames
constexpr double kRestPerWork = 40;     // so many times as long as a frame took, none is taken
constexpr int kMostHeld = 8;            // frames that slow clients may hold
constexpr auto kLongestWait = std::chrono::milliseconds(1000);
constexpr double kRateSeconds = 5;

}  // namespace

LiveRun::LiveRun(Run& run, Steerer* steerer)
    : run_(run),
      steerer_(steerer),
      about_(about_json(run.model(), run.folder().path.filename().string(), steerer != nullptr)),
      measures_(run.folder().measures().string()),
      mcs_(run.start_mcs()),
      total_(run.model().total_mcs()) {}

std::string LiveRun::about() { return about_; }

double LiveRun::rate() const {
  if (passed_.size() < 2) return 0;
  const double seconds = std::chrono::duration<double>(passed_.back().when - passed_.front().when).count();
  return seconds > 0 ? double(passed_.back().mcs - passed_.front().mcs) / seconds : 0;
}

std::string LiveRun::status() {
  const std::lock_guard lock(mutex_);
  JsonObject status;
  status.add("state", closed_ ? "ended" : paused_ ? "paused" : "running");
  status.add("mcs", mcs_).add("total", total_).add("phase", phase_);
  const double per_second = rate();
  status.add("rate", per_second);
  if (per_second > 0) status.add("seconds_left", double(total_ - mcs_) / per_second);
  if (steerer_ != nullptr) status.add("changes", steerer_->changes());
  return status.line();
}

NumberedFrame LiveRun::frame(const FrameWish& wish) {
  std::unique_lock lock(mutex_);
  const auto is_there = [&] {
    const auto found = frames_.find(wish.field);
    return closed_ || (found != frames_.end() && found->second.number > wish.after);
  };
  if (!is_there()) {
    ++waiting_[wish.field];
    came_.wait_for(lock, kLongestWait, is_there);
    if (--waiting_[wish.field] == 0) waiting_.erase(wish.field);
  }
  const auto found = frames_.find(wish.field);
  return found != frames_.end() && found->second.number > wish.after ? found->second : NumberedFrame{};
}

std::string LiveRun::measures(int64_t from) { return whole_lines(measures_, from); }

http::Reply LiveRun::steer(const std::string& command) {
  if (steerer_ == nullptr) return Source::steer(command);
  return steerer_->take(command);
}

http::Reply LiveRun::numbers() {
  return steerer_ == nullptr ? Source::numbers() : http::json_reply(steerer_->numbers());
}

// The first state is there for the first client, however long an MCS takes.
Observer::Work LiveRun::look(const Glance& now) {
  {
    const std::lock_guard lock(mutex_);
    mcs_ = now.mcs();
    if (now.moment == Moment::start || now.moment == Moment::end) waiting_.try_emplace("", 0);
  }
  if (now.moment == Moment::start || now.moment == Moment::end) take_frames();
  return {};
}

void LiveRun::pulse(int64_t mcs) {
  {
    const std::lock_guard lock(mutex_);
    mcs_ = mcs;
    phase_ = run_.model().phase_at(mcs - 1).name;
    passed_.push_back({Clock::now(), mcs});
    while (passed_.size() > 2 && seconds_since(passed_.front().when) > kRateSeconds) passed_.pop_front();
  }
  serve_frames(false);
}

void LiveRun::serve_frames(bool paused) {
  {
    const std::lock_guard lock(mutex_);
    if (paused != paused_) passed_.clear();
    paused_ = paused;
    if (!may_take_frame()) return;
  }
  take_frames();
}

bool LiveRun::may_take_frame() {
  if (waiting_.empty() || Clock::now() < next_ || missing_fields().empty()) return false;
  std::erase_if(sent_, [](const auto& frame) { return frame.expired(); });
  return int(sent_.size()) < kMostHeld;
}

std::vector<std::string> LiveRun::missing_fields() const {
  std::vector<std::string> fields;
  for (const auto& wish : waiting_) {
    const auto found = frames_.find(wish.first);
    if (found == frames_.end() || found->second.mcs != mcs_) fields.push_back(wish.first);
  }
  return fields;
}

void LiveRun::take_frames() {
  const auto start = Clock::now();
  std::vector<std::string> fields;
  {
    const std::lock_guard lock(mutex_);
    fields = missing_fields();
  }
  const State& state = run_.simulation().engine().state();
  for (const std::string& field : fields) {
    const auto bytes = std::make_shared<const std::string>(pack_frame(state, run_.model(), field, true));
    const std::lock_guard lock(mutex_);
    frames_[field] = {bytes, ++number_, state.mcs};
    sent_.emplace_back(bytes);
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(frames_, [&](const auto& frame) { return frame.second.mcs != state.mcs; });
  std::erase_if(waiting_, [](const auto& wish) { return wish.second == 0; });
  const double took = seconds_since(start);
  next_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(std::max(kLeastSeconds, kRestPerWork * took)));
  came_.notify_all();
}

void LiveRun::model_changed(const Model& model) {
  const std::lock_guard lock(mutex_);
  total_ = model.total_mcs();
}

void LiveRun::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  paused_ = false;
  came_.notify_all();
}

}  // namespace kiln::view
