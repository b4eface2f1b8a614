// Changes of a run on its way: from a page, or from an earlier run that is played again. All are written down
// with the MCS after which they were made, so that the run can be repeated to the last bit.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "simulation/interrupt.hpp"
#include "simulation/run/controller.hpp"
#include "simulation/run/run.hpp"
#include "view/http/message.hpp"

namespace kiln::view {

// "temperature=30", made after this MCS.
struct Change {
  int64_t mcs = 0;
  std::string set;
};

// steering.jsonl: {"mcs": 120, "set": "temperature=30"}, a line each. UserError where a line is something
// else.
std::vector<Change> read_changes(const std::filesystem::path& file);

// The model with one number changed; UserError in the words of the model file where it may not be.
std::shared_ptr<const Model> changed_model(const Model& model, const std::string& set);

// The numbers that may be changed, with their keys, as JSON.
std::string numbers_json(const Model& model);

// What the run was changed by so far, in its folder.
class ChangeLog {
 public:
  // A run that is resumed goes on with what is there up to where it stands.
  void open(const Run& run);
  // Makes the file, once the folder is there: a run without any change can be repeated, too, and changes
  // after a checkpoint that a run goes back to are gone.
  void begin() const { write(); }
  void add(const Change& change);

 private:
  void write() const;

  std::filesystem::path file_;
  std::vector<Change> changes_;
};

// Plays an earlier run's changes again.
class Replay : public Controller {
 public:
  explicit Replay(std::vector<Change> changes) : changes_(std::move(changes)) {}
  void attach(Run& run);

  std::string name() const override { return "kiln run --replay"; }
  void begin() override { log_.begin(); }
  int64_t next_due(int64_t mcs) const override;
  Answer act() override;

 private:
  std::vector<Change> changes_;
  Run* run_ = nullptr;
  ChangeLog log_;
};

// Takes commands from pages: pause, step, go, set KEY=VALUE.
class Steerer : public Controller {
 public:
  // `while_paused` is called some ten times a second while the run stands still.
  void attach(Run& run, const InterruptGuard& interrupt, std::function<void()> while_paused);

  // For clients; waits until the run has done it. {"do": "pause"|"step"|"go"} or {"do": "set", "set": "..."}.
  http::Reply take(const std::string& command);
  std::string numbers();
  int64_t changes() const { return changes_; }
  // The run has ended: clients that still wait are answered.
  void close();

  // For the run.
  std::string name() const override { return "kiln run --steer"; }
  void begin() override { log_.begin(); }
  // After every MCS while it is paused, so that a step is one.
  int64_t next_due(int64_t mcs) const override { return wants_now_ ? mcs + 1 : kNeverDue; }
  bool wants_now() const override { return wants_now_; }
  Answer act() override;

 private:
  struct Command {
    std::string what, set;
    std::optional<http::Reply> answer = {};
  };
  void carry_out(Command& command);
  void change(Command& command);

  const InterruptGuard* interrupt_ = nullptr;
  Run* run_ = nullptr;
  std::function<void()> while_paused_;
  ChangeLog log_;
  std::atomic<bool> wants_now_ = false;
  std::atomic<int64_t> changes_ = 0;
  std::mutex mutex_;
  std::condition_variable came_, answered_;
  std::deque<std::shared_ptr<Command>> commands_;
  std::string numbers_;
  bool pauses_ = false, steps_ = false, closed_ = false;
};

}  // namespace kiln::view
