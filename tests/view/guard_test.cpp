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
  std::string cookie() const {
    const std::string text = guard_.cookie().second;
    return text.substr(0, text.find(';'));
  }
  bool lets_in(const http::Request& request) { return !guard_.refuse(request, guard_.brings_token(request)); }
  bool lets_in_with(std::map<std::string, std::string> headers, const std::string& method = "GET") {
    headers.try_emplace("cookie", cookie());
    return lets_in(request(method, "/api/status", std::move(headers)));
  }

  Guard guard_{kPort, {"workstation"}};
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
  for (const char* own : {"127.0.0.1:8642", "localhost:8642", "localhost:9000", "localhost", "[::1]:8642",
                          "192.168.1.7:8642", "workstation:8642"})
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
  for (const auto& [name, value] : strict_headers()) headers[name] = value;
  EXPECT_NE(headers["Content-Security-Policy"].find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(headers["Content-Security-Policy"].find("http"), std::string::npos);
  EXPECT_EQ(headers["Content-Security-Policy"].find("unsafe"), std::string::npos);
  EXPECT_EQ(headers.count("Access-Control-Allow-Origin"), 0u);
  EXPECT_EQ(headers["X-Content-Type-Options"], "nosniff");
}

}  // namespace
}  // namespace kiln::view
