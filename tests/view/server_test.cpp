// The server as clients meet it, over real connections: what is refused, what is bounded, what goes on.
#include "view/http/server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/error.hpp"
#include "support/fuzz.hpp"
#include "view/http_client.hpp"
#include "view/site.hpp"

namespace kiln::view {
namespace {

using test::asked;
using test::Connection;
using test::status_of;

// A run that is always at the same place.
class StillSource : public Source {
 public:
  std::string about() override { return "{}"; }
  std::string status() override { return R"({"mcs": 7})"; }
  NumberedFrame frame(const FrameWish& wish) override {
    return wish.after >= 3 ? NumberedFrame{}
                           : NumberedFrame{std::make_shared<const std::string>("tissue"), 3};
  }
  http::Reply picture(const PictureWish& wish) override { return http::reply(200, wish.colour, "image/png"); }
  Measures measures() override {
    const std::lock_guard lock(mutex);
    return table;
  }
  void has(std::vector<TableColumn> columns) {
    const std::lock_guard lock(mutex);
    table = std::make_shared<const std::vector<TableColumn>>(std::move(columns));
  }
  http::Reply steer(const std::string& command) override {
    if (!steers) return Source::steer(command);
    ++steered;
    return http::json_reply("{}");
  }
  bool steers = false;
  std::atomic<int> steered = 0;
  std::mutex mutex;
  Measures table;
};

class ViewServer : public testing::Test {
 protected:
  void SetUp() override {
    if (!http::kHasServer) GTEST_SKIP() << "this build has no cpp-httplib";
    serve({});
  }
  void serve(const http::Limits& limits) {
    server_.reset();
    server_ = std::make_unique<http::Server>(
        "127.0.0.1", std::nullopt, [this](const http::Request& r) { return site_.answer(r, guard_); },
        limits);
  }
  std::string cookie() const {
    const std::string text = guard_.cookie().second;
    return "Cookie: " + text.substr(0, text.find(';')) + "\r\n";
  }
  std::string get(const std::string& target, const std::string& headers) const {
    return asked(server_->port(), "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
                                      headers + "\r\n");
  }
  std::string post(const std::string& body, const std::string& headers) const {
    return asked(server_->port(),
                 "POST /api/steer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
                     std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body);
  }
  // It still answers as it should.
  void expect_well() const { EXPECT_EQ(status_of(get("/api/status", cookie())), "200"); }

