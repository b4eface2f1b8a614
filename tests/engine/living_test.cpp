// Cells that grow, divide, die, change their type and follow equations: against what is known of each.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "model/edit.hpp"
#include "model/file/read.hpp"
#include "support/any_stop.hpp"
#include "support/living_worlds.hpp"
#include "support/played.hpp"

namespace kiln {
namespace {

using test::colony;
using test::Played;

// Cells that fill a lattice, and keep their sizes.
std::string full_lattice(const std::string& rest, const std::string& size = "[64, 64]", int box = 8) {
  return "seed = 3\ntemperature = 1\n[lattice]\nsize = " + size +
         "\n[types.cell]\nvolume = { target = " + std::to_string(box * box) +
         ", lambda = 5 }\n[adhesion]\ndefault = 1\n[[initial]]\nbox = " + std::to_string(box) +
         "\ntype = \"cell\"\n" + rest;
}

class Colony : public testing::TestWithParam<const char*> {};

// Books are right after every tick, whatever happened; and neither the number of threads nor a new start from
// the state at any MCS makes a difference.
TEST_P(Colony, IsTheSameOnAnyNumberOfThreadsAndAfterAnyStop) {
  for (const char* schedule : {"serial", "tiles", "checkerboard"}) {
    Played one = test::play_with_stops(colony(GetParam()), schedule, 150);
    std::set<Cells::End> ends;
    std::set<TypeId> types;
    for (CellId cell = 1; cell < one.cells().count(); ++cell) {
      ends.insert(one.cells().life[cell].end);
      types.insert(one.cells().type[cell]);
    }
    EXPECT_TRUE(ends.contains(Cells::End::divided) && ends.contains(Cells::End::died)) << schedule;
    EXPECT_EQ(types.size(), 3u) << schedule;  // all that can be
  }
}

TEST_P(Colony, HasATreeOfDescent) {
  Played colony_(colony(GetParam()));
  colony_.play(150);
  const Cells& cells = colony_.cells();
  std::vector<int> daughters(cells.count());
  for (CellId cell = 1; cell < cells.count(); ++cell) {
    const Cells::Life& life = cells.life[cell];
    EXPECT_EQ(life.ended >= 0, life.end != Cells::End::none);
    if (life.parent == 0) {
      EXPECT_LE(cell, 6u);
      continue;
    }
    ASSERT_LT(life.parent, int64_t(cell));
    const Cells::Life& mother = cells.life[std::size_t(life.parent)];
    EXPECT_EQ(mother.end, Cells::End::divided);
    EXPECT_EQ(mother.ended, life.born);
    EXPECT_EQ(life.generation, mother.generation + 1);
    daughters[std::size_t(life.parent)] += 1;
  }
  for (CellId cell = 1; cell < cells.count(); ++cell)
    EXPECT_EQ(daughters[cell], cells.life[cell].end == Cells::End::divided ? 2 : 0) << cell;
}

// On every machine. A change must be meant.
TEST(Living, HasTheBitsOnRecord) {
  const struct {
    const char *size, *schedule, *hash;
  } recorded[] = {{"[60, 40]", "serial", "d055687710aa8112"},
                  {"[60, 40]", "tiles", "126d6bccf63b7786"},
                  {"[60, 40]", "checkerboard", "42eaeac7ae0bca30"},
                  {"[20, 24, 16]", "serial", "191c24d0413f1c68"},
                  {"[20, 24, 16]", "tiles", "4c0637fb985848b8"}};
  for (const auto& [size, schedule, hash] : recorded) {
    Played played(colony(size), schedule == std::string("serial") ? "serial" : "threads", 2, schedule);
    played.play(120);
    EXPECT_EQ(played.hash(), hash) << size << ' ' << schedule;
  }
  Played tissue(read_model(std::string(KILN_SOURCE_DIR) + "/models/living/lateral-inhibition.toml"),
                std::nullopt, "threads", 2);
  tissue.play(50);
  EXPECT_EQ(tissue.hash(), "49388b44321d86be");
}

INSTANTIATE_TEST_SUITE_P(Sizes, Colony, testing::Values("[60, 40]", "[20, 24, 16]"));

// After n looks at a rate with chance p each, N0 (1 + p)^n cells are expected of a branching process, with
// variance N0 m (m - 1) (1 - p) / (1 + p), m = (1 + p)^n. Five standard deviations: 6e-7.
TEST(Living, DividesAtARateAsAYuleProcessDoes) {
  Played yule(full_lattice("[[rules]]\ntypes = \"cell\"\nrate = 0.05\ndo = \"divide\"\nplane = \"random\"\n",
                           "[128, 128]"));
  const double first = double(yule.alive()), p = 1 - std::exp(-0.05);
  yule.play(16);
  const double m = std::pow(1 + p, 16), sd = std::sqrt(first * m * (m - 1) * (1 - p) / (1 + p));
  EXPECT_EQ(first, 256);
  EXPECT_NEAR(double(yule.alive()), first * m, 5 * sd);
  EXPECT_GT(sd, 5);  // it is no test otherwise
  EXPECT_EQ(yule.books(), "");
}

TEST(Living, DiesAtARateAsABinomialNumberDoes) {
  Played dying(full_lattice("[[rules]]\ntypes = \"cell\"\nrate = 0.1\ndo = \"die\"\nhow = \"remove\"\n",
                            "[128, 128]"));
  dying.play(10);
  const double left = 256 * std::exp(-1.0), sd = std::sqrt(left * (1 - std::exp(-1.0)));
  EXPECT_NEAR(double(dying.alive()), left, 5 * sd);
  EXPECT_EQ(dying.books(), "");
  dying.play(1000);
  EXPECT_EQ(dying.alive(), 0);
  EXPECT_TRUE(std::all_of(dying.state().ids.begin(), dying.state().ids.end(),
                          [](CellId id) { return id == kMedium; }));
}

// Chi-square of counts 0, 1, 2, ... against chances; classes in which fewer than 10 are expected are pooled.
// As a standard normal deviate (Wilson and Hilferty). Refused above 4.75: false alarm once in a million.
double deviate(const std::vector<int>& seen, const std::vector<double>& chance) {
  const double all = std::accumulate(seen.begin(), seen.end(), 0.0);
  double chi = 0, pooled = 0, expected = 0;
  int classes = 0;
  const auto close_class = [&] {
    chi += (pooled - expected) * (pooled - expected) / expected;
    ++classes;
    pooled = expected = 0;
  };
  double left = all, left_seen = all;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    pooled += seen[i], left_seen -= seen[i];
    expected += all * chance[i], left -= all * chance[i];
    if (expected >= 10 && left >= 10) close_class();
  }
  pooled += left_seen, expected += left;
  close_class();
  EXPECT_GE(classes, 5);
  const double k = classes - 1;
  return (std::cbrt(chi / k) - (1 - 2 / (9 * k))) / std::sqrt(2 / (9 * k));
}
constexpr double kRefusedAbove = 4.75;

std::string without_noise(std::string model) {
  return model.replace(model.find("temperature = 1"), 15, "temperature = 0");
}

// A thousand clones, each of its own founder. With n looks at chance p each, the law of a clone's size
// follows from one look at the founder: f(s) -> (1 - p) f(s) + p f(s)^2, which for small p is the geometric
// law of Yule. Founders are so large that no descendant is too small to divide.
TEST(Living, HasClonesOfTheSizesOfAYuleProcess) {
  constexpr int kLooks = 24;
  constexpr std::size_t kSizes = 64;
  Played yule(without_noise(full_lattice(
      "[[rules]]\ntypes = \"cell\"\nrate = 0.04\ndo = \"divide\"\nplane = \"random\"\n", "[512, 512]", 16)));
  ASSERT_EQ(yule.alive(), 1024);
  yule.play(kLooks);
  const Cells& cells = yule.cells();
  std::vector<CellId> founder(cells.count());
  std::vector<std::size_t> size(1025);
  for (CellId cell = 1; cell < cells.count(); ++cell) {
    const Cells::Life& life = cells.life[cell];
    founder[cell] = life.parent == 0 ? cell : founder[std::size_t(life.parent)];
    size[founder[cell]] += life.end != Cells::End::divided ? 1 : 0;
  }
  const double p = 1 - std::exp(-0.04);
  std::vector<double> chance(kSizes);
  chance[1] = 1;
  for (int look = 0; look < kLooks; ++look) {
    std::vector<double> next(kSizes);
    for (std::size_t i = 1; i < kSizes; ++i) {
      next[i] += (1 - p) * chance[i];
      for (std::size_t j = 1; i + j < kSizes; ++j) next[i + j] += p * chance[i] * chance[j];
    }
    chance = next;
  }
  std::vector<int> seen(kSizes);
  double mean = 0, square = 0;
  for (std::size_t i = 1; i <= 1024; ++i) {
    ASSERT_LT(size[i], kSizes);
    ++seen[size[i]];
    mean += double(size[i]) / 1024;
    square += double(size[i] * size[i]) / 1024;
  }
  EXPECT_LT(deviate(seen, chance), kRefusedAbove);
  // m (m - 1) (1 - p) / (1 + p), m = (1 + p)^n. Its estimate has a relative error of about sqrt(8 / 1024)
  // where the law is nearly exponential: 5 of them are 0.44.
  const double m = std::pow(1 + p, kLooks);
  EXPECT_NEAR((square - mean * mean) / (m * (m - 1) * (1 - p) / (1 + p)), 1, 0.44);
}

// Groups of 16 cells each, of which a binomial number is alive after n looks; and ages at death are
// geometric.
TEST(Living, DiesInGroupsAsBinomialNumbersDo) {
  constexpr int kLooks = 7, kGroup = 16, kGroups = 1024;
  Played dying(without_noise(full_lattice(
      "[[rules]]\ntypes = \"cell\"\nrate = 0.1\ndo = \"die\"\nhow = \"remove\"\n", "[512, 512]", 4)));
  ASSERT_EQ(dying.alive(), kGroup * kGroups);
  dying.play(kLooks);
  const double q = std::exp(-0.1), alive = std::pow(q, kLooks);
  std::vector<int> groups(kGroup + 1), deaths(kLooks + 1);
  for (int group = 0; group < kGroups; ++group) {
    std::size_t left = 0;
    for (int i = 0; i < kGroup; ++i) {
      const Cells::Life& life = dying.cells().life[std::size_t(1 + group * kGroup + i)];
      ASSERT_TRUE(life.end == Cells::End::none || life.end == Cells::End::died);
      left += life.end == Cells::End::none ? 1 : 0;
      ++deaths[life.end == Cells::End::none ? kLooks : std::size_t(life.ended - 1)];
    }
    ++groups[left];
  }
  std::vector<double> binomial(kGroup + 1, 1), geometric(kLooks + 1, alive);
  for (int k = 0; k <= kGroup; ++k)
    binomial[std::size_t(k)] =
        std::exp(std::lgamma(kGroup + 1.0) - std::lgamma(k + 1.0) - std::lgamma(kGroup - k + 1.0) +
                 k * std::log(alive) + (kGroup - k) * std::log(1 - alive));
  for (int look = 0; look < kLooks; ++look) geometric[std::size_t(look)] = std::pow(q, look) * (1 - q);
  EXPECT_LT(deviate(groups, binomial), kRefusedAbove);
  EXPECT_LT(deviate(deaths, geometric), kRefusedAbove);
}

TEST(Living, DoublesWithAFixedCycle) {
  Played cycle(full_lattice("[[rules]]\ntypes = \"cell\"\nwhen = \"age >= 5\"\ndo = \"divide\"\n"));
  for (const int64_t expected : {64, 128, 256, 512}) {
    EXPECT_EQ(cycle.alive(), expected);
    const auto sites = std::count_if(cycle.state().ids.begin(), cycle.state().ids.end(),
                                     [](CellId id) { return id != kMedium; });
    EXPECT_EQ(sites, 64 * 64);  // no site is lost
    cycle.play(5);
  }
}

TEST(Living, BearsTwiceTwoToTheSixteenthCellsAtOnce) {
  Played many(full_lattice("[[rules]]\ntypes = \"cell\"\nwhen = \"generation == 0\"\ndo = \"divide\"\n",
                           "[1024, 1024]", 4));
  many.play(1);
  EXPECT_EQ(many.cells().count(), 1u + 3 * 65536);
  EXPECT_EQ(many.alive(), 2 * 65536);
  EXPECT_EQ(many.books(), "");
}

TEST(Living, SharesByVolumeWhatIsExtensive) {
  Played dyed(
      full_lattice("[types.cell.properties]\ndye = { start = \"10 + x\", extensive = true }\nmark = 7\n"
                   "[[rules]]\ntypes = \"cell\"\nrate = 0.1\ndo = \"divide\"\nplane = \"random\"\n"));
  const auto total = [](const Cells& cells) {
    double sum = 0;
    for (CellId cell = 1; cell < cells.count(); ++cell)
      if (cells.life[cell].end != Cells::End::divided) sum += cells.property[2 * cell];
    return sum;
  };
  const double before = total(dyed.cells());
  dyed.play(15);
  ASSERT_GT(dyed.alive(), 150);
  EXPECT_NEAR(total(dyed.cells()), before, 1e-12 * before);
  const Cells& cells = dyed.cells();
  for (CellId cell = 1; cell < cells.count(); ++cell) {
    EXPECT_EQ(cells.property[2 * cell + 1], 7);
    if (cells.life[cell].end != Cells::End::divided) continue;
    double dye = 0, target = 0;
    for (CellId other = cell + 1; other < cells.count(); ++other)
      if (cells.life[other].parent == int64_t(cell)) {
        dye += cells.property[2 * other];
        target += cells.life[other].target;
      }
    EXPECT_NEAR(dye, cells.property[2 * cell], 1e-12 * dye);
    EXPECT_NEAR(target, cells.life[cell].target, 1e-12 * target);  // halves, without being told to
  }
}

// A rod divides across into two of about half its length, and along into two as long as itself.
TEST(Living, DividesAcrossOrAlongTheLongAxis) {
  for (const std::string plane : {"\"across\"", "\"along\"", "[0, 1]", "[1, 0]"}) {
    Model model = parse_model(
        "temperature = 0\n[lattice]\nsize = [40, 20]\n[types.cell]\nvolume = { target = 100, lambda = 1 }\n"
        "[[initial]]\nkind = \"fill\"\ntype = \"cell\"\nregion = { shape = \"box\", low = [8, 8], high = "
        "[28, 13] }\n"
        "[[rules]]\ntypes = \"cell\"\nwhen = \"generation == 0\"\ndo = \"divide\"\nplane = " +
            plane + "\n",
        "m.toml", ".");
    Played rod(model, std::nullopt, "serial", 1);
    rod.play(1);
    ASSERT_EQ(rod.cells().count(), 4u) << plane;
    const Vec3d a = rod.cells().position(2), b = rod.cells().position(3);
    const bool across = plane == "\"across\"" || plane == "[1, 0]";
    EXPECT_NEAR(std::abs(a.x - b.x), across ? 10 : 0, 1.5) << plane;
    EXPECT_NEAR(std::abs(a.y - b.y), across ? 0 : 2.5, 0.7) << plane;
    EXPECT_NEAR(rod.cells().extent[2].volume, 50, 11) << plane;
  }
}

// Three times on every schedule: cells 1 to `last`, all but the one that has a single site. Each has its
// target, so that no copy is accepted and every site stays what it was, or falls to a descendant.
void expect_divided(const Model& model, const std::vector<CellId>& ids, CellId last, CellId single) {
  std::vector<TypeId> types(last + 1, 1);
  types[0] = 0;
  State first = state_of_ids(model, ids, types);
  ASSERT_EQ(first.cells.life.size(), types.size());
  for (CellId cell = 1; cell <= last; ++cell) {
    first.cells.life[cell].target = first.cells.extent[cell].volume;
    first.cells.targets[cell].volume = float(first.cells.extent[cell].volume);
  }
  for (const std::string schedule : {"serial", "tiles", "checkerboard"}) {
    const std::string engine = schedule == "serial" ? "serial" : "threads";
    Played odd(model, first, engine, 2, schedule), alone(model, first, engine, 1, schedule);
    for (int mcs = 0; mcs < 4; ++mcs) {
      odd.play(1);
      alone.play(1);
      ASSERT_EQ(odd.books(), "") << schedule << ", MCS " << mcs;
      ASSERT_EQ(odd.hash(), alone.hash()) << schedule << ", MCS " << mcs;
    }
    const Cells& cells = odd.cells();
    EXPECT_GT(cells.count(), last + 1 + 2 * (last - 1)) << schedule;
    for (CellId cell = 1; cell <= last; ++cell)
      EXPECT_TRUE(cells.life[cell].end == (cell == single ? Cells::End::none : Cells::End::divided))
          << schedule << ", cell " << cell;
    std::vector<CellId> founder(cells.count());
    for (CellId cell = 1; cell < cells.count(); ++cell)
      founder[cell] = cells.life[cell].parent == 0 ? cell : founder[std::size_t(cells.life[cell].parent)];
    for (std::size_t site = 0; site < ids.size(); ++site)
      ASSERT_EQ(founder[odd.state().ids[site]], ids[site]) << schedule << ", site " << site;
  }
}

// Odd shapes and places: nothing is lost, and the books are right.
TEST(Living, DividesCellsOfAnyShape) {
  const Model model = parse_model(
      "temperature = 0\n[lattice]\nsize = [24, 20]\nboundary = [\"periodic\", \"closed\"]\n"
      "[types.cell]\nvolume = { target = 60, lambda = 1e6 }\n[[rules]]\ntypes = \"cell\"\nwhen = "
      "\"generation < 3\"\ndo = \"divide\"\nplane = \"across\"\n",
      "m.toml", ".");
  std::vector<CellId> ids(24 * 20, 0);
  const auto put = [&](int x, int y, CellId id) { ids[std::size_t(y * 24 + x)] = id; };
  for (int x = 0; x < 24; ++x) put(x, 0, 1);  // a ring around a periodic axis, at the wall
  for (int x = 2; x < 18; ++x)                // longer than half of it
    for (int y = 3; y < 5; ++y) put(x, y, 2);
  put(20, 7, 3);                                         // one site
  for (int i = 0; i < 5; ++i) put(2 + 2 * i, 8 + i, 4);  // sites that do not touch
  for (int x = 3; x < 8; ++x)
    for (int y = 14; y < 19; ++y)
      if (x == 3 || x == 7 || y == 14 || y == 18) put(x, y, 5);  // hollow
  for (int y = 16; y < 20; ++y)
    for (int x = 22; x < 26; ++x) put(x % 24, y, 6);   // in a corner, across the border
  for (int i = 0; i < 4; ++i) put(12 + i, 12 + i, 7);  // a diagonal
  expect_divided(model, ids, 7, 3);
}

TEST(Living, DividesCellsOfAnyShapeIn3D) {
  const Model model = parse_model(
      "temperature = 0\n[lattice]\nsize = [24, 20, 16]\nboundary = [\"periodic\", \"closed\", \"periodic\"]\n"
      "[types.cell]\nvolume = { target = 60, lambda = 1e6 }\n[[rules]]\ntypes = \"cell\"\nwhen = "
      "\"generation < 3\"\ndo = \"divide\"\nplane = \"across\"\n",
      "m.toml", ".");
  std::vector<CellId> ids(24 * 20 * 16, 0);
  const auto put = [&](int x, int y, int z, CellId id) {
    ids[std::size_t((z % 16 * 20 + y) * 24 + x % 24)] = id;
  };
  for (int x = 0; x < 24; ++x)  // around both periodic axes, at the wall
    for (int z = 0; z < 16; ++z) put(x, 0, z, 1);
  for (int x = 2; x < 18; ++x)  // longer than half of a periodic axis
    for (int i = 0; i < 4; ++i) put(x, 3 + i / 2, 3 + i % 2, 2);
  put(20, 7, 5, 3);                                             // one site
  for (int i = 0; i < 5; ++i) put(2 + 2 * i, 8 + i, 2 * i, 4);  // sites that do not touch
  for (int i = 0; i < 125; ++i) {                               // hollow
    const int x = i % 5, y = i / 5 % 5, z = i / 25;
    if (x % 4 == 0 || y % 4 == 0 || z % 4 == 0) put(3 + x, 13 + y, 9 + z, 5);
  }
  for (int i = 0; i < 64; ++i)  // in a corner of two walls that are none, at the third
    put(22 + i % 4, 16 + i / 4 % 4, 14 + i / 16, 6);
  for (int i = 0; i < 4; ++i) put(13 + i, 8 + i, 6 + i, 7);  // a diagonal
  for (int i = 0; i < 16 * 16; ++i) {                        // a torus that lies flat
    const double x = i % 16 - 7.5, y = i / 16 - 7.5, r = std::hypot(x, y);
    if (r > 4 && r < 7 && y < 2) put(14 + i % 16, 3 + i / 16, 12, 8);
  }
  expect_divided(model, ids, 8, 3);
}

TEST(Living, ShrinksBeforeItDies) {
  Played dying(full_lattice(
      "[[rules]]\ntypes = \"cell\"\nwhen = \"time == 1 and x < 10\"\ndo = \"die\"\nover = 20\nat = 9\n"));
  dying.play(1);
  std::vector<CellId> condemned;
  for (CellId cell = 1; cell < dying.cells().count(); ++cell)
    if (dying.cells().life[cell].shrinks > 0) condemned.push_back(cell);
  ASSERT_EQ(condemned.size(), 8u);
  EXPECT_FLOAT_EQ(dying.cells().life[condemned[0]].shrinks, 3.2f);
  EXPECT_NEAR(dying.cells().targets[condemned[0]].volume, 64 - 3.2, 1e-5);
  dying.play(30);
  EXPECT_EQ(dying.cells().targets[condemned[0]].volume, 0);
  dying.play(3000);
  for (const CellId cell : condemned) EXPECT_EQ(dying.cells().life[cell].end, Cells::End::died);
  EXPECT_EQ(dying.alive(), 56);
  EXPECT_EQ(dying.books(), "");
}

TEST(Living, GrowsByTheHourUpToALimit) {
  Played growing(full_lattice("[units]\nseconds_per_mcs = 36\n[types.cell.growth]\nrate = 10\nup_to = 65\n"));
  growing.play(5);
  EXPECT_NEAR(growing.cells().life[1].target, 64.5, 1e-12);
  EXPECT_EQ(growing.cells().targets[1].volume, float(growing.cells().life[1].target));
  growing.play(20);
  EXPECT_EQ(growing.cells().life[1].target, 65);
}

// With what is known before any of them, and the later one where two set the same.
TEST(Living, FollowsAllRulesAtOnce) {
  Played swap(
      full_lattice("[types.cell.properties]\na = 1\nb = 2\nc = 0\n[[rules]]\ntypes = \"cell\"\nset = { a = "
                   "\"b\", c = 1 }\n"
                   "[[rules]]\ntypes = \"cell\"\nset = { b = \"a\", c = 2 }\n"));
  swap.play(3);
  EXPECT_EQ(swap.cells().property[3], 2);
  EXPECT_EQ(swap.cells().property[4], 1);
  EXPECT_EQ(swap.cells().property[5], 2);
}

TEST(Living, DiesRatherThanDivides) {
  Played both(full_lattice(
      "[types.other]\n[[rules]]\ntypes = \"cell\"\ndo = \"become\"\ntype = \"other\"\n"
      "[[rules]]\ntypes = \"cell\"\ndo = \"divide\"\n[[rules]]\ntypes = \"cell\"\nwhen = \"x > 32\"\n"
      "do = \"die\"\nhow = \"remove\"\n"));
  both.play(1);
  int64_t died = 0, divided = 0;
  for (CellId cell = 1; cell <= 64; ++cell) {
    died += both.cells().life[cell].end == Cells::End::died ? 1 : 0;
    divided += both.cells().life[cell].end == Cells::End::divided ? 1 : 0;
  }
  EXPECT_EQ(died, 32);
  EXPECT_EQ(divided, 32);
}

// A tissue without cells goes on, on every schedule, and its sites are medium.
TEST(Living, GoesOnWhenAllCellsAreGone) {
  for (const char* schedule : {"serial", "tiles", "checkerboard"}) {
    Played gone(
        full_lattice("[[rules]]\ntypes = \"cell\"\nwhen = \"time == 2\"\ndo = \"die\"\nhow = \"remove\"\n"),
        schedule == std::string("serial") ? "serial" : "threads", 2, schedule);
    gone.play(20);
    EXPECT_EQ(gone.alive(), 0) << schedule;
    EXPECT_EQ(gone.books(), "") << schedule;
    EXPECT_TRUE(std::all_of(gone.state().ids.begin(), gone.state().ids.end(),
                            [](CellId id) { return id == kMedium; }));
  }
}

// What no cell could mean: rates without end happen at once, those below 0 never; targets stay numbers.
TEST(Living, TakesAbsurdRates) {
  Played at_once(full_lattice("[[rules]]\ntypes = \"cell\"\nrate = 1e300\ndo = \"die\"\nhow = \"remove\"\n"));
  at_once.play(1);
  EXPECT_EQ(at_once.alive(), 0);
  Played never(full_lattice("[[rules]]\ntypes = \"cell\"\nrate = \"0 - 1e300\"\ndo = \"die\"\n"));
  never.play(20);
  EXPECT_EQ(never.alive(), 64);
  Played huge(full_lattice("[types.cell.growth]\nrate = 1e300\nup_to = 70\n"));
  huge.play(3);
  EXPECT_EQ(huge.cells().life[1].target, 70);
  Played shrinks(full_lattice("[types.cell.growth]\nrate = \"0 - 1e300\"\nup_to = 70\n"));
  shrinks.play(3);
  EXPECT_EQ(shrinks.cells().life[1].target, 0);
  EXPECT_EQ(shrinks.books(), "");
  Played divides(full_lattice("[[rules]]\ntypes = \"cell\"\nrate = 1e300\ndo = \"divide\"\n"));
  divides.play(30);  // until all are too small
  EXPECT_EQ(divides.books(), "");
  for (CellId cell = 1; cell < divides.cells().count(); ++cell) {
    if (divides.cells().life[cell].end == Cells::End::none) {
      EXPECT_LT(divides.cells().extent[cell].volume, 8);
    }
  }
}

TEST(Living, FollowsEquationsInTime) {
  Played decay(
      full_lattice("[units]\nseconds_per_mcs = 0.5\n[types.cell.properties]\nc = 3\nv = 0\n"
                   "[types.cell.equations]\nc = \"-0.2 * c\"\nv = \"cos(time)\"\nsteps = 8\n"));
  decay.play(20);
  EXPECT_NEAR(decay.cells().property[2], 3 * std::exp(-2.0), 1e-9);
  EXPECT_NEAR(decay.cells().property[3], std::sin(10.0), 1e-6);
}

// Collier et al. 1996: cells with much Delta stand alone among cells with little.
TEST(Living, MakesAPatternByLateralInhibition) {
  const Model model = read_model(std::string(KILN_SOURCE_DIR) + "/models/living/lateral-inhibition.toml");
  Played tissue(model, std::nullopt, "serial", 1);
  tissue.play(1500);
  const State& state = tissue.state();
  const Cells& cells = state.cells;
  const auto delta = [&](CellId cell) { return cells.property[2 * cell]; };
  std::vector<std::set<CellId>> touched(cells.count());
  for (Site site = 0; site < state.lattice.sites(); ++site)
    for (const Vec3i step : {Vec3i{1, 0, 0}, Vec3i{0, 1, 0}, Vec3i{1, 1, 0}, Vec3i{1, -1, 0}}) {
      Vec3i place = state.lattice.position(site) + step;
      if (!state.lattice.wrap(place)) continue;
      const CellId a = state.ids[std::size_t(site)], b = state.ids[std::size_t(state.lattice.index(place))];
      if (a == b) continue;
      touched[a].insert(b);
      touched[b].insert(a);
    }
  int high = 0, low = 0, high_beside_high = 0, low_beside_none = 0;
  for (CellId cell = 1; cell < cells.count(); ++cell) {
    const auto is_high = [&](CellId other) { return delta(other) > 0.5; };
    const auto neighbours = std::count_if(touched[cell].begin(), touched[cell].end(), is_high);
    (is_high(cell) ? high : low) += 1;
    high_beside_high += is_high(cell) && neighbours > 0 ? 1 : 0;
    low_beside_none += delta(cell) < 0.05 && neighbours == 0 ? 1 : 0;
  }
  EXPECT_EQ(high + low, 224);
  EXPECT_NEAR(high, 224 * 0.26,
              224 * 0.06);  // one in four of a hexagonal lattice, a few more where it is not
  EXPECT_EQ(high_beside_high, 0);
  EXPECT_EQ(low_beside_none, 0);
}

// Against sums over all pairs of sites.
TEST(Living, KnowsItsNeighbours) {
  for (const char* size : {"[30, 22]", "[12, 10, 9]"}) {
    const bool flat = std::string(size) == "[30, 22]";
    const std::string boundary = flat ? R"(["closed", "periodic"])" : R"(["closed", "periodic", "closed"])";
    const Model model = parse_model("seed = 2\ntemperature = 8\n[lattice]\nsize = " + std::string(size) +
                                        "\nboundary = " + boundary + R"toml(
[types.a]
volume = { target = 20, lambda = 2 }
properties = { v = "uniform(-3, 5)", share = 0, cells = 0, average = 0 }
[types.b]
volume = { target = 20, lambda = 2 }
[[initial]]
box = 3
spacing = 4
types = { a = 2, b = 1 }
[[rules]]
types = "a"
set = { share = "contact(b)", cells = "neighbours(a)", average = "neighbours_mean(v)" }
)toml",
                                    "m.toml", ".");
    Played played(model, std::nullopt, "threads", 2);
    played.play(5);
    const State& state = played.state();
    const Cells& cells = state.cells;
    std::vector<double> border(cells.count()), with_b(cells.count()), sum(cells.count()),
        pairs(cells.count());
    std::vector<std::set<CellId>> touched(cells.count());
    for (Site site = 0; site < state.lattice.sites(); ++site) {
      const CellId cell = state.ids[std::size_t(site)];
      for (int k = 0; k < model.perimeter_neighbours.count; ++k) {
        const Vec3<int8_t> o = model.perimeter_neighbours.offset[k];
        Vec3i place = state.lattice.position(site) + Vec3i{o.x, o.y, o.z};
        if (!state.lattice.wrap(place)) continue;
        const CellId other = state.ids[std::size_t(state.lattice.index(place))];
        if (other == cell) continue;
        border[cell] += 1;
        with_b[cell] += cells.type[other] == 2 ? 1 : 0;
        if (cells.type[other] != 1) continue;
        touched[cell].insert(other);
        sum[cell] += cells.property[4 * other];
        pairs[cell] += 1;
      }
    }
    int seen = 0;
    for (CellId cell = 1; cell < cells.count(); ++cell) {
      if (cells.type[cell] != 1 || cells.extent[cell].volume == 0) continue;
      EXPECT_EQ(cells.property[4 * cell + 1], with_b[cell] / border[cell]);
      EXPECT_EQ(cells.property[4 * cell + 2], double(touched[cell].size()));
      EXPECT_NEAR(cells.property[4 * cell + 3], pairs[cell] > 0 ? sum[cell] / pairs[cell] : 0, 1e-8);
      seen += touched[cell].empty() ? 0 : 1;
    }
    EXPECT_GT(seen, 5) << size;
  }
}

