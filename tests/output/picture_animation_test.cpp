#include "output/picture/animation.hpp"

#include <gtest/gtest.h>
#ifdef KILN_HAS_PNG
#include <zlib.h>
#endif

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "file_examples.hpp"
#include "output/picture/png.hpp"
#include "output/picture/video.hpp"
#include "output/picture/yuv.hpp"
#include "picture_fixture.hpp"

namespace kiln {
namespace {

TEST(Animation, RefusesFramesThatLastTooLongOrBackwards) {
  EXPECT_THROW(AnimationWriter(-0.1), UserError);
  EXPECT_THROW(AnimationWriter(66), UserError);
}

#ifdef KILN_HAS_PNG

uint32_t number(const std::string& bytes, std::size_t at, int size = 4) {
  uint32_t value = 0;
  for (int i = 0; i < size; ++i) value = value << 8 | uint8_t(bytes.at(at + i));
  return value;
}

struct Chunk {
  std::string name, data;
};

// Reads a file chunk by chunk, and checks the signature and every CRC on the way.
std::vector<Chunk> chunks_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_EQ(bytes.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::vector<Chunk> chunks;
  std::size_t at = 8;
  while (at < bytes.size()) {
    const uint32_t length = number(bytes, at);
    const std::string named = bytes.substr(at + 4, 4 + std::size_t(length));
    const uLong crc = crc32(0, reinterpret_cast<const Bytef*>(named.data()), uInt(named.size()));
    EXPECT_EQ(number(bytes, at + 8 + length), uint32_t(crc)) << "chunk " << chunks.size();
    chunks.push_back({named.substr(0, 4), named.substr(4)});
    at += 12 + std::size_t(length);
  }
  EXPECT_EQ(at, bytes.size());
  return chunks;
}

AnimationWriter animation_of(const std::vector<Image>& frames, double seconds) {
  AnimationWriter writer(seconds);
  for (const Image& frame : frames) writer.add(png_parts(frame));
  return writer;
}

// What PNG calls Paeth: the neighbour nearest to left + up - corner.
int paeth(int left, int up, int corner) {
  const int guess = left + up - corner;
  const int a = std::abs(guess - left), b = std::abs(guess - up), c = std::abs(guess - corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

Image decode(const std::string& data, int width, int height) {
  const std::size_t row = std::size_t(width) * 3;
  std::vector<uint8_t> raw((row + 1) * height);
  uLongf size = uLongf(raw.size());
  EXPECT_EQ(uncompress(raw.data(), &size, reinterpret_cast<const Bytef*>(data.data()), uLong(data.size())),
            Z_OK);
  EXPECT_EQ(size, raw.size());
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    const uint8_t* in = raw.data() + (row + 1) * y;
    uint8_t* out = image.rgb.data() + row * y;
    for (std::size_t i = 0; i < row; ++i) {
      const int left = i >= 3 ? out[i - 3] : 0, up = y > 0 ? *(out + i - row) : 0;
      const int corner = i >= 3 && y > 0 ? *(out + i - row - 3) : 0;
      const int guesses[] = {0, left, up, (left + up) / 2, paeth(left, up, corner)};
      out[i] = uint8_t(in[1 + i] + guesses[in[0]]);
    }
  }
  return image;
}

// Every frame of an animation as a viewer shows it, from the chunks alone.
std::vector<Image> play(const std::vector<Chunk>& chunks) {
  const int width = int(number(chunks[0].data, 0)), height = int(number(chunks[0].data, 4));
  Image canvas(width, height);
  std::vector<Image> frames;
  uint32_t sequence = 0;
  std::string control;
  for (const Chunk& chunk : chunks) {
    if (chunk.name == "fcTL") {
      control = chunk.data;
      EXPECT_EQ(control.size(), 26u);
      EXPECT_EQ(number(control, 0), sequence++);
      EXPECT_EQ(number(control, 24, 2), 0u) << "disposal and blending";
    }
    if (chunk.name != "IDAT" && chunk.name != "fdAT") continue;
    if (chunk.name == "fdAT") {
      EXPECT_EQ(number(chunk.data, 0), sequence++);
    }
    const int w = int(number(control, 4)), h = int(number(control, 8));
    const int left = int(number(control, 12)), top = int(number(control, 16));
    const Image part = decode(chunk.name == "fdAT" ? chunk.data.substr(4) : chunk.data, w, h);
    EXPECT_LE(left + w, width);
    EXPECT_LE(top + h, height);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) canvas.set(left + x, top + y, part.at(x, y));
    frames.push_back(canvas);
  }
  return frames;
}

// A square that moves, then a frame like the one before it, then one in which all is new.
std::vector<Image> some_frames() {
  std::vector<Image> frames;
  for (int i = 0; i < 3; ++i) {
    Image image(31, 17, {250, 251, 252});
    for (int y = 4; y < 9; ++y)
      for (int x = 3 + 5 * i; x < 9 + 5 * i; ++x) image.set(x, y, {uint8_t(x * 8), uint8_t(y * 20), 7});
    frames.push_back(image);
  }
  frames.push_back(frames.back());
  Image last(31, 17);
  for (std::size_t i = 0; i < last.rgb.size(); ++i) last.rgb[i] = uint8_t(i * i % 251);
  frames.push_back(last);
  return frames;
}

TEST(Animation, HasTheChunksOfAnAnimatedPng) {
  const TemporaryFile file("chunks.png");
  animation_of(some_frames(), 0.25).finish(file.path);
  const std::vector<Chunk> chunks = chunks_of(file.path);
  std::string names;
  for (const Chunk& chunk : chunks) names += chunk.name + " ";
  EXPECT_EQ(names, "IHDR sRGB acTL fcTL IDAT fcTL fdAT fcTL fdAT fcTL fdAT fcTL fdAT IEND ");
  EXPECT_EQ(number(chunks[0].data, 0), 31u);
  EXPECT_EQ(number(chunks[0].data, 4), 17u);
  EXPECT_EQ(chunks[0].data.substr(8), std::string("\x08\x02\x00\x00\x00", 5));
  EXPECT_EQ(number(chunks[2].data, 0), 5u);
  EXPECT_EQ(number(chunks[2].data, 4), 0u);
  EXPECT_EQ(number(chunks[3].data, 20, 2), 250u);
  EXPECT_EQ(number(chunks[3].data, 22, 2), 1000u);
}

TEST(Animation, PlaysBackTheFrames) {
  const TemporaryFile file("frames.png");
  const std::vector<Image> frames = some_frames();
  EXPECT_EQ(animation_of(frames, 0.1).finish(file.path), 0);
  EXPECT_EQ(play(chunks_of(file.path)), frames);
}

// A run's animation is put together from its stills, whenever they were made: their bytes are its bytes.
TEST(Animation, TakesTheCompressedPixelsOfStills) {
  const ScratchFolder folder;
  const std::vector<Image> frames = some_frames();
  AnimationWriter from_files(0.1);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::filesystem::path still = folder / (std::to_string(i) + ".png");
    write_png(frames[i], still);
    from_files.add_file(still);
  }
  EXPECT_EQ(from_files.finish(folder / "files.png"), 0);
  animation_of(frames, 0.1).finish(folder / "memory.png");
  EXPECT_TRUE(bytes_of(folder / "files.png") == bytes_of(folder / "memory.png"));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const PngParts parts = parts_of_png(bytes_of(folder / (std::to_string(i) + ".png")));
    ASSERT_FALSE(parts.pixels.empty());
    EXPECT_NE(bytes_of(folder / "files.png").find(parts.pixels), std::string::npos) << i;
  }
}

