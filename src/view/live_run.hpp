// A run on its way, or a simulation without one (live_simulation.hpp), between the thread that plays it and
// those of clients.
//
// Frames are taken on the thread of the run, at the end of an MCS, and only while a client waits for one: at
// most ten a second, and so seldom that they take a fiftieth of its time. Where a GPU plays, they are packed
// on other cores meanwhile. A client that is late gets the newest and misses the others. Pictures are drawn
// on the thread of the run, too, one by one and only when a person asks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <future>
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
  // Frames that slow clients may hold, that are taken at a time, and that are kept for the next to ask.
  static constexpr std::size_t kMostHeld = 8;

  // Both outlive it until it is closed; `steerer` is null where the run is only watched. Takes the first
  // frame.
  LiveRun(Run& run, Steerer* steerer);

  // For clients.
  std::string about() override;
  std::string status() override;
  NumberedFrame frame(const FrameWish& wish) override;
  http::Reply picture(const PictureWish& wish) override;
  Measures measures() override { return measures_.read(); }
  http::Reply steer(const std::string& command) override;
  http::Reply numbers() override;
  std::size_t frames_held() const;  // in memory now

  // For the run.
  int64_t next_due(int64_t) const override { return kNeverDue; }
  Work look(const Glance& now) override;
  void pulse(int64_t mcs) override;
  void model_changed(const Model& model) override;
  void cells_changed() override;
  // The MCS at which it will end, where the model does not say so.
  void set_goal(int64_t mcs);
  // While it stands still, too.
  void serve_frames(bool paused);
  // No more frames will come, and the simulation is not looked at any more.
  virtual void close();

 protected:
  // `name`: of the run, for its page. `measures`: the file of this table.
  LiveRun(Simulation& simulation, std::string name, std::filesystem::path measures, Steerer* steerer);

  // Whether something plays it now.
  virtual bool is_played() const { return true; }
  // Waits for a moment until a client wishes for something that has not been taken. False: none does.
  bool wait_for_wish();
  bool is_closed() const;

 private:
  // A frame that shows how the simulation was after so many changes from outside.
  struct Taken {
    NumberedFrame frame;
    int64_t changes = 0;
  };
  bool is_idle() const;
  bool may_take_frame();
  std::size_t held_by_clients();
  std::vector<FrameContent> missing() const;  // what clients wait for, of this MCS
  std::vector<FrameContent> next_batch();     // as many of these as may be held
  bool is_packing() const;
  void take_frames();
  void take_batch(const std::vector<FrameContent>& contents, int64_t changes);
  void rest_after(double seconds);
  void take_at_once();
  void show(const FrameContent& content, Bytes bytes, int64_t mcs, int64_t changes);
  void end_taking(int64_t mcs, int64_t changes);
  void draw_pictures();
  double rate() const;  // MCS per second of late

  Simulation& simulation_;
  Steerer* steerer_;
  std::string name_;
  MeasuresFile measures_;
  mutable std::mutex mutex_;
  std::condition_variable came_, wished_;
  // All below is guarded by the mutex.
  std::string about_;
  int64_t about_version_;
  std::vector<std::string> fields_;                     // of sites, that clients may wish for
  std::map<FrameContent, int> waiting_;                 // clients, by what they wish for
  std::map<FrameContent, Taken> frames_;                // the newest of each
  std::vector<std::weak_ptr<const std::string>> sent_;  // that clients may still hold
  FrameContent next_content_;                           // the batch begins with it, or the first after it
  int64_t number_ = 0, changes_ = 0;
  Clock::time_point next_ = Clock::now(), next_idle_ = next_;  // the earliest times for a frame
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
  int64_t mcs_, total_, goal_ = 0;
  std::string phase_;
  bool paused_ = false, closed_ = false;
  std::future<void> packing_;  // of the thread of the run; waits for it in the end
};

}  // namespace kiln::view
