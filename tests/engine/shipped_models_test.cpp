// Every shipped model on the engines that need no GPU; cuda_tiles_test.cpp plays the same on one.
#include "support/shipped.hpp"

namespace kiln {
namespace {

class ShippedModel : public testing::TestWithParam<std::string> {};

TEST_P(ShippedModel, KeepsItsBooksAndItsHashSerially) {
  test::check_shipped_model(GetParam(), {.engine = "serial"}, true);
}

TEST_P(ShippedModel, KeepsItsBooksAndItsHashInTiles) {
  test::check_shipped_model(GetParam(), {.engine = "threads", .threads = 1}, true);
}

TEST_P(ShippedModel, KeepsItsHashOnAnyNumberOfThreads) {
  for (const int threads : {2, 16})
    test::check_shipped_model(GetParam(), {.engine = "threads", .threads = threads}, false);
}

// All models together take about a minute of two cores, optimised; minutes with sanitizers or without
// optimisation.
TEST_P(ShippedModel, KeepsItsHashForLong) {
#ifndef NDEBUG
  if (std::getenv("KILN_LONG_TESTS") == nullptr)
    GTEST_SKIP() << "takes minutes in this build, which is not a release: set KILN_LONG_TESTS=1";
#endif
  test::check_shipped_model_for_long(GetParam(), {.engine = "threads"});
}

INSTANTIATE_TEST_SUITE_P(All, ShippedModel, testing::ValuesIn(test::shipped_models()), test::test_name);

// Between two MCS, too: substances, equations, growth and rules.
class LivingModel : public testing::TestWithParam<std::string> {};

TEST_P(LivingModel, KeepsItsBooksAndItsHashSerially) {
  test::check_shipped_model(GetParam(), {.engine = "serial"}, true);
}

TEST_P(LivingModel, KeepsItsBooksAndItsHashInTiles) {
  test::check_shipped_model(GetParam(), {.engine = "threads", .threads = 1}, true);
}

TEST_P(LivingModel, KeepsItsHashOnAnyNumberOfThreads) {
  test::check_shipped_model(GetParam(), {.engine = "threads", .threads = 2}, false);
}

INSTANTIATE_TEST_SUITE_P(All, LivingModel, testing::ValuesIn(test::models_in("living/")), test::test_name);

}  // namespace
}  // namespace kiln
