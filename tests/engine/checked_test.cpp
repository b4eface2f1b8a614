#include "engine/checked.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "engine/host/serial.hpp"
#include "support/full_world.hpp"

namespace kiln {
namespace {

// Loses count of a cell's volume in its third MCS.
class Forgetful : public Engine {
 public:
  explicit Forgetful(State state) : state_(std::move(state)) {}
  void set_physics(const Physics&) override {}
  void advance(int64_t mcs) override {
    state_.mcs += mcs;
    if (state_.mcs == 3) state_.cells.extent[2].volume += 1;
  }
  const State& state() override { return state_; }
  AttemptCounts counts() const override { return {}; }
  std::string name() const override { return "forgetful"; }
  std::string schedule() const override { return "none"; }

 private:
  State state_;
};

TEST(CheckedEngine, NamesTheCellAndTheMcs) {
  test::SmallWorld w = test::random_world(2, 1);
  w.recount();
  w.state.mcs = 0;
  CheckedEngine engine(std::make_unique<Forgetful>(w.state), w.perimeter_neighbours, w.frozen());
  engine.advance(2);
  try {
    engine.advance(5);
    FAIL() << "the mistake was not seen";
  } catch (const Failure& e) {
    const std::string text = e.what();
    EXPECT_EQ(text.find("the books of the forgetful engine are wrong after MCS 3: cell 2: tracked volume "),
              0u)
        << text;
  }
}

struct NoSurvey : LatticeSurvey {
  std::vector<int64_t> contacts() override { return {}; }
  std::vector<uint8_t> touching(std::span<const uint8_t>) override { return {}; }
  void tracked_sites(const TakeBits&) override {}
  ThinnedSites thinned_sites(int32_t, bool) override { return {}; }
  std::vector<SiteOfCell> sites_of_sample(int64_t) override { return {}; }
  std::vector<int32_t> neighbours_of_sample(int64_t) override { return {}; }
};

// Answers everything that an engine may leave to the defaults with something else.
class OnADevice : public Forgetful {
 public:
  explicit OnADevice(const State& state) : Forgetful(state), cells_(state) { cells_.mcs = 77, outline_.mcs = 66; }
  const State& state_of_cells() override { return cells_; }
  const State& outline() override { return outline_; }
  CellId cell_count() override { return 99; }
  void each_slice(const TakeSlice& take) override { take({cells_.cells, 55}); }
  std::function<void()> begin_copy(State& to) override {
    to.mcs = 88;
    return [] {};
  }
  LatticeSurvey* survey() override { return &survey_; }
  std::optional<DeviceIds> device_ids() override { return DeviceIds{4096, 1, nullptr}; }
  std::string settings() const override { return "some"; }
  std::string gpu() const override { return "a GPU"; }
  int threads() const override { return 99; }

 private:
  State cells_, outline_;
  NoSurvey survey_;
};

TEST(CheckedEngine, LeavesAllElseToTheEngine) {
  test::SmallWorld w = test::random_world(2, 1);
  w.recount();
  auto inner = std::make_unique<OnADevice>(w.state);
  LatticeSurvey* const survey = inner->survey();
  CheckedEngine engine(std::move(inner), w.perimeter_neighbours, w.frozen());
  State copy;
  engine.begin_copy(copy)();
  EXPECT_EQ(copy.mcs, 88);
  EXPECT_EQ(engine.state_of_cells().mcs, 77);
  EXPECT_EQ(engine.outline().mcs, 66);
  EXPECT_EQ(engine.cell_count(), 99u);
  engine.each_slice([](const CellSlice& slice) { EXPECT_EQ(slice.before, 55u); });
  EXPECT_EQ(engine.survey(), survey);
  ASSERT_TRUE(engine.device_ids());
  EXPECT_EQ(engine.device_ids()->address, 4096u);
  EXPECT_EQ(engine.name(), "forgetful");
  EXPECT_EQ(engine.schedule(), "none");
  EXPECT_EQ(engine.settings(), "some");
  EXPECT_EQ(engine.gpu(), "a GPU");
  EXPECT_EQ(engine.threads(), 99);
}

TEST(CheckedEngine, ChangesNothing) {
  test::SmallWorld w = test::everything(2, 4);
  const Physics physics = w.physics();
  SerialEngine<2> plain(w.state, physics, 7);
  CheckedEngine checked(std::make_unique<SerialEngine<2>>(w.state, physics, 7), w.perimeter_neighbours,
                        w.frozen());
  plain.advance(5);
  checked.advance(5);
  EXPECT_EQ(state_hash(checked.state()), state_hash(plain.state()));
}

}  // namespace
}  // namespace kiln
