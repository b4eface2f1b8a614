// What counts as a request, and what is refused before anything else sees it.
#include <gtest/gtest.h>

#include "view/http/request_reader.hpp"

namespace kiln::http {
namespace {

Request read(const std::string& head) {
  const auto got = read_head(head);
  const auto* refused = std::get_if<Refusal>(&got);
  EXPECT_EQ(refused, nullptr) << head << refused->why;
  return refused == nullptr ? std::get<Request>(got) : Request{};
}

int refusal(const std::string& head) {
  const auto got = read_head(head);
  const auto* refused = std::get_if<Refusal>(&got);
  return refused == nullptr ? 0 : refused->status;
}

TEST(ViewRequest, AreReadAsBrowsersSendThem) {
  const Request request = read(
      "GET /api/frame?after=12&field=o2%20a+b HTTP/1.1\r\nHost: localhost:8642\r\nCOOKIE:  kiln-8642=ab "
      "\r\n\r\n");
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/api/frame");
  EXPECT_EQ(request.argument("after"), "12");
  EXPECT_EQ(request.argument("field"), "o2 a b");
  EXPECT_EQ(request.argument("none"), "");
  EXPECT_EQ(request.header("host"), "localhost:8642");
  EXPECT_EQ(request.header("cookie"), "kiln-8642=ab");
  EXPECT_TRUE(request.keeps_alive);
  EXPECT_FALSE(read("GET / HTTP/1.1\r\nConnection: Close\r\n\r\n").keeps_alive);
  EXPECT_FALSE(read("GET / HTTP/1.0\r\n\r\n").keeps_alive);
}

TEST(ViewRequest, AnythingElseIsRefused) {
  const std::pair<std::string, int> wrong[] = {
      {"\r\n\r\n", 400},
      {"GET\r\n\r\n", 400},
      {"GET / HTTP/1.1 x\r\n\r\n", 505},
      {"GET / HTTP/2\r\n\r\n", 505},
      {"PUT / HTTP/1.1\r\n\r\n", 405},
      {"OPTIONS /api/steer HTTP/1.1\r\n\r\n", 405},
      {"GET http://elsewhere/ HTTP/1.1\r\n\r\n", 400},
      {"GET /../etc/passwd HTTP/1.1\r\n\r\n", 400},
      {"GET /page/%2e%2e/x HTTP/1.1\r\n\r\n", 400},
      {"GET /?a=%00 HTTP/1.1\r\n\r\n", 400},
      {"GET /?a=%zz HTTP/1.1\r\n\r\n", 400},
      {"GET /?a=%4 HTTP/1.1\r\n\r\n", 400},
      {"GET /?a=1&a=2 HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nno header\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n: x\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nX: \x01\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nX: a\nY: b\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501},
      {"POST / HTTP/1.1\r\nExpect: 100-continue\r\n\r\n", 501},
      {"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n", 501},
      {"GET /" + std::string(kLongestTarget, 'a') + " HTTP/1.1\r\n\r\n", 414},
  };
  for (const auto& [head, status] : wrong) EXPECT_EQ(refusal(head), status) << head;
  std::string many = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i <= kMostHeaders; ++i) many += "x" + std::to_string(i) + ": 1\r\n";
  EXPECT_EQ(refusal(many + "\r\n"), 431);
}

TEST(ViewRequest, BodiesAreShortAndSayHowLongTheyAre) {
  const auto length = [](const std::string& text) {
    Request request;
    request.headers["content-length"] = text;
    const auto got = body_length(request);
    const auto* refused = std::get_if<Refusal>(&got);
    return refused == nullptr ? int(std::get<std::size_t>(got)) : -refused->status;
  };
  EXPECT_EQ(std::get<std::size_t>(body_length({})), 0u);
  EXPECT_EQ(length("17"), 17);
  EXPECT_EQ(length(std::to_string(kLongestBody)), int(kLongestBody));
  EXPECT_EQ(length(std::to_string(kLongestBody + 1)), -413);
  EXPECT_EQ(length("99999999999999999999999"), -413);
  for (const char* wrong : {"", "-1", "+1", "1 2", "0x10", "1e3"}) EXPECT_EQ(length(wrong), -400) << wrong;
}

}  // namespace
}  // namespace kiln::http
