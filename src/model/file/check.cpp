#include "model/file/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/text.hpp"

namespace kiln {
namespace {

constexpr std::size_t kLongestList = 100;
constexpr double kLargestWholeReal = 9007199254740992.0;  // 2^53: beyond, a real is not a safe integer

std::vector<std::string_view> views(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

std::string shown(const Node& node) {
  constexpr std::size_t kMost = 60;
  std::string text = inline_toml(node);
  if (text.size() <= kMost) return text;
  std::size_t end = kMost - 3;
  while (end > 0 && (uint8_t(text[end]) & 0xC0) == 0x80) --end;  // never cut a UTF-8 character in two
  return text.substr(0, end) + "...";
}

// One value of one key, so that the checks below need not pass everything on.
struct Check {
  const Key& key;
  const std::string& path;
  const Scope& scope;
  const Section* section = nullptr;

  [[noreturn]] void wrong_kind(const Node& node) const {
    fail_at(node, fmt::format("{} is {}, but must be {}.", path, shown(node),
                              allowed(key, scope.dimension, section)));
  }

  [[noreturn]] void out_of_range(const Node& node, const Node& whole_value) const {
    fail_at(node, fmt::format("{} is {}, but {}must lie {}.", path, shown(whole_value),
                              whole_value.array() != nullptr ? "every entry " : "", range_text(key)));
  }

  // `outer` is what the message shows: the list that the number stands in, or the number.
  void number(Node& node, const Node& outer, bool whole) const {
    if (const auto* real = std::get_if<double>(&node.value); real != nullptr && whole) {
      if (std::floor(*real) != *real || std::abs(*real) > kLargestWholeReal) wrong_kind(outer);
      node.value = int64_t(*real);
    }
    if (const auto* integer = std::get_if<int64_t>(&node.value); integer != nullptr && !whole)
      node.value = double(*integer);
    double value = 0;
    if (const auto* integer = std::get_if<int64_t>(&node.value))
      value = double(*integer);
    else if (const auto* real = std::get_if<double>(&node.value))
      value = *real;
    else
      wrong_kind(outer);
    if (!(value >= key.least && value <= key.most)) out_of_range(node, outer);
    if (value == 0 && !whole) node.value = 0.0;  // -0.0 would be read again as the integer 0
  }

  void one_of_choices(const Node& node, const Node& outer) const {
    const auto* text = std::get_if<std::string>(&node.value);
    const std::vector<std::string_view> choices = choices_of(key, section);
    if (text == nullptr || std::find(choices.begin(), choices.end(), *text) == choices.end())
      wrong_kind(outer);
  }

  void numbers(Node& node, bool whole, std::size_t least, std::size_t most) const {
    const Node outer = node;
    if (node.array() == nullptr || node.array()->size() < least || node.array()->size() > most)
      wrong_kind(node);
    for (Node& item : *node.array()) number(item, outer, whole);
  }

  enum class PerAxis { choice, whole, real };
  void per_axis(Node& node, PerAxis kind) const {
    const std::size_t axes = std::size_t(scope.dimension);
    const auto check_one = [&](Node& item, const Node& outer) {
      if (kind == PerAxis::choice)
        one_of_choices(item, outer);
      else
        number(item, outer, kind == PerAxis::whole);
    };
    if (node.array() == nullptr) {
      check_one(node, Node(node));
      node.value = Node::Array(axes, Node(node));
    }
    if (node.array()->size() != axes) wrong_kind(node);
    const Node outer = node;
    for (Node& item : *node.array()) check_one(item, outer);
  }

  template <class T>
  void holds(const Node& node) const {
    if (!std::holds_alternative<T>(node.value)) wrong_kind(node);
  }

  // No file's name, and nothing that is printed, goes on beyond a NUL.
  void plain_text(const Node& node) const {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr || text->find('\0') != std::string::npos) wrong_kind(node);
  }

  void name(const Node& node) const {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr || !is_plain_name(*text)) wrong_kind(node);
  }

  void colour(const Node& node) const {
    const auto* text = std::get_if<std::string>(&node.value);
    const auto is_hex = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    if (text == nullptr || text->size() != 7 || (*text)[0] != '#' ||
        !std::all_of(text->begin() + 1, text->end(), is_hex))
      wrong_kind(node);
  }

  void type(const Node& node) const {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) wrong_kind(node);
    if (index_of_type(node, path, *text, scope) == 0)
      fail_at(node, fmt::format("{} is \"medium\", but the medium is no type of cell.", path));
  }

