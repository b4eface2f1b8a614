// What many watchers, and greedy ones, cost a run: frames that are bounded in number, and nothing else.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>
#include <thread>

#include "view/folder_source.hpp"
#include "view/http/server.hpp"
#include "view/http_client.hpp"
#include "view/run_fixture.hpp"
#include "view/site.hpp"

namespace {

// Memory that is short: pieces beyond this size are not to be had.
std::atomic<std::size_t> largest_piece = SIZE_MAX, refused_pieces = 0;

}  // namespace

// Replaced together with the throwing one: the operators below free memory of both.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  void* const piece = bytes > largest_piece ? nullptr : std::malloc(std::max<std::size_t>(bytes, 1));
  if (piece == nullptr) ++refused_pieces;
  return piece;
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (void* const piece = operator new(bytes, std::nothrow)) return piece;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* piece) noexcept { std::free(piece); }
[[gnu::noinline]] void operator delete(void* piece, std::size_t) noexcept { std::free(piece); }

namespace kiln::view {
namespace {

using test::Connection;

// Boxes of four sites: many cells, and so large frames.
std::vector<std::string> crowd(int edge) {
  return {"lattice.size=[" + std::to_string(edge) + ", " + std::to_string(edge) + "]",
          "initial.0.box=[2, 2]",
          "initial.0.spacing=[2, 2]",
          "mcs=3",
          "output.lattice_every=0",
          "measure.every=100"};
}

// Asks for a frame with a content, once or until it is told to end, on a thread of its own.
class Watcher {
 public:
  Watcher(LiveRun& live, FrameContent content)
      : thread_([this, &live, content = std::move(content)] {
          while (!ends_) {
            NumberedFrame frame = live.frame({0, std::nullopt, content});
            if (!frame.bytes) continue;
            got_ = std::move(frame);
            has_ = true;
            break;
          }
        }) {}
  ~Watcher() {
    ends_ = true;
    thread_.join();
  }
  bool has() const { return has_; }
  const NumberedFrame& got() const { return got_; }
  void let_go() { got_.bytes.reset(); }

