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
