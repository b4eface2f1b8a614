// The term headers are compiled unchanged for devices: NVRTC takes them as they are, and what a GPU makes of
// them has the bits of the host.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/driver/nvrtc.hpp"
#include "support/full_world.hpp"
#include "support/nvrtc.hpp"
#include "support/term_rows.hpp"

namespace kiln::cuda {
namespace {

using test::SmallWorld;
using test::TermBits;
using test::TermCells;
using test::TermRow;
using test::TermTargets;

// Both compilers must lay out in memory alike what is handed over.
std::string size_checks() {
  std::string result;
  const auto check = [&](const char* type, std::size_t bytes) {
    result += "static_assert(sizeof(kiln::" + std::string(type) + ") == " + std::to_string(bytes) + ");\n";
  };
  check("Physics", sizeof(Physics));
  check("TypePhysics", sizeof(TypePhysics));
  check("VectorField", sizeof(VectorField));
  check("Neighbourhood", sizeof(Neighbourhood));
  check("Moments", sizeof(Moments));
  check("test::TermCells", sizeof(TermCells));
  check("test::TermBits", sizeof(TermBits));
  check("test::TermRow<2>", sizeof(TermRow<2>));
  check("test::TermRow<3>", sizeof(TermRow<3>));
  return result;
}

std::string source() {
  std::ifstream file(std::string(KILN_SOURCE_DIR) + "/tests/support/term_rows.hpp");
  return std::string(std::istreambuf_iterator<char>(file), {}) + size_checks() + R"(
namespace kiln::test {
template <int Dim>
__device__ void evaluate(const Physics& physics, const TermCells& cells, const TermRow<Dim>* rows, int64_t count,
                         TermBits* out) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = bits_of_row<Dim>(physics, cells, rows[i]);
}
}  // namespace kiln::test
using namespace kiln;
extern "C" __global__ void evaluate_2d(Physics p, test::TermCells c, const test::TermRow<2>* r, int64_t n,
                                       test::TermBits* out) {
  test::evaluate<2>(p, c, r, n, out);
}
extern "C" __global__ void evaluate_3d(Physics p, test::TermCells c, const test::TermRow<3>* r, int64_t n,
                                       test::TermBits* out) {
  test::evaluate<3>(p, c, r, n, out);
}
)";
}

// A random world with all terms, its cells as plain arrays, and random attempts in it. Numbers are not round,
// so that bits show every rounding.
template <int Dim>
class TermTable {
 public:
  explicit TermTable(unsigned seed) : w(test::everything(Dim, seed)) {
    std::mt19937 rng(seed);
    const auto real = [&](double low, double high) {
      return float(low + (high - low) * double(rng()) / double(std::mt19937::max()));
    };
    field_values.resize(std::size_t(3 * w.state.lattice.sites()));
    for (float& value : field_values) value = real(-1, 1);
    w.fields[0].shape = VectorField::Shape::stored;
    w.fields[0].data = field_values.data();
    w.temperature = real(5, 50);
    for (std::size_t t = 1; t < w.types.size(); ++t) {
      TypePhysics& p = w.types[t];
      p.volume = {real(5, 30), real(0.1, 4)};
      p.perimeter = {real(10, 90), real(0.01, 0.5)};
      p.length = {real(2, 15), real(0.5, 5), real(1, 5), real(0.5, 5)};
      p.chemotaxis.lambda = real(-20, 20);
      p.persistence = {real(5, 30), real(0, 1), 3};
      p.act.lambda = real(10, 80);
      p.connectivity = {real(5, 30), seed % 3 == 0 ? 1.0f : 0.0f};
      p.frozen = false;
    }
    if (seed % 2 == 0) w.types[1].volume.target = w.types[1].perimeter.target = kOwnTarget;
    if (seed % 3 == 1) {
      TypePhysics& last = w.types.back();
      last.chemotaxis.lambda = last.persistence.lambda = last.act.lambda = kOwnLambda;
    }
    State& s = w.state;
    s.cells.moments.resize(s.cells.count());
    for (Vec3f& direction : s.cells.direction) direction = {real(-1, 1), real(-1, 1), real(-1, 1)};
    for (std::size_t i = 0; i < s.ids.size(); ++i) {
      const int most = int(w.types[s.cells.type[s.ids[i]]].act.max);
      s.act[i] = ActValue(most == 0 || rng() % 30 == 0 ? 0 : 1 + rng() % unsigned(most));
    }
    w.recount();
    physics = w.physics();
    for (CellId c = 0; c < s.cells.count(); ++c) {
      volumes.push_back(s.cells.extent[c].volume);
      perimeters.push_back(s.cells.extent[c].perimeter);
      anchors.push_back(s.cells.centroid[c].anchor);
      sums.push_back(s.cells.centroid[c].sum);
      targets.push_back({real(5, 30), real(10, 90)});
      own_lambdas.push_back({real(-20, 20), real(5, 30), real(10, 80)});
    }
    for (int i = 0; i < 300; ++i) add_row(rng, real);
  }

