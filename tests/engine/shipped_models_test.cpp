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

TEST_P(ShippedModel, KeepsItsHashForLong) {
  if (std::getenv("KILN_LONG_TESTS") == nullptr) GTEST_SKIP() << "takes minutes: set KILN_LONG_TESTS=1";
  test::check_shipped_model_for_long(GetParam(), {.engine = "threads"});
}

INSTANTIATE_TEST_SUITE_P(All, ShippedModel, testing::ValuesIn(test::shipped_models()), test::test_name);

}  // namespace
}  // namespace kiln
