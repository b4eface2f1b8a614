#include "data/npy/header.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"

namespace kiln {
namespace {

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        header.descr = descr();
        first_time(has_descr, key);
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
        first_time(has_order, key);
      } else if (key == "shape") {
        header.shape = shape();
        first_time(has_shape, key);
      } else {
        fail(fmt::format("has the unknown key {}", printable(key)));
      }
      if (accept('}')) break;
      expect(',');
    }
    skip_space();
    if (at_ < text_.size()) fail("goes on after its closing brace");
    if (!has_descr || !has_order || !has_shape)
      fail(fmt::format("lacks the key '{}'", !has_descr ? "descr" : !has_order ? "fortran_order" : "shape"));
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("the header of {} {}.", file_, what));
  }

  // Quoted, cut to a line's length; what a damaged file holds must not reach a terminal raw.
  static std::string printable(std::string_view text) {
    std::string result = "'";
    for (const char c : text.substr(0, 40)) result += c >= ' ' && c <= '~' ? c : '?';
    return result + (text.size() > 40 ? "...'" : "'");
  }

  void first_time(bool& seen, const std::string& key) {
    if (seen) fail(fmt::format("has the key '{}' twice", key));
    seen = true;
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (accept(c)) return;
    if (at_ >= text_.size()) fail(fmt::format("ends where '{}' was expected", c));
    fail(fmt::format("has {} where '{}' was expected", printable(text_.substr(at_, 1)), c));
  }

  std::string string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail(fmt::format("has no quoted name at character {}", at_));
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("has a quote that is never closed");
    const std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }

  std::string descr() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[')
      throw UserError(
          fmt::format("{} holds records with named fields; allowed is one number per place.", file_));
    const std::string result = string();
    // The caller's message quotes it.
    const std::string shown = printable(result);
    return shown.substr(1, shown.size() - 2);
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {"False", false}})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    fail("has a fortran_order that is neither True nor False");
  }

  std::vector<int64_t> shape() {
    std::vector<int64_t> result;
    expect('(');
    while (!accept(')')) {
      skip_space();
      int64_t length = 0;
      const char* end = text_.data() + text_.size();
      const auto [next, error] = std::from_chars(text_.data() + at_, end, length);
      if (error == std::errc::result_out_of_range) fail("has a length in its shape that no memory can hold");
      if (error != std::errc()) fail("has a shape that is not a list of integers");
      if (length < 0) fail(fmt::format("has the negative length {} in its shape", length));
      at_ = std::size_t(next - text_.data());
      accept('L');  // Python 2 wrote long integers so
      result.push_back(length);
      if (accept(')')) break;
      expect(',');
    }
    return result;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& file) {
  return HeaderParser(text, file).parse();
}

}  // namespace kiln
