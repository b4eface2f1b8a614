#include "output/picture/png.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/error.hpp"
#include "picture_fixture.hpp"

namespace kiln {
namespace {

Image gradient(int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image.set(x, y, {uint8_t(x * 7), uint8_t(y * 11), uint8_t(x * y)});
  return image;
}

std::string message_of(const std::filesystem::path& path) {
  try {
    read_png(path);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

TEST(Png, SaysWhatToInstallWhereItIsMissing) {
  if (kHasPng) GTEST_SKIP() << "libpng is here";
  try {
    write_png(gradient(2, 2), "never_written.png");
    FAIL() << "a picture was written without libpng";
  } catch (const Failure& e) {
    EXPECT_NE(std::string(e.what()).find("libpng-dev"), std::string::npos);
  }
}

class PngFile : public testing::Test {
 protected:
  void SetUp() override {
    if (!kHasPng) GTEST_SKIP() << "built without libpng";
  }
};

TEST_F(PngFile, ComesBackAsItWas) {
  const TemporaryFile file("round_trip.png");
  for (const auto& [width, height] : {std::pair{1, 1}, {37, 23}, {256, 3}}) {
    const Image image = gradient(width, height);
    write_png(image, file.path);
    EXPECT_EQ(read_png(file.path), image) << width << " x " << height;
  }
}

IndexedImage stripes(int colours) {
  IndexedImage image;
  image.width = 90;
  image.height = 40;
  for (int i = 0; i < colours; ++i) image.colours.push_back({uint8_t(i), uint8_t(i / 3), uint8_t(255 - i)});
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) image.pixels.push_back(uint16_t((x / 7 + y / 5 * 13) % colours));
  return image;
}

TEST_F(PngFile, OfFewColoursHasAPaletteAndComesBackAsItWas) {
  for (const int colours : {2, 256, 300}) {
    const IndexedImage image = stripes(colours);
    const std::string file = encode_png(image);
    EXPECT_EQ(decode_png(file), image.rgb()) << colours;
    EXPECT_EQ(file.find("PLTE") != std::string::npos, colours <= 256) << colours;
  }
}

// Rows that repeat the one above cost next to nothing: 160,000 pixels of a large site.
TEST_F(PngFile, OfLargeSitesIsSmall) {
  IndexedImage image;
  image.width = image.height = 400;
  image.colours = {{0, 0, 0}, {255, 255, 255}};
  for (int i = 0; i < 160'000; ++i) image.pixels.push_back(uint16_t((i % 400 / 100 + i / 40'000) % 2));
  EXPECT_LT(encode_png(image).size(), 1200u);
}

TEST_F(PngFile, ReplacesAnOlderOneWholly) {
  const TemporaryFile file("replaced.png");
  write_png(gradient(200, 200), file.path);
  write_png(gradient(3, 2), file.path);
  EXPECT_EQ(read_png(file.path), gradient(3, 2));
}

TEST_F(PngFile, NamesAFileThatIsNoPng) {
  const TemporaryFile file("text.png");
  std::ofstream(file.path) << "this is text, and long enough for a signature";
  const std::string message = message_of(file.path);
  EXPECT_EQ(message.rfind("cannot read " + file.path.string() + " as a PNG picture: ", 0), 0u) << message;
}

TEST_F(PngFile, NamesAFileThatIsMissing) {
  const TemporaryFile file("missing.png");
  const std::string message = message_of(file.path);
  EXPECT_NE(message.find(file.path.string()), std::string::npos) << message;
}

TEST_F(PngFile, NamesAFileThatIsCutShort) {
  const TemporaryFile file("short.png");
  const std::string bytes = encode_png(gradient(64, 64));
  std::ofstream(file.path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size() / 2));
  EXPECT_NE(message_of(file.path).find(file.path.string()), std::string::npos);
}

TEST_F(PngFile, FailsWhereTheFolderIsMissing) {
  EXPECT_THROW(write_png(gradient(2, 2), "/no/such/folder/picture.png"), Failure);
}

TEST_F(PngFile, RefusesAnEmptyPicture) {
  const TemporaryFile file("empty.png");
  EXPECT_THROW(write_png(Image{}, file.path), Failure);
  EXPECT_FALSE(std::filesystem::exists(file.path));
}

}  // namespace
}  // namespace kiln
