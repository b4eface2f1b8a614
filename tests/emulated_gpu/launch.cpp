#include "launch.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace kiln::emulated {
namespace {

constexpr unsigned kLanes = 32;
constexpr std::size_t kStackBytes = std::size_t(256) << 10, kGuardBytes = std::size_t(64) << 10;
constexpr int kPoison = 0xCD;  // what nobody has written

// Backward, threads and blocks go in the other order: results that depend on it come out.
bool goes_backward() {
  static const bool backward = [] {
    const char* order = std::getenv("KILN_EMULATED_ORDER");
    return order != nullptr && std::string(order) == "backward";
  }();
  return backward;
}

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "emulated GPU: %s\n", what.c_str());
  std::abort();
}

enum class State { not_begun, ready, gave_way, in_warp, in_block, done };

// A stack, on which one thread of a kernel runs after another.
struct Fiber {
  Fiber() {
    memory = static_cast<unsigned char*>(mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (memory == MAP_FAILED || mprotect(memory, kGuardBytes, PROT_NONE) != 0) die("no memory for a stack");
  }
  ~Fiber() { munmap(memory, kGuardBytes + kStackBytes); }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  unsigned char* memory;
  bool began = false;
  ucontext_t context;
  std::jmp_buf here;
  unsigned long long got[kLanes];  // what the lanes of its thread's warp brought
};

struct Thread {
  State state = State::not_begun;
  Fiber* fiber = nullptr;  // once it has begun
  // Where it waits, and what it brought.
  unsigned mask = 0;
  int what = 0;
  unsigned long long brought = 0;
  bool any = false;
};

// One block at a time, by one thread of the host.
class Block {
 public:
  void play(const Function& function, const Place& block, const Place& blocks, const Place& threads,
            std::size_t shared_bytes, void** arguments);

  const unsigned long long* exchange(unsigned mask, unsigned long long brought, int what);
  bool barrier(bool brought);
  void give_way();

 private:
  static void begin();
  void run_threads();
  void end_thread();
  bool next_thread();
  void show_place();
  void resume(unsigned number);
  void leave();
  void leave_from(Fiber& fiber);
  bool run_warp(unsigned first, unsigned end);
  bool complete(unsigned first, unsigned mask, int what);
  void complete_warp_of(unsigned number);
  void complete_barrier();
  [[noreturn]] void tell_deadlock() const;

  const Function* function_ = nullptr;
  void** arguments_ = nullptr;
  Places* places_ = nullptr;
  Place threads_{};
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
  std::vector<Thread> all_;
  std::vector<unsigned> waiting_;  // lanes, by warp
  unsigned count_ = 0, running_ = 0, done_ = 0, in_barrier_ = 0;
  bool any_ = false, gave_way_ = false;
  std::jmp_buf home_;
};

thread_local Block block_here;

// A fiber whose thread ends goes on with the next one that has not begun: threads that wait for nobody are a
// loop.
void Block::begin() {
  for (;;) block_here.run_threads();
}

[[gnu::noinline]] void Block::run_threads() {
  do {
    function_->kernel->call(arguments_);
    end_thread();
  } while (next_thread());
  idle_.push_back(all_[running_].fiber);
  leave_from(*all_[running_].fiber);
}

void Block::end_thread() {
  all_[running_].state = State::done;
  done_ += 1;
  complete_warp_of(running_);
  complete_barrier();
}

// The one beside it, if that is to begin.
bool Block::next_thread() {
  if (goes_backward() ? running_ == 0 : running_ + 1 == count_) return false;
  const unsigned next = goes_backward() ? running_ - 1 : running_ + 1;
  if (all_[next].state != State::not_begun) return false;
  all_[next].fiber = all_[running_].fiber;
  all_[next].state = State::ready;
  running_ = next;
  show_place();
  return true;
}

void Block::show_place() {
  places_->thread = {running_ % threads_.x, running_ / threads_.x % threads_.y,
                     running_ / (threads_.x * threads_.y)};
}

// _setjmp and _longjmp change stacks without a call of the system.
[[gnu::noinline]] void Block::leave_from(Fiber& fiber) {
  if (_setjmp(fiber.here) == 0) _longjmp(home_, 1);
}

void Block::leave() { leave_from(*all_[running_].fiber); }

[[gnu::noinline]] void Block::resume(unsigned number) {
  Thread& thread = all_[number];
  running_ = number;
  if (thread.state == State::not_begun) {
    if (idle_.empty()) {
      fibers_.push_back(std::make_unique<Fiber>());
      idle_.push_back(fibers_.back().get());
    }
    thread.fiber = idle_.back();
    idle_.pop_back();
    thread.state = State::ready;
  }
  Fiber& fiber = *thread.fiber;
  show_place();
  if (_setjmp(home_) != 0) return;
  if (fiber.began) _longjmp(fiber.here, 1);
  fiber.began = true;
  getcontext(&fiber.context);
  fiber.context.uc_stack = {fiber.memory + kGuardBytes, 0, kStackBytes};
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, &Block::begin, 0);
  setcontext(&fiber.context);
}

