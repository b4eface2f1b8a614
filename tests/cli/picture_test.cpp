// Pictures as a user gets them: which way up, how wide, and what is said about one cell.
#include <algorithm>

#include "cli_fixture.hpp"
#include "output/picture/palette.hpp"
#include "output/picture/png.hpp"

namespace kiln {
namespace {

// Labels as NumPy saves them, in the order z, y, x.
std::string npy(const std::string& shape, const std::string& bytes) {
  std::string head = "{'descr': '|u1', 'fortran_order': False, 'shape': (" + shape + "), }";
  head.resize(117, ' ');
  head += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + char(head.size()) + '\0' + head + bytes;
}

// Where the pixels of a colour lie on average, as shares of the picture.
struct Place {
  double x = 0, y = 0;
};

Place place_of(const Image& image, Colour colour) {
  double count = 0;
  Place sum;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      if (image.at(x, y) == colour) {
        count += 1;
        sum.x += (x + 0.5) / image.width;
        sum.y += (y + 0.5) / image.height;
      }
  EXPECT_GT(count, 0);
  return {sum.x / count, sum.y / count};
}

class PictureCommand : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (!kHasPng) GTEST_SKIP() << "built without libpng";
  }
  // 8 x 8 x 8 sites; label 1 is a block at small x, y and z.
  void write_block() {
    std::string bytes(512, '\0');
    for (int z = 0; z < 5; ++z)
      for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 5; ++x) bytes[std::size_t(z * 64 + y * 8 + x)] = 1;
    write("block.npy", npy("8, 8, 8", bytes));
    write("block.toml", R"([lattice]
size = [8, 8, 8]
[types.cell]
[[initial]]
kind = "labels"
file = "block.npy"
type = "cell"
)");
  }
};

// What `import` shows is what `render` shows, and other programs: y down, z up.
TEST_F(PictureCommand, PreviewsAndSlicesAreTheSameWayUp) {
  write_block();
  const Result look = kiln("import block.npy --labels --voxel-um 1 1 1 --out look");
  ASSERT_EQ(look.exit_code, 0) << look.out;
  for (const auto& [plane, axis] : {std::pair{"xy", "z"}, {"xz", "y"}, {"yz", "x"}}) {
    const Place preview =
        place_of(read_png(folder_ / ("look/preview_" + std::string(plane) + ".png")), cell_colour(1));
    const Result drawn =
        kiln(std::string("render block.toml --view slice --frame lattice --colour cell --decoration none "
                         "--out slice.png --axis ") +
             axis);
    ASSERT_EQ(drawn.exit_code, 0) << drawn.out;
    const Place slice = place_of(read_png(folder_ / "slice.png"), cell_colour(1));
    const bool z_up = std::string(plane) != "xy";
    for (const Place& place : {preview, slice}) {
      EXPECT_NEAR(place.x, 0.31, 0.03) << plane;
      EXPECT_NEAR(place.y, z_up ? 0.69 : 0.31, 0.03) << plane;
    }
  }
}

// Two labels side by side: a line between them, none around the background.
TEST_F(PictureCommand, PreviewsOfLabelsHaveBorders) {
  write("two.npy", npy("4, 4", std::string("\1\1\2\2\1\1\2\2\1\1\2\2\0\0\0\0", 16)));
  ASSERT_EQ(kiln("import two.npy --labels --voxel-um 1 1 --out look").exit_code, 0);
  const Image image = read_png(folder_ / "look/preview_xy.png");
  const int zoom = image.width / 4;
  EXPECT_EQ(image.at(zoom, zoom), cell_colour(1));
  EXPECT_LT(image.at(2 * zoom - 1, zoom).green, cell_colour(1).green / 1.3);
  EXPECT_EQ(image.at(2 * zoom, zoom), cell_colour(2));
  EXPECT_EQ(image.at(2 * zoom, 4 * zoom - 1), image.at(1, 4 * zoom - 1));
}

TEST_F(PictureCommand, RenderIsAsWideAsItIsAskedToBe) {
  for (const char* width : {"123", "150", "700"}) {
    ASSERT_EQ(kiln(std::string("render small.toml --out a.png --width ") + width).exit_code, 0);
    EXPECT_EQ(read_png(folder_ / "a.png").width, std::stoi(width));
  }
  const Result none = kiln("render small.toml --out b.png --width 20000");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.out.find("16384"), std::string::npos) << none.out;
}

// The frame is the model's, unless told otherwise: cells of small.toml migrate.
TEST_F(PictureCommand, RenderFramesTheTissueWhereNothingMigrates) {
  write("ball.toml", R"([lattice]
size = [100, 100]
boundary = "closed"
[types.cell]
volume = {target = 25, lambda = 2}
[[initial]]
kind = "boxes"
type = "cell"
box = [5, 5]
region = {shape = "box", low = [10, 60], high = [29, 79]}
)");
  const auto medium_share = [&](const std::string& options) {
    EXPECT_EQ(kiln("render ball.toml --out a.png --decoration none --width 440 " + options).exit_code, 0);
    const Image image = read_png(folder_ / "a.png");
    double medium = 0;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) medium += image.at(x, y) == image.at(0, 0) ? 1 : 0;
    return medium / image.width / image.height;
  };
  EXPECT_NEAR(medium_share(""), 1 - 400.0 / 484, 0.01);
  EXPECT_NEAR(medium_share("--frame lattice"), 0.96, 0.01);
}

TEST_F(PictureCommand, OneCellHasNoSpread) {
  const Result r = kiln(
      "run small.toml --out r --mcs 2 --set pictures=[] --set "
      "initial.0.region={shape=\\\"box\\\",low=[10,10],high=[14,14]}");
  ASSERT_EQ(r.exit_code, 0) << r.out;
  EXPECT_NE(r.out.find("cells        1\n"), std::string::npos) << r.out;
  EXPECT_EQ(r.out.find("nan"), std::string::npos) << r.out;
  EXPECT_EQ(read("r/report.html").find("± nan"), std::string::npos);
}

// The page alone has its pictures.
TEST_F(PictureCommand, ReportsHoldTheirPictures) {
  ASSERT_EQ(kiln("run small.toml --out r --mcs 20").exit_code, 0);
  const std::string html = read("r/report.html");
  std::size_t images = 0, embedded = 0;
  for (std::size_t at = 0; (at = html.find("<img src=\"", at)) != html.npos; ++at) {
    ++images;
    embedded += html.compare(at + 10, 22, "data:image/png;base64,") == 0 ? 1 : 0;
  }
  EXPECT_EQ(images, 3u) << "first, last and the animation";
  EXPECT_EQ(embedded, images);
}

}  // namespace
}  // namespace kiln
