// Whatever happens to a file, it is read as something, or refused in a sentence that names it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "data/image/import.hpp"
#include "support/fuzz.hpp"
#include "support/image_files.hpp"

// Where a file is damaged, the HDF5 library forgets to free memory, asks for as much as the file says, and
// looks beyond the end of a header; none of it ours. The sanitizers look for these names.
#define KILN_SEEN __attribute__((visibility("default")))  // by the sanitizers' libraries
extern "C" {
KILN_SEEN const char* __lsan_default_suppressions() { return "leak:libhdf5"; }                 // NOLINT
KILN_SEEN const char* __asan_default_suppressions() { return "interceptor_via_lib:libhdf5"; }  // NOLINT
KILN_SEEN const char* __asan_default_options() { return "allocator_may_return_null=1"; }       // NOLINT
}

namespace kiln {
namespace {

using ImageFuzz = image_files::WithImages;

// Small limits: what a damaged file asks for must not make the test slow.
constexpr std::size_t kMostBytes = std::size_t(8) << 20;

// The counts of what was read and what was refused.
struct Outcome {
  uint32_t read = 0, refused = 0;
};

// Whatever voxels it claims to have. Refusals name the file, too.
void import_read(const ImageStack& image, const std::string& name) {
  const ImportGrid grid{2, image.values.shape[0] > 1 ? 3 : 2, kMostBytes};
  Segmentation segmentation;
  segmentation.smooth_um = 1;
  const ImportedMask mask = import_mask(*image_in_memory(image, name), {}, segmentation, grid);
  ASSERT_EQ(mask.mask.size(), mask.facts.sites);
}

void read_damaged(const std::string& extension, const std::set<std::string>& names, uint32_t count,
                  Outcome& outcome) {
  std::vector<std::string> sources;
  for (const std::string& name : names) sources.push_back(image_files::bytes_of(image_files::path_of(name)));
  ASSERT_FALSE(sources.empty());
  const std::filesystem::path path = image_files::path_of("damaged" + extension);
  for (uint32_t round = fuzz::first_round(); round < fuzz::first_round() + count; ++round) {
    std::filesystem::remove(path);  // file systems are slow at writing over a file
    image_files::write(path, fuzz::damaged(sources[round % sources.size()], round));
    const int choice = int(round / sources.size() % 3);
    try {
      const ImageStack image = read_image(path, {.channel = choice == 1, .time = choice == 2}, kMostBytes);
      ASSERT_EQ(image.values.shape.size(), 3u) << round;
      const std::vector<int64_t>& shape = image.values.shape;
      ASSERT_EQ(image.values.size(), std::size_t(shape[0] * shape[1] * shape[2])) << round;
      ASSERT_LE(image.values.bytes.size(), kMostBytes) << round;
      ++outcome.read;
      import_read(image, path.string());
    } catch (const UserError& e) {
      ASSERT_NE(std::string(e.what()).find("damaged" + extension), std::string::npos) << e.what();
      ++outcome.refused;
    } catch (const std::exception& e) {
      FAIL() << "round " << round << ": " << e.what();
    }
  }
}

std::set<std::string> files_with(const std::string& extension) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(image_files::folder().path()))
    if (entry.path().extension() == extension) names.insert(entry.path().filename().string());
  return names;
}

TEST_F(ImageFuzz, Tiff) {
  Outcome outcome;
  const uint32_t count = fuzz::rounds();
  read_damaged(".tif", files_with(".tif"), count, outcome);
  EXPECT_GT(outcome.read, count / 20);
  EXPECT_GT(outcome.refused, count / 10);
}

TEST_F(ImageFuzz, Hdf5) {
  Outcome outcome;
  const uint32_t count = fuzz::rounds() / 2;
  read_damaged(".h5", {"one.h5", "latest.hdf5"}, count, outcome);
  EXPECT_GT(outcome.refused, count / 10);
}

TEST_F(ImageFuzz, Npy) {
  Outcome outcome;
  const uint32_t count = fuzz::rounds() / 4;
  read_damaged(".npy", files_with(".npy"), count, outcome);
  EXPECT_GT(outcome.refused, count / 10);
}

}  // namespace
}  // namespace kiln
