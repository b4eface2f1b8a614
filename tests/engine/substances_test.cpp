// Substances in models: cells secrete them, take them up, hold them and follow them.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "support/living_worlds.hpp"
#include "support/played.hpp"

namespace kiln {
namespace {

using test::kFlat;
using test::kSolid;
using test::Played;

class SubstancesInTissue : public testing::TestWithParam<const std::string*> {};

TEST_P(SubstancesInTissue, AreTheSameOnAnyNumberOfThreadsAndAfterAnyStop) {
  for (const char* schedule : {"serial", "tiles", "checkerboard"}) {
    const std::string engine = schedule == std::string("serial") ? "serial" : "threads";
    Played one(*GetParam(), engine, 1, schedule), three(*GetParam(), engine, 3, schedule);
    State state = one.first;
    for (int mcs = 1; mcs <= 12; ++mcs) {
      one.play(1);
      three.play(1);
      ASSERT_EQ(one.hash(), three.hash()) << schedule << ", MCS " << mcs;
      Played again(one.model, std::move(state), engine, 2, schedule);
      again.play(1);
      ASSERT_EQ(one.hash(), again.hash()) << schedule << ", from MCS " << mcs - 1;
      state = again.state();
      ASSERT_EQ(one.books(), "");
    }
    for (std::size_t s = 0; s < 2; ++s) {
      const Substance &a = one.state().substances[s], &b = three.state().substances[s];
      EXPECT_TRUE(a.budget == b.budget && a.total == b.total && a.shown == b.shown);
    }
  }
}

// What there is equals what there was and all that came and went.
TEST_P(SubstancesInTissue, KeepBooksThatClose) {
  Played run(*GetParam());
  run.play(60);
  for (const Substance& s : run.state().substances) {
    EXPECT_GT(s.total, 0);
    EXPECT_NEAR(s.total, s.first_total + s.budget.gain(), 1e-12 * (s.total + s.budget.decayed)) << s.name;
    EXPECT_TRUE(std::all_of(s.values.begin(), s.values.end(), [](double c) { return c >= 0; }));
  }
  const SubstanceBudget& food = run.state().substances[0].budget;
  EXPECT_GT(food.secreted, 0);
  EXPECT_GT(food.taken_up, 0);
  EXPECT_GT(food.held, 0);
  EXPECT_NE(food.crossed_walls, 0);
}

INSTANTIATE_TEST_SUITE_P(In, SubstancesInTissue, testing::Values(&kFlat, &kSolid),
                         [](const auto& test) { return test.index == 0 ? "2D" : "3D"; });

// Bits on record: they are those of every platform.
TEST(Substances, HaveTheBitsOnRecord) {
  const auto hash_of = [](const std::string& text, const char* engine) {
    Played run(text, engine);
    run.play(40);
    return run.hash();
  };
  EXPECT_EQ(hash_of(kFlat, "threads"), "9a7025b402dad35e");
  EXPECT_EQ(hash_of(kSolid, "threads"), "a14a10a7f042b81e");
  EXPECT_EQ(hash_of(kFlat, "serial"), "bfb01014ac9a04fc");
}

// A box of one substance, cells of 4 x 4 sites that do not move in it.
std::string still(const std::string& substance, const std::string& type, int coarsen = 1) {
  return "temperature = 0\nmcs = 10\n[lattice]\nsize = [16, 16]\n[units]\nseconds_per_mcs = 2\n"
         "[substances.s]\ncoarsen = " +
         std::to_string(coarsen) + "\n" + substance +
         "[types.cell]\nvolume = { target = 16, lambda = 1e6 }\n" + type +
         "[[initial]]\nbox = 4\nspacing = 8\ntype = \"cell\"\n";
}

double total_after(const std::string& text, int64_t mcs) {
  Played run(text);
  run.play(mcs);
  const Substance& s = run.state().substances[0];
  const double sum = std::accumulate(s.values.begin(), s.values.end(), 0.0) * s.coarsen * s.coarsen;
  EXPECT_NEAR(sum, s.total * s.coarsen * s.coarsen, 1e-9 * sum);
  return sum;
}

// Four cells of 16 sites. With all that is secreted decaying, there is S/k (1 - exp(-k t)).
TEST(Substances, AreSecretedPerSiteAndPerCell) {
  for (const int coarsen : {1, 2, 4, 8}) {
    const std::string like = "diffusion = 5\n";
    EXPECT_NEAR(total_after(still(like, "secretes.s = 0.25\n", coarsen), 10), 64 * 0.25 * 20, 1e-9);
    EXPECT_NEAR(total_after(still(like, "secretes.s = { rate = 3, per = \"cell\" }\n", coarsen), 10),
                4 * 3 * 20, 1e-9);
    EXPECT_NEAR(
        total_after(
            still(like, "properties.p = 2\nsecretes.s = { rate = \"p + 1\", per = \"cell\" }\n", coarsen),
            10),
        4 * 3 * 20, 1e-9);
    EXPECT_NEAR(total_after(still(like, "properties.p = 2\nsecretes.s = \"p / 8\"\n", coarsen), 10),
                64 * 0.25 * 20, 1e-9);
    EXPECT_NEAR(total_after(still(like, "properties.p = 2\nsecretes.s = \"-p\"\n", coarsen), 10), 0, 0);
  }
  const double k = 0.01, expected = 64 * 0.25 / k * (1 - std::exp(-k * 200));
  EXPECT_NEAR(total_after(still("diffusion = 5\ndecay = 0.01\n", "secretes.s = 0.25\n"), 100) / expected, 1,
              2e-3);
}

// The medium takes part, too: what is lost outside of cells.
TEST(Substances, AreTakenUpByTheMedium) {
  const std::string text =
      "temperature = 0\n[lattice]\nsize = [8, 8]\n[substances.s]\ndiffusion = 0\nstart = 1\n"
      "[types.medium]\ntakes_up.s = 0.5\n[types.cell]\nvolume = { target = 16, lambda = 1e6 }\n"
      "[[initial]]\nbox = 4\nspacing = 8\ntype = \"cell\"\n";
  Played run(text);
  run.play(3);
  const double left = std::pow(1 - 0.5 / 2, 6);  // in two steps an MCS
  for (std::size_t site = 0; site < 64; ++site)
    EXPECT_NEAR(run.state().substances[0].values[site], run.state().ids[site] == kMedium ? left : 1.0, 1e-12);
}

// Where everything is taken up at a rate, what there was falls off exponentially; a ceiling makes that a
// straight line.
TEST(Substances, AreTakenUp) {
  const std::string all =
      "mcs = 1\n[lattice]\nsize = [8, 8]\n[substances.s]\ndiffusion = 1\nstart = 4\n"
      "[types.cell]\nvolume = { target = 64, lambda = 1 }\ntakes_up.s = ";
  const std::string end = "\n[[initial]]\nbox = 8\ntype = \"cell\"\n";
  // In steps of 0.2 s.
  EXPECT_NEAR(total_after(all + "0.02" + end, 50), 256 * std::pow(1 - 0.02 * 0.2, 250), 1e-9);
  EXPECT_NEAR(total_after(all + "{ rate = 1, at_most = 0.05 }" + end, 50), 64 * (4 - 50 * 0.05), 1e-9);
}

TEST(Substances, AreHeldWhereHalfOfAVoxelOrMoreIsOfTheType) {
  for (const int coarsen : {1, 2, 8}) {
    Played run(still("diffusion = 5\nstart = 9\n", "holds.s = 2\n", coarsen));
    run.play(3);
    const State& state = run.state();
    const Substance& s = state.substances[0];
    for (Site v = 0; v < s.voxels.sites(); ++v) {
      const Vec3i first = s.voxels.position(v);
      int held = 0;
      for (Site site = 0; site < state.lattice.sites(); ++site) {
        const Vec3i p = state.lattice.position(site);
        if (p.x / coarsen == first.x && p.y / coarsen == first.y && state.ids[std::size_t(site)] != kMedium)
          ++held;
      }
      if (2 * held >= coarsen * coarsen)
        EXPECT_EQ(s.values[std::size_t(v)], 2) << coarsen;
      else
        EXPECT_GT(s.values[std::size_t(v)], 2) << coarsen;
    }
  }
}

// In its steady state, as much decays as is secreted; and it is there at once.
TEST(Substances, CanAlwaysBeSteady) {
  Played run(still("diffusion = 5\ndecay = 0.01\nmode = \"steady\"\n", "secretes.s = 0.25\n"));
  run.play(1);
  EXPECT_NEAR(run.state().substances[0].total * 0.01 / (64 * 0.25), 1, 1e-5);
  // The residual of the equation, in every voxel.
  const Substance& s = run.state().substances[0];
  for (Site v = 0; v < s.voxels.sites(); ++v) {
    const Vec3i p = s.voxels.position(v);
    double change = run.state().ids[std::size_t(v)] != kMedium ? 0.25 : 0.0;
    change -= 0.01 * s.values[std::size_t(v)];
    for (const Vec3i step : {Vec3i{1, 0, 0}, Vec3i{-1, 0, 0}, Vec3i{0, 1, 0}, Vec3i{0, -1, 0}}) {
      Vec3i there = p + step;
      s.voxels.wrap(there);
      change += 5 * (s.values[std::size_t(s.voxels.index(there))] - s.values[std::size_t(v)]);
    }
    EXPECT_NEAR(change, 0, 1e-4);
  }
}

// As oxygen of a spheroid: from a medium that holds it into cells that take up no more than a ceiling. In a
// block three times as wide as it reaches, the equation holds in every cell: where cells take up all they
// can, at the edge, and where they have too little, within.
TEST(Substances, AreSteadyWhereUptakeHasACeiling) {
  const double d = 2000, edge = 8, rate = 22, ceiling = 22;
  Played run(
      "temperature = 0\n[lattice]\nsize = [56, 56]\nboundary = \"closed\"\n[units]\nvoxel_um = 8\n"
      "[substances.o2]\ndiffusion = 2000\nstart = 25\nmode = \"steady\"\n"
      "boundary = { x = 25, y = 25 }\n[types.medium]\nholds.o2 = 25\n"
      "[types.cell]\nvolume = { target = 16, lambda = 1e6 }\ntakes_up.o2 = { rate = 22, at_most = 22 }\n"
      "[[initial]]\nbox = 4\ntype = \"cell\"\nregion = { shape = \"box\", low = [8, 8], high = [48, 48] }\n");
  run.play(1);
  const State& state = run.state();
  ASSERT_EQ(std::count_if(state.ids.begin(), state.ids.end(), [](CellId id) { return id != kMedium; }),
            40 * 40);
  const Substance& s = state.substances[0];
  int filled = 0, starved = 0;
  for (Site v = 0; v < s.voxels.sites(); ++v) {
    const double c = s.values[std::size_t(v)];
    if (state.ids[std::size_t(v)] == kMedium) {
      EXPECT_NEAR(c, 25, 1e-9);
      continue;
    }
    double change = -std::min(rate * c, ceiling);
    for (const Vec3i step : {Vec3i{1, 0, 0}, Vec3i{-1, 0, 0}, Vec3i{0, 1, 0}, Vec3i{0, -1, 0}})
      change += d / (edge * edge) * (s.values[std::size_t(s.voxels.index(s.voxels.position(v) + step))] - c);
    EXPECT_NEAR(change, 0, 1e-3 * ceiling) << "voxel " << v;
    filled += c > 2 ? 1 : 0;
    starved += c < 0.5 ? 1 : 0;
  }
  EXPECT_GT(filled, 400);
  EXPECT_GT(starved, 400);
}

// What there is has no end: the run does, in a sentence, on any engine and in any mode.
TEST(Substances, OfWhichThereIsTooMuchEndTheRun) {
  const auto message_of = [](const std::string& like, const std::string& use, const char* engine,
                             int threads) {
    Played run(still(like, use), engine, threads);
    try {
      run.play(50);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const char* engine : {"serial", "threads"})
    for (const int threads : {1, 3}) {
      if (engine == std::string("serial") && threads > 1) continue;
      const auto says = [&](const std::string& like, const std::string& use, const std::string& sentence) {
        const std::string message = message_of(like, use, engine, threads);
        EXPECT_NE(message.find(sentence), std::string::npos) << engine << ": " << message;
      };
      says("diffusion = 5\n", "secretes.s = 1e308\n", "substance s, MCS 1: its concentrations add up to ");
      // 64 sites that give 10^36 per second each, and 2 s per MCS: 3.4 10^38 is the most.
      says("diffusion = 5\n", "secretes.s = 1e36\n",
           "substance s, MCS 3: its concentrations add up to 3.84e+38,");
      says("diffusion = 5\ndecay = 0.01\nmode = \"steady\"\n", "secretes.s = 1e308\n",
           "substance s, MCS 1: ");
      says("diffusion = 5\nstart = 1e308\n", "", "substance s, MCS 1: ");
      EXPECT_EQ(message_of("diffusion = 5\n", "secretes.s = 1e34\n", engine, threads), "");
    }
}

// What a rule reads is the mean over the sites of a cell as they were when it was counted.
TEST(Substances, AreReadByRules) {
  for (const int coarsen : {1, 2}) {
    Played run(
        "temperature = 5\n[lattice]\nsize = [24, 16]\nboundary = \"closed\"\n[substances.s]\ndiffusion = 2\n"
        "coarsen = " +
        std::to_string(coarsen) +
        "\nstart = \"x * x + 3 * y\"\n[types.cell]\nvolume = { target = 20, lambda = 2 }\n"
        "properties = { m = 0, gx = 0, gy = 0 }\n[adhesion]\ndefault = 3\n"
        "[[initial]]\nkind = \"seeds\"\ntype = \"cell\"\ncount = 5\nradius = 2\n"
        "[[rules]]\ntypes = \"cell\"\nset = { m = \"mean(s)\", gx = \"gradient_x(s)\", gy = "
        "\"gradient_y(s)\" }\n");
    for (int mcs = 0; mcs < 5; ++mcs) {
      const std::vector<double> before = run.state().substances[0].values;
      run.play(1);
      const State& state = run.state();
      const Lattice& voxels = state.substances[0].voxels;
      const auto at = [&](int32_t x, int32_t y) {
        return before[std::size_t(
            voxels.index({std::clamp(x, 0, voxels.size.x - 1), std::clamp(y, 0, voxels.size.y - 1), 0}))];
      };
      for (CellId cell = 1; cell < state.cells.count(); ++cell) {
        double mean = 0, gx = 0, gy = 0, sites = 0;
        for (Site site = 0; site < state.lattice.sites(); ++site) {
          if (state.ids[std::size_t(site)] != cell) continue;
          const Vec3i p = state.lattice.position(site);
          const int32_t x = p.x / coarsen, y = p.y / coarsen;
          const bool edge_x = x == 0 || x == voxels.size.x - 1, edge_y = y == 0 || y == voxels.size.y - 1;
          mean += at(x, y);
          gx += (at(x + 1, y) - at(x - 1, y)) / coarsen / (edge_x ? 1 : 2);
          gy += (at(x, y + 1) - at(x, y - 1)) / coarsen / (edge_y ? 1 : 2);
          sites += 1;
        }
        ASSERT_GT(sites, 0);
        const double* found = &state.cells.property[cell * 3];
        EXPECT_NEAR(found[0], mean / sites, 1e-6);
        EXPECT_NEAR(found[1], gx / sites, 1e-6);
        EXPECT_NEAR(found[2], gy / sites, 1e-6);
      }
    }
  }
}

// Cells climb a gradient that a source makes: every one of 20 comes nearer. Without it, by a walk without
// direction, they do so with a chance of 2^-20.
TEST(Substances, AreFollowed) {
  for (const double lambda : {2000.0, -2000.0}) {
    Played run(
        "temperature = 20\nseed = 2\n[lattice]\nsize = [160, 40]\nboundary = \"closed\"\n[substances.s]\n"
        "diffusion = 50\ndecay = 0.01\nmode = \"steady\"\nupdate_every = 20\n"
        "[types.wall]\nfrozen = true\nholds.s = 1\n"
        "[types.cell]\nvolume = { target = 40, lambda = 3 }\nchemotaxis = { substance = \"s\", lambda = " +
        std::to_string(lambda) +
        " }\n[adhesion]\ndefault = 8\n[[initial]]\nkind = \"fill\"\ntype = \"wall\"\n"
        "region = { shape = \"box\", high = [2, 40] }\n"
        "[[initial]]\nkind = \"seeds\"\ntype = \"cell\"\ncount = 20\nradius = 3\n"
        "region = { shape = \"box\", low = [60, 0], high = [100, 40] }\n");
    run.play(20);
    std::vector<double> before;
    for (CellId cell = 2; cell < run.cells().count(); ++cell) before.push_back(run.cells().position(cell).x);
    run.play(200);
    int nearer = 0;
    for (CellId cell = 2; cell < run.cells().count(); ++cell)
      nearer += run.cells().position(cell).x < before[cell - 2] ? 1 : 0;
    EXPECT_EQ(nearer, lambda > 0 ? 20 : 0);
  }
}

// Merks 2008: where only borders with the medium follow what cells secrete, they make a network; where all
// borders do, they round up. A network has the longer border: 1.34, 1.33 and 1.15 times with seeds 1, 2 and 3
// by now, 1.58, 1.35 and 1.52 times another 1,000 MCS later.
TEST(Substances, MakeNetworksWhereContactInhibitsChemotaxis) {
  const auto border = [](const char* at) {
    const Model model = read_model(KILN_SOURCE_DIR "/models/living/vasculogenesis.toml",
                                   {std::string("types.endothelium.chemotaxis.at=") + at});
    Played run(model, std::nullopt, "threads", 2);
    run.play(1000);
    const State& state = run.state();
    int64_t pairs = 0;
    for (Site site = 0; site < state.lattice.sites(); ++site) {
      Vec3i there = state.lattice.position(site) + Vec3i{1, 0, 0};
      state.lattice.wrap(there);
      pairs += (state.ids[std::size_t(site)] == kMedium) !=
               (state.ids[std::size_t(state.lattice.index(there))] == kMedium);
    }
    return double(pairs);
  };
  EXPECT_GT(border("medium") / border("all"), 1.15);
}

TEST(Substances, ChooseTheirVoxels) {
  const auto coarsen = [](const std::string& size, const std::string& rest) {
    return parse_model("[lattice]\nsize = " + size + "\n[substances.s]\ncoarsen = \"auto\"\n" + rest, "m",
                       ".")
        .substances[0]
        .coarsen;
  };
  const std::string cell = "[types.cell]\nvolume = { target = 150, lambda = 1 }\nsecretes.s = 1\n";
  EXPECT_EQ(coarsen("[64, 64, 64]", "diffusion = 100\n" + cell), 2);         // a radius of 3.3 sites
  EXPECT_EQ(coarsen("[64, 64]", "diffusion = 100\n" + cell), 4);             // 6.9
  EXPECT_EQ(coarsen("[64, 66]", "diffusion = 100\n" + cell), 2);             // 66 is no multiple of 4
  EXPECT_EQ(coarsen("[64, 64]", "diffusion = 100\ndecay = 4\n" + cell), 1);  // reaches 5 sites
  EXPECT_EQ(coarsen("[64, 64]", "diffusion = 100\n[types.cell]\n"), 8);
}

// It need not wait for its first update.
TEST(Substances, AreSteadyFromTheFirstMcsOn) {
  Played run(
      "seed = 1\n[lattice]\nsize = [32, 32]\n[substances.c]\ndiffusion = 1\ndecay = 0.5\nmode = \"steady\"\n"
      "update_every = 1000\n[types.cell]\nvolume = { target = 16, lambda = 5 }\nsecretes.c = 2\n"
      "[[initial]]\nbox = 4\nspacing = 8\ntype = \"cell\"\n");
  run.play(1);
  const double first = run.state().substances[0].total;
  double sites = 0;
  for (const Cells::Extent& extent : run.cells().extent) sites += extent.volume;
  EXPECT_NEAR(first, 2 / 0.5 * sites, 1e-3);  // what is secreted decays
  run.play(5);
  EXPECT_EQ(run.state().substances[0].total, first);
}

}  // namespace
}  // namespace kiln
