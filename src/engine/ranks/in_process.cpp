#include "engine/ranks/in_process.hpp"

#include <atomic>
#include <chrono>

namespace kiln {

class InProcess::Member : public Exchange {
 public:
  Member(InProcess& all, int rank) : all_(all), rank_(rank) {}
  int rank() const override { return rank_; }
  int ranks() const override { return int(all_.boxes_.size()); }

  void swap(std::span<const int> to, std::span<Message> out, std::vector<Message>& in) override {
    for (std::size_t k = 0; k < to.size(); ++k) {
      Box& box = *all_.boxes_[std::size_t(to[k])];
      {
        const std::lock_guard hold(box.lock);
        Line& line = box.from[std::size_t(rank_)];
        line.message[line.sent++ % 2].swap(out[k]);
      }
      box.arrived.notify_one();
    }
    in.resize(to.size());
    Box& mine = *all_.boxes_[std::size_t(rank_)];
    std::unique_lock hold(mine.lock);
    for (std::size_t k = 0; k < to.size(); ++k) {
      Line& line = mine.from[std::size_t(to[k])];
      all_.wait(hold, mine.arrived, [&] { return line.sent != line.taken || all_.closed_; });
      if (line.sent == line.taken) throw RankGone();
      in[k].swap(line.message[line.taken++ % 2]);
    }
  }

  uint64_t sum(uint64_t here) override {
    Vote& vote = all_.vote_;
    std::unique_lock hold(vote.lock);
    const uint64_t number = vote.number;
    vote.sum += here;
    if (++vote.votes == ranks()) {
      vote.outcome = vote.sum;
      vote.sum = 0;
      vote.votes = 0;
      vote.number += 1;
      vote.over.notify_all();
    } else {
      all_.wait(hold, vote.over, [&] { return vote.number != number || all_.closed_; });
      if (vote.number == number) throw RankGone();
    }
    return vote.outcome;
  }

 private:
  InProcess& all_;
  int rank_;
};

// Sleep and wake-up take longer than most waits.
template <class Ready>
void InProcess::wait(std::unique_lock<std::mutex>& hold, std::condition_variable& sign,
                     const Ready& ready) const {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + std::chrono::microseconds(spins_ ? 200 : 0);
       !ready() && Clock::now() < end;) {
    hold.unlock();
    for (int i = 0; i < 50; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
    hold.lock();
  }
  sign.wait(hold, ready);
}

InProcess::InProcess(int ranks, bool spins) : spins_(spins) {
  for (int rank = 0; rank < ranks; ++rank) {
    boxes_.push_back(std::make_unique<Box>());
    boxes_.back()->from.resize(std::size_t(ranks));
  }
  for (int rank = 0; rank < ranks; ++rank) members_.push_back(std::make_unique<Member>(*this, rank));
}

InProcess::~InProcess() = default;

void InProcess::close() {
  std::vector<std::unique_lock<std::mutex>> all;
  for (auto& box : boxes_) all.emplace_back(box->lock);
  all.emplace_back(vote_.lock);
  closed_ = true;
  for (auto& box : boxes_) box->arrived.notify_all();
  vote_.over.notify_all();
}

}  // namespace kiln
