// A run on its way, between the thread that plays it and those of clients.
//
// Frames are taken on the thread of the run, at the end of an MCS, and only while a client waits for one: at
// most ten a second, and so seldom that they take a fortieth of its time. A client that is late gets the
// newest and misses the others. Pictures are drawn there, too, one by one and only when a person asks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>

#include "output/run/observer.hpp"
#include "simulation/run/run.hpp"
#include "view/source.hpp"

namespace kiln::view {

class Steerer;

class LiveRun : public Source, public Observer {
 public:
  using Clock = std::chrono::steady_clock;

  // Both outlive it; `steerer` is null where the run is only watched.
  LiveRun(Run& run, Steerer* steerer);

  // For clients.
  std::string about() override;
  std::string status() override;
  NumberedFrame frame(const FrameWish& wish) override;
  http::Reply picture(const PictureWish& wish) override;
  std::string measures(int64_t from) override;
  http::Reply steer(const std::string& command) override;
  http::Reply numbers() override;

  // For the run.
  int64_t next_due(int64_t) const override { return kNeverDue; }
  Work look(const Glance& now) override;
  void pulse(int64_t mcs) override;
  void model_changed(const Model& model) override;
  // While it stands still, too.
  void serve_frames(bool paused);
  // No more frames will come.
  void close();

 private:
  bool may_take_frame();
  std::vector<std::string> missing_fields() const;  // that clients wait for, of this MCS
  void take_frames();
  void draw_pictures();
  double rate() const;  // MCS per second of late

  Run& run_;
  Steerer* steerer_;
  std::string about_, measures_;
  std::mutex mutex_;
  std::condition_variable came_;
  // All below is guarded by the mutex.
  std::map<std::string, int> waiting_;                  // clients, by the field that they wish for
  std::map<std::string, NumberedFrame> frames_;         // the newest of each
  std::vector<std::weak_ptr<const std::string>> sent_;  // that clients may still hold
  int64_t number_ = 0;
  Clock::time_point next_ = Clock::now();  // the earliest time for a frame
  struct Passed {
    Clock::time_point when;
    int64_t mcs;
  };
  std::deque<Passed> passed_;
  struct Picture {
    PictureWish wish;
    std::optional<http::Reply> drawn = {};
  };
  std::deque<std::shared_ptr<Picture>> pictures_;  // that clients wait for
  Clock::time_point next_picture_ = Clock::now();
  int64_t mcs_, total_;
  std::string phase_;
  bool paused_ = false, closed_ = false;
};

}  // namespace kiln::view
