// The processes of a run. The first leads: it reads and writes files, talks to people, and tells the others,
// call by call, what to do. They know the model and their bricks, and nothing of folders and tables.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "engine/ranks/processes.hpp"

namespace kiln {

enum class Order : uint32_t {
  begin,    // take a part of a tissue
  gather,   // the same, from a checkpoint that all read
  build,    // the same, of the model's first state, which all build
  check,    // whether a checkpoint's parts are good
  advance,  // so many MCS
  hash,     // answer with what the part adds to it
  cells,    // send what is known of cells
  slice,    // the same, of the own slice of their numbers
  sites,    // send the sites
  box,      // send the own sites of a box
  bounds,   // answer with a box around own sites of some types
  keep,     // write the part into a file: a kind of it, and a folder
  // Surveys of the own sites (engine/ranks/lead_survey.hpp), with a stride where they are of a sample, and
  // with the number of cells where it takes all ranks together; thinned_sites with a step.
  contacts,
  touching,
  frozen_sites,
  tracked_sites,
  thinned_sites,
  thinned_sites_with_act,
  sites_of_sample,
  pairs_of_sample,
  fragmented_cells,
  wide_cells,
  leave,
};

class Crew {
 public:
  explicit Crew(std::unique_ptr<Processes> processes);

  Processes& processes() { return *processes_; }
  int ranks() const { return processes_->ranks(); }
  bool leads() const { return processes_->rank() == 0; }

  // By all ranks, before any order. `plan` is what is to be played, in all detail. The first rank throws
  // UserError where another has other plans, another version of Kiln, or could not make any; the others are
  // told whether they are needed.
  bool meet(const std::string& plan);
  // By a rank that has no plan: `why`, for the first to tell.
  void stay_away(const std::string& why);
  bool has_met() const { return has_met_; }
  bool is_manned() const { return is_manned_; }  // orders are given, or followed

  // The first rank gives orders. Every other has to answer each of them, with a message that may be empty.
  void order(Order order, int64_t value = 0);
  std::vector<Message> answers();            // by rank, without the first
  bool is_busy() const { return is_busy_; }  // answers are missing: others may wait for this rank
  // The other ranks.
  std::pair<Order, int64_t> next_order();
  void answer(Message&& message = {});

  // What a rank has for one that waits for it, of any length.
  void send(int to, std::span<const std::byte> bytes);
  void receive(int from, std::span<std::byte> bytes);

 private:
  std::vector<Message> hear_from_all(const Message& message);
  bool show_badge(const std::string& plan, const std::string& why_not);

  std::unique_ptr<Processes> processes_;
  std::vector<int> others_;
  bool has_met_ = false, is_manned_ = false, is_busy_ = false;
};

// Numbers, and how many they are.
template <class T>
void send_numbers(Crew& crew, int to, std::span<const T> numbers) {
  const uint64_t count = numbers.size();
  crew.send(to, std::as_bytes(std::span(&count, 1)));
  crew.send(to, std::as_bytes(numbers));
}
// `make(count)` gives the memory for so many.
template <class T, class Make>
void receive_numbers(Crew& crew, int from, const Make& make) {
  uint64_t count = 0;
  crew.receive(from, std::as_writable_bytes(std::span(&count, 1)));
  T* const numbers = make(std::size_t(count));
  crew.receive(from, std::as_writable_bytes(std::span(numbers, std::size_t(count))));
}
template <class T>
std::vector<T> receive_numbers(Crew& crew, int from) {
  std::vector<T> numbers;
  receive_numbers<T>(crew, from, [&](std::size_t count) {
    numbers.resize(count);
    return numbers.data();
  });
  return numbers;
}

}  // namespace kiln