  TermCells cells() const {
    const Cells& c = w.state.cells;
    return {c.type.data(),    volumes.data(), perimeters.data(),  anchors.data(),    sums.data(),
            c.moments.data(), targets.data(), c.direction.data(), own_lambdas.data()};
  }

  SmallWorld w;
  Physics physics;
  std::vector<float> field_values;
  std::vector<int32_t> volumes, perimeters;
  std::vector<Vec3i> anchors;
  std::vector<Vec3<int64_t>> sums;
  std::vector<TermTargets> targets;
  std::vector<OwnLambdas> own_lambdas;
  std::vector<TermRow<Dim>> rows;

 private:
  template <class Real>
  void add_row(std::mt19937& rng, const Real& real) {
    TermRow<Dim> row{};
    if (!test::random_copy<Dim>(w, rng, row.copy, row.target)) return;
    row.random_bits = uint32_t(rng());
    test::NaiveWorld<Dim> target(w, row.copy, row.target), source(w, row.copy, row.copy.source);
    row.around_target = target.around_target();
    row.around_source = source.around_target();
    row.far_adhesion = target.far_around_target(w.adhesion_neighbours);
    row.far_perimeter = target.far_around_target(w.perimeter_neighbours);
    fill_act(row.target, row.act_at_target, row.own_act_at_target);
    fill_act(row.copy.source, row.act_at_source, row.own_act_at_source);
    row.now = {real(-50, 50), real(-50, 50), Dim == 3 ? real(-50, 50) : 0};
    row.before = rng() % 8 == 0 ? row.now : Vec3d{real(-50, 50), real(-50, 50), 0};
    rows.push_back(row);
  }
  void fill_act(const Vec3i& at, uint32_t* values, ActValue& own) const {
    const Lattice& lattice = w.state.lattice;
    own = w.state.act[std::size_t(lattice.index(at))];
    for (int k = 0; k < Moore<Dim>::kCount; ++k) {
      Vec3i there;
      if (test::naive_place(lattice, at, Moore<Dim>::offset(k), there))
        values[Patch<Dim>::lane_of(k)] = w.state.act[std::size_t(lattice.index(there))];
    }
  }
};

constexpr unsigned kTables = 12;
constexpr std::size_t kWords = sizeof(TermBits) / sizeof(uint32_t);

std::vector<uint32_t> words_of(const TermBits& bits) {
  std::vector<uint32_t> words(kWords);
  std::memcpy(words.data(), &bits, sizeof bits);
  return words;
}

