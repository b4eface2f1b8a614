// Which copies of a field stay in device memory; here they are texts.
#include "engine/cuda/state/kept_copies.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace kiln::cuda {
namespace {

struct Counted {
  std::string text;
  std::shared_ptr<int> alive;
};

class KeptCopiesTest : public testing::Test {
 protected:
  // A copy per letter of `texts`, of originals with these ids.
  std::string copies(const std::vector<uint64_t>& ids, const std::string& texts) {
    std::string result;
    for (const Counted* copy : kept_.of(ids, [&](std::size_t i) {
           made_ += texts[i];
           most_alive_ = std::max(most_alive_, int(alive_.use_count()));
           return Counted{std::string(1, texts[i]), alive_};
         }))
      result += copy->text;
    return result;
  }
  int in_memory() const { return int(alive_.use_count()) - 1; }

  std::shared_ptr<int> alive_ = std::make_shared<int>();
  int most_alive_ = 0;
  std::string made_;
  KeptCopies<Counted> kept_;
};

TEST_F(KeptCopiesTest, ACopyIsMadeOnceAndFreedWhenNotAskedFor) {
  EXPECT_EQ(copies({1, 2}, "ab"), "ab");
  EXPECT_EQ(copies({2, 1}, "ba"), "ba");
  EXPECT_EQ(made_, "ab");
  EXPECT_EQ(copies({2, 3}, "bc"), "bc");
  EXPECT_EQ(made_, "abc");
  EXPECT_EQ(in_memory(), 2);
  EXPECT_EQ(copies({}, ""), "");
  EXPECT_EQ(in_memory(), 0);
}

// Before, the address decided: new values at the address of freed ones met the old copy.
TEST_F(KeptCopiesTest, NewValuesHaveANewIdAndNeverAnOldCopy) {
  for (uint64_t id = 1; id <= 50; ++id) {
    const std::string text(1, char('A' + id % 26));
    EXPECT_EQ(copies({id}, text), text);
    EXPECT_EQ(in_memory(), 1);
  }
  EXPECT_EQ(most_alive_, 1) << "what is not used any more is freed before there is more";
}

TEST_F(KeptCopiesTest, ValuesThatAreNotKnownAreCopiedEveryTime) {
  EXPECT_EQ(copies({0, 0, 7}, "abc"), "abc");
  EXPECT_EQ(copies({0, 7, 0}, "xcy"), "xcy");
  EXPECT_EQ(made_, "abcxy");
  EXPECT_EQ(in_memory(), 3);
}

TEST_F(KeptCopiesTest, ACopyThatFailedIsTriedAgain) {
  EXPECT_THROW(kept_.of({4}, [](std::size_t) -> Counted { throw std::runtime_error("no room"); }),
               std::runtime_error);
  EXPECT_EQ(copies({4}, "d"), "d");
}

}  // namespace
}  // namespace kiln::cuda
