// The addresses of the viewer: its page, and what the page asks for.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include "view/guard.hpp"
#include "view/measure_plots.hpp"
#include "view/source.hpp"

namespace kiln::view {

class Site {
 public:
  explicit Site(std::shared_ptr<Source> source) : source_(std::move(source)) {}

  // Called by the threads of clients.
  http::Reply answer(const http::Request& request, Guard& guard);

  // From now on it shows something else.
  void show(std::shared_ptr<Source> source);
  // Since an open page last asked for something.
  double seconds_unwatched() const;

 private:
  http::Reply found(const http::Request& request);
  http::Reply frame(const http::Request& request);
  http::Reply plot(const http::Request& request);
  std::shared_ptr<Source> source();

  std::mutex mutex_;
  std::shared_ptr<Source> source_;
  MeasurePlots plots_;
  std::atomic<std::chrono::steady_clock::time_point> last_asked_{
      std::chrono::steady_clock::time_point::min()};
};

}  // namespace kiln::view
