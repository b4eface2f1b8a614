// JSON objects: written member by member, in the order in which they are added, and read again.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kiln {

// A value as JSON. What is no UTF-8 in a text is replaced; NaN and infinities are null.
std::string json_of(std::string_view text);
std::string json_of(double value);
inline std::string json_of(const std::string& text) { return json_of(std::string_view(text)); }
inline std::string json_of(const char* text) { return json_of(std::string_view(text)); }
inline std::string json_of(std::same_as<bool> auto value) { return value ? "true" : "false"; }
std::string json_of(std::integral auto value) requires(!std::same_as<decltype(value), bool>) {
  return std::to_string(value);
}
std::string json_of(std::span<const std::string> texts);
inline std::string json_of(const std::vector<std::string>& texts) { return json_of(std::span(texts)); }

class JsonObject {
 public:
  template <class Value>
  JsonObject& add(std::string_view key, const Value& value) {
    return add_json(key, json_of(value));
  }
  template <class Value>
  JsonObject& add(std::string_view key, const std::optional<Value>& value) {
    return add_json(key, value ? json_of(*value) : "null");
  }
  JsonObject& add(std::string_view key, const JsonObject& object) { return add_json(key, object.line()); }
  // A list of objects, a line each.
  JsonObject& add(std::string_view key, const std::vector<JsonObject>& objects);
  // An object with a line for each of its members.
  JsonObject& add_block(std::string_view key, const JsonObject& object);

  std::string line() const;   // {"a": 1, "b": 2}
  std::string lines() const;  // a line per member, and one after the last
  bool empty() const { return members_.empty(); }

 private:
  JsonObject& add_json(std::string_view key, std::string json);

  std::vector<std::pair<std::string, std::string>> members_;  // both as JSON
};

// The value of a member of an object, as JSON; none where the object has no such member. Members of objects
// within it do not count.
std::optional<std::string> json_member(std::string_view object, std::string_view key);

// The text that json_of made this of; none where it is something else. Of \u only what json_of writes.
std::optional<std::string> text_of_json(std::string_view json);

}  // namespace kiln
