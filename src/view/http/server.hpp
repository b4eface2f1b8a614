// An HTTP server for a few browsers. The only code that knows cpp-httplib is server.cpp.
//
// Every connection has a thread, up to a limit; beyond it connections are turned away. What a client sends is
// read and checked here (request_reader.hpp), within a time limit, before the library sees it. A client that
// does not read what it is sent is cut off; nothing else waits for it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "view/http/message.hpp"

namespace kiln::http {

#ifdef KILN_HAS_HTTPLIB
inline constexpr bool kHasServer = true;
#else
inline constexpr bool kHasServer = false;
#endif

// Throws a Failure that says what to install where this build has no cpp-httplib.
void require_server();

struct Limits {
  int clients = 64;                   // connections at a time
  double idle_seconds = 5;            // a connection without a request
  double request_seconds = 5;         // from the first byte of a request to its last
  double stalled_seconds = 5;         // in which a client takes nothing of what it is sent
  double reply_seconds = 60;          // to take all of it
  double requests_per_second = 2000;  // of all clients together
};

// Called by many threads at once.
using Handler = std::function<Reply(const Request&)>;

class Server {
 public:
  // `port` none: kUsualPort where that is free, else any. UserError where it cannot listen there.
  Server(const std::string& address, std::optional<int> port, Handler handler, const Limits& limits = {});
  ~Server();  // turns away all clients
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  int clients() const;  // connections now

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

inline constexpr int kUsualPort = 8642;

}  // namespace kiln::http
