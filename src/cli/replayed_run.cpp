#include "cli/replayed_run.hpp"

#include <fmt/format.h>

#include "base/bytes_of_file.hpp"
#include "base/error.hpp"
#include "base/tell.hpp"
#include "base/wording.hpp"
#include "output/state/checkpoint_pair.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

std::optional<BranchPoint> start_of(const Run& run) {
  const RunStart& start = run.start();
  return start.resumed ? start.resumed->checkpoint.info.from : start.from;
}

std::string hash_of(const std::optional<BranchPoint>& from) { return from ? from->hash : ""; }

}  // namespace

ReplayedRun::ReplayedRun(const fs::path& folder) : folder_{folder}, record_(read_record(folder_.record())) {
  if (!fs::exists(folder_.model()))
    throw UserError(fmt::format("{} is not the folder of a run: it has no model.toml.", folder.string()));
  if (record_) return;
  if (const auto found = find_checkpoint(folder_, read_checkpoint_without_state))
    from_of_checkpoint_ = found->checkpoint.info.from;
}

const std::optional<BranchPoint>& ReplayedRun::from() const {
  return record_ ? record_->from : from_of_checkpoint_;
}

void ReplayedRun::complete(RunOptions& options) const {
  if (options.model.empty()) options.model = folder_.model().string();
  EngineOptions& engine = options.engine;
  const bool was_serial = record_ && record_->schedule == "serial";
  const bool fits = engine.engine == "auto" || (engine.engine == "serial") == was_serial;
  if (record_ && fits && engine.schedule.empty()) {
    engine.schedule = record_->schedule;
    if (was_serial) engine.engine = "serial";
  }
  if (!options.from.empty() || !from()) return;
  if (!options.resume && !fs::exists(from()->file))
    throw UserError(
        fmt::format("the run in {} began with the state of MCS {} in {}, which is not there any more; give "
                    "the folder or the checkpoint that has it as --from.",
                    folder_.path.string(), from()->mcs, from()->file));
  options.from = from()->file;
}

void ReplayedRun::check_start(const Run& run, const RunOptions& given) const {
  if (!given.from.empty() || hash_of(start_of(run)) == hash_of(from())) return;
  const std::optional<BranchPoint> start = start_of(run);
  if (!start || !from())
    throw UserError(fmt::format("{} and the run in {} do not begin with the same state.",
                                run.folder().path.string(), folder_.path.string()));
  throw UserError(
      fmt::format("the run in {} began with the state of MCS {} with hash {}, but {} holds that of MCS {} "
                  "with hash {} now; give the folder or the checkpoint that has the former as --from.",
                  folder_.path.string(), from()->mcs, from()->hash, start->file, start->mcs, start->hash));
}

bool ReplayedRun::check_end(const Run& run) const {
  const RunRecord& now = run.record();
  const auto say = [&](const std::string& what) { tell(stderr, "  {}\n", what); };
  const std::string there = folder_.path.string();
  if (!record_ || record_->interrupted || record_->mcs != now.mcs) {
    say(fmt::format("{} has no hash of MCS {} to compare with", there, grouped(double(now.mcs))));
    return true;
  }
  const bool same_model = bytes_of_file(folder_.model()) == bytes_of_file(run.folder().model());
  if (!same_model || hash_of(start_of(run)) != hash_of(from()) || now.schedule != record_->schedule) {
    say(fmt::format("{} had another {}, so its hash is not compared", there,
                    !same_model                         ? "model"
                    : now.schedule != record_->schedule ? "schedule"
                                                        : "first state"));
    return true;
  }
  if (now.hash == record_->hash) {
    say(fmt::format("the same hash as {}", there));
    return true;
  }
  tell(stderr, "kiln: this run has not become that of {}: its hash is {}, and was {} there{}.\n", there,
       now.hash, record_->hash,
       now.version == record_->version
           ? ""
           : fmt::format(", with Kiln {} ({} now)", record_->version, now.version));
  return false;
}

}  // namespace kiln
