// Requests as they come from the network, where anything may come. What is not plain HTTP/1.1 as browsers
// send it is refused before any other code sees it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "view/http/message.hpp"

namespace kiln::http {

inline constexpr std::size_t kLongestHead = 16 * 1024;  // request line and headers
inline constexpr std::size_t kLongestTarget = 2048;
inline constexpr std::size_t kMostHeaders = 64;
inline constexpr std::size_t kLongestBody = 16 * 1024;

// Why a request is refused: the status, and a sentence.
struct Refusal {
  int status = 400;
  std::string why;
};

// The length of the head with the empty line that ends it; none where that has not come yet.
std::optional<std::size_t> head_length(std::string_view bytes);

// `head` with the empty line; the body is still to come.
std::variant<Request, Refusal> read_head(std::string_view head);

// How long the body is; a refusal where it is too long, or not said plainly.
std::variant<std::size_t, Refusal> body_length(const Request& request);

}  // namespace kiln::http