TEST(Animation, LeavesOutFramesThatAreGoneOrOfAnotherSize) {
  const ScratchFolder folder;
  const std::vector<Image> frames = some_frames();
  AnimationWriter writer(0.1);
  writer.add(png_parts(frames[0]));
  writer.add_file(folder / "gone.png");
  writer.add(png_parts(Image(5, 6)));
  writer.add(png_parts(frames[1]));
  EXPECT_EQ(writer.finish(folder / "rest.png"), 2);
  EXPECT_EQ(play(chunks_of(folder / "rest.png")), (std::vector<Image>{frames[0], frames[1]}));
}

TEST(Animation, ShowsItsFirstFrameToViewersThatKnowOnlyPng) {
  const TemporaryFile file("first.png");
  const std::vector<Image> frames = some_frames();
  EXPECT_EQ(animation_of(frames, 0.1).finish(file.path), 0);
  EXPECT_EQ(read_png(file.path), frames[0]);
}

TEST(Animation, CanBeWrittenBeforeItIsComplete) {
  const TemporaryFile file("partial.png");
  const std::vector<Image> frames = some_frames();
  AnimationWriter writer(0.1);
  writer.add(png_parts(frames[0]));
  writer.add(png_parts(frames[1]));
  writer.finish(file.path);
  EXPECT_EQ(play(chunks_of(file.path)), std::vector<Image>(frames.begin(), frames.begin() + 2));
  writer.add(png_parts(frames[2]));
  writer.finish(file.path);
  EXPECT_EQ(writer.frames(), 3);
  EXPECT_EQ(play(chunks_of(file.path)), std::vector<Image>(frames.begin(), frames.begin() + 3));
}

TEST(Animation, RefusesNoFrames) {
  const TemporaryFile file("refused.png");
  EXPECT_THROW(AnimationWriter(0.1).finish(file.path), Failure);
  EXPECT_FALSE(std::filesystem::exists(file.path));
}

