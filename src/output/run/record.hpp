// What a run was and how it went: `run.json`, and the object that `kiln run --json` prints.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

// The state of another run that a run began from.
struct BranchPoint {
  std::string file;  // its checkpoint
  std::string hash;
  int64_t mcs = 0;
};

struct RunRecord {
  std::string version;  // of Kiln
  std::string model;    // the model's file, as given
  std::string title;
  uint64_t seed = 0;
  std::string engine, schedule;
  std::string settings;       // what the schedule derived from the model, in words
  std::string device;         // what it ran on: a processor or a GPU
  std::string started;        // ISO 8601, UTC
  double seconds = 0;         // of computing, without what came before and after
  double output_seconds = 0;  // in which computing stood still for measures, pictures and files
  double seconds_in_all = 0;  // with what came before and after, over all parts of a run that was resumed
  int64_t mcs = 0;            // at the end
  int64_t cells = 0;          // that live at the end
  int64_t sites = 0;
  double site_updates_per_second = 0;
  std::string hash;
  bool interrupted = false;
  std::string stopped_by;           // what interrupted it, as "SIGTERM" or "the time limit"
  std::optional<BranchPoint> from;  // none: it began with the model's first state
  std::string steered_by;           // the program that changed it on the way, as "Python"; "": none
  std::string out;                  // the run's folder
  std::vector<std::string> notes;
};

// Everything, one key per line.
std::string run_json(const RunRecord& record);

// Whether the run.json in this file was written at the end of a run that came to this state.
bool is_record_of(const std::filesystem::path& file, const std::string& hash);

// What a run.json says of where a run began and where it came to: version, schedule, mcs, hash, interrupted
// and from; all else stays empty. None where there is no such file.
std::optional<RunRecord> read_record(const std::filesystem::path& file);

// One line with hash, mcs, cells, engine, schedule, seconds, site_updates_per_second, out.
std::string summary_json(const RunRecord& record);

// 2026-03-01T14:05:09Z
std::string iso_time(std::chrono::system_clock::time_point time);

// The processor, as "AMD EPYC 9654", and with the number of threads that work on it, as "AMD EPYC 9654, 16
// threads".
std::string processor_name();
std::string processor_name(int threads);

}  // namespace kiln
