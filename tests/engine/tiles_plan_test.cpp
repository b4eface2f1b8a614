// What the `tiles` schedule derives from a model: how far apart attempts are, how often they are judged, how
// many rounds make an MCS.
#include "engine/tiles_plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "model/read.hpp"

namespace kiln {
namespace {

struct Tissue {
  std::string top = "temperature = 20\n";  // what comes before the first section
  std::string lattice = "size = [120, 120]\n";
  std::string volume = "{target = 100, lambda = 25}";
  std::string further = "";
};

tiles::Settings settings_of(const Tissue& t) {
  return tiles::settings_for(parse_model(
      fmt::format("{}[lattice]\n{}[types.cell]\nvolume = {}\n{}", t.top, t.lattice, t.volume, t.further),
      "m.toml", "."));
}

std::string message_of(const Tissue& t) {
  try {
    settings_of(t);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

void expect_settings(const Tissue& tissue, int spacing, int passes) {
  const tiles::Settings settings = settings_of(tissue);
  EXPECT_EQ(settings.spacing, spacing);
  EXPECT_EQ(settings.passes, passes);
}

// Stiffness is 2 lambda / T: soft up to 0.25.
TEST(TilesPlan, SoftCellsAreJudgedOnce) {
  expect_settings({.volume = "{target = 100, lambda = 2.5}"}, 3, 1);
  expect_settings({.volume = "{target = 100, lambda = 2.625}"}, 3, 4);
  // However large they are.
  expect_settings({.volume = "{target = 10000, lambda = 2.5}"}, 3, 1);
  expect_settings({.volume = "{target = 100, lambda = 0}"}, 3, 1);
  // No temperature softens anything.
  expect_settings({.top = "temperature = 0\n", .volume = "{target = 100, lambda = 0.001}"}, 3, 4);
}

// 2 lambda (0.4 x 8 neighbours)^2 / T = 1.024 lambda at T = 20.
TEST(TilesPlan, PerimetersCountAsWell) {
  const std::string volume = "{target = 20, lambda = 0.1}";
  expect_settings({.volume = volume, .further = "perimeter = {target = 30, lambda = 0.24}\n"}, 3, 1);
  expect_settings({.volume = volume, .further = "perimeter = {target = 30, lambda = 0.25}\n"}, 3, 4);
}

// A tenth of the push of Act adds to the temperature: 2 x 25 / (20 + 0.1 lambda).
TEST(TilesPlan, ActSoftensCells) {
  const std::string volume = "{target = 20, lambda = 25}";
  expect_settings({.volume = volume, .further = "act = {lambda = 1800, max = 10}\n"}, 3, 1);
  expect_settings({.volume = volume, .further = "act = {lambda = 1700, max = 10}\n"}, 3, 4);
}

// In 2-D, sqrt(V) <= 1.5 spacing^2: up to V = 182.25 at 3, 576 at 4, 1406 at 5, 2916 at 6.
TEST(TilesPlan, LargeStiffCellsKeepAttemptsFartherApart) {
  const auto volume = [](int target) { return fmt::format("{{target = {}, lambda = 25}}", target); };
  expect_settings({.volume = volume(182)}, 3, 4);
  expect_settings({.volume = volume(183)}, 4, 4);
  expect_settings({.volume = volume(576)}, 4, 4);
  expect_settings({.volume = volume(577)}, 5, 4);
  expect_settings({.volume = volume(2500)}, 6, 4);
}

// In 3-D, V^(2/3) <= 1.5 spacing^3: up to V = 257.7 at 3, 940.6 at 4.
TEST(TilesPlan, LargeStiffCellsKeepAttemptsFartherApartIn3D) {
  const std::string lattice = "size = [40, 40, 40]\n";
  const auto volume = [](int target) { return fmt::format("{{target = {}, lambda = 25}}", target); };
  expect_settings({.lattice = lattice, .volume = volume(257)}, 3, 4);
  expect_settings({.lattice = lattice, .volume = volume(258)}, 4, 4);
  expect_settings({.lattice = lattice, .volume = volume(940)}, 4, 4);
  expect_settings({.lattice = lattice, .volume = volume(941)}, 5, 4);
}

TEST(TilesPlan, StrictSettlesEverythingOneSiteFartherApart) {
  const std::string strict = "temperature = 20\nfidelity = \"strict\"\n";
  expect_settings({.top = strict, .volume = "{target = 100, lambda = 1}"}, 4, 0);
  expect_settings({.top = strict, .volume = "{target = 100, lambda = 25}"}, 4, 0);
  expect_settings({.top = strict, .volume = "{target = 2500, lambda = 25}"}, 6, 0);
}

// The shells of a 2-D lattice end at (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0).
TEST(TilesPlan, FartherNeighboursKeepAttemptsFartherApart) {
  const std::string soft = "{target = 100, lambda = 1}";
  for (const char* term : {"adhesion", "perimeter"})
    for (const auto& [order, spacing] : {std::pair{1, 3}, {2, 3}, {5, 3}, {6, 4}})
      expect_settings({.volume = soft, .further = fmt::format("[neighbourhood]\n{} = {}\n", term, order)},
                      spacing, 1);
}

// The stiffest and largest type of all phases decides; frozen ones do not change.
TEST(TilesPlan, EveryPhaseAndTypeThatCanMoveCounts) {
  const std::string soft = "{target = 100, lambda = 1}";
  expect_settings({.volume = soft, .further = "[types.wall]\nfrozen = true\n"}, 3, 1);
  expect_settings({.volume = soft, .further = "[types.big]\nvolume = {target = 500, lambda = 25}\n"}, 4, 4);
  const std::string phases = "[[phases]]\nmcs = 5\n[[phases]]\nmcs = 5\nset = {temperature = 5}\n";
  expect_settings({.volume = soft, .further = phases}, 3, 4);
}

// A periodic axis has to hold a tile; a closed one need not.
TEST(TilesPlan, ShortPeriodicAxesLimitTheSpacing) {
  const std::string large = "{target = 2500, lambda = 25}";
  expect_settings({.lattice = "size = [120, 5]\n", .volume = large}, 5, 4);
  expect_settings({.lattice = "size = [3, 120]\n", .volume = large}, 3, 4);
  expect_settings({.lattice = "size = [120, 5]\nboundary = [\"periodic\", \"closed\"]\n", .volume = large}, 6,
                  4);
}

// 333,334 x 33,334 tiles are too many for 32 bits, 2^32; so are rows of one tile, which take 32 numbers.
TEST(TilesPlan, MoreTilesThanCanBeNumberedAreRefused) {
  const std::string soft = "{target = 100, lambda = 1}";
  EXPECT_EQ(message_of({.lattice = "size = [1000000, 100000]\n", .volume = soft}),
            "m.toml: lattice.size is 1000000 x 100000, more than the tiles schedule can number: about 10^11 "
            "sites, or fewer where x is short. --engine serial can run it.");
  EXPECT_NE(message_of({.lattice = "size = [3, 40000, 40000]\n", .volume = soft}), "");
  EXPECT_EQ(message_of({.lattice = "size = [3, 30000, 30000]\n", .volume = soft}), "");
}

TEST(TilesPlan, SettingsAreSaidInWords) {
  EXPECT_EQ(tiles::describe({3, 1}),
            "one attempt per tile of 3 sites per axis and round; all attempts of a round are judged on the "
            "sizes that cells have at its start");
  EXPECT_EQ(tiles::describe({4, 4}),
            "one attempt per tile of 4 sites per axis and round; attempts that share a cell are settled in 4 "
            "passes");
  EXPECT_EQ(tiles::describe({6, 0}),
            "one attempt per tile of 6 sites per axis and round; attempts that share a cell are settled one "
            "after the other");
}

}  // namespace
}  // namespace kiln
