// Formulas on a GPU: their functions compile, and give the bits of a processor.
#include <gtest/gtest.h>

#include <bit>

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/driver/nvrtc.hpp"
#include "formula/program.hpp"
#include "support/nvrtc.hpp"
#include "support/random_formulas.hpp"

namespace kiln::cuda {
namespace {

using formula::Program;
using formula::Tree;

constexpr int kFormulaInputs = 4;

// Sets of five random formulas.
std::vector<Program> random_programs(int count) {
  std::vector<Program> programs;
  for (int seed = 0; seed < count; ++seed) {
    Tree tree;
    const std::vector<int32_t> roots =
        test::random_formulas(tree, unsigned(seed), kFormulaInputs, 5 + seed % 25);
    programs.emplace_back(tree, roots);
  }
  return programs;
}

// A kernel for each: columns of inputs, all four of them, and columns of results.
std::string source_of(const std::vector<Program>& programs) {
  std::string text = "#include \"formula/operations.hpp\"\n";
  for (std::size_t p = 0; p < programs.size(); ++p) {
    text += programs[p].cuda_function(fmt::format("formula_{}", p));
    std::string read;
    for (const formula::Input& input : programs[p].inputs())
      read += fmt::format("{}columns[{} * count + i]", read.empty() ? "" : ", ", input.name.substr(1));
    text += fmt::format(
        "extern \"C\" __global__ void kernel_{0}(const double* columns, int count, double* results) {{\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i >= count) return;\n"
        "  double in[{1}] = {{{2}}}, out[{3}];\n"
        "  formula_{0}(in, out);\n"
        "  for (int r = 0; r < {3}; ++r) results[r * count + i] = out[r];\n"
        "}}\n",
        p, std::max<std::size_t>(1, programs[p].inputs().size()), read, programs[p].results());
  }
  return text;
}

TEST(FormulaKernels, Compile) {
  KILN_NEEDS_NVRTC();
  const std::vector<Program> programs = random_programs(25);
  const Compiled compiled = compile(source_of(programs), "formulas.cu", 90);
  EXPECT_GE(resources(compiled).size(), programs.size());
}

TEST(CudaFormula, GivesTheBitsOfAProcessor) {
  KILN_NEEDS_GPU();
  constexpr int kCount = 20'000;
  const Device device(0);
  const Stream stream(device);
  const std::vector<Program> programs = random_programs(100);
  const Module module(device,
                      compile(source_of(programs), "formulas.cu", architecture_for(device.info())).cubin);
  int64_t numbers = 0;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    const Program& program = programs[p];
    const auto values = test::random_inputs(unsigned(p), kFormulaInputs, kCount);
    std::vector<double> columns;
    for (const auto& column : values) columns.insert(columns.end(), column.begin(), column.end());
    Buffer<double> given(device, int64_t(columns.size()), "a test"),
        results(device, int64_t(program.results()) * kCount, "a test");
    given.upload(columns.data(), int64_t(columns.size()));
    module.function(fmt::format("kernel_{}", p))
        .launch({{(kCount + 255) / 256}, {256}}, stream, static_cast<const double*>(given.data()), kCount,
                results.data());
    stream.synchronize();
    std::vector<double> on_gpu(program.results() * kCount), here(on_gpu.size());
    results.download(on_gpu.data(), int64_t(on_gpu.size()));

    std::vector<const double*> from;
    for (const formula::Input& input : program.inputs())
      from.push_back(values[std::size_t(input.name[1] - '0')].data());
    std::vector<double*> to;
    for (std::size_t r = 0; r < program.results(); ++r) to.push_back(here.data() + r * kCount);
    program.run(from, to, kCount);
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (!(here[i] == here[i])) {  // payloads may differ
        ASSERT_FALSE(on_gpu[i] == on_gpu[i]) << "formula " << p;
        continue;
      }
      ASSERT_EQ(std::bit_cast<uint64_t>(on_gpu[i]), std::bit_cast<uint64_t>(here[i])) << "formula " << p;
      numbers += 1;
    }
  }
  EXPECT_GT(numbers, 5'000'000);
}

}  // namespace
}  // namespace kiln::cuda
