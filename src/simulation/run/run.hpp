// A run with its folder: what `kiln run` and kiln.run of Python do, from the first look at the folder to
// run.json.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "output/run/record.hpp"
#include "output/run/writer.hpp"
#include "simulation/run/runner.hpp"
#include "simulation/run/start.hpp"
#include "simulation/run/stopwatch.hpp"

namespace kiln {

struct RunSettings {
  EngineOptions engine;
  std::filesystem::path
      out;                   // empty: runs/NAME, or with --resume off the first of runs/NAME-2, ... to be had
  std::string name = "run";  // NAME
  std::string given;         // the model as it was given, for source.toml
  std::filesystem::path input;  // the file that it was read from; empty: none
  std::filesystem::path from;   // another run's folder, or a checkpoint, to branch off
  IfExists if_exists = IfExists::refuse;
  WallTimes times;
  Controller* controller = nullptr;
};

class Run {
 public:
  using Clock = WallClock::Clock;

  // Finds out where the run begins and makes its engine. Writes nothing; UserError where it cannot start.
  // `started`: when the program did, for the time limit.
  Run(std::shared_ptr<const Model> model, RunSettings settings, Clock::time_point started);

  Simulation& simulation() { return *simulation_; }
  const Model& model() const { return simulation_->model(); }  // as it is now
  const RunFolder& folder() const { return folder_; }
  const RunStart& start() const { return start_; }
  int64_t start_mcs() const { return start_mcs_; }  // of this part of the run
  // One more observer, which must outlive the run.
  void add(Observer& observer) { added_.push_back(&observer); }

  // Runs to the end, or until something ends it, and writes all files. Where the folder holds the finished
  // run already, only fills the record. `interrupt` null: no signal ends it. Failure says what is left.
  Ending go(const InterruptGuard* interrupt);

  // For a controller, while it is asked: goes on under another model, or with another state. UserError where
  // what the tables and files are made of would change.
  void change_model(std::shared_ptr<const Model> model);
  void change_state(State state);
  // Likewise: whether the time limit leaves no time for more, so that it has to let go of the run.
  bool is_time_up() const;

  // After go(); the writer is null where there was nothing left to do.
  const RunRecord& record() const { return record_; }
  const RunWriter* writer() const { return writer_ ? &*writer_ : nullptr; }

 private:
  StartOptions start_options() const;
  bool has_nothing_left_to_do();
  Ending write_and_run(const InterruptGuard* interrupt);
  void fill(Ending ending, const InterruptGuard* interrupt);
  int64_t last_checkpoint() const;

  std::shared_ptr<const Model> given_;
  RunSettings settings_;
  Clock::time_point started_;
  RunFolder folder_;
  std::optional<FolderLock> lock_;
  RunStart start_;
  int64_t start_mcs_ = 0;
  CellId cells_ = 0;
  double first_guess_s_ = 0;
  std::optional<Simulation> simulation_;
  Steering steering_;
  std::vector<Observer*> added_;
  std::optional<Stopwatch> stopwatch_;
  std::optional<WallClock> clock_;  // while it goes on
  std::optional<RunWriter> writer_;
  RunRecord record_;
};

}  // namespace kiln
