// Who is let in.
#include "view/guard.hpp"

#include <gtest/gtest.h>

#include <set>

#include "view/token.hpp"

namespace kiln::view {
namespace {

constexpr int kPort = 8642;

http::Request request(const std::string& method, const std::string& path,
                      std::map<std::string, std::string> headers) {
  http::Request request;
  request.method = method;
  request.path = path;
  request.headers = std::move(headers);
  request.headers.try_emplace("host", "127.0.0.1:8642");
  return request;
}

class ViewGuard : public testing::Test {
 protected:
  explicit ViewGuard(bool in_frames = false) : guard_(kPort, {"workstation", "Lab-PC"}, in_frames) {}

  std::string cookie() const {
    const std::string text = guard_.cookie().second;
    return text.substr(0, text.find(';'));
  }
  bool lets_in(const http::Request& request) { return !guard_.refuse(request, guard_.brings_token(request)); }
  bool lets_in_with(std::map<std::string, std::string> headers, const std::string& method = "GET") {
    headers.try_emplace("cookie", cookie());
    return lets_in(request(method, "/api/status", std::move(headers)));
  }

  Guard guard_;
};

TEST(ViewToken, HasManyBitsAndNoTwins) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string token = new_token();
    EXPECT_EQ(token.size(), 48u);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), token.npos);
    seen.insert(token);
  }
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(ViewToken, OnlyTheSameIsTheSame) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  for (const char* other : {"", "ab", "abd", "abcd", "Abc"}) EXPECT_FALSE(same_secret(other, "abc")) << other;
}

TEST_F(ViewGuard, TheTokenOpensTheFirstPageAndNothingElse) {
  http::Request first = request("GET", "/", {});
  EXPECT_FALSE(lets_in(first));
  first.query["token"] = guard_.token();
  EXPECT_TRUE(lets_in(first));
  EXPECT_TRUE(guard_.brings_token(first));
  first.path = "/api/status";
  EXPECT_FALSE(lets_in(first));
  first.path = "/";
  for (const std::string& wrong : {std::string(48, '0'), std::string(), guard_.token().substr(1),
                                   guard_.token() + "0", cookie().substr(cookie().find('=') + 1)}) {
    first.query["token"] = wrong;
    EXPECT_FALSE(lets_in(first)) << wrong;
  }
}

TEST_F(ViewGuard, ATokenForOnePageOpensOne) {
  http::Request first = request("GET", "/", {});
  first.query["token"] = "";
  EXPECT_FALSE(lets_in(first));
  first.query["token"] = guard_.token_for_one();
  EXPECT_NE(first.query["token"], guard_.token());
  EXPECT_TRUE(lets_in(first));
  EXPECT_FALSE(lets_in(first));
  first.query["token"] = guard_.token();
  EXPECT_TRUE(lets_in(first));
}

TEST_F(ViewGuard, TheCookieIsNotTheTokenAndScriptsDoNotSeeIt) {
  const std::string text = guard_.cookie().second;
  EXPECT_EQ(text.find(guard_.token()), text.npos);
  EXPECT_NE(text.find("; HttpOnly"), text.npos);
  EXPECT_NE(text.find("; SameSite=Strict"), text.npos);
  EXPECT_TRUE(lets_in_with({}));
  EXPECT_TRUE(lets_in_with({{"cookie", "a=b; " + cookie() + "; c=d"}}));
  const std::string name = cookie().substr(0, cookie().find('=') + 1);
  for (const std::string& wrong :
       {std::string(), name, name + guard_.token(), "kiln-1=" + cookie().substr(name.size()), cookie() + "0",
        std::string("=;=;;")})
    EXPECT_FALSE(lets_in_with({{"cookie", wrong}})) << wrong;
}

// A name that is made to point here (DNS rebinding) is another site's.
TEST_F(ViewGuard, OnlyItsOwnNamesAndPlainAddressesAreItsHost) {
  for (const char* own :
       {"127.0.0.1:8642", "localhost:8642", "localhost:9000", "localhost", "[::1]:8642", "192.168.1.7:8642",
        "workstation:8642", "LOCALHOST:8642", "WorkStation", "Lab-PC:8642", "lab-pc:8642"})
    EXPECT_TRUE(lets_in_with({{"host", own}})) << own;
  for (const char* other :
       {"", "evil.example", "evil.example:8642", "127.0.0.1.evil.example", "localhost.evil", "1.2.3",
        "[evil]", "[::1", "workstation.evil.example", "127.0.0.1@evil.example"})
    EXPECT_FALSE(lets_in_with({{"host", other}})) << other;
}

