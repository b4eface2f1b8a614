#include "simulation/sweep/folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "output/table/motility_tables.hpp"
#include "output/table/tables.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

// What could be resumed goes first.
constexpr const char* kSweepFiles[] = {".sweep.journal", "sweep.json", "sweep.csv", "measures.csv",
                                       "model.toml"};

// Leftovers do not count: a process that died at its start must not be in the way of the next.
bool is_used(const fs::path& path) {
  return fs::exists(path) && std::any_of(fs::directory_iterator(path), {}, [](const auto& entry) {
           return !is_leftover(entry.path().filename().string());
         });
}
bool has_journal(const fs::path& path) { return fs::exists(SweepJournal::path_in(path)); }

void require_folder(const fs::path& path) {
  if (fs::exists(path) && !fs::is_directory(path))
    throw UserError(fmt::format("{} is a file; a sweep needs a folder of its own (--out).", path.string()));
}
void require_sweep(const fs::path& path) {
  if (!has_journal(path) && shard_folders_in(path).empty())
    throw UserError(fmt::format("{} holds files but no sweep; give another --out.", path.string()));
}

void check(const fs::path& path, IfExists if_exists) {
  require_folder(path);
  if (!is_used(path)) return;
  if (if_exists == IfExists::refuse)
    throw UserError(
        fmt::format("{} exists and is not empty; give another --out, --force to replace the sweep in it, or "
                    "--resume to go on with it.",
                    path.string()));
  require_sweep(path);
}

// Where a shard is played: other shards may come and go meanwhile.
void check_around(const fs::path& out, IfExists if_exists, const std::string& about) {
  require_folder(out);
  if (!is_used(out)) return;
  require_sweep(out);
  if (!has_journal(out)) return;
  if (if_exists != IfExists::resume)
    throw UserError(
        fmt::format("{} holds a whole sweep, which a shard does not replace; give another --out, or --resume "
                    "to go on with it.",
                    out.string()));
  SweepJournal::runs_in(out, about);
}

void lock_shard(std::optional<FolderLock>& lock, const fs::path& folder) {
  try {
    lock.emplace(folder);
  } catch (const UserError&) {
    throw UserError(
        fmt::format("the shard in {} is still being played; wait until it ends.", folder.string()));
  }
}

// Calls use(folder) for every shard, with its lock held.
template <class Use>
void with_shards(const fs::path& out, const Use& use) {
  for (const fs::path& folder : shard_folders_in(out)) {
    std::optional<FolderLock> lock;
    lock_shard(lock, folder);
    use(folder);
  }
}

void remove_files(const fs::path& path) {
  for (const char* name : kSweepFiles) fs::remove_all(path / name);
  remove_leftovers(path);
}

// Files of other kinds stay, and their folder with them.
void remove_shards(const fs::path& out) {
  with_shards(out, [](const fs::path&) {});  // all or none
  with_shards(out, [](const fs::path& folder) {
    std::error_code not_empty;
    remove_files(folder);
    fs::remove(folder, not_empty);
  });
}

SweepJournal::Runs runs_of_shards(const fs::path& out, const std::string& about) {
  SweepJournal::Runs runs;
  with_shards(out, [&](const fs::path& folder) { runs.merge(SweepJournal::runs_in(folder, about)); });
  return runs;
}

std::string line_of(const std::vector<std::string>& columns) {
  const std::vector<TableValue> fields(columns.begin(), columns.end());
  return csv_line(fields) + "\n";
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// What names a run in the tables.
std::vector<std::string> names_of(const Sweep& sweep) {
  std::vector<std::string> names;
  for (const Variation& variation : sweep.variations()) names.push_back(variation.key);
  return joined(names, names_of(sweep_columns().first(2)));
}
std::string start_of(const Sweep& sweep, const SweepRun& run) {
  const std::vector<std::string>& values = sweep.combinations()[run.combination].values;
  std::vector<TableValue> fields(values.begin(), values.end());
  fields.push_back(run.replica);
  fields.push_back(int64_t(run.seed));
  return csv_line(fields) + ",";
}

// Of the last phase, over the first interval.
SpeedSums speeds_to_tell(const Model& model, const ReplicaResult& result) {
  SpeedSums told;
  told.interval_mcs = model.measure.speed_intervals_mcs.front();
  for (const SpeedSums& sums : result.speeds)
    if (sums.interval_mcs == told.interval_mcs) told = sums;
  return told;
}

std::string summary_of(const Model& model, const ReplicaResult& result) {
  std::vector<TableValue> fields = {std::string_view(result.hash)};
  if (result.rows.empty()) {
    fields.resize(fields.size() + measures_columns(model).size(), kUndefined);
  } else {
    const std::vector<TableValue> last = measures_fields(result.rows.back());
    fields.insert(fields.end(), last.begin(), last.end());
  }
  if (!model.measure.speed_intervals_mcs.empty()) {
    const std::vector<TableValue> speeds = motility_fields(speeds_to_tell(model, result), model);
    fields.insert(fields.end(), speeds.begin(), speeds.end());
  }
  return csv_line(fields);
}

// `write(stream)` writes all rows.
template <class Write>
void write_table(const fs::path& path, const std::vector<std::string>& columns, const Write& write) {
  write_atomically(path, [&](const fs::path& temporary) {
    std::ofstream out(temporary, std::ios::binary);
    out << line_of(columns);
    write(out);
    if (!out.flush()) throw Failure(fmt::format("cannot write {}", path.string()));
  });
}

}  // namespace

