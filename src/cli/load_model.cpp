#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/demo.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

Model read(const std::string& file, const std::vector<Override>& changes) {
  if (file.empty()) return make_model(parse_document(kDemoModel, "demo.toml"), "demo.toml", ".", changes);
  return make_model(parse_document(model_text(file), file), file,
                    std::filesystem::path(file).parent_path().string(), changes);
}

// --mcs is the length of the whole run: a single phase gets it, of several the later ones are cut, or the
// last one goes on for longer.
std::vector<std::string> length_overrides(const Model& model, int64_t mcs) {
  if (!model.has_phases) return {fmt::format("mcs={}", mcs)};
  std::vector<std::string> result;
  int64_t left = mcs;
  for (std::size_t i = 0; i < model.phases.size(); ++i) {
    const bool last = i + 1 == model.phases.size();
    const int64_t length = last ? left : std::min(left, model.phases[i].mcs);
    result.push_back(fmt::format("phases.{}.mcs={}", i, length));
    left -= length;
  }
  return result;
}

}  // namespace

Model load_model(const std::string& file, const std::vector<std::string>& set, std::optional<uint64_t> seed,
                 std::optional<int64_t> mcs, const std::vector<Override>& varied) {
  if (mcs && *mcs < 0) throw UserError(fmt::format("--mcs is {}, but must be at least 0.", *mcs));
  std::vector<Override> changes;
  for (const std::string& text : set) changes.push_back(parse_override(text));
  if (seed) changes.push_back(parse_override(fmt::format("seed={}", *seed)));
  changes.insert(changes.end(), varied.begin(), varied.end());
  Model model = read(file, changes);
  if (!mcs) return model;
  for (const std::string& text : length_overrides(model, *mcs)) changes.push_back(parse_override(text));
  return read(file, changes);
}

}  // namespace kiln
