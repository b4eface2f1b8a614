#include "output/picture/run_length_deflate.hpp"

#include <gtest/gtest.h>

#include "output/picture/png.hpp"
#ifdef KILN_HAS_PNG
#include <zlib.h>

namespace kiln {
namespace {

// As zlib reads it, without a frame around the blocks.
std::string inflated(const std::string& blocks, std::size_t size) {
  std::string out(size + 1, '?');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, -15), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(blocks.data()));
  stream.avail_in = uInt(blocks.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END) << (stream.msg != nullptr ? stream.msg : "");
  EXPECT_EQ(stream.avail_in, 0u);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

void expect_to_come_back(const std::string& bytes, std::size_t piece = 1000) {
  RunLengthDeflate deflate;
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    deflate.add(reinterpret_cast<const uint8_t*>(bytes.data()) + at, std::min(piece, bytes.size() - at));
  EXPECT_TRUE(inflated(deflate.finish(), bytes.size()) == bytes) << bytes.size() << " bytes";
}

TEST(RunLengthDeflate, RunsOfAnyLengthComeBack) {
  std::string all;
  for (int length = 1; length <= 800; ++length) {
    const std::string run(std::size_t(length), char(length % 251));
    expect_to_come_back(run, 4000);
    all += run;
  }
  expect_to_come_back(all);
  expect_to_come_back(all, 7);
}

TEST(RunLengthDeflate, NothingAndOneByteComeBack) {
  expect_to_come_back("");
  expect_to_come_back("a");
  expect_to_come_back(std::string(1, '\0'));
}

// Several blocks of 65,536 tokens, and all literals.
TEST(RunLengthDeflate, NoiseComesBack) {
  std::string noise;
  uint64_t x = 1;
  for (int i = 0; i < 300'000; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    noise += char(x >> 56);
  }
  expect_to_come_back(noise);
}

// Counts like Fibonacci's numbers have the longest codes: 25 bits, where 15 are allowed.
TEST(RunLengthDeflate, CodesThatWouldBeTooLongAreCutShort) {
  std::string bytes;
  int count = 1, before = 1;
  for (int symbol = 0; symbol < 22; ++symbol) {
    for (int i = 0; i < count; ++i) bytes += {char(symbol), char(100 + i % 2)};
    count += std::exchange(before, count);
  }
  bytes.resize(65'000);  // one block
  expect_to_come_back(bytes);
}

}  // namespace
}  // namespace kiln
#endif
