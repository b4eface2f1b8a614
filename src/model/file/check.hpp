// Checks the values of a section against its keys and writes its defaults out. What comes back holds every
// key of the section, in the order of the schema, with values of exactly the kind that the schema names.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/file/document.hpp"
#include "model/file/schema/schema.hpp"

namespace kiln {

// What values may refer to.
struct Scope {
  int dimension = 0;
  std::vector<std::string> types;  // the medium first
  std::vector<std::string> fields;
  std::vector<std::string> substances = {};
  std::vector<std::string> properties = {};  // of cells
  // By type: whether growth or rules give every cell a target volume of its own; and for which terms rules
  // give it a lambda of its own.
  std::vector<bool> own_targets = {};
  std::vector<std::set<std::string>> own_lambdas = {};
};

// Brings a value into the form of its key (1e3 becomes an integer, 5 a list of one per axis), or throws
// UserError.
void check_value(Node& node, const Key& key, const std::string& path, const Scope& scope);

// The section without keys that the reader works out and the file does not give.
Node complete_section(const Node& given, const Section& section, const std::string& path, const Scope& scope);

// The same for a bare list of keys.
Node complete_keys(const Node& given, std::span<const Key> keys, const std::string& path, const Scope& scope);

// Brings keys that were added later to where the schema has them.
void sort_keys(Node& table, const Section& section);

// The table of that name, or an empty one at the same place.
Node table_of(const Node& parent, std::string_view name);

// The list of tables of that name; empty where there is none.
Node::Array tables_of(const Node& parent, std::string_view name);

void require_table(const Node& node, const std::string& path);

// Throws for the name `path.key`, with what was probably meant.
[[noreturn]] void fail_unknown(const Node& at, const std::string& path, const std::string& key,
                               const std::vector<std::string_view>& known);

// The index of a name, or a message that lists those there are.
std::size_t index_of_type(const Node& at, const std::string& path, const std::string& name,
                          const Scope& scope);

// Letters, digits, - and _ only: fit for a dotted path and for a file name.
bool is_plain_name(std::string_view name);

// "path.key", or "key" where the path is empty.
std::string joined_path(const std::string& path, std::string_view key);

}  // namespace kiln