  void field(const Node& node) const {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) wrong_kind(node);
    if (std::find(scope.fields.begin(), scope.fields.end(), *text) != scope.fields.end()) return;
    if (scope.fields.empty())
      fail_at(node,
              fmt::format("{} is \"{}\", but the model has no fields; add [fields.{}].", path, *text, *text));
    fail_at(node, fmt::format("{} is \"{}\", but must be one of the fields {}.", path, *text,
                              joined(views(scope.fields))));
  }

  void substance(const Node& node) const {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) wrong_kind(node);
    if (std::find(scope.substances.begin(), scope.substances.end(), *text) != scope.substances.end()) return;
    if (scope.substances.empty())
      fail_at(node, fmt::format("{} is \"{}\", but the model has no substances; add [substances.{}].", path,
                                *text, *text));
    fail_at(node, fmt::format("{} is \"{}\", but must be one of the substances {}.", path, *text,
                              joined(views(scope.substances))));
  }

  // Of a box: closed, with a concentration, or with a flux.
  void side(Node& node) const {
    if (std::holds_alternative<std::string>(node.value)) return one_of_choices(node, node);
    if (node.table() == nullptr) return number(node, Node(node), false);
    if (node.table()->size() != 1 || node.table()->front().key != "flux") wrong_kind(node);
    const std::string where = joined_path(path, "flux");
    Check{key, where, scope}.number(node.table()->front().node, Node(node.table()->front().node), false);
  }

  void weights(Node& node) const {
    if (node.table() == nullptr || node.table()->empty()) wrong_kind(node);
    double sum = 0;
    for (Entry& e : *node.table()) {
      const std::string where = joined_path(path, e.key);
      if (index_of_type(e.node, where, e.key, scope) == 0)
        fail_at(e.node, fmt::format("{} cannot be: the medium cannot be placed.", where));
      Check{key, where, scope}.number(e.node, e.node, false);
      sum += e.node.real();
    }
    if (!(sum > 0))
      fail_at(node, fmt::format("{} is {}, but one weight at least must not be 0.", path, shown(node)));
  }

  void formula(const Node& node) const {
    const bool is_number =
        std::holds_alternative<int64_t>(node.value) || std::holds_alternative<double>(node.value);
    if (!is_number) plain_text(node);
  }

  // A table within stands for dotted names: volume.target.
  void formulas(const Node& node) const {
    if (node.table() == nullptr) wrong_kind(node);
    for (const Entry& e : *node.table()) {
      const std::string where = joined_path(path, e.key);
      constexpr Key kOne{"", ValueKind::formula, 0, 0, "", "", "", ""};
      const Check inner{e.node.table() != nullptr ? key : kOne, where, scope};
      e.node.table() != nullptr ? inner.formulas(e.node) : inner.formula(e.node);
    }
  }

  void types(Node& node) const {
    if (node.array() == nullptr) node.value = Node::Array{Node(node)};
    if (node.array()->empty()) wrong_kind(node);
    for (const Node& item : *node.array()) type(item);
  }

  bool names_property(const Node& node) const {
    const auto* text = std::get_if<std::string>(&node.value);
    const auto is_in = [&](const std::vector<std::string>& names) {
      return text != nullptr && std::find(names.begin(), names.end(), *text) != names.end();
    };
    return is_in(scope.properties) || is_in(scope.substances);
  }

  void tables_by_number(const Node& node) const {
    if (node.table() == nullptr) wrong_kind(node);
    for (const Entry& e : *node.table())
      if ((e.key != "1" && e.key != "2") || e.node.table() == nullptr) wrong_kind(node);
  }

  void tables(const Node& node) const {
    const auto is_table = [](const Node& item) { return item.table() != nullptr; };
    if (node.array() == nullptr || node.array()->empty() ||
        !std::all_of(node.array()->begin(), node.array()->end(), is_table))
      wrong_kind(node);
  }

  void labels(const Node& node) const {
    if (node.table() == nullptr) wrong_kind(node);
    for (const Entry& e : *node.table()) {
      const bool is_number =
          !e.key.empty() && e.key.size() <= 18 && e.key[0] != '0' &&
          std::all_of(e.key.begin(), e.key.end(), [](char c) { return c >= '0' && c <= '9'; });
      const std::string where = joined_path(path, e.key);
      if (!is_number)
        fail_at(e.node, fmt::format("{} cannot be: a label must be a positive integer in quotes.", where));
      const auto* name = std::get_if<std::string>(&e.node.value);
      if (name == nullptr) wrong_kind(node);
      index_of_type(e.node, where, *name, scope);  // the medium, too: such labels are left out
    }
  }
};