  std::shared_ptr<StillSource> source_ = std::make_shared<StillSource>();
  Site site_{source_};
  Guard guard_{1, {}};
  std::unique_ptr<http::Server> server_;
};

TEST_F(ViewServer, TheTokenIsExchangedForACookie) {
  const std::string first = get("/?token=" + guard_.token(), "");
  EXPECT_EQ(status_of(first), "200");
  EXPECT_NE(first.find("Set-Cookie: kiln-1="), first.npos);
  EXPECT_NE(first.find("<title>Kiln</title>"), first.npos);
  const std::string page = get("/", cookie());
  EXPECT_EQ(status_of(page), "200");
  EXPECT_EQ(page.find("Set-Cookie"), page.npos);
  EXPECT_EQ(status_of(get("/", "")), "403");
  EXPECT_EQ(status_of(get("/?token=" + std::string(48, 'a'), "")), "403");
  EXPECT_EQ(get("/?token=" + std::string(48, 'a'), "").find("Set-Cookie"), std::string::npos);
}

TEST_F(ViewServer, AnswersWhatThePageAsks) {
  EXPECT_NE(get("/api/status", cookie()).find(R"({"mcs": 7})"), std::string::npos);
  const std::string frame = get("/api/frame?after=2", cookie());
  EXPECT_NE(frame.find("X-Frame: 3"), frame.npos);
  EXPECT_TRUE(frame.ends_with("tissue"));
  EXPECT_EQ(status_of(get("/api/frame?after=3", cookie())), "204");
  EXPECT_NE(get("/api/frame?after=-1", cookie()).find("after must be a whole number from 0 on."),
            std::string::npos);
  EXPECT_EQ(status_of(get("/page/app.js", cookie())), "200");
  EXPECT_TRUE(get("/api/picture?view=slice&axis=x&position=3&colour=act", cookie()).ends_with("act"));
  for (const char* wrong : {"", "view=film", "view=slice&axis=w", "view=slice&position=-1",
                            "view=solid&turn=x", "view=solid&tilt=nan", "view=slice&mcs=1.5"})
    EXPECT_EQ(status_of(get(std::string("/api/picture?") + wrong, cookie())), "400") << wrong;
  for (const char* nowhere :
       {"/page/", "/page/app", "/page/app.js/", "/page//app.js", "/etc/passwd", "/api", "//"})
    EXPECT_EQ(status_of(get(nowhere, cookie())), "404") << nowhere;
}

TEST_F(ViewServer, PlotsAreThoseOfTheMeasuresSoFar) {
  const auto list = [&] {
    const std::string answer = get("/api/plots", cookie());
    return answer.substr(answer.find("\r\n\r\n") + 4);
  };
  EXPECT_EQ(list(), R"({"version": 0, "titles": []})");
  EXPECT_EQ(status_of(get("/api/plot?title=Energy", cookie())), "404");
  source_->has({{"mcs", {0, 10}}, {"energy", {5, 7}}, {"o2_total", {1, 2}}, {"o2_unbalanced", {0, 0}}});
  while (list() == R"({"version": 0, "titles": []})") std::this_thread::yield();
  EXPECT_EQ(list(), R"({"version": 1, "titles": ["Energy", "Substance o2"]})");
  const std::string energy = get("/api/plot?title=Energy", cookie());
  EXPECT_NE(energy.find("Content-Type: image/svg+xml"), energy.npos);
  EXPECT_NE(energy.find("aria-label=\"Energy\""), energy.npos);
  EXPECT_EQ(get("/api/plot?title=Energy", cookie()), energy);
  EXPECT_EQ(status_of(get("/api/plot?title=Substance+o2", cookie())), "200");
  EXPECT_NE(get("/api/plot?title=Energy&mark=5", cookie()), energy);
  EXPECT_EQ(get("/api/plot?title=Energy&mark=11", cookie()), energy) << "a line beyond the last row";
  EXPECT_EQ(status_of(get("/api/plot?title=Energy&mark=-5", cookie())), "400");
  for (const char* unknown : {"", "?title=", "?title=energy", "?title=../Energy", "?title=Cell%20volume"})
    EXPECT_EQ(status_of(get(std::string("/api/plot") + unknown, cookie())), "404") << unknown;
  // More rows, and another source.
  source_->has({{"mcs", {0, 10, 20}}, {"energy", {5, 7, 900}}});
  while (list().find("\"version\": 2") == std::string::npos) std::this_thread::yield();
  EXPECT_NE(get("/api/plot?title=Energy", cookie()).find(">900<"), std::string::npos);
  const auto other = std::make_shared<StillSource>();
  other->has({{"mcs", {0, 10, 20}}, {"cells", {5, 7, 9}}});
  site_.show(other);
  while (list() != R"({"version": 3, "titles": ["Cells"]})") std::this_thread::yield();
  EXPECT_EQ(status_of(get("/api/plot?title=Energy", cookie())), "404");
}

// However many pages ask, and for whatever MCS.
TEST_F(ViewServer, PlotsAreDrawnOnceForAll) {
  source_->has({{"mcs", {0, 1000}}, {"energy", {5, 7}}});
  MeasurePlots plots;
  const Bytes first = plots.svg(*source_, "Energy", 500);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(plots.svg(*source_, "Energy", 500), first);
  EXPECT_EQ(plots.svg(*source_, "Energy", 1001), plots.svg(*source_, "Energy", std::nullopt));
  for (int64_t mcs = 0; mcs < 400; ++mcs) plots.svg(*source_, "Energy", mcs);
  EXPECT_EQ(first.use_count(), 1) << "all that was drawn is kept";
}

TEST_F(ViewServer, EveryAnswerIsStrict) {
  for (const std::string& answer :
       {get("/", cookie()), get("/api/status", cookie()), get("/", ""), get("/no", cookie())}) {
    EXPECT_NE(answer.find("Content-Security-Policy: default-src 'none'"), answer.npos);
    EXPECT_NE(answer.find("X-Content-Type-Options: nosniff"), answer.npos);
    EXPECT_NE(answer.find("Cache-Control: no-store"), answer.npos);
    EXPECT_EQ(answer.find("Access-Control"), answer.npos);
  }
}

TEST_F(ViewServer, ForeignHostsAndOriginsAreRefused) {
  const std::string foreign =
      "GET /api/status HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n" + cookie() + "\r\n";
  EXPECT_EQ(status_of(asked(server_->port(), foreign)), "403");
  EXPECT_EQ(status_of(asked(server_->port(), "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")), "403");
  EXPECT_EQ(status_of(get("/api/status", cookie() + "Origin: http://evil.example\r\n")), "403");
  EXPECT_EQ(status_of(get("/api/status", cookie() + "Sec-Fetch-Site: cross-site\r\n")), "403");
  expect_well();
}

TEST_F(ViewServer, OnlyItsOwnPageSteersAndOnlyWhereThatIsAllowed) {
  const std::string own = "Origin: http://localhost\r\n", json = "Content-Type: application/json\r\n";
  EXPECT_NE(post("{}", cookie() + own + json).find("start it with --steer"), std::string::npos);
  source_->steers = true;
  EXPECT_EQ(status_of(post("{}", cookie() + own + json)), "200");
  EXPECT_EQ(status_of(post("{}", cookie() + json)), "403");
  EXPECT_EQ(status_of(post("{}", own + json)), "403");
  EXPECT_EQ(status_of(post("{}", cookie() + "Origin: http://evil.example\r\n" + json)), "403");
  EXPECT_EQ(status_of(post("{}", cookie() + own + json + "Sec-Fetch-Site: cross-site\r\n")), "403");
  EXPECT_EQ(status_of(post("{}", cookie() + own + "Content-Type: text/plain\r\n")), "415");
  EXPECT_EQ(source_->steered, 1);
}

TEST_F(ViewServer, WhatIsTooLongIsRefused) {
  EXPECT_EQ(status_of(post(std::string(100'000, 'x'), cookie())), "413");
  EXPECT_EQ(status_of(get("/" + std::string(5000, 'a'), cookie())), "414");
  EXPECT_EQ(status_of(get("/", "X: " + std::string(100'000, 'a') + "\r\n")), "431");
  const Connection endless(server_->port());  // never comes to an end of its line
  for (int i = 0; i < 100; ++i) endless.send_bytes(std::string(1000, 'a'));
  EXPECT_EQ(status_of(endless.read_all()), "431");
  expect_well();
}

TEST_F(ViewServer, KeepsAConnectionForSeveralRequests) {
  const Connection connection(server_->port());
  const std::string request = "GET /api/status HTTP/1.1\r\nHost: localhost\r\n" + cookie() + "\r\n";
  for (int i = 0; i < 3; ++i) {
    connection.send_bytes(request);
    EXPECT_EQ(status_of(connection.read_all(300)), "200");
  }
}

TEST_F(ViewServer, ClientsBeyondTheLimitAreTurnedAway) {
  http::Limits few;
  few.clients = 3;
  serve(few);
  std::vector<std::unique_ptr<Connection>> open;
  for (int i = 0; i < 3; ++i) open.push_back(std::make_unique<Connection>(server_->port()));
  while (server_->clients() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(status_of(Connection(server_->port()).read_all()), "503");
  open.clear();
  while (server_->clients() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  expect_well();
}

TEST_F(ViewServer, TooManyRequestsAreRefused) {
  http::Limits slow;
  slow.requests_per_second = 5;
  serve(slow);
  int refused = 0;
  for (int i = 0; i < 40; ++i) refused += status_of(get("/api/status", cookie())) == "429" ? 1 : 0;
  EXPECT_GT(refused, 0);
}

// Those that say nothing and those that read nothing are let go; all others are served meanwhile.
TEST_F(ViewServer, SlowClientsHoldNobodyUp) {
  class LargeSource : public StillSource {
   public:
    NumberedFrame frame(const FrameWish&) override { return {bytes, 1}; }
    std::shared_ptr<const std::string> bytes =
        std::make_shared<const std::string>(std::string(32 << 20, 'x'));
  };
  const auto large = std::make_shared<LargeSource>();
  site_.show(large);
  http::Limits brief;
  brief.idle_seconds = brief.request_seconds = brief.stalled_seconds = 0.5;
  serve(brief);
  std::vector<std::unique_ptr<Connection>> open;
  for (int i = 0; i < 30; ++i) {
    open.push_back(std::make_unique<Connection>(server_->port()));
    const std::string head = "GET /api/frame HTTP/1.1\r\nHost: localhost\r\n" + cookie();
    if (i % 3 == 1) open.back()->send_bytes(head);           // never ends its request
    if (i % 3 == 2) open.back()->send_bytes(head + "\r\n");  // never reads the answer
  }
  for (int i = 0; i < 20; ++i) expect_well();
  while (server_->clients() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(large->bytes.use_count(), 1);  // none of them holds memory any more
  expect_well();
}

TEST_F(ViewServer, TwoProgramsDoNotShareAPort) {
  const int port = server_->port();
  const auto nothing = [](const http::Request&) { return http::reply(200, ""); };
  EXPECT_THROW(http::Server("127.0.0.1", port, nothing), UserError);
  EXPECT_NE(http::Server("127.0.0.1", std::nullopt, nothing).port(), port);
  EXPECT_THROW(http::Server("192.0.2.1", std::nullopt, nothing), UserError);
}

// At least 10,000 requests with bytes changed, added and lost. It says nothing but HTTP, and goes on.
TEST_F(ViewServer, DamagedRequestsAreRefusedOrAnswered) {
  http::Limits open;
  open.requests_per_second = 1e9;
  serve(open);
  source_->steers = true;
  source_->has({{"mcs", {0, 10}}, {"volume_mean", {50, 51}}});
  const std::string own = "Host: localhost\r\nOrigin: http://localhost\r\nConnection: close\r\n" + cookie();
  const std::string sources[] = {
      "GET /?token=" + guard_.token() + " HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n",
      "GET /api/frame?after=2&field=act&mcs=7 HTTP/1.1\r\n" + own + "\r\n",
      "GET /api/plots HTTP/1.1\r\n" + own + "\r\n",
      "GET /api/plot?title=Cell%20volume&mark=7 HTTP/1.1\r\n" + own + "\r\n",
      "GET /page/app.js HTTP/1.1\r\nAccept: */*\r\nRange: bytes=0-7\r\n" + own + "\r\n",
      "POST /api/steer HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 14\r\n" + own +
          "\r\n{\"do\": \"step\"}",
  };
  const uint32_t count = std::max(10'000u, fuzz::rounds());
  uint32_t answered = 0, silent = 0;
  for (uint32_t round = fuzz::first_round(); round < fuzz::first_round() + count; ++round) {
    const std::string answer =
        asked(server_->port(), fuzz::damaged(sources[round % std::size(sources)], round));
    if (answer.empty())
      ++silent;
    else
      ASSERT_TRUE(answer.starts_with("HTTP/1.1 ")) << round << ": " << answer.substr(0, 80);
    ASSERT_FALSE(answer.starts_with("HTTP/1.1 500")) << round << ": " << answer;
    answered += answer.starts_with("HTTP/1.1 200") ? 1 : 0;
  }
  EXPECT_GT(answered, 0u);
  EXPECT_LT(silent, count);
  expect_well();
}

}  // namespace
}  // namespace kiln::view
