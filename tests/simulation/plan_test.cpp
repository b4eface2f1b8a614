// What `kiln plan` says beforehand, beside what runs count.
#include "simulation/plan.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "model/file/read.hpp"
#include "simulation/bench_cases.hpp"

namespace kiln {
namespace {

struct Cut {
  const char* name;
  int size;
  const char* bricks;
  int mcs;
};

class PlannedMessages : public testing::TestWithParam<Cut> {};

// Of all ranks, per MCS, and as many swaps.
TEST_P(PlannedMessages, AreThoseThatAreSent) {
  const auto& [name, size, bricks, mcs] = GetParam();
  const Model model = parse_model(bench_model(name, size), name, ".");
  const auto engine = make_engine(model, model.phases[0].physics.view(), initial_state(model),
                                  {.engine = "threads", .threads = 1, .bricks = bricks});
  engine->advance(mcs);  // after the first few steps, which are livelier
  const Traffic before = engine->traffic();
  engine->advance(mcs);
  const Traffic after = engine->traffic();
  const Vec3i counts = bricks_from_text(bricks, model.lattice.dimension);
  const Plan plan = plan_for(model, counts.x * counts.y * counts.z, bricks, hardware_named("core"));
  const double all = double(plan.ranks) * mcs;
  const auto sent = [&](int64_t Traffic::*kind) { return double(after.*kind - before.*kind) / all; };
  EXPECT_NEAR(sent(&Traffic::copies) / plan.copy_bytes, 1, 0.2);
  if (plan.claim_bytes > 0)
    EXPECT_NEAR(sent(&Traffic::claims) / plan.claim_bytes, 1, 0.2);
  else
    EXPECT_EQ(sent(&Traffic::claims), 0);
  EXPECT_LT(sent(&Traffic::sharing) + sent(&Traffic::sums), 0.1 * plan.copy_bytes);
  EXPECT_NEAR(sent(&Traffic::swaps) / (plan.rounds * plan.swaps), 1, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Cases, PlannedMessages,
                         testing::Values(Cut{"act3d", 64, "1x1x2", 8}, Cut{"act3d", 64, "2x2x1", 8},
                                         Cut{"dense3d", 64, "1x1x2", 40},
                                         Cut{"collective3d", 64, "1x1x2", 40},
                                         Cut{"sorting2d", 256, "1x2", 30}, Cut{"sorting2d", 256, "2x2", 30}),
                         [](const testing::TestParamInfo<Cut>& tested) {
                           return std::string(tested.param.name) + "_" + tested.param.bricks;
                         });

TEST(Plan, TakesTheCaseThatIsMostLikeAModel) {
  for (const char* name : {"act3d", "dense3d", "collective3d", "sorting2d"})
    EXPECT_STREQ(measured_case_like(parse_model(bench_model(name, 64), name, ".")).name, name);
}

TEST(Plan, FallsWithTheNumberOfRanks) {
  const Model model = parse_model(bench_model("act3d", 512), "act3d", ".");
  const Hardware& h200 = hardware_named("h200");
  const Plan one = plan_for(model, 1, "", h200), eight = plan_for(model, 8, "", h200);
  EXPECT_EQ(one.message_bytes(), 0);
  EXPECT_EQ(one.talking_s, 0);
  EXPECT_NEAR(one.computing_s, 6.3e-3, 0.1e-3);                     // as bench/gpu_bench has it
  EXPECT_DOUBLE_EQ(eight.computing_s, 1.24 * one.computing_s / 8);  // what cutting costs is said
  EXPECT_LT(eight.memory, one.memory / 7);
  EXPECT_EQ(eight.nodes, 1);
  EXPECT_EQ(plan_for(model, 64, "", h200).nodes, 8);
}

TEST(Plan, CountsFieldsOfFilesWithEveryRank) {
  Model model = parse_model(bench_model("act3d", 64), "act3d", ".");
  const auto memory = [&](int ranks, const char* on) {
    return plan_for(model, ranks, "", hardware_named(on)).memory;
  };
  for (const char* on : {"h200", "core"})
    for (const int ranks : {1, 8}) {
      model.fields.clear();
      const double without = memory(ranks, on);
      FieldData field;
      field.values = std::make_shared<std::vector<float>>(3 * 64 * 64 * 64);
      model.fields.push_back(field);
      EXPECT_DOUBLE_EQ(memory(ranks, on) - without, 12 * 64 * 64 * 64) << on << ", " << ranks << " ranks";
    }
}

TEST(Plan, CountsSubstancesWithEveryRank) {
  const Model model = parse_model(bench_model("substance3d", 64), "substance3d", ".");
  ASSERT_EQ(model.substances.size(), 1u);
  Model without = model;
  without.substances.clear();
  const double bytes = memory_need(model, 0).fields;
  EXPECT_GE(bytes, 28.0 * double(model.substances[0].voxels.sites()));
  for (const int ranks : {1, 8}) {
    const auto memory = [&](const Model& of) {
      return plan_for(of, ranks, "", hardware_named("core")).memory;
    };
    EXPECT_NEAR(memory(model) - memory(without), bytes, 1e-6 * bytes) << ranks << " ranks";
  }
}

// What it leaves out is said, and where that may be most of the time.
TEST(Plan, SaysWhatItDoesNotCount) {
  const Model still = parse_model(bench_model("act3d", 64), "act3d", "."),
              living = parse_model(bench_model("division3d", 64), "division3d", ".");
  const auto text = [](const Model& model, int ranks, const char* on) {
    return plan_text(plan_for(model, ranks, "", hardware_named(on)), model);
  };
  EXPECT_EQ(text(still, 2, "h200").find("Not counted"), std::string::npos);
  const std::string on_cores = text(living, 2, "core"), on_one = text(living, 1, "h200"),
                    on_two = text(living, 2, "h200");
  for (const std::string& each : {on_cores, on_one, on_two})
    EXPECT_NE(each.find("Not counted\n  What cells do between two MCS."), std::string::npos) << each;
  const char* const kSlow = "Where bricks lie on GPUs, processors play it";
  EXPECT_EQ(on_cores.find(kSlow), std::string::npos);
  EXPECT_EQ(on_one.find(kSlow), std::string::npos);
  EXPECT_NE(on_two.find(kSlow), std::string::npos);
}

TEST(Plan, OfACubicCentimetreFits64Gpus) {
  const Model model = read_model(std::string(KILN_SOURCE_DIR) + "/models/large/cubic-centimetre.toml");
  EXPECT_EQ(model.lattice.sites(), 1'000'000'000'000);
  const Plan plan = plan_for(model, 64, "", hardware_named("h200"));
  EXPECT_EQ(bricks_text(plan.grid.counts(), 3), "4x4x4");
  EXPECT_LT(plan.memory, plan.hardware->memory);
  const std::string text = plan_text(plan, model);
  EXPECT_NE(text.find("\nMeasured\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nAssumed\n"), std::string::npos) << text;
}

TEST(Plan, RefusesWhatCannotBe) {
  const Model model = parse_model(bench_model("act3d", 32), "act3d", ".");
  EXPECT_THROW(hardware_named("abacus"), UserError);
  EXPECT_THROW(plan_for(model, 3, "2x1x1", hardware_named("core")), UserError);
  EXPECT_THROW(plan_for(model, 7919, "", hardware_named("core")), UserError);
  EXPECT_THROW(plan_for(model, 16, "16x1x1", hardware_named("core")), UserError);  // too thin
}

}  // namespace
}  // namespace kiln
