#include "view/http/server.hpp"

#include "base/error.hpp"

#ifdef KILN_HAS_HTTPLIB

#include <fmt/format.h>
#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

#include "view/http/request_reader.hpp"

namespace kiln::http {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point in(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// Waits in short stretches, so that a server that stops waits for no client.
bool is_ready(int socket, short what, Clock::time_point until, const std::atomic<bool>& stops) {
  constexpr int kStretchMs = 100;
  while (!stops && Clock::now() < until) {
    pollfd on{socket, what, 0};
    if (poll(&on, 1, kStretchMs) > 0) return (on.revents & (what | POLLHUP)) != 0;
  }
  return false;
}

// The bytes of one request, and the way of the answer.
class Exchange : public httplib::Stream {
 public:
  Exchange(int socket, std::string request, const Limits& limits, const std::atomic<bool>& stops)
      : socket_(socket),
        request_(std::move(request)),
        limits_(limits),
        stops_(stops),
        until_(in(limits.reply_seconds)) {}

  bool is_readable() const override { return read_ < request_.size(); }
  bool is_writable() const override { return !failed_ && !stops_; }
  ssize_t read(char* to, size_t size) override {
    const std::size_t count = std::min(size, request_.size() - read_);
    std::copy_n(request_.data() + read_, count, to);
    read_ += count;
    return ssize_t(count);
  }
  ssize_t write(const char* from, size_t size) override {
    std::size_t sent = 0;
    while (sent < size && !failed_) {
      const auto until = std::min(until_, in(limits_.stalled_seconds));
      const ssize_t count = is_ready(socket_, POLLOUT, until, stops_)
                                ? send(socket_, from + sent, size - sent, MSG_DONTWAIT | MSG_NOSIGNAL)
                                : -1;
      failed_ = count <= 0;
      if (!failed_) sent += std::size_t(count);
    }
    return failed_ ? -1 : ssize_t(size);
  }
  // The library only notes where requests come from; here it makes no difference.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }
  bool failed() const { return failed_; }

 private:
  int socket_;
  std::string request_;
  std::size_t read_ = 0;
  const Limits& limits_;
  const std::atomic<bool>& stops_;
  Clock::time_point until_;
  bool failed_ = false;
};

// A thread per connection. Those beyond the limit are turned away on the thread that accepts them.
class ThreadPerClient : public httplib::TaskQueue {
 public:
  ThreadPerClient(int most, std::atomic<int>& now) : most_(most), now_(now) {}

  // Later versions of the library want to know whether it was taken: it always is.
  using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));
  Taken enqueue(std::function<void()> serve) override {
    take(std::move(serve));
    return Taken(true);
  }
  void take(std::function<void()> serve) {
    std::erase_if(threads_, [](Thread& thread) {
      if (!thread.ended) return false;
      thread.thread.join();
      return true;
    });
    if (int(threads_.size()) < most_ && start(serve)) return;
    turns_away() = true;
    serve();
    turns_away() = false;
  }
  // False where the system has no further thread.
  bool start(const std::function<void()>& serve) {
    ++now_;
    Thread& thread = threads_.emplace_back();
    try {
      thread.thread = std::thread([this, &thread, serve] {
        serve();
        --now_;
        thread.ended = true;
      });
    } catch (const std::system_error&) {
      threads_.pop_back();
      --now_;
      return false;
    }
    return true;
  }
  // Whether this thread has nothing else to do with a connection.
  static bool& turns_away() {
    thread_local bool turned = false;
    return turned;
  }
  void shutdown() override {
    for (Thread& thread : threads_) thread.thread.join();
    threads_.clear();
  }

 private:
  struct Thread {
    std::thread thread;
    std::atomic<bool> ended = false;
  };
  int most_;
  std::atomic<int>& now_;
  std::list<Thread> threads_;  // touched by the accepting thread alone
};

// Lets so many requests a second through, and twice as many in a burst.
class Throttle {
 public:
  explicit Throttle(double per_second) : per_second_(per_second), left_(2 * per_second) {}

