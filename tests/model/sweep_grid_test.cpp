#include "model/sweep_grid.hpp"

#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"

namespace kiln {
namespace {

using Values = std::vector<std::string>;

Values values_of(const std::string& text) { return parse_variation("temperature=" + text).values; }

TEST(SweepGrid, ListsAndRanges) {
  EXPECT_EQ(values_of("5,10, 20"), (Values{"5", "10", "20"}));
  EXPECT_EQ(values_of("200:1000:200"), (Values{"200", "400", "600", "800", "1000"}));
  EXPECT_EQ(values_of("0.1:0.5:0.1"), (Values{"0.1", "0.2", "0.3", "0.4", "0.5"}));
  EXPECT_EQ(values_of("0:10:4"), (Values{"0", "4", "8"}));
  EXPECT_EQ(values_of("3:1:-1"), (Values{"3", "2", "1"}));
  EXPECT_EQ(values_of("-0.2:0.2:0.2"), (Values{"-0.2", "0", "0.2"}));
  EXPECT_EQ(values_of("1:3:1,10"), (Values{"1", "2", "3", "10"}));
  EXPECT_EQ(values_of("7"), (Values{"7"}));
  EXPECT_EQ(values_of("[64,64],[32,32]"), (Values{"[64,64]", "[32,32]"}));
  EXPECT_EQ(values_of("\"a,b\",word"), (Values{"\"a,b\"", "word"}));
  EXPECT_EQ(values_of("C:/a.tif,b"), (Values{"C:/a.tif", "b"}));
  EXPECT_EQ(parse_variation(" types.cell.act.lambda = 1,2").key, "types.cell.act.lambda");
}

TEST(SweepGrid, KeysMayTakeTheirValuesTogether) {
  const std::vector<Variation> both = {parse_variation("types.a.act.lambda, types.CD4+.act.lambda=1,2"),
                                       parse_variation("temperature=5")};
  const std::vector<Combination> all = combinations(both);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(settings_of(both, all[1]),
            (Values{"types.a.act.lambda=2", "types.CD4+.act.lambda=2", "temperature=5"}));
  const std::vector<Override> changes = overrides_of(both, all[1]);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].path, (Values{"types", "a", "act", "lambda"}));
  EXPECT_EQ(changes[1].path, (Values{"types", "CD4+", "act", "lambda"}));
  EXPECT_THROW(parse_variation("a,=1"), UserError);
  EXPECT_THROW(parse_variation("temperature,seed=1"), UserError);
  EXPECT_THROW(check_sweep({{"a,b", {"1"}}, {"b", {"2"}}}, 1), UserError);
}

struct Bad {
  const char *text, *message;
};

TEST(SweepGrid, BadOnesGetASentence) {
  const std::string usage =
      "write it as KEY=VALUES, such as temperature=5,10,20 or types.cell.act.lambda=200:3000:200.";
  const Bad bad[] = {
      {"temperature", usage.c_str()},
      {"=3", usage.c_str()},
      {"types..act=3", usage.c_str()},
      {"temperature=", "a value is missing; write values as a,b,c or as a range LO:HI:STEP."},
      {"temperature=1,,2", "a value is missing; write values as a,b,c or as a range LO:HI:STEP."},
      {"temperature=1:5", "1:5 is no range; write LO:HI:STEP, such as 200:3000:200."},
      {"temperature=1:5:0", "1:5:0 leads nowhere: steps of 0 do not go from 1 to 5."},
      {"temperature=1:5:-1", "1:5:-1 leads nowhere: steps of -1 do not go from 1 to 5."},
      {"temperature=0:1:1e-9", "0:1:1e-9 has more than a million values."},
      {"temperature=5,10,5", "5 stands there twice."},
      {"seed=1,2", "every run has a seed of its own; ask for several with --replicas."},
  };
  for (const Bad& b : bad) {
    try {
      parse_variation(b.text);
      ADD_FAILURE() << b.text << " was taken";
    } catch (const UserError& e) {
      EXPECT_EQ(e.what(), std::string("--vary ") + b.text + ": " + b.message);
    }
  }
  EXPECT_THROW(check_sweep({}, 0), UserError);
  EXPECT_THROW(check_sweep({{"a", {"1"}}, {"a", {"2"}}}, 1), UserError);
  EXPECT_THROW(check_sweep({{"a", Values(2000)}, {"b", Values(2000)}}, 1), UserError);
  EXPECT_NO_THROW(check_sweep({{"a", {"1"}}}, 5));
}

TEST(SweepGrid, AllCombinationsTheLastKeyFastest) {
  const std::vector<Variation> variations = {{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}};
  const std::vector<Combination> all = combinations(variations);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(settings_of(variations, all[0]), (Values{"a=1", "b=x"}));
  EXPECT_EQ(settings_of(variations, all[1]), (Values{"a=1", "b=y"}));
  EXPECT_EQ(settings_of(variations, all[5]), (Values{"a=2", "b=z"}));
  EXPECT_EQ(combinations({}).size(), 1u);
}

TEST(SweepGrid, SeedsDependOnWhatIsVariedAndNotOnItsOrder) {
  std::set<uint64_t> seeds;
  for (const uint64_t model : {1u, 2u})
    for (const Values& settings : {Values{}, Values{"a=1"}, Values{"a=1", "b=1"}, Values{"a=2", "b=1"}})
      for (const int64_t replica : {1, 2, 3}) seeds.insert(replica_seed(model, settings, replica));
  EXPECT_EQ(seeds.size(), 24u);
  EXPECT_LT(*seeds.rbegin(), uint64_t(1) << 53);
  EXPECT_EQ(replica_seed(1, {"b=1", "a=1"}, 2), replica_seed(1, {"a=1", "b=1"}, 2));
  // What a seed means never changes.
  EXPECT_EQ(replica_seed(1, {"temperature=10"}, 1), 8123669299441973u);
}

}  // namespace
}  // namespace kiln
