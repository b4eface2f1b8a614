// States and folders for the tests of files.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/random.hpp"
#include "model/model.hpp"

namespace kiln {

// A folder of its own for the running test, gone with it.
class ScratchFolder {
 public:
  ScratchFolder() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string("kiln_") + info->test_suite_name() + "_" + info->name();
    for (char& c : name) c = c == '/' ? '_' : c;
    path_ = std::filesystem::temp_directory_path() / (name + "_" + std::to_string(::getpid()));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void set_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

struct ExampleKind {
  Vec3i size;
  int dimension = 3;
  bool act = false, persistence = false;
};

// Every member filled with something that no other entry has. Not a state that a model could reach: files
// must not care.
inline State example_state(const ExampleKind& kind, CellId cells = 7, int64_t mcs = 4100) {
  auto random = [n = uint64_t(0), mcs]() mutable {
    return draw(77, Stream::pictures, n++, uint32_t(mcs)).ab();
  };
  State state;
  state.lattice = {kind.size, {true, false, kind.dimension == 3}, kind.dimension};
  state.mcs = mcs;
  const auto sites = std::size_t(state.lattice.sites());
  state.ids = HugeVector<CellId>(sites);
  for (CellId& id : state.ids) id = CellId(random() % cells);
  if (kind.act) state.act = HugeVector<ActValue>(sites);
  for (ActValue& value : state.act) value = ActValue(random());
  for (CellId cell = 0; cell < cells; ++cell) {
    state.cells.add(TypeId(cell == 0 ? 0 : 1 + random() % 2));
    if (cell == 0) continue;
    state.cells.extent[cell] = {int32_t(random() % 1000 + 1), int32_t(random() % 1000)};
    Cells::Centroid& centroid = state.cells.centroid[cell];
    for (int axis = 0; axis < 3; ++axis) {
      centroid.anchor[axis] = int32_t(random());
      centroid.sum[axis] = int64_t(random());
    }
  }
  if (kind.persistence) {
    state.cells.history_length = 4;
    for (CellId cell = 0; cell < cells; ++cell)
      state.cells.direction.push_back({float(random()), -0.0f, 1.0f / float(random() % 99 + 1)});
    for (CellId i = 0; i < 4 * cells; ++i)
      state.cells.history.push_back({double(random()) * 1e-300, -0.0, 1.0 / double(random() % 99 + 1)});
  }
  return state;
}

inline Model example_model(const ExampleKind& kind) {
  Model model;
  model.lattice = {kind.size, {true, false, kind.dimension == 3}, kind.dimension};
  model.units = {2.0, 30.0};
  model.types = {
      {"medium", {}, false, false}, {"T cell", {}, false, false}, {"B \"cell\" <2>", {}, false, false}};
  return model;
}

}  // namespace kiln
