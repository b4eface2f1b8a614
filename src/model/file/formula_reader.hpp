// What all readers of formulas share: constants, names that are taken, and what formulas of cells can read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formula/parse.hpp"
#include "model/file/reading.hpp"

namespace kiln {

inline constexpr double kSecondsPerHour = 3600;

// As it stands in the file, without quotes.
std::string text_of(const Node& formula);

class FormulaReader {
 public:
  // Reads [constants].
  FormulaReader(Reading& reading, Living& living);

  const Living& living() const { return living_; }

  // Names of formulas are looked up without asking what they stand for.
  void check_free(const Node& at, const std::string& path, const std::string& name) const;
  // -1: there is none.
  int number_of_property(const std::string& name) const;
  bool has_property(std::size_t type, std::size_t property) const;

  // What formulas for cells of all these types can read.
  formula::Scope scope_of(const std::vector<bool>& types, bool draws) const;
  formula::Scope scope_of(std::size_t type, bool draws) const;
  // Constants and units alone, and `values`.
  formula::Scope scope_of_numbers(std::vector<std::string> values = {}) const;

  // A node of a tree.
  int32_t parse(const Node& node, const std::string& path, const formula::Scope& scope, formula::Kind kind,
                formula::Tree& tree) const;
  int32_t parse(const Node& node, const std::string& path, const formula::Scope& scope,
                formula::Kind kind = formula::Kind::number) const {
    return parse(node, path, scope, kind, living_.tree);
  }

 private:
  void read_constants();
  std::map<std::string, double> units() const;

  Reading& r_;
  Living& living_;
  std::map<std::string, double> constants_;
};

// Reads [substances], and what types do with them. True where a formula of cells is among it.
bool read_substances(Reading& reading, const FormulaReader& formulas);

}  // namespace kiln
