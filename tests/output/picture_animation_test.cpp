#include "output/picture/animation.hpp"

#include <gtest/gtest.h>
#ifdef KILN_HAS_PNG
#include <zlib.h>
#endif

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "output/picture/png.hpp"
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
  write_apng(some_frames(), file.path, 0.25);
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
  write_apng(frames, file.path, 0.1);
  EXPECT_EQ(play(chunks_of(file.path)), frames);
}

TEST(Animation, StoresOnlyWhatChanged) {
  const TemporaryFile file("cropped.png");
  write_apng(some_frames(), file.path, 0.1);
  std::vector<std::vector<uint32_t>> boxes;
  for (const Chunk& chunk : chunks_of(file.path))
    if (chunk.name == "fcTL")
      boxes.push_back(
          {number(chunk.data, 12), number(chunk.data, 16), number(chunk.data, 4), number(chunk.data, 8)});
  // Left, top, width, height. The square covers x 3 to 8, then 8 to 13, then 13 to 18; where two overlap, at
  // x = 8 and at x = 13, they have the same colours, so those columns do not change.
  const std::vector<std::vector<uint32_t>> expected{
      {0, 0, 31, 17}, {3, 4, 11, 5}, {8, 4, 11, 5}, {0, 0, 1, 1}, {0, 0, 31, 17}};
  EXPECT_EQ(boxes, expected);
}

TEST(Animation, ShowsItsFirstFrameToViewersThatKnowOnlyPng) {
  const TemporaryFile file("first.png");
  const std::vector<Image> frames = some_frames();
  write_apng(frames, file.path, 0.1);
  EXPECT_EQ(read_png(file.path), frames[0]);
}

TEST(Animation, CanBeWrittenBeforeItIsComplete) {
  const TemporaryFile file("partial.png");
  const std::vector<Image> frames = some_frames();
  AnimationWriter writer(0.1);
  writer.add(frames[0]);
  writer.add(frames[1]);
  writer.finish(file.path);
  EXPECT_EQ(play(chunks_of(file.path)), std::vector<Image>(frames.begin(), frames.begin() + 2));
  writer.add(frames[2]);
  writer.finish(file.path);
  EXPECT_EQ(writer.frames(), 3);
  EXPECT_EQ(play(chunks_of(file.path)), std::vector<Image>(frames.begin(), frames.begin() + 3));
}

TEST(Animation, RefusesNoFramesAndFramesOfAnotherSize) {
  const TemporaryFile file("refused.png");
  EXPECT_THROW(write_apng({}, file.path, 0.1), Failure);
  EXPECT_THROW(write_apng({Image(4, 4), Image(4, 5)}, file.path, 0.1), Failure);
  EXPECT_FALSE(std::filesystem::exists(file.path));
}

#endif

}  // namespace
}  // namespace kiln
