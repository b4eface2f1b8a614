// Processes that are threads of the test: what one leads and the others follow, without an MPI.
#pragma once

#include <functional>
#include <stdexcept>
#include <thread>

#include "engine/ranks/brick_player.hpp"
#include "engine/ranks/crew.hpp"
#include "engine/ranks/in_process.hpp"
#include "engine/ranks/lead_engine.hpp"
#include "engine/schedule/tiles_plan.hpp"

namespace kiln::test {

class ThreadAsProcess : public Processes {
 public:
  ThreadAsProcess(Exchange& exchange, std::string host, std::string version = KILN_VERSION)
      : exchange_(exchange), host_(std::move(host)), version_(std::move(version)) {}

  int rank() const override { return exchange_.rank(); }
  int ranks() const override { return exchange_.ranks(); }
  void swap(std::span<const int> to, std::span<Message> out, std::vector<Message>& in) override {
    exchange_.swap(to, out, in);
  }
  uint64_t sum(uint64_t here) override { return exchange_.sum(here); }
  std::string host() const override { return host_; }
  std::string version() const override { return version_; }
  int ranks_here() const override { return ranks(); }
  int rank_here() const override { return rank(); }
  [[noreturn]] void end_all(int) override { throw std::runtime_error("all were ended"); }

 private:
  Exchange& exchange_;
  std::string host_, version_;
};

// What plays the bricks of those that follow.
inline MakeRank ranks_of_one_thread(const Model& model) {
  return ranks_of_threads(model.lattice.dimension, model.seed, tiles::settings_for(model), 1,
                          model.has_stages() ? &model : nullptr);
}

// Every rank calls play(crew); the first on the calling thread. The last may have another version of Kiln.
inline void as_crew(int ranks, const std::function<void(Crew&)>& play,
                    const std::string& version_of_last = KILN_VERSION) {
  InProcess exchange(ranks);
  std::vector<std::thread> others;
  const auto crew_of = [&](int rank) {
    return Crew(std::make_unique<ThreadAsProcess>(exchange.of(rank), "host" + std::to_string(rank),
                                                  rank == ranks - 1 ? version_of_last : KILN_VERSION));
  };
  for (int rank = 1; rank < ranks; ++rank)
    others.emplace_back([&, rank] {
      Crew crew = crew_of(rank);
      play(crew);
    });
  Crew crew = crew_of(0);
  play(crew);
  for (std::thread& other : others) other.join();
}

// lead(crew) is called on the first of so many ranks; the others follow it until it is done.
inline void with_crew(int ranks, const Model& model, const std::function<void(Crew&)>& lead,
                      PartStore* store = nullptr) {
  as_crew(ranks, [&](Crew& crew) {
    crew.meet("plan");
    if (!crew.leads())
      return follow(
          crew, model, ranks_of_one_thread(model), 1, [] { return 0; }, store);
    lead(crew);
    crew.order(Order::leave);
    crew.answers();
  });
}

}  // namespace kiln::test
