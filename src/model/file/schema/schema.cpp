#include "model/file/schema/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kiln {

std::span<const Section* const> all_sections() {
  static constexpr const Section* kAll[] = {
      &kTopSection,      &kLatticeSection,  &kUnitsSection,  &kNeighbourhoodSection, &kTypeSection,
      &kPropertySection, &kEquationSection, &kGrowthSection, &kSecretesSection,      &kTakesUpSection,
      &kHoldsSection,    &kAdhesionSection, &kFieldSection,  &kSubstanceSection,     &kBoundarySection,
      &kInitialSection,  &kRegionSection,   &kMaskSection,   &kPhantomSection,       &kConstantSection,
      &kRuleSection,     &kTickSection,     &kPhaseSection,  &kScheduleSection,      &kCheckerboardSection,
      &kMeasureSection,  &kPictureSection,  &kOutputSection};
  return kAll;
}

std::vector<std::string_view> choices_of(const Key& key, const Section* section) {
  std::vector<std::string_view> result;
  if (section != nullptr && section->selector == key.name) {
    for (const Variant& v : section->variants) result.push_back(v.choice);
    return result;
  }
  std::string_view rest = key.choices;
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    result.push_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return result;
}

std::string range_text(const Key& key) {
  const std::string unit = key.unit.empty() ? "" : fmt::format(" ({})", key.unit);
  return fmt::format("between {:g} and {:g}{}", key.least, key.most, unit);
}

std::string allowed(const Key& key, int dimension, const Section* section) {
  using enum ValueKind;
  std::string quoted_choices;
  for (const std::string_view choice : choices_of(key, section))
    quoted_choices += fmt::format("{}\"{}\"", quoted_choices.empty() ? "" : ", ", choice);
  const std::string per_axis = dimension == 0 ? "one for each axis" : fmt::format("{} of them", dimension);
  switch (key.kind) {
    case whole:
      return "an integer " + range_text(key);
    case real:
      return "a number " + range_text(key);
    case flag:
      return "true or false";
    case text:
      return "a text in quotes";
    case file_stem:
      return "a name of letters, digits, - and _";
    case choice:
      return "one of " + quoted_choices;
    case colour:
      return "a colour such as \"#e07a5f\"";
    case size:
      return "a list of 2 or 3 integers " + range_text(key);
    case choice_per_axis:
      return fmt::format("one of {}, or a list of {}", quoted_choices, per_axis);
    case order:
      return fmt::format("one of {} or an integer {}", quoted_choices, range_text(key));
    case choice_or_real:
      return fmt::format("{} or a number {}", quoted_choices, range_text(key));
    case place:
      return fmt::format("a list of {} numbers {}", dimension == 0 ? "2 or 3" : fmt::to_string(dimension),
                         range_text(key));
    case whole_per_axis:
      return fmt::format("an integer {}, or a list of {}", range_text(key), per_axis);
    case choice_or_whole_per_axis:
      return fmt::format("{}, an integer {}, or a list of {}", quoted_choices, range_text(key), per_axis);
    case real_per_axis:
      return fmt::format("a number {}, or a list of {}", range_text(key), per_axis);
    case reals:
      return "a list of numbers " + range_text(key);
    case real_or_reals:
      return fmt::format("a number {}, or a list of them", range_text(key));
    case type_name:
      return "the name of a cell type";
    case field_name:
      return "the name of a field";
    case substance_name:
      return "the name of a substance";
    case weights:
      return "a table of type names and weights " + range_text(key);
    case labels:
      return "a table of labels and type names";
    case table:
      return "a table";
    case tables:
      return "a list of tables";
    case overrides:
      return "a table of keys and values";
    case formula:
      return "a number, or a formula in quotes";
    case formulas:
      return "a table of names, each with a number or a formula in quotes";
    case type_names:
      return "the name of a cell type, or a list of them";
    case choice_or_place:
      return fmt::format("{} or a list of {} numbers {}", quoted_choices,
                         dimension == 0 ? "2 or 3" : fmt::to_string(dimension), range_text(key));
    case choice_or_property:
      return fmt::format("{} or the name of a property or a substance", quoted_choices);
    case side:
      return fmt::format("{}, a number {}, or {{ flux = a number }}", quoted_choices, range_text(key));
    case tables_by_number:
      return "a table with tables called 1 and 2";
  }
  return {};
}

std::string joined(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace kiln
