#include "view/live_run.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/seconds.hpp"
#include "output/run/background_work.hpp"
#include "view/about.hpp"
#include "view/frame.hpp"
#include "view/steerer.hpp"

namespace kiln::view {
namespace {

constexpr double kLeastSeconds = 0.09;  // between two frames
constexpr double kRestPerWork = 50;     // so many times as long as a frame took, none is taken
constexpr auto kLongestWait = std::chrono::milliseconds(1000);
constexpr auto kLongestPicture = std::chrono::seconds(60);
constexpr double kRateSeconds = 5;
constexpr double kIdleAfterSeconds = 0.4;  // programs do a little work of their own between two stretches

bool is_of_nobody(const std::pair<const FrameContent, int>& wish) { return wish.second == 0; }

}  // namespace

LiveRun::LiveRun(Run& run, Steerer* steerer)
    : LiveRun(run.simulation(), run.folder().path.filename().string(), run.folder().measures(), steerer) {
  take_at_once();
}

LiveRun::LiveRun(Simulation& simulation, std::string name, std::filesystem::path measures, Steerer* steerer)
    : simulation_(simulation),
      steerer_(steerer),
      name_(std::move(name)),
      measures_(std::move(measures)),
      about_(about_json(simulation.model(), name_, steerer != nullptr)),
      about_version_(next_about_version()),
      fields_(site_fields(simulation.model())),
      mcs_(simulation.mcs()),
      total_(simulation.model().total_mcs()) {}

std::string LiveRun::about() {
  const std::lock_guard lock(mutex_);
  return about_;
}

double LiveRun::rate() const {
  if (passed_.size() < 2) return 0;
  const double seconds = std::chrono::duration<double>(passed_.back().when - passed_.front().when).count();
  return seconds > 0 ? double(passed_.back().mcs - passed_.front().mcs) / seconds : 0;
}

std::string LiveRun::status() {
  const std::lock_guard lock(mutex_);
  JsonObject status;
  const int64_t total = std::max({total_, goal_, mcs_});
  status.add("state", closed_ ? "ended" : paused_ ? "paused" : is_idle() ? "idle" : "running");
  status.add("mcs", mcs_).add("total", total).add("phase", phase_).add("about", about_version_);
  const double per_second = rate();
  status.add("rate", per_second);
  if (per_second > 0) status.add("seconds_left", double(total - mcs_) / per_second);
  if (steerer_ != nullptr) status.add("changes", steerer_->changes());
  return status.line();
}

NumberedFrame LiveRun::frame(const FrameWish& given) {
  std::unique_lock lock(mutex_);
  FrameWish wish = given;
  if (std::find(fields_.begin(), fields_.end(), wish.content.field) == fields_.end()) wish.content.field = "";
  const auto is_there = [&] {
    const auto found = frames_.find(wish.content);
    return closed_ || (found != frames_.end() && found->second.frame.number > wish.after);
  };
  if (!is_there()) {
    ++waiting_[wish.content];
    wished_.notify_all();
    came_.wait_for(lock, kLongestWait, is_there);
    if (--waiting_[wish.content] == 0) waiting_.erase(wish.content);
  }
  const auto found = frames_.find(wish.content);
  return found != frames_.end() && found->second.frame.number > wish.after ? found->second.frame
                                                                           : NumberedFrame{};
}

http::Reply LiveRun::picture(const PictureWish& wish) {
  if (wish.mcs) throw UserError("a run on its way has pictures of its present state alone: leave mcs out.");
  const auto picture = std::make_shared<Picture>(Picture{wish});
  std::unique_lock lock(mutex_);
  constexpr std::size_t kMost = 4;
  if (pictures_.size() >= kMost)
    return http::reply(429, "Other pictures are being drawn; ask again later.\n");
  pictures_.push_back(picture);
  wished_.notify_all();
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
    drawn = http::reply(200, draw_wish(picture->wish, simulation_.model(), simulation_.engine().state()),
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

// The first state is there for the first client, however long an MCS takes; the last one for all.
Observer::Work LiveRun::look(const Glance& now) {
  {
    const std::lock_guard lock(mutex_);
    mcs_ = now.mcs();
  }
  if (now.moment == Moment::start || now.moment == Moment::end) take_at_once();
  return {};
}

void LiveRun::take_at_once() {
  if (packing_.valid()) packing_.wait();
  {
    const std::lock_guard lock(mutex_);
    waiting_.try_emplace(FrameContent{}, 0);
    next_content_ = {};
  }
  take_frames();
  if (packing_.valid()) packing_.wait();
}

void LiveRun::pulse(int64_t mcs) {
  {
    const std::lock_guard lock(mutex_);
    mcs_ = mcs;
    phase_ = simulation_.model().phase_at(mcs - 1).name;
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

// Other programs than a run play it for a while and then do something else.
bool LiveRun::is_idle() const {
  return !is_played() && (passed_.empty() || seconds_since(passed_.back().when) > kIdleAfterSeconds);
}

bool LiveRun::may_take_frame() {
  const Clock::time_point next = paused_ || is_idle() ? next_idle_ : next_;
  if (waiting_.empty() || is_packing() || Clock::now() < next || missing().empty()) return false;
  return held_by_clients() < kMostHeld;
}

// The newest of each content are kept here, too: what counts is which are kept for a client alone, or may
// soon be.
std::size_t LiveRun::held_by_clients() {
  std::erase_if(sent_, [](const auto& frame) { return frame.expired(); });
  return std::size_t(std::count_if(sent_.begin(), sent_.end(), [&](const auto& sent) {
    const Bytes frame = sent.lock();
    const auto is_it = [&](const auto& newest) { return newest.second.frame.bytes == frame; };
    const long others = 1 + (std::any_of(frames_.begin(), frames_.end(), is_it) ? 1 : 0);
    return frame.use_count() > others;
  }));
}

std::size_t LiveRun::frames_held() const {
  const std::lock_guard lock(mutex_);
  return std::size_t(
      std::count_if(sent_.begin(), sent_.end(), [](const auto& frame) { return !frame.expired(); }));
}

bool LiveRun::is_packing() const {
  return packing_.valid() && packing_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
}

std::vector<FrameContent> LiveRun::missing() const {
  std::vector<FrameContent> contents;
  for (const auto& wish : waiting_) {
    const auto found = frames_.find(wish.first);
    const bool is_new =
        found != frames_.end() && found->second.frame.mcs == mcs_ && found->second.changes == changes_;
    if (!is_new) contents.push_back(wish.first);
  }
  return contents;
}

// By turns, so that none waits for ever.
std::vector<FrameContent> LiveRun::next_batch() {
  std::vector<FrameContent> contents = missing();
  const auto next = std::lower_bound(contents.begin(), contents.end(), next_content_);
  std::rotate(contents.begin(), next, contents.end());
  const std::size_t most = std::max<std::size_t>(kMostHeld - std::min(held_by_clients(), kMostHeld), 1);
  next_content_ = contents.size() > most ? contents[most] : FrameContent{};
  contents.resize(std::min(contents.size(), most));
  return contents;
}

// Where memory is short, clients get none for now: a run does not end because it is watched.
void LiveRun::take_frames() {
  const auto start = Clock::now();
  try {
    std::vector<FrameContent> contents;
    int64_t changes = 0;
    {
      const std::lock_guard lock(mutex_);
      contents = next_batch();
      changes = changes_;
      if (contents.empty()) std::erase_if(waiting_, is_of_nobody);
    }
    if (contents.empty()) return;
    take_batch(contents, changes);
  } catch (const std::exception&) {
    // What else went wrong, the run itself will meet.
  }
  rest_after(seconds_since(start));
}

void LiveRun::take_batch(const std::vector<FrameContent>& contents, int64_t changes) {
  const Look look(simulation_.engine(), Look::Cells::when_asked);
  const int64_t mcs = look.mcs();
  std::vector<std::function<std::string()>> taken;
  for (const FrameContent& content : contents)
    taken.push_back(take_frame(look, simulation_.model(), content, true));
  const bool beside = look.is_on_gpu() && look.survey() != nullptr;
  auto pack = [this, contents, taken = std::move(taken), mcs, changes, beside] {
    if (beside) give_way();  // to the thread that drives the GPU
    for (std::size_t i = 0; i < contents.size(); ++i)
      show(contents[i], std::make_shared<const std::string>(taken[i]()), mcs, changes);
    end_taking(mcs, changes);
  };
  if (beside)
    packing_ = std::async(std::launch::async, std::move(pack));
  else
    pack();
}

void LiveRun::rest_after(double took) {
  const auto in = [](double seconds) {
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  const std::lock_guard lock(mutex_);
  next_ = in(std::max(kLeastSeconds, kRestPerWork * took));
  next_idle_ = in(kLeastSeconds);
}

void LiveRun::show(const FrameContent& content, Bytes bytes, int64_t mcs, int64_t changes) {
  const std::lock_guard lock(mutex_);
  frames_[content] = {{bytes, ++number_, mcs}, changes};
  sent_.emplace_back(bytes);
}

void LiveRun::end_taking(int64_t mcs, int64_t changes) {
  const std::lock_guard lock(mutex_);
  std::erase_if(frames_, [&](const auto& taken) {
    return taken.second.frame.mcs != mcs || taken.second.changes != changes;
  });
  const auto is_older = [](const auto& one, const auto& other) {
    return one.second.frame.number < other.second.frame.number;
  };
  while (frames_.size() > kMostHeld)
    frames_.erase(std::min_element(frames_.begin(), frames_.end(), is_older));
  std::erase_if(waiting_, is_of_nobody);
  came_.notify_all();
}

void LiveRun::model_changed(const Model& model) {
  const std::lock_guard lock(mutex_);
  std::string about = about_json(model, name_, steerer_ != nullptr);
  if (about != about_) about_version_ = next_about_version();
  about_ = std::move(about);
  fields_ = site_fields(model);
  total_ = model.total_mcs();
  ++changes_;
  wished_.notify_all();
}

void LiveRun::cells_changed() {
  const std::lock_guard lock(mutex_);
  ++changes_;
  wished_.notify_all();
}

void LiveRun::set_goal(int64_t mcs) {
  const std::lock_guard lock(mutex_);
  goal_ = mcs;
}

bool LiveRun::wait_for_wish() {
  std::unique_lock lock(mutex_);
  const auto is_wished = [&] { return !pictures_.empty() || !missing().empty(); };
  wished_.wait_for(lock, kLongestWait, [&] { return closed_ || is_wished(); });
  return !closed_ && is_wished();
}

bool LiveRun::is_closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

void LiveRun::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  paused_ = false;
  came_.notify_all();
  wished_.notify_all();
}

}  // namespace kiln::view
