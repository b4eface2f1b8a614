#include "view/guard.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "view/token.hpp"

namespace kiln::view {
namespace {

// Without the port.
std::string name_of_host(const std::string& host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

// Such a host cannot be the name of another site that was made to point here.
bool is_plain_address(const std::string& name) {
  const auto all_of = [](std::string_view text, std::string_view allowed) {
    return text.find_first_not_of(allowed) == text.npos;
  };
  if (name.starts_with('[') && name.ends_with(']'))
    return name.size() > 3 && all_of(name.substr(1, name.size() - 2), "0123456789abcdefABCDEF:.");
  return std::count(name.begin(), name.end(), '.') == 3 && all_of(name, "0123456789.");
}

}  // namespace

Guard::Guard(int port, std::vector<std::string> names, bool in_frames)
    : names_(std::move(names)),
      in_frames_(in_frames),
      token_(new_token()),
      cookie_name_(fmt::format("kiln-{}", port)),
      cookie_(new_token()) {
  names_.push_back("localhost");
  for (std::string& name : names_) name = http::lower_case(name);
}

bool Guard::is_our_host(const std::string& host) const {
  const std::string name = name_of_host(host);
  return is_plain_address(name) || std::find(names_.begin(), names_.end(), name) != names_.end();
}

bool Guard::has_cookie(const http::Request& request) const {
  const std::string all = request.header("cookie");
  std::string_view rest = all;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view one = trimmed(rest.substr(0, end));
    const std::size_t equals = std::min(one.find('='), one.size());
    if (one.substr(0, equals) == cookie_name_ && equals < one.size() &&
        same_secret(one.substr(equals + 1), cookie_))
      return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// The page's own files hold no secrets.
bool Guard::comes_from_frame(const http::Request& request) const {
  if (!in_frames_ || request.method != "GET") return false;
  if (request.path.starts_with("/page/")) return true;
  return request.path.starts_with("/api/") && same_secret(request.header("x-kiln-token"), token_);
}

bool Guard::brings_token(const http::Request& request) {
  if (request.method != "GET" || request.path != "/") return false;
  const std::string given = request.argument("token");
  if (same_secret(given, token_)) return true;
  const std::lock_guard lock(mutex_);
  if (token_for_one_.empty() || !same_secret(given, token_for_one_)) return false;
  token_for_one_.clear();
  return true;
}

std::string Guard::token_for_one() {
  const std::lock_guard lock(mutex_);
  return token_for_one_ = new_token();
}

std::optional<http::Reply> Guard::refuse(const http::Request& request, bool brings_token) const {
  const std::string host = http::lower_case(request.header("host")),
                    origin = http::lower_case(request.header("origin")),
                    from = request.header("sec-fetch-site");
  if (!is_our_host(host))
    return http::reply(
        403,
        "This is not the name of the machine that Kiln runs on. Open the URL that it printed; a "
        "name of your own goes behind --listen.\n");
  const bool from_page = origin.empty() || origin == "http://" + host;
  const bool is_first_page = request.method == "GET" && request.path == "/";
  const bool from_elsewhere = from == "cross-site" || from == "same-site";
  if (!from_page || (from_elsewhere && !is_first_page))
    return http::reply(403, "Kiln answers no pages of other sites.\n");
  if (request.method == "POST" && origin.empty())
    return http::reply(403, "A POST has to say where it comes from (Origin).\n");
  if (!has_cookie(request) && !brings_token && !comes_from_frame(request))
    return http::reply(403,
                       "Kiln asks for its token: open the whole URL that it printed, with what stands behind "
                       "the question mark.\n");
  return std::nullopt;
}

std::pair<std::string, std::string> Guard::cookie() const {
  return {"Set-Cookie", fmt::format("{}={}; Path=/; HttpOnly; SameSite=Strict", cookie_name_, cookie_)};
}

// Notebooks of this machine, in a browser and in VS Code.
std::string Guard::frame_ancestors() const {
  if (!in_frames_) return "'none'";
  std::string all = "http://127.0.0.1:* https://127.0.0.1:* vscode-webview: vscode-file:";
  for (const std::string& name : names_) all += fmt::format(" http://{0}:* https://{0}:*", name);
  return all;
}

std::vector<std::pair<std::string, std::string>> Guard::strict_headers() const {
  std::vector<std::pair<std::string, std::string>> headers = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src "
       "'self'; base-uri 'none'; form-action 'none'; frame-ancestors " +
           frame_ancestors()},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cache-Control", "no-store"}};
  if (!in_frames_) headers.emplace_back("X-Frame-Options", "DENY");
  return headers;
}

}  // namespace kiln::view
