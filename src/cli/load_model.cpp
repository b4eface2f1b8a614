#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/demo.hpp"
#include "model/file/compare.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

Model read(const std::string& file, const std::vector<Override>& changes) {
  if (file.empty()) return make_model(parse_document(kDemoModel, "demo.toml"), "demo.toml", ".", changes);
  return make_model(parse_document(model_text(file), file), file,
                    std::filesystem::path(file).parent_path().string(), changes);
}

}  // namespace

std::string given_text(const std::string& file) { return file.empty() ? kDemoModel : model_text(file); }

Model load_model(const std::string& file, const std::vector<std::string>& set, std::optional<uint64_t> seed,
                 std::optional<int64_t> mcs, const std::vector<Override>& varied) {
  if (mcs && *mcs < 0) throw UserError(fmt::format("--mcs is {}, but must be at least 0.", *mcs));
  std::vector<Override> changes;
  for (const std::string& text : set) changes.push_back(parse_override(text));
  if (seed) changes.push_back(parse_override(fmt::format("seed={}", *seed)));
  changes.insert(changes.end(), varied.begin(), varied.end());
  Model model = read(file, changes);
  if (!mcs) return model;
  for (Override& change : length_overrides(model, *mcs)) changes.push_back(std::move(change));
  return read(file, changes);
}

}  // namespace kiln