 private:
  NumberedFrame got_;
  std::atomic<bool> has_ = false, ends_ = false;
  std::thread thread_;
};

using Watchers = std::vector<std::unique_ptr<Watcher>>;

std::size_t answered(const Watchers& watchers) {
  return std::size_t(std::count_if(watchers.begin(), watchers.end(), [](const auto& w) { return w->has(); }));
}

TEST_F(ViewRun, FieldsThatThereAreNotMakeNoFrames) {
  const auto run = run_in("r");
  LiveRun live(*run, nullptr);
  const NumberedFrame first = live.frame({});
  for (int i = 0; i < 40; ++i) {
    const NumberedFrame frame = live.frame({0, std::nullopt, {"zz" + std::to_string(i)}});
    EXPECT_EQ(frame.bytes, first.bytes) << i;
  }
  EXPECT_EQ(live.frames_held(), 1u);
  hash_of(*run);
  FolderSource folder(folder_ / "r");
  const NumberedFrame last = folder.frame({});
  EXPECT_EQ(folder.frame({0, std::nullopt, {"zz"}}).bytes, last.bytes);
}

// Twice as many contents as there are fields, and one for none.
TEST_F(ViewRun, FramesAreTakenByTurnsAndNoMoreThanMayBeHeld) {
  std::vector<std::string> set;
  std::vector<FrameContent> contents = {{"act"}, {"act", true}, {"", true}};
  for (const std::string name : {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9"}) {
    set.push_back("substances." + name + ".diffusion=1");
    for (const bool all : {false, true}) contents.push_back({name, all});
  }
  const auto run = run_in("r", nullptr, set);
  LiveRun live(*run, nullptr);
  Watchers watchers;
  for (const FrameContent& content : contents) watchers.push_back(std::make_unique<Watcher>(live, content));
  std::size_t before = 0;
  while (answered(watchers) < contents.size()) {
    live.serve_frames(true);
    ASSERT_LE(live.frames_held(), 2 * LiveRun::kMostHeld);
    const std::size_t now = answered(watchers);
    if (before == 0)  // the first batch
      for (const auto& watcher : watchers) {
        if (watcher->has()) {
          ASSERT_LE(watcher->got().number, 1 + int64_t(LiveRun::kMostHeld));
        }
      }
    // All that were sent so far are held, so that nothing comes any more; they are let go, and the next come.
    if (now == before && now >= LiveRun::kMostHeld)
      for (const auto& watcher : watchers)
        if (watcher->has()) watcher->let_go();
    before = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  watchers.clear();
  EXPECT_LE(live.frames_held(), LiveRun::kMostHeld);
}

// However many ask for more than may be held, again and again.
TEST_F(ViewRun, NoContentWaitsForEver) {
  std::vector<std::string> set;
  for (int i = 0; i < 12; ++i) set.push_back("substances.s" + std::to_string(i) + ".diffusion=1");
  const auto run = run_in("r", nullptr, set);
  LiveRun live(*run, nullptr);
  constexpr std::size_t kAsking = 24;
  std::vector<std::thread> asking;
  std::atomic<bool> ends = false;
  std::atomic<std::size_t> served = 0;
  std::atomic<int64_t> made = 0;
  for (std::size_t i = 0; i < kAsking; ++i)
    asking.emplace_back([&, content = FrameContent{"s" + std::to_string(i / 2), i % 2 == 1}] {
      int64_t number = 0;
      while (!ends)
        if (const NumberedFrame frame = live.frame({number, std::nullopt, content}); frame.bytes) {
          served += number == 0 ? 1 : 0;
          made = number = frame.number;
        }
    });
  while (served < kAsking && made < int64_t(20 * kAsking)) {
    live.cells_changed();
    live.serve_frames(true);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(served, kAsking) << "after " << made << " frames";
  ends = true;
  live.close();
  for (std::thread& one : asking) one.join();
}

// After a frame that took its time, a run that goes on rests for long, one that is paused does not: it makes
// the next frame sooner than one that goes on and makes much smaller ones.
TEST_F(ViewRun, APausedRunAnswersAtOnce) {
  const auto stands = run_in("stands", nullptr, crowd(2000)), goes = run_in("goes", nullptr, crowd(1200));
  LiveRun standing(*stands, nullptr), going(*goes, nullptr);
  const Watcher watcher(standing, {"act"}), other(going, {"act"});
  while (!watcher.has()) {
    going.serve_frames(false);
    ASSERT_FALSE(other.has());
    standing.serve_frames(true);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(mcs_of(watcher.got()), 0);
}

TEST_F(ViewRun, AFrameThatMemoryIsTooShortForEndsNothing) {
  const std::string hash = hash_of(*run_in("alone", nullptr, crowd(500)));
  const auto run = run_in("watched", nullptr, crowd(500));
  LiveRun live(*run, nullptr);
  run->add(live);
  const NumberedFrame first = live.frame({});
  const Watcher watcher(live, {"act"});
  largest_piece = 100'000;  // bytes; the frame has a column of 250'000
  refused_pieces = 0;
  while (refused_pieces < 3) live.serve_frames(true);
  EXPECT_FALSE(watcher.has());
  largest_piece = SIZE_MAX;
  while (!watcher.has()) live.serve_frames(true);
  EXPECT_GT(watcher.got().number, first.number);
  EXPECT_EQ(hash_of(*run), hash);
}

TEST_F(ViewRun, ThePageIsToldWhenItHasToAskAgain) {
  const auto version = [](Source& source) { return *whole_in(*json_member(source.status(), "about")); };
  const auto run = run_in("r");
  LiveRun live(*run, nullptr);
  const std::string about = live.about();
  const int64_t first = version(live);
  live.model_changed(*small_model({"temperature=5"}));
  live.cells_changed();
  EXPECT_EQ(live.about(), about);
  EXPECT_EQ(version(live), first) << "nothing of it has changed";
  int64_t last = first;
  for (const char* change : {"types.a.colour=\"#ff0000\"", "mcs=90", "substances.o2.diffusion=1"}) {
    live.model_changed(*small_model({change}));
    EXPECT_NE(live.about(), about);
    EXPECT_GT(version(live), last) << change;
    last = version(live);
  }
  hash_of(*run);
  FolderSource folder(folder_ / "r");
  EXPECT_GT(version(folder), last) << "the page goes on with it";
  EXPECT_EQ(version(folder), version(folder));
}

// Reads what comes and keeps none of it; the number of the frame.
int64_t frame_over(int port, const std::string& head) {
  const Connection connection(port);
  connection.send_bytes(head);
  connection.end();
  std::string answer;
  connection.each_part([&](std::string_view part) {
    if (answer.size() < 1000) answer.append(part.substr(0, 1000));
  });
  const std::size_t at = answer.find("X-Frame: ");
  return at == answer.npos ? 0 : whole_in(answer.substr(at + 9, answer.find('\r', at) - at - 9)).value_or(0);
}

// Sanitizers keep shadows of memory, and what was freed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMemoryIsOurs = false;
#else
constexpr bool kMemoryIsOurs = true;
#endif

// After free memory has been returned to the system.
int64_t resident_bytes() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  std::ifstream file("/proc/self/statm");
  int64_t all = 0, resident = 0;  // pages
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST_F(ViewRun, FiftyClientsTenOfWhichReadNothingLeaveTheRunAlone) {
  if (!http::kHasServer) GTEST_SKIP() << "this build has no cpp-httplib";
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "takes minutes with ThreadSanitizer";
#endif
  constexpr int kReading = 40, kSilent = 10, kFrames = 30;
  const std::string hash = hash_of(*run_in("alone", nullptr, crowd(1000)));
  const auto run = run_in("watched", nullptr, crowd(1000));
  const auto live = std::make_shared<LiveRun>(*run, nullptr);
  run->add(*live);
  Site site(live);
  Guard guard(1, {});
  http::Limits limits;
  limits.stalled_seconds = 0.5;
  const http::Server server(
      "127.0.0.1", std::nullopt, [&](const http::Request& r) { return site.answer(r, guard); }, limits);
  const std::string cookie = guard.cookie().second;
  const auto request = [&](int64_t after) {
    return "GET /api/frame?after=" + std::to_string(after) +
           " HTTP/1.1\r\nHost: localhost\r\nCookie: " + cookie.substr(0, cookie.find(';')) +
           "\r\nConnection: close\r\n\r\n";
  };
  const auto frame_bytes = int64_t(live->frame({}).bytes->size());
  const int64_t memory_before = resident_bytes();
  std::atomic<bool> ends = false;
  std::atomic<int64_t> newest = 0, frames = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < kReading; ++i)
    readers.emplace_back([&] {
      for (int64_t number = 0; !ends;)
        if (const int64_t got = frame_over(server.port(), request(number)); got > 0) {
          EXPECT_GT(got, number);
          number = got;
          newest = std::max(newest.load(), got);
          ++frames;
        }
    });
  std::vector<std::unique_ptr<Connection>> silent;
  const auto expect_bounded = [&] { ASSERT_LE(live->frames_held(), 2 * LiveRun::kMostHeld); };
  while (newest < kFrames) {  // it stands still, and is edited
    if (std::ssize(silent) < kSilent && newest >= 2 * std::ssize(silent)) {
      silent.push_back(std::make_unique<Connection>(server.port()));
      silent.back()->send_bytes(request(0));
    }
    live->cells_changed();
    live->serve_frames(true);
    expect_bounded();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  // More frames were made than may remain in memory.
  if (kMemoryIsOurs) {
    EXPECT_LE(resident_bytes() - memory_before, int64_t(3 * LiveRun::kMostHeld) * frame_bytes);
  }
  EXPECT_EQ(hash_of(*run), hash);
  expect_bounded();
  const int64_t last = live->frame({}).number;
  while (newest < last) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ends = true;
  live->close();
  for (std::thread& reader : readers) reader.join();
  while (server.clients() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(live->frames_held(), 1u) << "the silent ones were cut off, and hold nothing any more";
  EXPECT_GE(frames, kFrames);
}

}  // namespace
}  // namespace kiln::view
