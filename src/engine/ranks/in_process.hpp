// Ranks that are threads of one process.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "engine/ranks/exchange.hpp"

namespace kiln {

// What a rank is told that waits for one which has failed.
struct RankGone {};

class InProcess {
 public:
  // `spins`: ranks that wait look for a while before they sleep, for they leave cores free.
  explicit InProcess(int ranks, bool spins = false);
  ~InProcess();

  Exchange& of(int rank) { return *members_[std::size_t(rank)]; }
  // No more messages will come: whoever waits, or comes to, gets RankGone.
  void close();

 private:
  class Member;
  template <class Ready>
  void wait(std::unique_lock<std::mutex>& hold, std::condition_variable& sign, const Ready& ready) const;
  // Of messages from one to another. A third is never sent before the first is taken: whoever sends it has an
  // answer to the second, which nobody gives before having taken the first.
  struct Line {
    Message message[2];
    unsigned sent = 0, taken = 0;
  };
  struct Box {
    std::mutex lock;
    std::condition_variable arrived;
    std::vector<Line> from;  // by rank
  };
  struct Vote {
    std::mutex lock;
    std::condition_variable over;
    int votes = 0;
    uint64_t sum = 0, outcome = 0;
    uint64_t number = 0;
  };

  std::vector<std::unique_ptr<Box>> boxes_;  // by rank that is written to
  Vote vote_;
  bool closed_ = false;  // written under all locks
  bool spins_;
  std::vector<std::unique_ptr<Exchange>> members_;
};

}  // namespace kiln
