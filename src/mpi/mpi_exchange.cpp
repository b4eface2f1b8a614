#include "mpi/mpi_exchange.hpp"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <thread>

namespace kiln {
namespace {

// Waits at first as long as it takes to play a round, asking all the time; then lets others have the core,
// who may be drawing a picture for a long time.
class Patience {
 public:
  void wait() {
    asked_ += 1;
    if (asked_ < kImpatient) return;
    std::this_thread::sleep_for(asked_ < kPatient ? std::chrono::microseconds(20)
                                                  : std::chrono::microseconds(500));
  }

 private:
  static constexpr int kImpatient = 20'000;  // questions: some milliseconds
  static constexpr int kPatient = kImpatient + 5'000;
  int asked_ = 0;
};

}  // namespace

MpiSession::MpiSession() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
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
  MPI_Comm here;
  MPI_Comm_split_type(world_->all, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &ranks_here_);
  MPI_Comm_rank(here, &rank_here_);
  MPI_Comm_free(&here);
}

MpiExchange::~MpiExchange() {
  MPI_Comm_free(&world_->all);
  delete world_;
}

void MpiExchange::swap(std::span<const int> to, std::span<Message> out, std::vector<Message>& in) {
  const std::vector<std::span<const std::byte>> sent(out.begin(), out.end());
  in.resize(to.size());
  swap(to, sent, [&](std::size_t k, std::size_t bytes) {
    in[k].resize(bytes);
    return in[k].data();
  });
}

void MpiExchange::swap(std::span<const int> to, std::span<const std::span<const std::byte>> out,
                       const Room& room) {
  constexpr int kTag = 1;
  world_->sending.resize(to.size());
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (out[k].size() > std::size_t(std::numeric_limits<int>::max()))
      throw std::length_error("a message to another rank is longer than 2 GiB");
    MPI_Isend(out[k].data(), int(out[k].size()), MPI_BYTE, to[k], kTag, world_->all, &world_->sending[k]);
  }
  for (std::size_t k = 0; k < to.size(); ++k) {
    MPI_Message arrived;
    MPI_Status status;
    int has_come = 0, bytes = 0;
    for (Patience patience;; patience.wait()) {
      MPI_Improbe(to[k], kTag, world_->all, &has_come, &arrived, &status);
      if (has_come) break;
    }
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    MPI_Mrecv(room(k, std::size_t(bytes)), bytes, MPI_BYTE, &arrived, MPI_STATUS_IGNORE);
  }
  MPI_Waitall(int(world_->sending.size()), world_->sending.data(), MPI_STATUSES_IGNORE);
}

// Open MPI and MPICH answer at run time whether they were built for it; others have no such function.
DeviceExchange* MpiExchange::of_device_memory() {
  const char* const asked = std::getenv("KILN_MPI_GPU");
  if (asked != nullptr && *asked != '\0') return std::strcmp(asked, "direct") == 0 ? this : nullptr;
  auto* const query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
  return query != nullptr && query() != 0 ? this : nullptr;
}

uint64_t MpiExchange::sum(uint64_t here) {
  uint64_t all = 0;
  MPI_Allreduce(&here, &all, 1, MPI_UINT64_T, MPI_SUM, world_->all);
  return all;
}

std::string MpiExchange::host() const {
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0;
  MPI_Get_processor_name(name, &length);
  return {name, std::size_t(length)};
}

void MpiExchange::end_all(int code) {
  MPI_Abort(world_->all, code);
  std::abort();
}

}  // namespace kiln
