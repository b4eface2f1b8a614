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
  const std::vector<uint8_t> bytes = encode_png(gradient(64, 64));
  std::ofstream(file.path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size() / 2));
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
