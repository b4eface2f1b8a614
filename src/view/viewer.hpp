// The viewer as commands use it: a server, the address to open, and what is shown there.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "view/http/server.hpp"
#include "view/site.hpp"

namespace kiln::view {

inline constexpr const char* kLoopback = "127.0.0.1";

struct ViewOptions {
  std::string listen = kLoopback;
  std::optional<int> port;
  bool in_frames = false;  // notebooks of this machine may show the page inline
};

class Viewer {
 public:
  // Is there when this returns. UserError where it cannot listen.
  Viewer(std::shared_ptr<Source> source, const ViewOptions& options);

  // With the token. Where it listens to all of the machine's addresses, of this machine.
  std::string url() const;
  // What to say about it: the URL, and where others can reach it a warning. Whole lines.
  std::string announcement() const;
  void announce() const;
  // Where there is a display and a person: in the default browser.
  void open_browser() const;

  void show(std::shared_ptr<Source> source) { site_.show(std::move(source)); }
  // Those of a run that has ended; where it has none, the page keeps its last state.
  void show_saved_states(const std::filesystem::path& folder);
  // Waits until no page is open any more, or `ends` says so.
  void stay(const std::function<bool()>& ends) const;
  bool is_watched() const;
  // Waits until `ends` says so.
  static void wait(const std::function<bool()>& ends);

 private:
  std::string url_with(const std::string& token) const;

  ViewOptions options_;
  Site site_;
  std::unique_ptr<Guard> guard_;
  std::unique_ptr<http::Server> server_;  // last, so that its threads end first
};

}  // namespace kiln::view
