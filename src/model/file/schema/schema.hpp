// Every key that a model file may hold. Reading, range checks, messages about unknown keys, the resolved
// model and the reference page all work from these tables. The parameters of energy terms stand in the terms'
// own headers (term_registry.hpp).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

enum class ValueKind {
  whole,  // an integer; 1e3 counts as one
  real,
  flag,  // true or false
  text,
  file_stem,        // a text that can name a file
  choice,           // one of Key::choices
  colour,           // "#rrggbb"
  size,             // 2 or 3 integers: they set the dimension
  choice_per_axis,  // a choice for all axes, or a list with one per axis
  order,            // a choice, or the order of a neighbourhood
  choice_or_real,
  place,           // a list of reals, one per axis
  whole_per_axis,  // an integer for all axes, or a list with one per axis
  choice_or_whole_per_axis,
  real_per_axis,
  reals,          // a list of them, of any length
  real_or_reals,  // a number, or a list of at least one
  type_name,      // of a cell type other than the medium
  field_name,
  substance_name,
  weights,     // { type = weight, ... }
  labels,      // { "label" = type, ... }
  table,       // has a section of its own
  tables,      // a list of them, at least one
  overrides,   // { key = value, ... } as for --set
  formula,     // a number, or a formula in quotes
  formulas,    // { name = formula, ... }
  type_names,  // one, or a list of them
  choice_or_place,
  tables_by_number,  // { 1 = { ... }, 2 = { ... } }
  choice_or_property,
  side,  // a choice, a number, or { flux = number }
};

inline constexpr std::string_view kRequired = "required";

struct Key {
  std::string_view name;
  ValueKind kind;
  double least, most;         // of numbers and of the numbers in lists; both allowed
  std::string_view fallback;  // TOML; or kRequired; or in brackets, in words, what the reader works out
  std::string_view choices;   // separated by "|"
  std::string_view unit;
  std::string_view meaning;

  bool required() const { return fallback == kRequired; }
  bool worked_out() const { return fallback.starts_with("("); }
};

// The keys that a section has only with one value of its selector ([[initial]] kind = "seeds").
struct Variant {
  std::string_view choice;
  std::string_view meaning;
  std::span<const Key> keys;
};

struct Section {
  std::string_view name;     // as in the file; "" for the top level
  std::string_view heading;  // as people write it: "[types.NAME]"
  std::string_view meaning;
  std::span<const Key> keys;
  std::string_view selector = {};  // the key among `keys` that picks a variant
  std::span<const Variant> variants = {};
};

extern const Section kTopSection, kLatticeSection, kUnitsSection, kNeighbourhoodSection, kTypeSection,
    kAdhesionSection, kFieldSection, kInitialSection, kRegionSection, kMaskSection, kPhantomSection,
    kPhaseSection, kScheduleSection, kCheckerboardSection, kMeasureSection, kPictureSection, kOutputSection,
    kConstantSection, kPropertySection, kEquationSection, kGrowthSection, kTickSection, kRuleSection,
    kSubstanceSection, kBoundarySection, kSecretesSection, kTakesUpSection, kHoldsSection;

// In the order of a resolved model.
std::span<const Section* const> all_sections();

// The choices of a key; those of a selector are its section's variants.
std::vector<std::string_view> choices_of(const Key& key, const Section* section = nullptr);

// What a value must be, as the rest of a sentence: "an integer between 1 and 6". `dimension` 0: not known
// yet.
std::string allowed(const Key& key, int dimension, const Section* section = nullptr);

// "between 0 and 1e+09 (energy)".
std::string range_text(const Key& key);

// `a, b, c`.
std::string joined(std::span<const std::string_view> names);

}  // namespace kiln
