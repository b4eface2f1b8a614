#include "mpi/mpi_exchange.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <limits>
#include <stdexcept>

namespace kiln {

MpiSession::MpiSession(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) throw std::runtime_error("this MPI does not allow threads beside it");
}

MpiSession::~MpiSession() { MPI_Finalize(); }

struct MpiExchange::World {
  MPI_Comm all = MPI_COMM_NULL;
  std::vector<MPI_Request> sending;
};

// A communicator of its own, so that its messages are not taken for anybody else's.
MpiExchange::MpiExchange() : world_(new World) {
  MPI_Comm_dup(MPI_COMM_WORLD, &world_->all);
  MPI_Comm_rank(world_->all, &rank_);
  MPI_Comm_size(world_->all, &ranks_);
}

MpiExchange::~MpiExchange() {
  MPI_Comm_free(&world_->all);
  delete world_;
}

void MpiExchange::swap(std::span<const int> to, std::span<Message> out, std::vector<Message>& in) {
  constexpr int kTag = 1;
  world_->sending.resize(to.size());
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (out[k].size() > std::size_t(std::numeric_limits<int>::max()))
      throw std::length_error("a message to another rank is longer than 2 GiB");
    MPI_Isend(out[k].data(), int(out[k].size()), MPI_BYTE, to[k], kTag, world_->all, &world_->sending[k]);
  }
  in.resize(to.size());
  for (std::size_t k = 0; k < to.size(); ++k) {
    MPI_Message arrived;
    MPI_Status status;
    int bytes = 0;
    MPI_Mprobe(to[k], kTag, world_->all, &arrived, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    in[k].resize(std::size_t(bytes));
    MPI_Mrecv(in[k].data(), bytes, MPI_BYTE, &arrived, MPI_STATUS_IGNORE);
  }
  MPI_Waitall(int(world_->sending.size()), world_->sending.data(), MPI_STATUSES_IGNORE);
}

uint64_t MpiExchange::sum(uint64_t here) {
  uint64_t all = 0;
  MPI_Allreduce(&here, &all, 1, MPI_UINT64_T, MPI_SUM, world_->all);
  return all;
}

}  // namespace kiln