// What is compared would say nothing if it were always the same.
template <int Dim>
void expect_all_at_work() {
  std::vector<std::set<uint32_t>> values(kWords);
  int rows = 0;
  for (unsigned seed = 0; seed < kTables; ++seed) {
    const TermTable<Dim> table(seed);
    for (const TermRow<Dim>& row : table.rows) {
      const std::vector<uint32_t> words = words_of(bits_of_row<Dim>(table.physics, table.cells(), row));
      for (std::size_t k = 0; k < kWords; ++k) values[k].insert(words[k]);
      ++rows;
    }
  }
  EXPECT_GT(rows, 3000);
  for (std::size_t k = 0; k < kWords; ++k) EXPECT_GE(values[k].size(), 2u) << "word " << k << " of TermBits";
}

TEST(DeviceTerms, AreAllAtWorkInTheTables2D) { expect_all_at_work<2>(); }
TEST(DeviceTerms, AreAllAtWorkInTheTables3D) { expect_all_at_work<3>(); }

TEST(DeviceTerms, CompileUnchangedWithNvrtc) {
  KILN_NEEDS_NVRTC();
  for (const int architecture : {75, 90}) {
    const auto all = resources(compile(source(), "terms.cu", architecture));
    int kernels = 0;
    for (const KernelResources& r : all) kernels += r.kernel;
    EXPECT_EQ(kernels, 2) << architecture;
  }
}

// Copies of arrays on a device, for as long as this lives.
class OnDevice {
 public:
  explicit OnDevice(const Device& device) : device_(device) {}

  template <class T>
  const T* operator()(const T* from, std::size_t count) {
    Buffer<uint8_t>& buffer = buffers_.emplace_back(device_, int64_t(count * sizeof(T)), "a test");
    buffer.upload(reinterpret_cast<const uint8_t*>(from), buffer.size());
    return reinterpret_cast<const T*>(buffer.data());
  }
  template <class T>
  const T* operator()(const std::vector<T>& from) {
    return (*this)(from.data(), from.size());
  }

 private:
  const Device& device_;
  std::vector<Buffer<uint8_t>> buffers_;
};

template <int Dim>
void compare_with_device() {
  const Device device(0);
  const Stream stream(device);
  const Module module(device, compile(source(), "terms.cu", architecture_for(device.info())).cubin);
  const Function evaluate = module.function(Dim == 2 ? "evaluate_2d" : "evaluate_3d");
  for (unsigned seed = 0; seed < kTables; ++seed) {
    const TermTable<Dim> table(seed);
    const SmallWorld& w = table.w;
    OnDevice upload(device);
    std::vector<VectorField> fields = w.fields;
    fields[0].data = upload(table.field_values);
    Physics physics = table.physics;
    physics.types.first = upload(w.types);
    physics.adhesion.j = upload(w.j_units);
    physics.adhesion_neighbours = upload(&w.adhesion_neighbours, 1);
    physics.perimeter_neighbours = upload(&w.perimeter_neighbours, 1);
    physics.fields = upload(fields);
    physics.act_logs = upload(w.act_logs);
    const Cells& c = w.state.cells;
    const TermCells cells{upload(c.type),        upload(table.volumes), upload(table.perimeters),
                          upload(table.anchors), upload(table.sums),    upload(c.moments),
                          upload(table.targets), upload(c.direction),   upload(table.own_lambdas)};
    const int64_t count = int64_t(table.rows.size());
    Buffer<TermBits> out(device, count, "a test");
    evaluate.launch({.grid = {unsigned(count + 63) / 64}, .block = {64}}, stream, physics, cells,
                    upload(table.rows), count, out.data());
    stream.synchronize();
    std::vector<TermBits> found(table.rows.size());
    out.download(found.data(), count);
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_EQ(words_of(found[i]), words_of(bits_of_row<Dim>(table.physics, table.cells(), table.rows[i])))
          << "table " << seed << ", row " << i;
  }
}

TEST(CudaTerms, HaveTheBitsOfTheHost2D) {
  KILN_NEEDS_GPU();
  compare_with_device<2>();
}
TEST(CudaTerms, HaveTheBitsOfTheHost3D) {
  KILN_NEEDS_GPU();
  compare_with_device<3>();
}

}  // namespace
}  // namespace kiln::cuda