void check(Node& node, const Check& c) {
  switch (c.key.kind) {
    case ValueKind::whole:
      return c.number(node, Node(node), true);
    case ValueKind::real:
      return c.number(node, Node(node), false);
    case ValueKind::flag:
      return c.holds<bool>(node);
    case ValueKind::text:
      return c.plain_text(node);
    case ValueKind::file_stem:
      return c.name(node);
    case ValueKind::choice:
      return c.one_of_choices(node, node);
    case ValueKind::colour:
      return c.colour(node);
    case ValueKind::size:
      return c.numbers(node, true, 2, 3);
    case ValueKind::choice_per_axis:
      return c.per_axis(node, Check::PerAxis::choice);
    case ValueKind::order:
      if (std::holds_alternative<std::string>(node.value)) return c.one_of_choices(node, node);
      return c.number(node, Node(node), true);
    case ValueKind::place:
      return c.numbers(node, false, std::size_t(c.scope.dimension), std::size_t(c.scope.dimension));
    case ValueKind::whole_per_axis:
      return c.per_axis(node, Check::PerAxis::whole);
    case ValueKind::choice_or_whole_per_axis:
      if (std::holds_alternative<std::string>(node.value)) return c.one_of_choices(node, node);
      return c.per_axis(node, Check::PerAxis::whole);
    case ValueKind::real_per_axis:
      return c.per_axis(node, Check::PerAxis::real);
    case ValueKind::reals:
      return c.numbers(node, false, 0, kLongestList);
    case ValueKind::real_or_reals:
      if (node.array() != nullptr) return c.numbers(node, false, 1, kLongestList);
      return c.number(node, Node(node), false);
    case ValueKind::choice_or_real:
      if (std::holds_alternative<std::string>(node.value)) return c.one_of_choices(node, node);
      return c.number(node, Node(node), false);
    case ValueKind::type_name:
      return c.type(node);
    case ValueKind::field_name:
      return c.field(node);
    case ValueKind::substance_name:
      return c.substance(node);
    case ValueKind::side:
      return c.side(node);
    case ValueKind::weights:
      return c.weights(node);
    case ValueKind::labels:
      return c.labels(node);
    case ValueKind::tables:
      return c.tables(node);
    case ValueKind::formula:
      return c.formula(node);
    case ValueKind::formulas:
      return c.formulas(node);
    case ValueKind::type_names:
      return c.types(node);
    case ValueKind::choice_or_place:
      if (std::holds_alternative<std::string>(node.value)) return c.one_of_choices(node, node);
      return c.numbers(node, false, std::size_t(c.scope.dimension), std::size_t(c.scope.dimension));
    case ValueKind::tables_by_number:
      return c.tables_by_number(node);
    case ValueKind::choice_or_property:
      if (!c.names_property(node)) c.one_of_choices(node, node);
      return;
    case ValueKind::table:
    case ValueKind::overrides:
      return c.holds<Node::Table>(node);
  }
}

void add_keys(Node& result, const Node& given, std::span<const Key> keys, const Section* section,
              const std::string& path, const Scope& scope) {
  for (const Key& key : keys) {
    const std::string where = joined_path(path, key.name);
    const Check c{key, where, scope, section};
    Node node;
    if (const Node* present = find(given, key.name)) {
      node = *present;
    } else if (key.required()) {
      fail_at(given,
              fmt::format("{} is missing; it must be {}.", where, allowed(key, scope.dimension, section)));
    } else if (key.worked_out()) {
      continue;
    } else {
      node = parse_value(key.fallback, given.place);
    }
    check(node, c);
    put(result, key.name, std::move(node));
  }
}

void reject_unknown(const Node& given, const std::string& path, const std::vector<std::string_view>& known) {
  for (const Entry& e : *given.table())
    if (std::find(known.begin(), known.end(), e.key) == known.end()) fail_unknown(e.node, path, e.key, known);
}

