#include "model/file/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "model/file/overrides.hpp"
#include "model/file/own_numbers.hpp"
#include "model/file/reading.hpp"

namespace kiln {
namespace {

// The values before the first section; everything else must be a section.
void read_top(Reading& r) {
  std::vector<std::string_view> known;
  Node own{Node::Table{}, r.given.place};
  for (const Key& key : kTopSection.keys) {
    known.push_back(key.name);
    if (const Node* present = find(r.given, key.name)) put(own, key.name, *present);
  }
  for (const Section* section : all_sections())
    if (section->heading.starts_with("["))  // the others stand within one of these
      known.push_back(section->name);
  for (const Entry& e : *r.given.table())
    if (std::find(known.begin(), known.end(), e.key) == known.end()) fail_unknown(e.node, "", e.key, known);

  r.complete = complete_section(own, kTopSection, "", r.scope);
  if (find(r.complete, "title") == nullptr) {
    const std::string name = std::filesystem::path(r.model.source).stem().string();
    put(r.complete, "title", {name, r.given.place});
    sort_keys(r.complete, kTopSection);
  }
  r.model.title = find(r.complete, "title")->text();
  r.model.seed = uint64_t(find(r.complete, "seed")->whole());
  const std::string& fidelity = find(r.complete, "fidelity")->text();
  r.model.fidelity = fidelity == "strict"  ? Fidelity::strict
                     : fidelity == "close" ? Fidelity::close
                                           : Fidelity::standard;
}

}  // namespace

std::string model_text(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file))
    throw UserError(fmt::format("{}: this is a folder, but must be a model file.", file.string()));
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in)
    throw UserError(
        fmt::format("{}: the model file cannot be read: {}.", file.string(), std::strerror(errno)));
  return text.str();
}

Model parse_model(std::string_view text, std::string source_name, std::string folder,
                  const std::vector<std::string>& overrides) {
  std::vector<Override> changes;
  for (const std::string& change : overrides) changes.push_back(parse_override(change));
  Node given = parse_document(text, source_name);
  return make_model(std::move(given), std::move(source_name), std::move(folder), changes);
}

Model make_model(Node given, std::string source_name, std::string folder,
                 const std::vector<Override>& overrides) {
  Reading r;
  r.model.source = std::move(source_name);
  r.model.folder = std::move(folder);
  r.given = std::move(given);
  r.given.place = r.model.source;
  const bool has_default_type = add_default_type(r.given);
  for (const Override& change : overrides) apply_override(r.given, change);

  read_top(r);
  read_lattice(r);
  if (has_default_type) complete_default_type(r.given, r.scope.dimension);
  read_names(r);
  find_own_numbers(r);
  const PhysicsNodes nodes = complete_physics(r.given, r.scope);
  put(r.complete, kTypeSection.name, nodes.types);
  put(r.complete, kAdhesionSection.name, nodes.adhesion);
  r.model.types = cell_types(nodes.types);
  const PhysicsData physics = make_physics(nodes, r.scope);
  read_fields(r);
  read_initial(r, physics);
  read_phases(r, physics);
  read_living(r);
  read_schedule(r);
  read_measure(r);

  const DocumentLayout layout{
      {std::string(kTypeSection.name), std::string(kFieldSection.name), std::string(kSubstanceSection.name)},
      {std::string(kAdhesionSection.name)}};
  r.model.resolved = document_toml(r.complete, layout);
  return std::move(r.model);
}

Model read_model(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  return parse_model(model_text(file), file.string(), file.parent_path().string(), overrides);
}

}  // namespace kiln
