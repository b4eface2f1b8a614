// When `kiln fidelity` passes and fails: what it must see, and how rarely it may cry wolf.
#include "fidelity/verdict.hpp"

#include <gtest/gtest.h>

#include "measure/normal_draw.hpp"
#include "measure/statistics.hpp"

namespace kiln {
namespace {

using test::normal_draw;

// `runs` runs per ensemble around 1 and around 1 + change, with a relative spread of `sd` between runs.
Comparison number(double change, double sd, int runs, uint64_t seed) {
  Comparison c;
  c.tolerance = {0.10, 0.05};
  for (int run = 0; run < runs; ++run) {
    c.reference.push_back({1 + sd * normal_draw(seed, 2 * uint64_t(run))});
    c.tested.push_back({(1 + change) * (1 + sd * normal_draw(seed, 2 * uint64_t(run) + 1))});
  }
  return c;
}

// Curves of four points that start at 1 and fall, with a spread of 2% between runs.
Comparison curve(double change_of_last, int runs, uint64_t seed) {
  Comparison c;
  c.curve = true;
  c.tolerance = {0.03, 0.10};
  c.x = {1, 10, 100, 1000};
  for (int run = 0; run < runs; ++run)
    for (Curves* curves : {&c.reference, &c.tested}) {
      const uint64_t first = 8 * uint64_t(run) + (curves == &c.tested ? 4 : 0);
      std::vector<double> values;
      for (uint64_t i = 0; i < 4; ++i)
        values.push_back((1 - 0.2 * double(i)) * (1 + 0.02 * normal_draw(seed, first + i)));
      if (curves == &c.tested) values[3] *= 1 + change_of_last;
      curves->push_back(values);
    }
  return c;
}

constexpr Chances kChances{1e-4, 1e-3};

TEST(FidelityVerdict, ByHand) {
  Comparison c;
  c.tolerance = {0.10, 0.05};
  const auto verdict_for = [&](double tested, double spread) {
    c.reference = {{100 - spread}, {100 + spread}, {100 - spread}, {100 + spread}};
    c.tested = {{tested - spread}, {tested + spread}, {tested - spread}, {tested + spread}};
    return judge(c, kChances).verdict;
  };
  // Without spread the limit alone decides.
  EXPECT_EQ(verdict_for(109.9, 0), Verdict::pass);
  EXPECT_EQ(verdict_for(110.1, 0), Verdict::fail);
  EXPECT_EQ(verdict_for(89.9, 0), Verdict::fail);
  // A spread of 1: each mean has the error sqrt(4/3/4) = 0.577, the difference 0.816; t with 6 degrees at
  // 1e-4 is 9.08, the half width 7.4%: too wide to pass, and a fail only beyond 17.4%.
  EXPECT_EQ(verdict_for(100, 1), Verdict::undecided);
  EXPECT_EQ(verdict_for(117, 1), Verdict::undecided);
  EXPECT_EQ(verdict_for(118, 1), Verdict::fail);
  EXPECT_NEAR(judge(c, kChances).difference.half_width, 0.0741, 0.0002);
  // Half of that is narrow enough for a pass; what lies just outside the limit stays open.
  EXPECT_EQ(verdict_for(109, 0.5), Verdict::pass);
  EXPECT_EQ(verdict_for(111, 0.5), Verdict::undecided);
}

TEST(FidelityVerdict, RunsThatCouldNotBeMeasuredFail) {
  Comparison c = number(0, 0.01, 8, 1);
  c.tested[3][0] = kUndefined;
  EXPECT_EQ(judge(c, kChances).verdict, Verdict::fail);
  EXPECT_EQ(judge(Comparison{}, kChances).verdict, Verdict::fail);
}

TEST(FidelityVerdict, TheFalseAlarmRateIsSharedOut) {
  std::vector<Comparison> all(5);
  all[1].curve = true;
  const Chances chances = chances_for(all);
  EXPECT_DOUBLE_EQ(chances.number, kFalseAlarmRate / 8);
  EXPECT_DOUBLE_EQ(chances.curve, kFalseAlarmRate / 2);
}

TEST(FidelityVerdict, EqualEnsemblesPass) {
  // 2000 comparisons at a false-alarm rate of 1e-4 each: 0.2 alarms are expected, more than 4 come with a
  // probability of 3e-6. The limit equals the resolution here, the worst case.
  int alarms = 0, passes = 0;
  for (uint64_t trial = 0; trial < 2000; ++trial) {
    Comparison c = number(0, 0.015, 8, 1000 + trial);
    c.tolerance = {0.05, 0.05};
    const Judgement judgement = judge(c, kChances);
    if (judgement.difference.half_width <= 0.05 && judgement.verdict != Verdict::pass) ++alarms;
    if (judgement.verdict == Verdict::pass) ++passes;
  }
  EXPECT_LE(alarms, 4);
  EXPECT_GT(passes, 1500);
}

TEST(FidelityVerdict, ViolationsNeverPassAndClearOnesFail) {
  // 15% is limit + resolution: a pass has a probability of at most 1e-4 each, so 500 of them let one through
  // with a probability of 5% at the very worst, three with 2e-5. At 20% with half widths of about 4% nearly
  // all fail outright.
  int passes = 0, fails = 0;
  for (uint64_t trial = 0; trial < 500; ++trial) {
    if (judge(number(0.15, 0.015, 8, 5000 + trial), kChances).verdict == Verdict::pass) ++passes;
    if (judge(number(0.20, 0.015, 8, 9000 + trial), kChances).verdict == Verdict::fail) ++fails;
  }
  EXPECT_LE(passes, 2);
  EXPECT_GT(fails, 450);
}

TEST(FidelityVerdict, CurvesPassWhenEqualAndFailWhenTheyPart) {
  for (uint64_t trial = 0; trial < 10; ++trial) {
    // At 1e-3 each, ten alarms in one of ten curves: 1%; the seeds are fixed.
    EXPECT_EQ(judge(curve(0, 10, trial), kChances).verdict, Verdict::pass);
    const Judgement parted = judge(curve(0.10, 10, 100 + trial), kChances);
    EXPECT_EQ(parted.verdict, Verdict::fail);
    EXPECT_EQ(parted.worst, 3u);
  }
}

TEST(FidelityVerdict, ADifferenceThatIsRealButSmallIsNoFailure) {
  Comparison c = curve(0, 10, 7);
  for (auto& values : c.reference) values = {1, 1, 1, 1};
  for (auto& values : c.tested) values = {1, 1, 1, 1.02};
  for (std::size_t run = 0; run < 10; ++run) c.tested[run][0] += 1e-6 * double(run);
  const Judgement judgement = judge(c, kChances);
  EXPECT_LT(judgement.p, 1e-3);
  EXPECT_EQ(judgement.verdict, Verdict::pass);
  EXPECT_NEAR(judgement.difference.value, 0.02, 1e-12);
}

TEST(FidelityVerdict, TooFewRunsForTheTestStayUndecided) {
  // 5 + 5 runs can be split in 252 ways: p is never below 2/252.
  EXPECT_EQ(judge(curve(0, 5, 1), kChances).verdict, Verdict::undecided);
  EXPECT_EQ(judge(curve(0.2, 5, 1), kChances).verdict, Verdict::undecided);
}

TEST(FidelityVerdict, OfASuite) {
  std::vector<Judgement> all(4);
  all[0].verdict = all[1].verdict = Verdict::pass;
  SuiteVerdict verdict = verdict_of(all);
  EXPECT_EQ(verdict.passed, 2);
  EXPECT_EQ(verdict.undecided, 2);
  EXPECT_TRUE(verdict.passes(true));
  EXPECT_FALSE(verdict.passes(false));
  all[2].verdict = Verdict::fail;
  EXPECT_FALSE(verdict_of(all).passes(true));
}

}  // namespace
}  // namespace kiln
