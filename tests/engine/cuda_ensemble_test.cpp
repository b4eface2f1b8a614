// Ensembles on a GPU: every member has the bits that it has alone on threads, however many blocks play it.
#include <gtest/gtest.h>

#include "support/ensembles.hpp"
#include "support/nvrtc.hpp"
#include "support/shipped.hpp"

namespace kiln {
namespace {

using test::check_ensemble;
using test::small_model;

// More members than a card has blocks for; as many as multiprocessors, about; and few, with larger crews.
void check_on_gpu(const Model& model, int members, int64_t mcs = 40) {
  check_ensemble(model, members, {.engine = "cuda"}, mcs, "threads");
}

TEST(CudaEnsemble, OnePassAtOnce) {
  KILN_NEEDS_GPU();
  const Model soft = small_model("", "size = [48, 40]", "temperature = 50");
  for (const int members : {1, 5, 300}) check_on_gpu(soft, members);
}
TEST(CudaEnsemble, OnePassWithAct) {
  KILN_NEEDS_GPU();
  check_on_gpu(small_model("tcell.act = {lambda = 900, max = 20}", "size = [61, 43]"), 200);
}
TEST(CudaEnsemble, SeveralPassesWithAct) {
  KILN_NEEDS_GPU();
  check_on_gpu(small_model("tcell.act = {lambda = 20, max = 20}", "size = [61, 43]"), 1200);
}
TEST(CudaEnsemble, UntilNothingIsOpen) {
  KILN_NEEDS_GPU();
  const Model strict = small_model("", "size = [48, 40]", "temperature = 10\nfidelity = \"strict\"");
  for (const int members : {3, 500}) check_on_gpu(strict, members);
}
TEST(CudaEnsemble, PersistenceAndWalls) {
  KILN_NEEDS_GPU();
  for (const int members : {2, 150})
    check_on_gpu(small_model("tcell.persistence = {lambda = 20, mu = 0.9, dt = 4}",
                             "size = [50, 33]\nboundary = [\"periodic\", \"closed\"]"),
                 members);
}
TEST(CudaEnsemble, InThreeDimensions) {
  KILN_NEEDS_GPU();
  for (const int members : {4, 300})
    check_on_gpu(small_model("tcell.act = {lambda = 50, max = 10}", "size = [21, 18, 17]"), members);
}
// Beyond the number where stamps of Act come round again.
TEST(CudaEnsemble, ForLong) {
  KILN_NEEDS_GPU();
  check_on_gpu(small_model("tcell.act = {lambda = 50, max = 10}", "size = [24, 20]"), 140, 600);
}
TEST(CudaEnsemble, AThousandActCells) {
  KILN_NEEDS_GPU();
  check_on_gpu(test::shipped_model("act-cell.toml"), 1000, 60);
}
TEST(CudaEnsemble, ShippedModels) {
  KILN_NEEDS_GPU();
  for (const std::string& name : test::shipped_models()) {
    SCOPED_TRACE(name);
    check_on_gpu(test::shipped_model(name), 3, 12);
  }
}

}  // namespace
}  // namespace kiln
