#include "view/live_run.hpp"

#include <algorithm>

#include "base/error.hpp"
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
constexpr auto kLongestPicture = std::chrono::seconds(60);
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

http::Reply LiveRun::picture(const PictureWish& wish) {
  if (wish.mcs) throw UserError("a run on its way has pictures of its present state alone: leave mcs out.");
  const auto picture = std::make_shared<Picture>(Picture{wish});
  std::unique_lock lock(mutex_);
  constexpr std::size_t kMost = 4;
  if (pictures_.size() >= kMost)
    return http::reply(429, "Other pictures are being drawn; ask again later.\n");
  pictures_.push_back(picture);
  came_.wait_for(lock, kLongestPicture, [&] { return picture->drawn || closed_; });
  if (picture->drawn) return *picture->drawn;
  std::erase(pictures_, picture);
  if (closed_) return http::reply(409, "The run has ended.\n");
  return http::reply(503, "The run has not come to an end of an MCS; ask again later.\n");
}

// One at a time, and then the run is left alone for as long.
void LiveRun::draw_pictures() {
  std::shared_ptr<Picture> picture;
  {
    const std::lock_guard lock(mutex_);
    if (pictures_.empty() || Clock::now() < next_picture_) return;
    picture = pictures_.front();
    pictures_.pop_front();
  }
  const auto start = Clock::now();
  http::Reply drawn;
  try {
    drawn = http::reply(200, draw_wish(picture->wish, run_.model(), run_.simulation().engine().state()),
                        "image/png");
  } catch (const std::exception& e) {
    drawn = http::reply(400, std::string(e.what()) + "\n");
  }
  const std::lock_guard lock(mutex_);
  picture->drawn = std::move(drawn);
  next_picture_ = Clock::now() + (Clock::now() - start);
  came_.notify_all();
}

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
  }
  draw_pictures();
  bool may_take;
  {
    const std::lock_guard lock(mutex_);
    may_take = may_take_frame();
  }
  if (may_take) take_frames();
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
