#include "base/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kiln {
namespace {

// Length of the UTF-8 sequence that starts here, 0 where there is none. RFC 3629: no surrogates, no overlong
// forms.
std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF)
    return follows(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (lead >= 0xF0 && lead <= 0xF4)
    return follows(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4
                                                                                                          : 0;
  return 0;
}

std::string_view without_blanks(std::string_view text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t first = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

// The end of the text or of the one character that begins here.
std::size_t end_of_token(std::string_view json, std::size_t at) {
  if (json[at] != '"') return at + 1;
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return std::min(at + 1, json.size());
}

}  // namespace

std::string json_of(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text[0];
    if (length == 0)
      out += "\uFFFD";
    else if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F))
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out + "\"";
}

std::string json_of(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

std::string json_of(std::span<const std::string> texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) parts.push_back(json_of(text));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

JsonObject& JsonObject::add_json(std::string_view key, std::string json) {
  members_.emplace_back(json_of(key), std::move(json));
  return *this;
}

JsonObject& JsonObject::add(std::string_view key, const std::vector<JsonObject>& objects) {
  std::vector<std::string> items;
  for (const JsonObject& object : objects) items.push_back("\n    " + object.line());
  return add_json(key, items.empty() ? "[]" : fmt::format("[{}\n  ]", fmt::join(items, ",")));
}

JsonObject& JsonObject::add_block(std::string_view key, const JsonObject& object) {
  std::vector<std::string> items;
  for (const auto& [name, json] : object.members_) items.push_back(fmt::format("\n    {}: {}", name, json));
  return add_json(key, items.empty() ? "{}" : fmt::format("{{{}\n  }}", fmt::join(items, ",")));
}

std::string JsonObject::line() const {
  std::vector<std::string> items;
  for (const auto& [name, json] : members_) items.push_back(fmt::format("{}: {}", name, json));
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

std::string JsonObject::lines() const {
  std::vector<std::string> items;
  for (const auto& [name, json] : members_) items.push_back(fmt::format("  {}: {}", name, json));
  return fmt::format("{{\n{}\n}}\n", fmt::join(items, ",\n"));
}

std::optional<std::string> json_member(std::string_view object, std::string_view key) {
  const std::string name = json_of(key);
  std::size_t begin = 0, colon = object.npos;  // of a member
  int depth = 0;
  for (std::size_t i = 0; i < object.size(); i = end_of_token(object, i)) {
    const char c = object[i];
    if (c == '}' || c == ']') --depth;
    const bool ends = (depth == 1 && c == ',') || (depth == 0 && c == '}');
    if (ends && colon != object.npos && without_blanks(object.substr(begin, colon - begin)) == name)
      return std::string(without_blanks(object.substr(colon + 1, i - colon - 1)));
    if (c == '{' || c == '[') ++depth;
    if (depth == 1 && (c == '{' || c == ',')) begin = i + 1, colon = object.npos;
    if (depth == 1 && c == ':') colon = i;
  }
  return std::nullopt;
}

std::optional<std::string> text_of_json(std::string_view json) {
  if (json.size() < 2 || json.front() != '"' || end_of_token(json, 0) != json.size() || json.back() != '"')
    return std::nullopt;
  json = json.substr(1, json.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] != '\\') {
      text += json[i];
      continue;
    }
    const char kind = ++i < json.size() ? json[i] : '\0';
    if (kind == 'u') {
      unsigned code = 0;
      const std::string_view digits = json.substr(i + 1, 4);
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
      if (digits.size() < 4 || read.ptr != digits.data() + 4 || code > 0x7F) return std::nullopt;
      text += char(code);
      i += 4;
    } else if (kind == '"' || kind == '\\') {
      text += kind;
    } else if (kind == 'n' || kind == 't') {
      text += kind == 'n' ? '\n' : '\t';
    } else {
      return std::nullopt;
    }
  }
  return text;
}

}  // namespace kiln
