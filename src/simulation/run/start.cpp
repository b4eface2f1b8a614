#include "simulation/run/start.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "model/branch.hpp"
#include "model/file/compare.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

bool is_length(const std::string& key) {
  return key == "mcs" || (key.starts_with("phases.") && key.ends_with(".mcs"));
}

// A resumed run may change how long it goes on, and nothing else.
void check_same_model(const Model& model, const FoundCheckpoint& found) {
  std::vector<KeyDifference> differences =
      model_differences(parse_document(found.checkpoint.info.model, found.file.string()),
                        parse_document(model.resolved, model.source));
  std::erase_if(differences, [](const KeyDifference& d) { return is_length(d.key); });
  if (differences.empty()) return;
  const KeyDifference& first = differences.front();
  const auto value = [](const std::string& text) { return text.empty() ? "not given" : text; };
  throw UserError(fmt::format(
      "{} belongs to another model than the one given: {} is {} there and {} here{}. Only the number of MCS "
      "may change on --resume. (--from starts a new run from it.)",
      found.file.string(), first.key, value(first.one), value(first.other),
      differences.size() == 1 ? ""
                              : fmt::format(", and {} more {}", differences.size() - 1,
                                            differences.size() == 2 ? "key differs" : "keys differ")));
}

// The model that a steered run has come to, as long as the one that is given.
std::shared_ptr<const Model> steered_model(const Model& given, const Steering& steering) {
  const Node root = parse_document(steering.model, given.source);
  const Model model = make_model(root, given.source, given.folder);
  return std::make_shared<const Model>(
      make_model(root, given.source, given.folder, length_overrides(model, given.total_mcs())));
}

// A damaged checkpoint that is passed over, in words.
void note_refused(const FoundCheckpoint& found, RunStart& start) {
  if (!found.refused.empty())
    start.notes.push_back(fmt::format("{} The one before it is used instead: {}, MCS {}.", found.refused,
                                      found.file.string(), found.checkpoint.state.mcs));
}

void check_length(const Model& model, int64_t mcs, const std::string& where) {
  if (mcs > model.total_mcs())
    throw UserError(fmt::format("{} stands at MCS {}, beyond the {} that this run has; give a larger --mcs.",
                                where, mcs, model.total_mcs()));
}

RunStart resume(const Model& model, const RunFolder& folder, FoundCheckpoint found, bool steered) {
  check_same_model(model, found);
  check_length(model, found.checkpoint.state.mcs, folder.path.string());
  RunStart start;
  if (const std::optional<Steering>& steering = found.checkpoint.info.steering) {
    if (steering->changed && !steered)
      throw UserError(
          fmt::format("{} was steered by {}, and can only go on with what steered it{}.",
                      folder.path.string(), steering->by,
                      steering->by.starts_with("kiln run") ? "" : ": kiln.run(..., call=..., resume=True)"));
    if (!steering->model.empty()) start.model = steered_model(model, *steering);
  }
  note_refused(found, start);
  if (found.checkpoint.state.ids.empty()) start.stored = fs::absolute(found.file).string();
  start.cells = found.checkpoint.cells;
  start.state = std::move(found.checkpoint.state);
  start.resumed = std::move(found);
  return start;
}

FoundCheckpoint checkpoint_of(const fs::path& source) {
  if (!fs::is_directory(source)) return {read_checkpoint(source), source, ""};
  std::optional<FoundCheckpoint> found = find_checkpoint({source});
  if (!found) throw UserError(fmt::format("{} holds no checkpoint to start from (--from).", source.string()));
  return std::move(*found);
}

RunStart branch(const Model& model, const RunFolder& folder, const fs::path& source) {
  const fs::path its_folder = fs::is_directory(source) ? source : source.parent_path();
  std::error_code error;
  if (fs::equivalent(folder.path, its_folder.empty() ? "." : its_folder, error))
    throw UserError(
        fmt::format("a run cannot start from {} in the same folder; give another --out.", source.string()));
  FoundCheckpoint found = checkpoint_of(source);
  RunStart start;
  note_refused(found, start);
  start.from = BranchPoint{found.file.string(), found.checkpoint.hash, found.checkpoint.state.mcs};
  check_length(model, start.from->mcs, start.from->file);
  require_memory(model);
  start.state = branched_state(model, std::move(found.checkpoint.state), found.checkpoint.info.types,
                               start.from->file, found.checkpoint.info.properties);
  start.cells = start.state.cells.count();
  return start;
}

}  // namespace

RunStart find_start(const StartOptions& options, const Model& model, const RunFolder& folder) {
  if (options.resume)
    if (std::optional<FoundCheckpoint> found = find_checkpoint(folder, options.read))
      return resume(model, folder, std::move(*found), options.steered);
  if (!options.from.empty()) return branch(model, folder, options.from);
  require_memory(model, options.memory);
  RunStart start;
  start.build = options.together;
  if (start.build) return start;
  start.state = initial_state(model, &start.notes);
  start.cells = start.state.cells.count();
  return start;
}

EngineOptions engine_for(EngineOptions options, const RunStart& start, const RunFolder& folder,
                         std::vector<std::string>* notes) {
  options.notes = notes;
  options.stored = start.stored;
  options.build = start.build;
  if (!start.resumed) return options;
  const std::string& began = start.resumed->checkpoint.info.schedule;
  const bool serial_asked = options.engine == "serial" || options.schedule == "serial";
  const bool other_engine = options.engine != "auto" && serial_asked != (began == "serial");
  if (other_engine || (!options.schedule.empty() && options.schedule != began))
    throw UserError(
        fmt::format("{} was begun with the schedule {}, and can only be resumed with it; leave --engine and "
                    "--schedule out, or start a new run.",
                    folder.path.string(), began));
  options.schedule = began;
  if (began == "serial") options.engine = "serial";
  return options;
}

}  // namespace kiln