SweepFolder::SweepFolder(const fs::path& out, IfExists if_exists, const Model& base,
                         const std::string& schedule, const std::optional<Shard>& shard)
    : path_(shard ? out / shard->folder_name() : out) {
  const std::string about = schedule + "\n" + base.resolved;
  SweepJournal::Runs of_shards;
  try {
    if (shard) check_around(out, if_exists, about);
    check(path_, if_exists);
    fs::create_directories(path_);
    lock_.emplace(path_);
    if (if_exists == IfExists::replace) {
      remove_shards(path_);
      remove_files(path_);
    }
    remove_leftovers(path_);
    of_shards = runs_of_shards(path_, about);
  } catch (const fs::filesystem_error& e) {
    throw UserError(fmt::format("cannot use {} for the sweep: {}.", path_.string(), e.code().message()));
  }
  journal_.emplace(path_, about, std::move(of_shards));
  write_text_atomically(path_ / "model.toml", base.resolved);
}

void SweepFolder::add(const SweepRun& run, const Model& model, const ReplicaResult& result) {
  SweepRows rows{summary_of(model, result), {}};
  for (const MeasureRow& row : result.rows) rows.measures.push_back(csv_line(measures_fields(row)));
  journal_->add(run.name, std::move(rows));
}

void SweepFolder::write_tables(const Sweep& sweep) const {
  const Model& model = sweep.first_model();
  const std::vector<std::string> names = names_of(sweep), measures = measures_columns(model);
  std::vector<std::string> summary = joined(joined(names, names_of(sweep_columns().last(1))), measures);
  if (!model.measure.speed_intervals_mcs.empty()) summary = joined(summary, names_of(motility_columns()));
  write_table(path_ / "sweep.csv", summary, [&](std::ostream& out) {
    for (const SweepRun& run : sweep.runs())
      if (const SweepRows* rows = journal_->find(run.name))
        out << start_of(sweep, run) << rows->summary << '\n';
  });
  write_table(path_ / "measures.csv", joined(names, measures), [&](std::ostream& out) {
    for (const SweepRun& run : sweep.runs())
      if (const SweepRows* rows = journal_->find(run.name))
        for (const std::string& row : rows->measures) out << start_of(sweep, run) << row << '\n';
  });
}

void SweepFolder::write_record(const std::string& json) const {
  write_text_atomically(path_ / "sweep.json", json);
}

SweepProgress progress_in(const SweepFolder& folder, const Sweep& sweep) {
  SweepProgress progress;
  for (const SweepRun& run : sweep.runs()) {
    progress.finished += folder.has(run) ? 1 : 0;
    progress.all_mcs += folder.has(run) ? 0 : sweep.mcs_of(run);
  }
  return progress;
}

std::vector<FailedRun> play_into(SweepFolder& folder, Sweep& sweep,
                                 const std::function<bool(const SweepProgress&)>& go_on) {
  SweepProgress progress = progress_in(folder, sweep);
  std::vector<FailedRun> failed;
  SweepEvents events;
  events.is_wanted = [&](const SweepRun& run) { return !folder.has(run); };
  events.finished = [&](const SweepRun& run, const Model& model, const ReplicaResult& result) {
    folder.add(run, model, result);
    progress.finished += 1;
  };
  events.failed = [&](const SweepRun& run, const std::string& why) { failed.push_back({run, why}); };
  events.go_on = [&](int64_t mcs) {
    progress.mcs = mcs;
    return go_on(progress);
  };
  sweep.play(events);
  std::sort(failed.begin(), failed.end(), [](const FailedRun& a, const FailedRun& b) {
    return std::pair(a.run.combination, a.run.replica) < std::pair(b.run.combination, b.run.replica);
  });
  return failed;
}

}  // namespace kiln
