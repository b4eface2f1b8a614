// Access control: the token of the printed URL, and from then on the cookie that it is exchanged for.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "view/http/message.hpp"

namespace kiln::view {

class Guard {
 public:
  // `names`: of this machine, by which it may be called beside localhost and plain addresses. `in_frames`:
  // pages of this machine, such as notebooks, may show the page in a frame. Browsers need not send cookies
  // from there; the page's script then has the token of its address, and sends it with what it asks for.
  Guard(int port, std::vector<std::string> names, bool in_frames = false);

  // Whether it is the first request, with a token in its address: the answer then carries the cookie.
  bool brings_token(const http::Request& request);
  // What is to be refused; none where the request may go on.
  std::optional<http::Reply> refuse(const http::Request& request, bool brings_token) const;
  // The header that makes a browser keep it: not seen by scripts, not sent along from other sites.
  std::pair<std::string, std::string> cookie() const;

  // What every answer carries: nothing may be loaded from elsewhere, shown elsewhere, guessed or kept.
  std::vector<std::pair<std::string, std::string>> strict_headers() const;

  const std::string& token() const { return token_; }
  // Another, good for one page: what stands in a command line, other users of a machine can read.
  std::string token_for_one();

 private:
  bool is_our_host(const std::string& host) const;  // in lower case
  bool has_cookie(const http::Request& request) const;
  bool comes_from_frame(const http::Request& request) const;
  std::string frame_ancestors() const;

  std::vector<std::string> names_;
  bool in_frames_;
  std::string token_;
  std::mutex mutex_;
  std::string token_for_one_;  // "": used up, or never asked for
  // Another secret than the token, so that none of both tells the other. Cookies do not know ports: the name
  // does, and so two runs do not take each other's.
  std::string cookie_name_, cookie_;
};

}  // namespace kiln::view
