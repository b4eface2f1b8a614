// Bytes sent to a port of this machine, and what comes back, however wrong the bytes are.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

namespace kiln::test {

class Connection {
 public:
  explicit Connection(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(uint16_t(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  // Without the minute in which the system would remember it: tests make many.
  ~Connection() {
    const linger at_once{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(socket_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool connected() const { return connected_; }
  void send_bytes(std::string_view bytes) const {
    (void)!send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  // Says that nothing more comes.
  void end() const { shutdown(socket_, SHUT_WR); }
  // All until the other side closes; `most_ms`: without anything new.
  std::string read_all(int most_ms = 10'000) const {
    std::string all;
    each_part([&](std::string_view part) { all.append(part); }, most_ms);
    return all;
  }
  // Likewise, for answers that are not kept.
  template <class Take>
  void each_part(const Take& take, int most_ms = 10'000) const {
    char buffer[4096];
    pollfd on{socket_, POLLIN, 0};
    while (poll(&on, 1, most_ms) > 0) {
      const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
      if (count <= 0) break;
      take(std::string_view(buffer, std::size_t(count)));
    }
  }

 private:
  int socket_;
  bool connected_ = false;
};

// One request and its answer.
inline std::string asked(int port, std::string_view bytes) {
  const Connection connection(port);
  connection.send_bytes(bytes);
  connection.end();
  return connection.read_all();
}

// "200" of "HTTP/1.1 200 OK"; "" where nothing came.
inline std::string status_of(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? answer.substr(9, 3) : answer;
}

}  // namespace kiln::test
