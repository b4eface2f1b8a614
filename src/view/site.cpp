#include "view/site.hpp"

#include <limits>

#include "base/error.hpp"
#include "base/seconds.hpp"
#include "view/page_files.hpp"

namespace kiln::view {
namespace {

http::Reply nothing_here() { return http::reply(404, "There is nothing at this address.\n"); }

const char* type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "text/javascript; charset=utf-8";
}

http::Reply page_file(std::string_view name) {
  for (const PageFile& file : page_files())
    if (file.name == name) return http::reply(200, std::string(file.text), type_of(name));
  return nothing_here();
}

}  // namespace

http::Reply Site::answer(const http::Request& request, Guard& guard) {
  http::Reply reply;
  const bool brings_token = guard.brings_token(request);
  if (auto refused = guard.refuse(request, brings_token)) {
    reply = std::move(*refused);
  } else {
    try {
      reply = found(request);
    } catch (const UserError& e) {
      reply = http::reply(400, std::string(e.what()) + "\n");
    }
    if (brings_token) reply.headers.push_back(guard.cookie());
  }
  for (auto& header : guard.strict_headers()) reply.headers.push_back(std::move(header));
  return reply;
}

http::Reply Site::found(const http::Request& request) {
  constexpr std::string_view kPage = "/page/";
  const std::string& path = request.path;
  if (path.starts_with("/api/")) last_asked_ = std::chrono::steady_clock::now();
  if (request.method == "POST") {
    if (path != "/api/steer") return nothing_here();
    // A page of another site cannot send this type without asking first, and is then refused.
    if (request.header("content-type") != "application/json")
      return http::reply(415, "Commands are application/json.\n");
    return source()->steer(request.body);
  }
  if (path == "/") return page_file("index.html");
  if (path.starts_with(kPage)) return page_file(std::string_view(path).substr(kPage.size()));
  if (path == "/api/about") return http::json_reply(source()->about());
  if (path == "/api/status") return http::json_reply(source()->status());
  if (path == "/api/numbers") return source()->numbers();
  if (path == "/api/frame") return frame(request);
  if (path == "/api/picture") return source()->picture(picture_wish(request));
  if (path == "/api/plots") return http::json_reply(plots_.list(*source()));
  if (path == "/api/plot") return plot(request);
  return nothing_here();
}

http::Reply Site::frame(const http::Request& request) {
  const NumberedFrame frame =
      source()->frame({number_of(request, "after").value_or(0),
                       number_of(request, "mcs"),
                       {request.argument("field"), request.argument("numbers") == "all"}});
  if (!frame.bytes) return {204, "application/octet-stream", {}, {}};
  return {200, "application/octet-stream", frame.bytes, {{"X-Frame", std::to_string(frame.number)}}};
}

http::Reply Site::plot(const http::Request& request) {
  const Bytes svg = plots_.svg(*source(), request.argument("title"), number_of(request, "mark"));
  if (!svg) return http::reply(404, "There is no plot of this title.\n");
  return {200, "image/svg+xml", svg, {}};
}

std::shared_ptr<Source> Site::source() {
  const std::lock_guard lock(mutex_);
  return source_;
}

void Site::show(std::shared_ptr<Source> source) {
  const std::lock_guard lock(mutex_);
  source_ = std::move(source);
}

double Site::seconds_unwatched() const {
  const auto last = last_asked_.load();
  return last == std::chrono::steady_clock::time_point::min() ? std::numeric_limits<double>::infinity()
                                                              : seconds_since(last);
}

}  // namespace kiln::view