TEST(Living, TakesNumbersAlongIntoAnotherType) {
  Played run(full_lattice(
      "[types.cell.growth]\nrate = 3600\nup_to = 80\n[types.b]\nvolume = { target = 30, lambda = 5 }\n"
      "properties.mark = 0\n[[rules]]\ntypes = \"cell\"\nwhen = \"age >= s(9)\"\n"
      "do = \"become\"\ntype = \"b\"\nset = { mark = 7, \"volume.target\" = \"target\" }\n",
      "[64, 64]"));
  const int64_t cells = run.alive();
  run.play(40);
  EXPECT_EQ(run.alive(), cells);
  for (CellId cell = 1; cell < run.cells().count(); ++cell) {
    EXPECT_EQ(run.cells().type[cell], 2);
    EXPECT_EQ(run.cells().property[cell], 7);
    EXPECT_EQ(run.cells().life[cell].target, 64 + 8);     // what it had grown to in the MCS before
    EXPECT_NEAR(run.cells().extent[cell].volume, 64, 4);  // the lattice is full
  }
}

TEST(Living, SaysWhichCellHasNoNumber) {
  Played broken(
      full_lattice("[types.cell.properties]\nc = 3\n[[rules]]\ntypes = \"cell\"\nwhen = \"time == 2\"\n"
                   "set = { c = \"c / (volume - volume)\" }\n"));
  broken.play(1);
  try {
    broken.play(3);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("m.toml: cell 1, MCS 2: rules.0 sets inf, where "),
              std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("c 3"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kiln
