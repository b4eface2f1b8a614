#include "view/steerer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "model/file/read.hpp"

namespace kiln::view {
namespace {

constexpr auto kLongestMcs = std::chrono::seconds(30);  // for an MCS to end
constexpr auto kPauseStretch = std::chrono::milliseconds(90);
constexpr std::string_view kSteerable[] = {"temperature", "types", "adhesion", "substances", "phases"};

std::string line_of(const Change& change) {
  JsonObject line;
  line.add("mcs", change.mcs).add("set", change.set);
  return line.line() + "\n";
}

// A text in JSON without escapes, which no key or number needs; none where it is something else.
std::optional<std::string> plain_text(const std::optional<std::string>& json) {
  if (!json || json->size() < 2 || json->front() != '"' || json->back() != '"') return std::nullopt;
  const std::string text = json->substr(1, json->size() - 2);
  if (text.find_first_of("\"\\") != text.npos) return std::nullopt;
  return text;
}

void collect(const Node& node, const std::string& key, std::vector<JsonObject>& to) {
  if (const Node::Table* table = node.table()) {
    for (const Entry& entry : *table) {
      const bool is_plain = entry.key.find_first_of(" .\"'\\=") == entry.key.npos;
      if (is_plain) collect(entry.node, key.empty() ? entry.key : key + "." + entry.key, to);
    }
  } else if (const int64_t* whole = std::get_if<int64_t>(&node.value)) {
    to.emplace_back().add("key", key).add("value", *whole);
  } else if (const double* real = std::get_if<double>(&node.value)) {
    to.emplace_back().add("key", key).add("value", *real);
  }
}

}  // namespace

std::vector<Change> read_changes(const std::filesystem::path& file) {
  std::vector<Change> changes;
  std::ifstream in(file);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::optional<std::string> mcs = json_member(line, "mcs");
    const int64_t when = mcs ? whole_in(*mcs).value_or(0) : 0;
    const std::optional<std::string> set = plain_text(json_member(line, "set"));
    const bool in_order = when >= 1 && (changes.empty() || changes.back().mcs <= when);
    if (!in_order || !set)
      throw UserError(
          fmt::format("{}:{} is no change of a run: a line is {}, with MCS from 1 on that never fall.",
                      file.string(), number, R"({"mcs": 120, "set": "temperature=30"})"));
    changes.push_back({when, *set});
  }
  return changes;
}

std::shared_ptr<const Model> changed_model(const Model& model, const std::string& set) {
  const Override change = parse_override(set);
  const std::string& root = change.path.front();
  const bool is_number = std::holds_alternative<int64_t>(change.value.value) ||
                         std::holds_alternative<double>(change.value.value);
  const bool is_steerable =
      std::find(std::begin(kSteerable), std::end(kSteerable), root) != std::end(kSteerable);
  if (!is_steerable || !is_number)
    throw UserError(
        fmt::format("{} is no number that can be changed on the way: those of temperature, types, adhesion, "
                    "substances and phases can.",
                    set));
  return std::make_shared<const Model>(
      make_model(parse_document(model.resolved, model.source), model.source, model.folder, {change}));
}

std::string numbers_json(const Model& model) {
  const Node root = parse_document(model.resolved, model.source);
  std::vector<JsonObject> numbers;
  for (const std::string_view key : {"temperature", "types", "adhesion", "substances"})
    if (const Node* node = find(root, key)) collect(*node, std::string(key), numbers);
  JsonObject all;
  all.add("numbers", numbers);
  return all.line();
}

void ChangeLog::open(const Run& run) {
  file_ = run.folder().steering();
  changes_.clear();
  if (run.start().resumed && std::filesystem::exists(file_)) changes_ = read_changes(file_);
  std::erase_if(changes_, [&](const Change& change) { return change.mcs > run.start_mcs(); });
}

void ChangeLog::add(const Change& change) {
  changes_.push_back(change);
  write();
}

// Anew each time, since changes are few: the file is whole whatever happens.
void ChangeLog::write() const {
  std::string text;
  for (const Change& one : changes_) text += line_of(one);
  write_text_atomically(file_, text);
}

