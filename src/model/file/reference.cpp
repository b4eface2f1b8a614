#include "model/file/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/file/schema/schema.hpp"
#include "model/file/term_registry.hpp"

namespace kiln {
namespace {

constexpr const char* kIntroduction =
    R"(# The model file

<!-- Written from the tables in src/model/file/schema and src/terms; a test compares the two. -->

A model is a [TOML](https://toml.io) file. Only `lattice.size` must be given; everything else has a default.
Unknown keys are errors. `kiln validate MODEL.toml` explains a model in words; a run's folder holds the
model with every default written out.

```toml
temperature = 20
mcs = 2000

[lattice]
size = [128, 128]

[types.tcell]
volume = { target = 300, lambda = 5 }
perimeter = { target = 220, lambda = 1 }
act = { lambda = 200, max = 30 }

[adhesion]
tcell.tcell = 20
tcell.medium = 10

[[initial]]
kind = "seeds"
type = "tcell"
count = 12
```

`--set key=value` on the command line replaces a value: the key is its dotted path
(`types.tcell.act.lambda=300`, `lattice.size=[64,64]`, entries of lists by number, from 0:
`initial.0.count=5`), the value is TOML or a bare word. Types and fields must exist. File names are relative
to the folder of the model file.
)";

// "|" would end a cell of a table.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

std::string fallback_text(const Key& key) {
  if (key.required()) return "required";
  if (key.worked_out()) return std::string(key.fallback.substr(1, key.fallback.size() - 2));
  return fmt::format("`{}`", key.fallback);
}

std::string key_table(std::span<const Key> keys, const Section* section) {
  std::string text = "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const Key& key : keys)
    text += fmt::format("| `{}` | {} | {} | {} |\n", key.name, escaped(allowed(key, 0, section)),
                        escaped(fallback_text(key)), escaped(key.meaning));
  return text;
}

std::string terms_text() {
  std::string text = "\n### Energy terms of a type\n";
  for (const Term& term : all_terms()) {
    text += fmt::format("\n`{}` {}.\n\n{}", term.name, term.summary, key_table(term_keys(term), nullptr));
    std::vector<std::string> fixed;
    for (const Parameter& p : term.parameters)
      if (p.fixed) fixed.push_back(fmt::format("`{}`", p.name));
    if (!fixed.empty()) text += fmt::format("\nThe same in all phases: {}.\n", fmt::join(fixed, ", "));
  }
  return text;
}

std::string section_text(const Section& section) {
  std::string text =
      fmt::format("\n## {}\n\n{}\n\n{}",
                  section.heading == "Top level" ? "Top level" : fmt::format("`{}`", section.heading),
                  section.meaning, key_table(section.keys, &section));
  for (const Variant& variant : section.variants) {
    text += fmt::format("\n`{} = \"{}\"`: {}.\n", section.selector, variant.choice, variant.meaning);
    if (!variant.keys.empty()) text += fmt::format("\n{}", key_table(variant.keys, &section));
  }
  if (&section == &kTypeSection) text += terms_text();
  return text;
}

}  // namespace

std::string model_reference() {
  std::string text = kIntroduction;
  for (const Section* section : all_sections()) text += section_text(*section);
  return text;
}

}  // namespace kiln
