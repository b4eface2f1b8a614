#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/demo.hpp"
#include "core/error.hpp"
#include "model/read.hpp"

namespace kiln {
namespace {

Model read(const std::string& file, const std::vector<std::string>& set) {
  if (file.empty()) return parse_model(kDemoModel, "demo.toml", ".", set);
  return read_model(file, set);
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
                 std::optional<int64_t> mcs) {
  if (mcs && *mcs < 0) throw UserError(fmt::format("--mcs is {}, but must be at least 0.", *mcs));
  std::vector<std::string> overrides = set;
  if (seed) overrides.push_back(fmt::format("seed={}", *seed));
  Model model = read(file, overrides);
  if (!mcs) return model;
  for (const std::string& o : length_overrides(model, *mcs)) overrides.push_back(o);
  return read(file, overrides);
}

}  // namespace kiln