// Against BT.709's definition: Y' of the weights 0.2126, 0.7152 and 0.0722, and the differences of blue and
// red from it, in 219 and 224 steps.
TEST(Yuv, IsThatOfHighDefinitionVideo) {
  Image image(6, 2);
  const Colour colours[] = {{0, 0, 0}, {255, 255, 255}, {200, 30, 90}};
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 6; ++x) image.set(x, y, colours[x / 2]);
  const YuvImage yuv = yuv_of(image);
  for (int k = 0; k < 3; ++k) {
    const double red = colours[k].red / 255.0, green = colours[k].green / 255.0,
                 blue = colours[k].blue / 255.0;
    const double bright = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    for (const int pixel : {2 * k, 2 * k + 1, 6 + 2 * k})
      EXPECT_NEAR(yuv.planes[pixel], 16 + 219 * bright, 0.51);
    EXPECT_NEAR(yuv.planes[12 + k], 128 + 224 * (blue - bright) / (2 * (1 - 0.0722)), 0.51);
    EXPECT_NEAR(yuv.planes[15 + k], 128 + 224 * (red - bright) / (2 * (1 - 0.2126)), 0.51);
  }
}

TEST(Yuv, RoundsSizesUpToEvenOnes) {
  Image image(3, 1, {10, 20, 30});
  image.set(2, 0, {250, 250, 250});
  const YuvImage yuv = yuv_of(image);
  EXPECT_EQ(yuv.width, 4);
  EXPECT_EQ(yuv.height, 2);
  ASSERT_EQ(yuv.planes.size(), 12u);
  EXPECT_EQ(yuv.planes[3], yuv.planes[2]);
  EXPECT_EQ(yuv.planes[4], yuv.planes[0]);
  EXPECT_EQ(yuv.planes[9], 128);  // grey
}

// A program `ffmpeg` of our own, in a folder that is searched first; `script` is what it does.
class Video : public testing::Test {
 protected:
  void install(const std::string& script) {
    std::filesystem::create_directories(folder_ / "bin");
    std::ofstream(folder_ / "bin/ffmpeg") << "#!/bin/sh\n" << script;
    std::filesystem::permissions(folder_ / "bin/ffmpeg", std::filesystem::perms::owner_all);
    set_path((folder_ / "bin").string() + ":" + path_);
  }
  static void set_path(const std::string& path) { setenv("PATH", path.c_str(), 1); }
  void TearDown() override { set_path(path_); }

  const ScratchFolder folder_;
  const std::string path_ = getenv("PATH");
};

TEST_F(Video, GivesFfmpegAllFramesAndTakesItsFile) {
  install("for last; do :; done\necho \"$@\" > '" + (folder_ / "words").string() +
          "'\ncat > \"${last#file:}\"\n");
  const std::vector<Image> frames = some_frames();
  EXPECT_EQ(write_mp4(animation_of(frames, 0.25), folder_ / "a b;c.mp4"), std::nullopt);
  std::string all;
  for (const Image& frame : frames) {
    const YuvImage yuv = yuv_of(frame);
    all.append(yuv.planes.begin(), yuv.planes.end());
  }
  EXPECT_TRUE(bytes_of(folder_ / "a b;c.mp4") == all);
  const std::string words = bytes_of(folder_ / "words");
  for (const char* word :
       {"-video_size 32x18 ", "-framerate 1000/250 ", "-c:v libx264 ", "-pix_fmt yuv420p "})
    EXPECT_NE(words.find(word), std::string::npos) << word << " in " << words;
}

TEST_F(Video, DoesWithoutH264) {
  install(
      "for last; do case \"$last\" in libx264) cat > /dev/null; exit 1;; esac; done\ncat > "
      "\"${last#file:}\"\n");
  EXPECT_EQ(write_mp4(animation_of(some_frames(), 0.25), folder_ / "x.mp4"), std::nullopt);
  EXPECT_EQ(bytes_of(folder_ / "x.mp4").size(), 5u * 32 * 18 * 3 / 2);
}

// It ends at once, while megabytes are still to be written to it.
TEST_F(Video, SaysWhyThereIsNone) {
  install("echo 'Unknown encoder' >&2\necho more >&2\nexit 3\n");
  const std::vector<Image> frames(9, Image(400, 400));
  EXPECT_EQ(write_mp4(animation_of(frames, 0.25), folder_ / "x.mp4"), "ffmpeg failed: Unknown encoder");
  set_path((folder_ / "bin").string() + "/none");
  EXPECT_EQ(write_mp4(animation_of(frames, 0.25), folder_ / "x.mp4"), "ffmpeg is not installed");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.mp4"));
}

#endif

}  // namespace
}  // namespace kiln