// A key of another variant is no typing mistake: say which one it belongs to.
void reject_other_variants(const Node& given, const Section& section, const std::string& path,
                           const Variant& chosen) {
  const auto has = [](std::span<const Key> keys, std::string_view name) {
    return std::any_of(keys.begin(), keys.end(), [name](const Key& k) { return k.name == name; });
  };
  for (const Entry& e : *given.table()) {
    if (has(section.keys, e.key) || has(chosen.keys, e.key)) continue;
    for (const Variant& other : section.variants)
      if (has(other.keys, e.key))
        fail_at(e.node, fmt::format("{} goes with {} = \"{}\", but {} is \"{}\".", joined_path(path, e.key),
                                    section.selector, other.choice, joined_path(path, section.selector),
                                    chosen.choice));
  }
}

void append_names(std::vector<std::string_view>& names, std::span<const Key> keys) {
  for (const Key& key : keys) names.push_back(key.name);
}

}  // namespace

bool is_plain_name(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  return !name.empty() && name.size() <= kLongest && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string joined_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

void fail_unknown(const Node& at, const std::string& path, const std::string& key,
                  const std::vector<std::string_view>& known) {
  const std::string_view near = nearest_name(key, known);
  const std::string hint =
      near.empty() ? fmt::format("known here are {}.", joined(known)) : fmt::format("did you mean {}?", near);
  fail_at(at, fmt::format("unknown key {}; {}", joined_path(path, key), hint));
}

std::size_t index_of_type(const Node& at, const std::string& path, const std::string& name,
                          const Scope& scope) {
  const auto found = std::find(scope.types.begin(), scope.types.end(), name);
  if (found == scope.types.end())
    fail_at(at, fmt::format("{} names the type \"{}\", but the types are {}.", path, name,
                            joined(views(scope.types))));
  return std::size_t(found - scope.types.begin());
}

void sort_keys(Node& table, const Section& section) {
  std::vector<std::string_view> order;
  append_names(order, section.keys);
  for (const Variant& variant : section.variants) append_names(order, variant.keys);
  const auto rank = [&order](const Entry& e) { return std::find(order.begin(), order.end(), e.key); };
  std::stable_sort(table.table()->begin(), table.table()->end(),
                   [&rank](const Entry& a, const Entry& b) { return rank(a) < rank(b); });
}

void require_table(const Node& node, const std::string& path) {
  if (node.table() == nullptr)
    fail_at(node, fmt::format("{} is {}, but must be a table.", path, shown(node)));
}

Node table_of(const Node& parent, std::string_view name) {
  const Node* present = find(parent, name);
  if (present == nullptr) return {Node::Table{}, parent.place};
  require_table(*present, std::string(name));
  return *present;
}

Node::Array tables_of(const Node& parent, std::string_view name) {
  const Node* present = find(parent, name);
  if (present == nullptr) return {};
  const Node::Array* items = present->array();
  const auto is_table = [](const Node& n) { return n.table() != nullptr; };
  if (items == nullptr || !std::all_of(items->begin(), items->end(), is_table))
    fail_at(*present,
            fmt::format("{} is {}, but must be a list of tables: [[{}]].", name, shown(*present), name));
  return *items;
}

void check_value(Node& node, const Key& key, const std::string& path, const Scope& scope) {
  check(node, Check{key, path, scope});
}

Node complete_keys(const Node& given, std::span<const Key> keys, const std::string& path,
                   const Scope& scope) {
  std::vector<std::string_view> known;
  append_names(known, keys);
  reject_unknown(given, path, known);
  Node result{Node::Table{}, given.place};
  add_keys(result, given, keys, nullptr, path, scope);
  return result;
}

Node complete_section(const Node& given, const Section& section, const std::string& path,
                      const Scope& scope) {
  if (section.variants.empty()) return complete_keys(given, section.keys, path, scope);
  // The selector first: everything else depends on it.
  Node result{Node::Table{}, given.place};
  for (const Key& key : section.keys)
    if (key.name == section.selector) add_keys(result, given, {&key, 1}, &section, path, scope);
  const std::string& choice = find(result, section.selector)->text();
  const Variant& chosen = *std::find_if(section.variants.begin(), section.variants.end(),
                                        [&choice](const Variant& v) { return v.choice == choice; });
  reject_other_variants(given, section, path, chosen);
  std::vector<std::string_view> known;
  append_names(known, section.keys);
  append_names(known, chosen.keys);
  reject_unknown(given, path, known);
  add_keys(result, given, section.keys, &section, path, scope);
  add_keys(result, given, chosen.keys, &section, path, scope);
  return result;
}

}  // namespace kiln
