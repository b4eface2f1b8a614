#include "view/viewer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "base/error.hpp"
#include "base/tell.hpp"
#include "view/folder_source.hpp"

extern char** environ;

namespace kiln::view {
namespace {

constexpr double kLeftAfterSeconds = 4;  // a page asks several times a second, a hidden one not at all

std::string own_name() {
  char name[256] = "";
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

bool is_everywhere(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

std::string bracketed(const std::string& address) {
  return address.find(':') == address.npos ? address : "[" + address + "]";
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1" || address == "localhost";
}

}  // namespace

Viewer::Viewer(std::shared_ptr<Source> source, const ViewOptions& options)
    : options_(options), site_(std::move(source)) {
  http::require_server();
  // The port is part of the cookie's name, and known once the server is there; clients come later.
  std::vector<std::string> names;
  if (!is_loopback(options.listen)) names = {options.listen, own_name()};
  struct Ready {
    std::mutex mutex;
    std::condition_variable set;
    Guard* guard = nullptr;
  };
  const auto ready = std::make_shared<Ready>();
  server_ =
      std::make_unique<http::Server>(options.listen, options.port, [this, ready](const http::Request& r) {
        std::unique_lock lock(ready->mutex);
        ready->set.wait(lock, [&] { return ready->guard != nullptr; });
        Guard& guard = *ready->guard;
        lock.unlock();
        return site_.answer(r, guard);
      });
  guard_ = std::make_unique<Guard>(server_->port(), names, options.in_frames);
  const std::lock_guard lock(ready->mutex);
  ready->guard = guard_.get();
  ready->set.notify_all();
}

std::string Viewer::url_with(const std::string& token) const {
  const std::string host = is_everywhere(options_.listen) ? own_name() : bracketed(options_.listen);
  return fmt::format("http://{}:{}/?token={}", host, server_->port(), token);
}

std::string Viewer::url() const { return url_with(guard_->token()); }

std::string Viewer::announcement() const {
  const std::string first = fmt::format("  watch it at {}\n", url());
  const int port = server_->port();
  if (!is_loopback(options_.listen))
    return first +
           fmt::format(
               "  warning: others in the network can reach it, and whoever reads along sees the "
               "token and the tissue,\n"
               "  for nothing is encrypted. Safer is to leave --listen out, and from your own machine:\n"
               "    ssh -L {}:127.0.0.1:{} {}\n",
               port, port, own_name());
  if (std::getenv("SSH_CONNECTION") == nullptr) return first;
  return first + fmt::format(
                     "  from your own machine: ssh -L {}:127.0.0.1:{} {}, then open "
                     "http://127.0.0.1:{}/?token={}\n",
                     port, port, own_name(), port, guard_->token());
}

void Viewer::announce() const { tell(stderr, "{}", announcement()); }

void Viewer::open_browser() const {
  const bool has_display = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  if (!has_display || isatty(STDERR_FILENO) != 1) return;
  std::string address = url_with(guard_->token_for_one());
  char program[] = "xdg-open";
  char* const words[] = {program, address.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  if (posix_spawnp(&child, program, &quiet, nullptr, words, environ) == 0)
    std::thread([child] { waitpid(child, nullptr, 0); }).detach();
  posix_spawn_file_actions_destroy(&quiet);
}

void Viewer::show_saved_states(const std::filesystem::path& folder) {
  try {
    show(std::make_shared<FolderSource>(folder));
  } catch (const UserError&) {
    // There are none.
  }
}

bool Viewer::is_watched() const { return site_.seconds_unwatched() < kLeftAfterSeconds; }

void Viewer::wait(const std::function<bool()>& ends) {
  while (!ends()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

void Viewer::stay(const std::function<bool()>& ends) const {
  wait([&] { return !is_watched() || ends(); });
}

}  // namespace kiln::view
