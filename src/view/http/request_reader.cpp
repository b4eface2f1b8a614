#include "view/http/request_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace kiln::http {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_token(std::string_view text) {
  constexpr std::string_view kAlso = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter_or_digit(c) || kAlso.find(c) != kAlso.npos;
  });
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= ' ' && c <= '~') || c == '\t'; });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Without %-codes; none where they are wrong, or hide what is not printable.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += char(high * 16 + low);
    i += 2;
  }
  if (!is_printable(out)) return std::nullopt;
  return out;
}

// Up to the separator, which goes with it.
std::string_view take(std::string_view& rest, std::string_view separator) {
  const std::size_t at = rest.find(separator);
  const std::string_view part = rest.substr(0, at);
  rest = at == rest.npos ? std::string_view() : rest.substr(at + separator.size());
  return part;
}

std::optional<Refusal> read_target(std::string_view target, Request& to) {
  if (target.size() > kLongestTarget)
    return Refusal{414, fmt::format("The address has more than {} characters.", kLongestTarget)};
  std::string_view query = target;
  to.path = std::string(take(query, "?"));
  const auto plain = [](char c) {
    return is_letter_or_digit(c) || c == '/' || c == '.' || c == '-' || c == '_';
  };
  const bool is_plain = std::all_of(to.path.begin(), to.path.end(), plain);
  if (to.path.empty() || to.path[0] != '/' || !is_plain || to.path.find("..") != std::string::npos)
    return Refusal{400, "The address is none of the viewer's."};
  while (!query.empty()) {
    std::string_view value = take(query, "&");
    const std::optional<std::string> name = decoded(take(value, "="));
    const std::optional<std::string> what = decoded(value);
    if (!name || !what) return Refusal{400, "The query holds a code that is none, or none of a letter."};
    if (!to.query.emplace(*name, *what).second) return Refusal{400, "The query gives a value twice."};
  }
  return std::nullopt;
}

std::optional<Refusal> read_request_line(std::string_view line, Request& to) {
  const std::string_view method = take(line, " "), target = take(line, " ");
  if (!is_token(method) || !is_printable(target) || target.empty() || !line.starts_with("HTTP/"))
    return Refusal{400, "The first line is no request."};
  if (line != "HTTP/1.1" && line != "HTTP/1.0") return Refusal{505, "Only HTTP/1.1 is spoken here."};
  if (method != "GET" && method != "POST") return Refusal{405, "Only GET and POST are known."};
  to.method = std::string(method);
  to.keeps_alive = line == "HTTP/1.1";
  return read_target(target, to);
}

std::optional<Refusal> read_header(std::string_view line, Request& to) {
  const std::size_t colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon)) || !is_printable(line))
    return Refusal{400, "A header is no header."};
  const std::string name = lower_case(line.substr(0, colon));
  if (!to.headers.emplace(name, std::string(trimmed(line.substr(colon + 1)))).second)
    return Refusal{400, "A header comes twice."};
  if (to.headers.size() > kMostHeaders)
    return Refusal{431, fmt::format("There are more than {} headers.", kMostHeaders)};
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> head_length(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  return end == bytes.npos ? std::nullopt : std::optional(end + 4);
}

std::variant<Request, Refusal> read_head(std::string_view head) {
  Request request;
  std::string_view rest = head.substr(0, head.size() - 2);  // without the empty line
  if (const auto refused = read_request_line(take(rest, "\r\n"), request)) return *refused;
  while (!rest.empty())
    if (const auto refused = read_header(take(rest, "\r\n"), request)) return *refused;
  if (request.headers.count("transfer-encoding") != 0 || request.headers.count("expect") != 0 ||
      request.headers.count("upgrade") != 0)
    return Refusal{501, "Only bodies of a known length are read, and nothing else is spoken but HTTP."};
  if (lower_case(request.header("connection")) == "close") request.keeps_alive = false;
  return request;
}

std::variant<std::size_t, Refusal> body_length(const Request& request) {
  const auto found = request.headers.find("content-length");
  if (found == request.headers.end()) return std::size_t(0);
  const std::string& text = found->second;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit))
    return Refusal{400, "Content-Length is no number."};
  if (text.size() > 9 || std::stoul(text) > kLongestBody)
    return Refusal{413, fmt::format("The body is longer than {} bytes.", kLongestBody)};
  return std::size_t(std::stoul(text));
}

}  // namespace kiln::http
