// Shares of a sweep: which runs a shard has, which GPUs are named, and how batches are dealt to them, with
// devices that are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/error.hpp"
#include "engine/devices.hpp"
#include "model/file/read.hpp"
#include "simulation/sweep/deal.hpp"
#include "simulation/sweep/sweep.hpp"

namespace kiln {
namespace {

template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

Model model_to_share(const std::vector<Override>& changes) {
  const char* text =
      "mcs = 6\n[lattice]\nsize = [20, 20]\n[types.cell]\nvolume = {target = 20, lambda = 5}\n"
      "[[initial]]\nkind = \"seeds\"\ntype = \"cell\"\nradius = 2\ncount = 5\n";
  return make_model(parse_document(text, "shared"), "shared", ".", changes);
}

TEST(Shard, HasEveryNthRun) {
  for (const int64_t count : {1, 2, 3, 7, 16})
    for (int64_t run = 0; run < 15; ++run) {
      int64_t owners = 0;
      for (int64_t number = 1; number <= count; ++number) owners += Shard{number, count}.has(run);
      EXPECT_EQ(owners, 1) << run << " of shards " << count;
    }
  EXPECT_TRUE((Shard{3, 4}.has(2)));
  EXPECT_TRUE((Shard{3, 4}.has(6)));
  EXPECT_FALSE((Shard{3, 4}.has(3)));
}

TEST(Shard, IsReadAndNamed) {
  EXPECT_EQ(parse_shard("3/16").text(), "3/16");
  EXPECT_EQ(parse_shard("3/16").folder_name(), "shard-03-of-16");
  EXPECT_EQ(parse_shard("16/16").folder_name(), "shard-16-of-16");
  EXPECT_EQ(parse_shard("1/1").folder_name(), "shard-1-of-1");
  EXPECT_EQ(parse_shard("7/1000").folder_name(), "shard-0007-of-1000");
  for (const char* bad :
       {"", "/", "3", "x", "3/", "/4", "0/4", "5/4", "-1/4", "1/0", "1/2/3", "1.5/4", "1/2000000"})
    EXPECT_NE(refusal_of([&] { parse_shard(bad); }), "") << bad;
}

TEST(Shard, RunsAreThoseOfTheWholeSweep) {
  const std::vector<Variation> variations = {{"temperature", {"5", "10", "20"}}};
  const Sweep whole(variations, 5, model_to_share, {.engine = "serial"});
  std::map<std::string, uint64_t> seeds;
  for (int64_t number = 1; number <= 4; ++number) {
    const Sweep part(variations, 5, model_to_share, {.engine = "serial"}, {.shard = Shard{number, 4}});
    EXPECT_EQ(part.runs().size(), number < 4 ? 4u : 3u);
    EXPECT_EQ(part.runs()[0].name, whole.runs()[std::size_t(number - 1)].name);
    for (const SweepRun& run : part.runs()) EXPECT_TRUE(seeds.emplace(run.name, run.seed).second) << run.name;
  }
  ASSERT_EQ(seeds.size(), whole.runs().size());
  for (const SweepRun& run : whole.runs()) EXPECT_EQ(seeds[run.name], run.seed);
}

TEST(SweepDevices, AreNamed) {
  const std::vector<std::string> three = {"", "it is too old", ""};
  EXPECT_EQ(devices_named("all", three), (std::vector<int>{0, 2}));
  EXPECT_EQ(devices_named("2,0", three), (std::vector<int>{2, 0}));
  EXPECT_EQ(devices_named("0,0", three), (std::vector<int>{0, 0}));
  EXPECT_EQ(refusal_of([&] { devices_named("0,3", three); }),
            "--devices is \"0,3\", but there is no GPU 3: the driver shows 3, numbered from 0.");
  EXPECT_EQ(refusal_of([&] { devices_named("1", three); }),
            "--devices is \"1\", but GPU 1 cannot be used: it is too old.");
  for (const char* bad : {"", ",", "0,", ",0", "0,,1", "all,all", "0;1", "-1", "0-3", "a"})
    EXPECT_EQ(refusal_of([&] { devices_named(bad, three); }),
              "--devices is \"" + std::string(bad) +
                  "\", but must be all, or numbers of GPUs with commas between, as 0,1,3.");
}

TEST(SweepDevices, NeedTheEngineThatHasThem) {
  EngineOptions options{.engine = "threads"};
  EXPECT_EQ(choose_devices("", options), std::vector<int>());
  EXPECT_EQ(options.engine, "threads");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "but the threads engine plays on no GPU",
                      refusal_of([&] { choose_devices("all", options); }));
}

struct Piece {
  std::size_t number;
  int device;
};

TEST(Deal, EveryPieceIsPlayedOnceWhereItWasPrepared) {
  for (const std::size_t pieces : {0u, 1u, 2u, 3u, 20u}) {
    std::mutex lock;
    std::multiset<std::size_t> prepared, played;
    std::map<std::size_t, int> devices;
    std::atomic<bool> stopped = false;
    const auto prepare = [&](std::size_t piece, int device) {
      const std::lock_guard guard(lock);
      prepared.insert(piece);
      devices[piece] = device;
      return Piece{piece, device};
    };
    deal(pieces, {4, 7, 4}, stopped, prepare, [&](Piece& piece) {
      const std::lock_guard guard(lock);
      played.insert(piece.number);
      EXPECT_EQ(devices[piece.number], piece.device);
    });
    EXPECT_EQ(prepared, played);
    EXPECT_EQ(played.size(), pieces);
    EXPECT_EQ(std::set(played.begin(), played.end()).size(), pieces);
    if (pieces > 1) {
      EXPECT_EQ(devices[1], 7);  // no worker takes two before each has one
    }
    EXPECT_FALSE(stopped);
  }
}

// Each of the first three waits for the others: only workers that play at the same time come to an end.
TEST(Deal, DevicesPlayAtTheSameTime) {
  std::mutex lock;
  std::condition_variable changed;
  int playing = 0, most = 0;
  std::atomic<bool> stopped = false;
  deal(
      9, {0, 1, 2}, stopped,
      [](std::size_t piece, int device) {
        return Piece{piece, device};
      },
      [&](Piece& piece) {
        std::unique_lock guard(lock);
        most = std::max(most, ++playing);
        changed.notify_all();
        if (piece.number < 3) changed.wait(guard, [&] { return most == 3; });
        --playing;
      });
  EXPECT_EQ(most, 3);
}

// One that plays a long piece has one more at most; the other takes all the rest.
TEST(Deal, AFreeDeviceTakesTheNext) {
  std::mutex lock;
  std::condition_variable changed;
  std::map<int, int> count;
  std::atomic<bool> stopped = false;
  deal(
      12, {0, 1}, stopped,
      [](std::size_t piece, int device) {
        return Piece{piece, device};
      },
      [&](Piece& piece) {
        std::unique_lock guard(lock);
        ++count[piece.device];
        changed.notify_all();
        if (piece.number == 0) changed.wait(guard, [&] { return count[1] >= 10; });
      });
  EXPECT_EQ(count[0] + count[1], 12);
  EXPECT_LE(count[0], 2);
}

TEST(Deal, AnExceptionEndsItAndComesOut) {
  for (const bool while_prepared : {true, false}) {
    std::atomic<bool> stopped = false;
    std::atomic<int> played = 0;
    const auto prepare = [&](std::size_t piece, int device) {
      if (while_prepared && piece == 5) throw Failure("no memory");
      return Piece{piece, device};
    };
    EXPECT_THROW(deal(1000, {0, 1}, stopped, prepare,
                      [&](Piece& piece) {
                        if (!while_prepared && piece.number == 5) throw Failure("the disk is full");
                        ++played;
                        while (piece.number > 5 && !stopped) std::this_thread::yield();
                      }),
                 Failure);
    EXPECT_TRUE(stopped);
    EXPECT_LT(played, 10);
  }
}

// A sweep takes any engine for a device: what is dealt, and that it has the bits of a sweep that is not.
TEST(Deal, SweepsHaveTheSameResultsOnAnyDevices) {
  const auto hashes = [](std::vector<Variation> variations, int64_t replicas, std::vector<int> devices) {
    Sweep sweep(std::move(variations), replicas, model_to_share, {.engine = "threads", .threads = 2},
                {.devices = std::move(devices)});
    std::map<std::string, std::string> found;
    SweepEvents events;
    int64_t all = 0;
    events.is_wanted = [](const SweepRun& run) { return run.name != "temperature=10, replica 2"; };
    events.finished = [&](const SweepRun& run, const Model&, const ReplicaResult& result) {
      EXPECT_TRUE(found.emplace(run.name, result.hash).second) << run.name << " was played twice";
    };
    events.failed = [&](const SweepRun& run, const std::string& why) { ADD_FAILURE() << run.name << why; };
    events.go_on = [&](int64_t mcs) {
      all = mcs;
      return true;
    };
    sweep.play(events);
    EXPECT_EQ(all, int64_t(found.size()) * 6);
    return found;
  };
  const std::vector<Variation> three = {{"temperature", {"5", "10", "20"}}};
  const auto alone = hashes(three, 4, {});
  ASSERT_EQ(alone.size(), 11u);
  EXPECT_EQ(hashes(three, 4, {0}), alone);
  EXPECT_EQ(hashes(three, 4, {0, 1}), alone);
  EXPECT_EQ(hashes(three, 4, {0, 0, 1, 2, 3}), alone);
  EXPECT_EQ(hashes({}, 7, {0, 1, 2}), hashes({}, 7, {}));
}

// A batch's first step is one MCS of each of its runs.
TEST(Deal, ReplicasAreCutWhereCombinationsAreFew) {
  const auto first_step = [](std::vector<Variation> variations, std::vector<int> devices) {
    Sweep sweep(std::move(variations), 7, model_to_share, {.engine = "threads", .threads = 1},
                {.devices = std::move(devices)});
    int64_t first = 0;
    SweepEvents events;
    events.is_wanted = [](const SweepRun&) { return true; };
    events.finished = [](const SweepRun&, const Model&, const ReplicaResult&) {};
    events.failed = [](const SweepRun& run, const std::string& why) { ADD_FAILURE() << run.name << why; };
    events.go_on = [&](int64_t mcs) {
      first = mcs;
      return false;
    };
    sweep.play(events);
    return first;
  };
  EXPECT_EQ(first_step({}, {0}), 7);
  const int64_t half = first_step({}, {0, 1});
  EXPECT_TRUE(half == 4 || half == 3) << half;
  EXPECT_EQ(first_step({{"temperature", {"5", "10"}}}, {0, 1}), 7);
}

TEST(Deal, AStoppedSweepEndsOnAllDevices) {
  Sweep sweep({}, 20, model_to_share, {.engine = "threads", .threads = 1}, {.devices = {0, 1, 2, 3}});
  int finished = 0;
  SweepEvents events;
  events.is_wanted = [](const SweepRun&) { return true; };
  events.finished = [&](const SweepRun&, const Model&, const ReplicaResult&) { ++finished; };
  events.failed = [](const SweepRun& run, const std::string& why) { ADD_FAILURE() << run.name << why; };
  events.go_on = [](int64_t) { return false; };
  sweep.play(events);
  EXPECT_EQ(finished, 0);
}

}  // namespace
}  // namespace kiln
