// Ranks that are processes, on one machine or many: messages by MPI, from memory of the host, and of the
// device where the MPI says that it can (or KILN_MPI_GPU=direct that it should).
#pragma once

#include "engine/ranks/processes.hpp"

namespace kiln {

// MPI, from its start to its end. One per process; only the thread that made it may talk.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
};

// Between all processes that were started together. Each rank makes one, all of them together.
class MpiExchange : public Processes, private DeviceExchange {
 public:
  MpiExchange();
  ~MpiExchange() override;

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  void swap(std::span<const int> to, std::span<Message> out, std::vector<Message>& in) override;
  DeviceExchange* of_device_memory() override;
  uint64_t sum(uint64_t here) override;

  std::string host() const override;
  int ranks_here() const override { return ranks_here_; }
  int rank_here() const override { return rank_here_; }
  [[noreturn]] void end_all(int code) override;

 private:
  void swap(std::span<const int> to, std::span<const std::span<const std::byte>> out,
            const Room& room) override;

  struct World;  // of MPI's own types
  World* world_;
  int rank_ = 0, ranks_ = 1, ranks_here_ = 1, rank_here_ = 0;
};

}  // namespace kiln
