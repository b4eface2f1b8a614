// Whatever happens to a file, it is read as something, or refused in a sentence that names it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "data/image.hpp"
#include "support/image_files.hpp"

// Where a file is damaged, the HDF5 library forgets to free memory, asks for as much as the file says, and
// looks beyond the end of a header; none of it ours. The sanitizers look for these names.
extern "C" {
const char* __lsan_default_suppressions() { return "leak:libhdf5"; }                 // NOLINT
const char* __asan_default_suppressions() { return "interceptor_via_lib:libhdf5"; }  // NOLINT
const char* __asan_default_options() { return "allocator_may_return_null=1"; }       // NOLINT
}

namespace kiln {
namespace {

using ImageFuzz = image_files::WithImages;

// Small limits: what a damaged file asks for must not make the test slow.
constexpr std::size_t kMostBytes = std::size_t(8) << 20;

uint32_t rounds() {
  const char* text = std::getenv("KILN_FUZZ");
  return text == nullptr ? 4000 : uint32_t(std::strtoul(text, nullptr, 10));
}

// A few bits, bytes or words changed, mostly near the start, where headers are; a third is also cut off.
std::string damaged(std::string bytes, uint32_t round) {
  const Draw how = draw(2025, Stream::pictures, round, 0);
  Digits digits{how.ab()};
  if (digits.take(3) == 0) bytes.resize(digits.take(uint32_t(bytes.size())));
  const uint32_t changes = 1 + digits.take(6);
  for (uint32_t i = 0; i < changes && !bytes.empty(); ++i) {
    const Draw what = draw(2025, Stream::pictures, round, 1 + i);
    Digits where{what.ab()};
    const bool near_start = where.take(4) != 0;
    const auto size = uint32_t(bytes.size());
    const uint32_t at = where.take(near_start ? std::min(size, 600u) : size);
    Digits change{what.cd()};
    static constexpr uint8_t kSpecial[] = {0, 1, 2, 3, 4, 8, 16, 0x7F, 0x80, 0xFE, 0xFF};
    const uint32_t kind = change.take(4);
    if (kind == 0) {
      bytes[at] = char(uint8_t(bytes[at]) ^ 1u << change.take(8));
    } else if (kind == 1) {
      bytes[at] = char(change.take(256));
    } else {
      const auto value = char(kSpecial[change.take(std::size(kSpecial))]);
      for (uint32_t k = 0; k < (kind == 2 ? 1u : 4u) && at + k < size; ++k) bytes[at + k] = value;
    }
  }
  return bytes;
}

// The counts of what was read and what was refused.
struct Outcome {
  uint32_t read = 0, refused = 0;
};

void read_damaged(const std::string& extension, const std::set<std::string>& names, uint32_t count,
                  Outcome& outcome) {
  std::vector<std::string> sources;
  for (const std::string& name : names) sources.push_back(image_files::bytes_of(image_files::path_of(name)));
  ASSERT_FALSE(sources.empty());
  const std::filesystem::path path = image_files::path_of("damaged" + extension);
  for (uint32_t round = 0; round < count; ++round) {
    std::filesystem::remove(path);  // file systems are slow at writing over a file
    image_files::write(path, damaged(sources[round % sources.size()], round));
    const int choice = int(round / sources.size() % 3);
    try {
      const ImageStack image = read_image(path, {.channel = choice == 1, .time = choice == 2}, kMostBytes);
      ASSERT_EQ(image.values.shape.size(), 3u) << round;
      const std::vector<int64_t>& shape = image.values.shape;
      ASSERT_EQ(image.values.size(), std::size_t(shape[0] * shape[1] * shape[2])) << round;
      ASSERT_LE(image.values.bytes.size(), kMostBytes) << round;
      ++outcome.read;
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
  const uint32_t count = rounds();
  read_damaged(".tif", files_with(".tif"), count, outcome);
  EXPECT_GT(outcome.read, count / 20);
  EXPECT_GT(outcome.refused, count / 10);
}

TEST_F(ImageFuzz, Hdf5) {
  Outcome outcome;
  const uint32_t count = rounds() / 2;
  read_damaged(".h5", {"one.h5", "latest.hdf5"}, count, outcome);
  EXPECT_GT(outcome.refused, count / 10);
}

TEST_F(ImageFuzz, Npy) {
  Outcome outcome;
  const uint32_t count = rounds() / 4;
  read_damaged(".npy", files_with(".npy"), count, outcome);
  EXPECT_GT(outcome.refused, count / 10);
}

}  // namespace
}  // namespace kiln