void Replay::attach(Run& run) {
  run_ = &run;
  log_.open(run);
}

int64_t Replay::next_due(int64_t mcs) const {
  const auto next =
      std::find_if(changes_.begin(), changes_.end(), [&](const Change& c) { return c.mcs > mcs; });
  return next == changes_.end() ? kNeverDue : next->mcs;
}

Controller::Answer Replay::act() {
  const int64_t now = run_->simulation().mcs();
  for (const Change& change : changes_) {
    if (change.mcs != now) continue;
    run_->change_model(changed_model(run_->model(), change.set));
    log_.add(change);
  }
  return Answer::go_on;
}

void Steerer::attach(Run& run, const InterruptGuard& interrupt, std::function<void()> while_paused) {
  run_ = &run;
  interrupt_ = &interrupt;
  while_paused_ = std::move(while_paused);
  log_.open(run);
  const std::lock_guard lock(mutex_);
  numbers_ = numbers_json(run.model());
}

http::Reply Steerer::take(const std::string& text) {
  const std::optional<std::string> what = plain_text(json_member(text, "do"));
  const std::optional<std::string> set = plain_text(json_member(text, "set"));
  const bool known =
      what && (*what == "pause" || *what == "step" || *what == "go" || (*what == "set" && set));
  if (!known)
    return http::reply(400,
                       "A command is {\"do\": \"pause\"}, \"step\", \"go\", or {\"do\": \"set\", \"set\": "
                       "\"temperature=30\"}.\n");
  const auto command = std::make_shared<Command>(Command{*what, set.value_or("")});
  std::unique_lock lock(mutex_);
  constexpr std::size_t kMost = 100;
  if (commands_.size() >= kMost) return http::reply(429, "There are too many commands waiting.\n");
  if (!closed_) {
    commands_.push_back(command);
    wants_now_ = true;
    came_.notify_all();
    answered_.wait_for(lock, kLongestMcs, [&] { return command->answer || closed_; });
  }
  if (command->answer) return *command->answer;
  if (closed_) return http::reply(409, "The run has ended.\n");
  return http::reply(202, "It will be done at the end of this MCS, which takes long.\n");
}

std::string Steerer::numbers() {
  const std::lock_guard lock(mutex_);
  return numbers_;
}

void Steerer::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  answered_.notify_all();
}

// Stays here while the run is paused.
Controller::Answer Steerer::act() {
  while (true) {
    std::unique_lock lock(mutex_);
    while (!commands_.empty()) {
      const std::shared_ptr<Command> command = commands_.front();
      commands_.pop_front();
      lock.unlock();
      carry_out(*command);
      lock.lock();
    }
    // One step goes on, and is back after an MCS.
    const bool steps = std::exchange(steps_, false);
    wants_now_ = pauses_;
    const bool goes_on = !pauses_ || steps || interrupt_->requested() || run_->is_time_up();
    if (!goes_on) {  // clients that are answered find it paused
      lock.unlock();
      while_paused_();
      lock.lock();
    }
    answered_.notify_all();
    if (goes_on) return Answer::go_on;
    came_.wait_for(lock, kPauseStretch, [&] { return !commands_.empty(); });
  }
}

void Steerer::carry_out(Command& command) {
  if (command.what == "set") {
    change(command);
    return;
  }
  const std::lock_guard lock(mutex_);
  pauses_ = command.what != "go";
  steps_ = command.what == "step";
  command.answer = http::json_reply("{}");
}

void Steerer::change(Command& command) {
  std::optional<http::Reply> answer;
  try {
    const int64_t mcs = run_->simulation().mcs();
    const auto model = changed_model(run_->model(), command.set);
    run_->change_model(model);
    log_.add({mcs, command.set});
    ++changes_;
    answer = http::json_reply(fmt::format("{{\"mcs\": {}}}", mcs));
    const std::lock_guard lock(mutex_);
    numbers_ = numbers_json(*model);
  } catch (const UserError& e) {
    answer = http::reply(400, std::string(e.what()) + "\n");
  }
  const std::lock_guard lock(mutex_);
  command.answer = answer;
}

}  // namespace kiln::view