TEST_F(ViewGuard, OtherSitesAreRefused) {
  const std::string own = "http://127.0.0.1:8642";
  EXPECT_TRUE(lets_in_with({{"origin", own}}));
  EXPECT_TRUE(lets_in_with({{"origin", own}}, "POST"));
  EXPECT_TRUE(lets_in_with({{"host", "Lab-PC:8642"}, {"origin", "http://lab-pc:8642"}}, "POST"));
  EXPECT_FALSE(lets_in_with({{"host", "Lab-PC:8642"}, {"origin", "http://localhost:8642"}}, "POST"));
  EXPECT_FALSE(lets_in_with({}, "POST"));
  for (const char* other :
       {"http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8642"}) {
    EXPECT_FALSE(lets_in_with({{"origin", other}})) << other;
    EXPECT_FALSE(lets_in_with({{"origin", other}}, "POST")) << other;
  }
  EXPECT_TRUE(lets_in_with({{"sec-fetch-site", "same-origin"}}));
  EXPECT_FALSE(lets_in_with({{"sec-fetch-site", "cross-site"}}));
  EXPECT_FALSE(lets_in_with({{"sec-fetch-site", "same-site"}}));
}

TEST_F(ViewGuard, NothingMayBeLoadedFromElsewhere) {
  std::map<std::string, std::string> headers;
  for (const auto& [name, value] : guard_.strict_headers()) headers[name] = value;
  EXPECT_NE(headers["Content-Security-Policy"].find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(headers["Content-Security-Policy"].find("http"), std::string::npos);
  EXPECT_EQ(headers["Content-Security-Policy"].find("unsafe"), std::string::npos);
  EXPECT_EQ(headers.count("Access-Control-Allow-Origin"), 0u);
  EXPECT_NE(headers["Content-Security-Policy"].find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_EQ(headers["X-Content-Type-Options"], "nosniff");
  EXPECT_EQ(headers["X-Frame-Options"], "DENY");
}

TEST_F(ViewGuard, OutsideOfFramesTheTokenOpensNothingElse) {
  EXPECT_FALSE(lets_in(request("GET", "/page/app.js", {})));
  EXPECT_FALSE(lets_in(request("GET", "/api/status", {{"x-kiln-token", guard_.token()}})));
}

class ViewGuardOfFrames : public ViewGuard {
 protected:
  ViewGuardOfFrames() : ViewGuard(true) {}
  bool lets_in_with_token(const std::string& method, const std::string& path,
                          std::map<std::string, std::string> headers = {}) {
    headers.try_emplace("x-kiln-token", guard_.token());
    return lets_in(request(method, path, std::move(headers)));
  }
};

TEST_F(ViewGuardOfFrames, TheTokenOpensWhatThePageAsksFor) {
  EXPECT_TRUE(lets_in(request("GET", "/page/app.js", {})));
  EXPECT_TRUE(lets_in_with_token("GET", "/api/status"));
  EXPECT_FALSE(lets_in_with_token("GET", "/"));
  EXPECT_FALSE(lets_in_with_token("POST", "/api/steer", {{"origin", "http://127.0.0.1:8642"}}));
  EXPECT_FALSE(lets_in_with_token("POST", "/page/app.js", {{"origin", "http://127.0.0.1:8642"}}));
  for (const std::string& wrong : {std::string(), std::string(48, '0'), guard_.token().substr(1),
                                   guard_.token() + "0", cookie().substr(cookie().find('=') + 1)})
    EXPECT_FALSE(lets_in_with_token("GET", "/api/status", {{"x-kiln-token", wrong}})) << wrong;
  EXPECT_FALSE(lets_in(request("GET", "/api/status", {})));
}

// What a page of another site could make a browser ask for.
TEST_F(ViewGuardOfFrames, OtherSitesAreRefusedAllTheSame) {
  for (const char* path : {"/api/status", "/page/app.js"}) {
    EXPECT_FALSE(lets_in_with_token("GET", path, {{"origin", "http://localhost:8888"}})) << path;
    EXPECT_FALSE(lets_in_with_token("GET", path, {{"origin", "null"}})) << path;
    EXPECT_FALSE(lets_in_with_token("GET", path, {{"sec-fetch-site", "cross-site"}})) << path;
    EXPECT_FALSE(lets_in_with_token("GET", path, {{"sec-fetch-site", "same-site"}})) << path;
    EXPECT_FALSE(lets_in_with_token("GET", path, {{"host", "evil.example"}})) << path;
  }
  EXPECT_TRUE(lets_in_with({}));  // the cookie is as good as it was
  EXPECT_FALSE(lets_in_with({{"cookie", "a=b"}}));
}

TEST_F(ViewGuardOfFrames, OnlyPagesOfThisMachineMayShowIt) {
  std::string policy;
  for (const auto& [name, value] : guard_.strict_headers()) {
    if (name == "Content-Security-Policy") policy = value;
    EXPECT_NE(name, "X-Frame-Options");  // knows no list
  }
  const std::size_t at = policy.find("frame-ancestors ");
  ASSERT_NE(at, policy.npos);
  EXPECT_EQ(policy.substr(at),
            "frame-ancestors http://127.0.0.1:* https://127.0.0.1:* vscode-webview: vscode-file: "
            "http://workstation:* https://workstation:* http://lab-pc:* https://lab-pc:* http://localhost:* "
            "https://localhost:*");
  EXPECT_EQ(policy.substr(0, at).find("http"), policy.npos);
}

}  // namespace
}  // namespace kiln::view
