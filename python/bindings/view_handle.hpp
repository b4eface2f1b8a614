// A viewer as Python holds it: open until it is closed by hand, or what it shows is gone.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "view/live_run.hpp"
#include "view/viewer.hpp"

namespace kiln::python {

class ViewHandle {
 public:
  // `live` may be null: what it shows goes on no more.
  ViewHandle(std::shared_ptr<view::Source> source, std::shared_ptr<view::LiveRun> live,
             const view::ViewOptions& options);
  ~ViewHandle() { close(); }

  std::string url() const { return url_; }
  std::string announcement() const { return announcement_; }
  bool is_open() const;
  void open_browser() const;
  void show_saved_states(const std::filesystem::path& folder);
  // Waits for threads that answer pages; none of them waits for Python.
  void close();

 private:
  struct Parts {
    std::shared_ptr<view::LiveRun> live;
    std::unique_ptr<view::Viewer> viewer;
  };
  std::mutex closing_;
  mutable std::mutex mutex_;
  std::unique_ptr<Parts> parts_;  // null: closed. Guarded by the mutex
  std::string url_, announcement_;
  pid_t process_;  // that has the threads: a fork of it has none to wait for
};

}  // namespace kiln::python