// Whether all lanes that are still there have come to the same place; then they go on.
bool Block::complete(unsigned first, unsigned mask, int what) {
  for (unsigned lane = kLanes; lane-- > 0;) {
    const unsigned number = first + lane;
    if ((mask >> lane & 1) == 0 || number >= count_) continue;
    const Thread& other = all_[number];
    if (other.state == State::done) continue;
    if (other.state != State::in_warp || other.mask != mask || other.what != what) return false;
  }
  unsigned long long all[kLanes] = {};
  for (unsigned lane = 0; lane < kLanes && first + lane < count_; ++lane)
    if ((mask >> lane & 1) != 0 && all_[first + lane].state == State::in_warp)
      all[lane] = all_[first + lane].brought;
  for (unsigned lane = 0; lane < kLanes && first + lane < count_; ++lane) {
    Thread& other = all_[first + lane];
    if ((mask >> lane & 1) == 0 || other.state != State::in_warp) continue;
    std::memcpy(other.fiber->got, all, sizeof(all));
    other.state = State::ready;
    waiting_[first / kLanes] -= 1;
  }
  return true;
}

const unsigned long long* Block::exchange(unsigned mask, unsigned long long brought, int what) {
  Thread& me = all_[running_];
  const unsigned first = running_ / kLanes * kLanes;
  if ((mask >> (running_ - first) & 1) == 0)
    die(std::string(function_->name) + ": a lane is not in its own mask");
  me.mask = mask;
  me.what = what;
  me.brought = brought;
  me.state = State::in_warp;
  waiting_[first / kLanes] += 1;
  if (!complete(first, mask, what)) leave();
  return me.fiber->got;
}

// A lane that ends is waited for no longer.
void Block::complete_warp_of(unsigned number) {
  if (waiting_[number / kLanes] == 0) return;
  const unsigned first = number / kLanes * kLanes;
  for (unsigned lane = 0; lane < kLanes && first + lane < count_; ++lane) {
    const Thread& other = all_[first + lane];
    if (other.state == State::in_warp) complete(first, other.mask, other.what);
  }
}

void Block::complete_barrier() {
  if (in_barrier_ == 0 || in_barrier_ + done_ < count_) return;
  for (unsigned number = 0; number < count_; ++number) {
    Thread& thread = all_[number];
    if (thread.state != State::in_block) continue;
    thread.any = any_;
    thread.state = State::ready;
  }
  in_barrier_ = 0;
  any_ = false;
}

bool Block::barrier(bool brought) {
  Thread& me = all_[running_];
  any_ = any_ || brought;
  in_barrier_ += 1;
  me.state = State::in_block;
  complete_barrier();
  if (me.state == State::in_block) leave();
  return me.any;
}

void Block::give_way() {
  all_[running_].state = State::gave_way;
  gave_way_ = true;
  leave();
}

// Until all of its lanes wait. Gives back whether any did something.
bool Block::run_warp(unsigned first, unsigned end) {
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (unsigned i = first; i < end; ++i) {
      const unsigned number = goes_backward() ? end - 1 - (i - first) : i;
      Thread& thread = all_[number];
      if (thread.state != State::ready && thread.state != State::not_begun) continue;
      resume(number);
      again = any = true;
    }
  }
  return any;
}

void Block::tell_deadlock() const {
  std::string text = std::string(function_->name) + ": all threads wait for others:";
  for (unsigned number = 0; number < count_; ++number) {
    const Thread& thread = all_[number];
    if (thread.state == State::in_block) text += " " + std::to_string(number) + "[block]";
    if (thread.state == State::in_warp)
      text += " " + std::to_string(number) + "[" + std::to_string(thread.what) + " of " +
              std::to_string(thread.mask) + "]";
  }
  die(text);
}

void Block::play(const Function& function, const Place& block, const Place& blocks, const Place& threads,
                 std::size_t shared_bytes, void** arguments) {
  function_ = &function;
  arguments_ = arguments;
  places_ = function.places();
  places_->block = block;
  places_->blocks = blocks;
  places_->threads = threads_ = threads;
  if (shared_bytes > 0) std::memset(function.shared_memory(), kPoison, shared_bytes);
  count_ = threads.x * threads.y * threads.z;
  done_ = in_barrier_ = 0;
  any_ = false;
  all_.assign(count_, {});
  waiting_.assign(count_ / kLanes + 1, 0);
  const unsigned warps = (count_ + kLanes - 1) / kLanes;
  while (done_ < count_) {
    bool any = false;
    gave_way_ = false;
    for (unsigned i = 0; i < warps; ++i) {
      const unsigned warp = goes_backward() ? warps - 1 - i : i;
      any |= run_warp(warp * kLanes, std::min(count_, (warp + 1) * kLanes));
    }
    if (!any) tell_deadlock();
    if (!gave_way_) continue;
    for (Thread& thread : all_)
      if (thread.state == State::gave_way) thread.state = State::ready;
    std::this_thread::yield();
  }
}

}  // namespace

const Calls& calls() {
  static const Calls table = {[](unsigned mask, unsigned long long brought, int what) {
                                return block_here.exchange(mask, brought, what);
                              },
                              [](bool brought) { return block_here.barrier(brought); },
                              [] { block_here.give_way(); }};
  return table;
}

void launch(const Function& function, const Place& blocks, const Place& threads, std::size_t shared_bytes,
            bool together, void** arguments) {
  const auto play = [&](uint64_t number) {
    const Place block{unsigned(number % blocks.x), unsigned(number / blocks.x % blocks.y),
                      unsigned(number / (uint64_t(blocks.x) * blocks.y))};
    block_here.play(function, block, blocks, threads, shared_bytes, arguments);
  };
  const uint64_t count = uint64_t(blocks.x) * blocks.y * blocks.z;
  if (!together) {
    for (uint64_t i = 0; i < count; ++i) play(goes_backward() ? count - 1 - i : i);
    return;
  }
  std::vector<std::thread> players;
  for (uint64_t i = 0; i < count; ++i) players.emplace_back(play, i);
  for (std::thread& player : players) player.join();
}

}  // namespace kiln::emulated
