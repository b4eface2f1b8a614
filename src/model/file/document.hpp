// A model file as a tree of values that remember where they came from. Keys keep the order of the file, which
// is the order of the cell types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kiln {

struct Entry;

struct Node {
  using Array = std::vector<Node>;
  using Table = std::vector<Entry>;
  struct Date {  // TOML has dates; no key of a model takes one
    std::string text;
  };

  std::variant<Table, Array, bool, int64_t, double, std::string, Date> value;
  std::string place;  // how messages name its origin: "cells.toml:7" or "--set seed=x"

  Table* table() { return std::get_if<Table>(&value); }
  const Table* table() const { return std::get_if<Table>(&value); }
  Array* array() { return std::get_if<Array>(&value); }
  const Array* array() const { return std::get_if<Array>(&value); }

  // For values that have been checked already.
  bool flag() const { return std::get<bool>(value); }
  int64_t whole() const { return std::get<int64_t>(value); }
  double real() const { return std::get<double>(value); }
  const std::string& text() const { return std::get<std::string>(value); }
};

struct Entry {
  std::string key;
  Node node;
};

// nullptr where there is no such key, or no table.
Node* find(Node& table, std::string_view key);
const Node* find(const Node& table, std::string_view key);

// Replaces the entry of that name or adds one at the end; returns it.
Node& put(Node& table, std::string_view key, Node node);
void erase(Node& table, std::string_view key);

// Throws UserError with the line of the mistake.
Node parse_document(std::string_view text, const std::string& source);

// A value as it would stand behind `key =` in a model file; words that are not TOML become a string.
Node parse_value(std::string_view text, const std::string& place);

// A value in one line.
std::string inline_toml(const Node& node);

// A whole document: values first, then a section for every table. A section named in `nested` holds tables
// that get a section each ([types.NAME]); one in `dotted` writes them as dotted keys (light.dark = 11).
struct DocumentLayout {
  std::vector<std::string> nested, dotted;
};
std::string document_toml(const Node& root, const DocumentLayout& layout);

// Throws UserError: the node's place, then the sentence.
[[noreturn]] void fail_at(const Node& node, const std::string& sentence);

}  // namespace kiln
