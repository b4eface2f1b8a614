// What a browser asks and what it is answered, free of any library.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln::http {

// Of ASCII, whatever the locale: names of headers and hosts.
inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return out;
}

// Read and checked: every text in it is short, printable ASCII, but for the body.
struct Request {
  std::string method;  // GET or POST
  std::string path;    // as it was sent: no %-codes, no query
  std::map<std::string, std::string> query;
  std::map<std::string, std::string> headers;  // by name in lower case; none comes twice
  std::string body;
  bool keeps_alive = true;

  std::string header(const std::string& name) const { return found(headers, name); }
  std::string argument(const std::string& name) const { return found(query, name); }

 private:
  static std::string found(const std::map<std::string, std::string>& in, const std::string& name) {
    const auto at = in.find(name);
    return at == in.end() ? "" : at->second;
  }
};

struct Reply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  // Shared by all that are sent the same.
  std::shared_ptr<const std::string> body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

inline Reply reply(int status, std::string text, std::string type = "text/plain; charset=utf-8") {
  return {status, std::move(type), std::make_shared<const std::string>(std::move(text)), {}};
}
inline Reply json_reply(std::string json, int status = 200) {
  return reply(status, std::move(json), "application/json");
}

}  // namespace kiln::http