  bool lets_through() {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    left_ =
        std::min(2 * per_second_, left_ + per_second_ * std::chrono::duration<double>(now - last_).count());
    last_ = now;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  std::mutex mutex_;
  double per_second_, left_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

class Server::Library : private httplib::Server {
 public:
  Library(const std::string& address, std::optional<int> port, http::Handler handler, const Limits& limits)
      : limits_(limits), handler_(std::move(handler)), throttle_(limits.requests_per_second) {
    // Not the library's own options, which would let two programs listen at one port.
    set_socket_options([](int socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_tcp_nodelay(true);
    set_keep_alive_max_count(1'000'000);
    new_task_queue = [this] { return new ThreadPerClient(limits_.clients, clients_); };
    set_pre_routing_handler([this](const httplib::Request&, httplib::Response& to) {
      answer(to);
      return HandlerResponse::Handled;
    });
    bind(address, port);
    thread_ = std::thread([this] { listen_after_bind(); });
    while (!is_running()) std::this_thread::yield();
  }
  ~Library() override {
    stops_ = true;
    stop();
    thread_.join();
  }

  int port() const { return port_; }
  int clients() const { return clients_; }

 private:
  void bind(const std::string& address, std::optional<int> port) {
    port_ = port.value_or(kUsualPort);
    if (bind_to_port(address, port_)) return;
    if (!port) {
      port_ = bind_to_any_port(address);
      if (port_ > 0) return;
      throw UserError(
          fmt::format("cannot listen at {}: --listen takes an address of this machine.", address));
    }
    throw UserError(
        fmt::format("cannot listen at {}, port {}: another program may have it; without --port a free one is "
                    "taken.",
                    address, port_));
  }

  // What the library calls with every connection.
  bool process_and_close_socket(socket_t socket) override {
    try {
      if (ThreadPerClient::turns_away())
        refuse(socket, {503, "There are too many clients."});
      else
        while (!stops_ && serve(socket)) {
        }
    } catch (const std::exception&) {
      // For lack of memory: this client is let go, and the run goes on.
    }
    ::shutdown(socket, SHUT_RDWR);
    close(socket);
    return true;
  }

  // One request; false where it was the last of its connection.
  bool serve(int socket) {
    if (!is_ready(socket, POLLIN, in(limits_.idle_seconds), stops_)) return false;
    auto read = read_request(socket);
    if (const auto* refused = std::get_if<Refusal>(&read)) {
      if (!refused->why.empty()) refuse(socket, *refused);
      return false;
    }
    const Request& request = std::get<Request>(read);
    if (!throttle_.lets_through()) {
      refuse(socket, {429, "There are too many requests."});
      return false;
    }
    now_served() = &request;
    Exchange exchange(socket, request.method + " / HTTP/1.1\r\n\r\n", limits_, stops_);
    bool closed = false;
    process_request(exchange, !request.keeps_alive, closed, {});
    now_served() = nullptr;
    return request.keeps_alive && !closed && !exchange.failed();
  }

  // A refusal without a reason: no answer is sent.
  std::variant<Request, Refusal> read_request(int socket) {
    const auto until = in(limits_.request_seconds);
    std::string bytes;
    std::optional<std::size_t> head;
    while (!(head = head_length(bytes))) {
      if (bytes.size() > kLongestHead) return Refusal{431, "The headers are too long."};
      if (!read_more(socket, until, bytes)) return Refusal{};
    }
    if (*head > kLongestHead) return Refusal{431, "The headers are too long."};
    auto request = read_head(std::string_view(bytes).substr(0, *head));
    if (std::holds_alternative<Refusal>(request)) return request;
    const auto length = body_length(std::get<Request>(request));
    if (const auto* refused = std::get_if<Refusal>(&length)) return *refused;
    const std::size_t all = *head + std::get<std::size_t>(length);
    while (bytes.size() < all)
      if (!read_more(socket, until, bytes)) return Refusal{};
    if (bytes.size() > all) return Refusal{400, "More was sent than the request says."};
    std::get<Request>(request).body = bytes.substr(*head);
    return request;
  }

  bool read_more(int socket, Clock::time_point until, std::string& to) {
    char buffer[4096];
    if (!is_ready(socket, POLLIN, until, stops_)) return false;
    const ssize_t count = recv(socket, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count <= 0) return false;
    to.append(buffer, std::size_t(count));
    return true;
  }

  // Said once and not waited for: the client may be one that never reads.
  void refuse(int socket, const Refusal& refusal) {
    const std::string text = fmt::format(
        "HTTP/1.1 {} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: "
        "nosniff\r\n"
        "Connection: close\r\nContent-Length: {}\r\n\r\n{}\n",
        refusal.status, refusal.why.size() + 1, refusal.why);
    (void)!send(socket, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  void answer(httplib::Response& to) {
    Reply reply;
    try {
      reply = handler_(*now_served());
    } catch (const std::exception& e) {
      reply = http::reply(500, std::string(e.what()) + "\n");
    }
    to.status = reply.status;
    for (const auto& [name, value] : reply.headers) to.set_header(name, value);
    const std::shared_ptr<const std::string> body =
        reply.body ? reply.body : std::make_shared<const std::string>();
    if (body->empty()) {
      to.set_content("", reply.type);
      return;
    }
    to.set_content_provider(body->size(), reply.type,
                            [body](size_t offset, size_t length, httplib::DataSink& sink) {
                              constexpr std::size_t kAtOnce = 256 * 1024;
                              return sink.write(body->data() + offset, std::min(length, kAtOnce));
                            });
  }

  // The library passes its own idea of a request on; the checked one waits here.
  static const Request*& now_served() {
    thread_local const Request* request = nullptr;
    return request;
  }

  Limits limits_;
  http::Handler handler_;
  Throttle throttle_;
  std::atomic<bool> stops_ = false;
  std::atomic<int> clients_ = 0;
  int port_ = 0;
  std::thread thread_;
};

void require_server() {}

Server::Server(const std::string& address, std::optional<int> port, Handler handler, const Limits& limits)
    : library_(std::make_unique<Library>(address, port, std::move(handler), limits)) {}
Server::~Server() = default;
int Server::port() const { return library_->port(); }
int Server::clients() const { return library_->clients(); }

}  // namespace kiln::http

#else

namespace kiln::http {

class Server::Library {};

void require_server() { throw Failure("this build has no viewer: install libcpp-httplib-dev and rebuild."); }

Server::Server(const std::string&, std::optional<int>, Handler, const Limits&) { require_server(); }
Server::~Server() = default;
int Server::port() const { return 0; }
int Server::clients() const { return 0; }

}  // namespace kiln::http

#endif
