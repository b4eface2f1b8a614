#include "data/npy/npy.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <sstream>

#include "base/error.hpp"
#include "core/random.hpp"
#include "data/npy/write.hpp"

namespace kiln {
namespace {

using Element = Array::Element;

Array read_bytes(const std::string& bytes) {
  std::istringstream in(bytes);
  return read_npy(in, bytes.size(), "a.npy");
}

std::string error_of_bytes(const std::string& bytes) {
  try {
    read_bytes(bytes);
  } catch (const UserError& e) {
    return e.what();
  }
  return "no error";
}

std::string with_header(const std::string& header, const std::string& data, int version = 1) {
  std::string text = std::string("\x93NUMPY") + char(version) + '\0';
  const std::size_t length = header.size();
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) text += char(length >> (8 * i) & 0xFF);
  return text + header + data;
}

std::string file_of(const std::string& descr, const std::string& order, const std::string& shape,
                    const std::string& data, int version = 1) {
  return with_header(
      "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }   \n", data,
      version);
}

template <class T>
std::string bytes_of(std::initializer_list<T> values, bool big_endian = false) {
  std::string text;
  for (const T value : values) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &value, sizeof(T));
    if (big_endian != (std::endian::native == std::endian::big)) one.assign(one.rbegin(), one.rend());
    text += one;
  }
  return text;
}

TEST(Npy, ReadsWhatNumpySaves) {
  // numpy.save of numpy.array([[1, -2, 3], [4, 5, 600]], dtype='<i2'), byte for byte.
  std::string text("\x93NUMPY\x01\x00\x76\x00", 10);
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
  header += std::string(0x76 - header.size() - 1, ' ') + "\n";
  text += header + std::string("\x01\x00\xFE\xFF\x03\x00\x04\x00\x05\x00\x58\x02", 12);
  const Array array = read_bytes(text);
  EXPECT_EQ(array.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(array.kind(), Array::Kind::integer);
  EXPECT_EQ(array.element, Element::int16);
  EXPECT_EQ(array.bytes.size(), 12u);
  ASSERT_EQ(array.size(), 6u);
  EXPECT_EQ(array.integer(0), 1);
  EXPECT_EQ(array.integer(1), -2);
  EXPECT_EQ(array.integer(5), 600);
  EXPECT_EQ(array.real(1), -2.0);
}

TEST(Npy, WritesWhatNumpySaves) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / ("kiln_written_" + std::to_string(::getpid()) + ".npy");
  const std::vector<int16_t> values{1, -2, 3, 4, 5, 600};
  write_npy(file, {"<i2", false, {2, 3}}, std::as_bytes(std::span(values)));
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove(file);
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);  // as above
  expected += "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }" + std::string(58, ' ') + "\n";
  EXPECT_EQ(text, expected + std::string("\x01\x00\xFE\xFF\x03\x00\x04\x00\x05\x00\x58\x02", 12));
  EXPECT_THROW(write_npy(file / "inside", {"<i2", false, {2, 3}}, std::as_bytes(std::span(values))), Failure);
}

template <class T>
void expect_both_orders(const std::string& code) {
  const T low = std::numeric_limits<T>::lowest();
  const T high = sizeof(T) == 8 && std::is_unsigned_v<T> ? T(std::numeric_limits<int64_t>::max())
                                                         : std::numeric_limits<T>::max();
  for (const bool big : {false, true}) {
    const Array array =
        read_bytes(file_of((big ? ">" : "<") + code, "False", "(3,)", bytes_of<T>({low, T(5), high}, big)));
    ASSERT_EQ(array.size(), 3u) << code;
    if constexpr (std::is_integral_v<T>) {
      EXPECT_EQ(array.kind(), Array::Kind::integer) << code;
      EXPECT_EQ(array.integer(0), int64_t(low)) << code;
      EXPECT_EQ(array.integer(1), 5) << code;
      EXPECT_EQ(array.integer(2), int64_t(high)) << code;
    } else {
      EXPECT_EQ(array.kind(), Array::Kind::real) << code;
      EXPECT_EQ(array.real(0), double(low)) << code;
      EXPECT_EQ(array.real(1), 5.0) << code;
      EXPECT_EQ(array.real(2), double(high)) << code;
    }
  }
}

TEST(Npy, ReadsEveryTypeInBothByteOrders) {
  expect_both_orders<int8_t>("i1");
  expect_both_orders<uint8_t>("u1");
  expect_both_orders<int16_t>("i2");
  expect_both_orders<uint16_t>("u2");
  expect_both_orders<int32_t>("i4");
  expect_both_orders<uint32_t>("u4");
  expect_both_orders<int64_t>("i8");
  expect_both_orders<uint64_t>("u8");
  expect_both_orders<float>("f4");
  expect_both_orders<double>("f8");
}

TEST(Npy, BooleansAreZeroOrOne) {
  const Array array = read_bytes(file_of("|b1", "False", "(4,)", std::string("\x00\x01\x02\xFF", 4)));
  EXPECT_EQ(array.kind(), Array::Kind::integer);
  EXPECT_EQ(array.integer(0), 0);
  EXPECT_EQ(array.integer(1), 1);
  EXPECT_EQ(array.integer(2), 1);
  EXPECT_EQ(array.integer(3), 1);
}

TEST(Npy, VersionsTwoAndThreeHaveALongerLength) {
  for (const int version : {1, 2, 3}) {
    const Array array = read_bytes(file_of("<u2", "False", "(2,)", bytes_of<uint16_t>({7, 65535}), version));
    EXPECT_EQ(array.integer(0), 7) << version;
    EXPECT_EQ(array.integer(1), 65535) << version;
  }
}

TEST(Npy, FortranOrderBecomesCOrder) {
  // Value 100 i + 10 j + k at (i, j, k), stored with i fastest. 70 is more than one block of the
  // transposition.
  const int64_t ni = 2, nj = 3, nk = 70;
  std::string data;
  for (int64_t k = 0; k < nk; ++k)
    for (int64_t j = 0; j < nj; ++j)
      for (int64_t i = 0; i < ni; ++i) data += bytes_of<int32_t>({int32_t(1000 * i + 100 * j + k)});
  const Array array = read_bytes(file_of("<i4", "True", "(2, 3, 70)", data));
  ASSERT_EQ(array.size(), std::size_t(ni * nj * nk));
  std::size_t at = 0;
  for (int64_t i = 0; i < ni; ++i)
    for (int64_t j = 0; j < nj; ++j)
      for (int64_t k = 0; k < nk; ++k) ASSERT_EQ(array.integer(at++), 1000 * i + 100 * j + k);
}

TEST(Npy, FortranOrderOfFourAxes) {
  std::string data;
  for (int l = 0; l < 5; ++l)
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 2; ++i) data += char(i + 2 * j + 6 * k + 24 * l);
  const Array array = read_bytes(file_of("|u1", "True", "(2, 3, 4, 5)", data));
  EXPECT_EQ(array.integer(0), 0);
  EXPECT_EQ(array.integer(1), 24);                // (0, 0, 0, 1)
  EXPECT_EQ(array.integer(5), 6);                 // (0, 0, 1, 0)
  EXPECT_EQ(array.integer(20), 2);                // (0, 1, 0, 0)
  EXPECT_EQ(array.integer(60), 1);                // (1, 0, 0, 0)
  EXPECT_EQ(array.integer(60 + 20 + 5 + 1), 33);  // (1, 1, 1, 1)
}

TEST(Npy, HeaderMayBeWrittenInOtherWays) {
  const std::string data = bytes_of<double>({1.5, -2.25});
  for (const char* header : {
           "{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"<f8\"}",
           "  { 'fortran_order' : True ,\n 'descr' : '<f8' , 'shape' : ( 2L , ) }\n",
           "{'descr': '=f8', 'fortran_order': False, 'shape': (2, 1)}",
       }) {
    const Array array = read_bytes(with_header(header, data));
    ASSERT_EQ(array.size(), 2u) << header;
    EXPECT_EQ(array.real(0), 1.5) << header;
    EXPECT_EQ(array.real(1), -2.25) << header;
  }
}

TEST(Npy, ScalarsAndEmptyArrays) {
  const Array scalar = read_bytes(file_of("<i4", "False", "()", bytes_of<int32_t>({42})));
  EXPECT_TRUE(scalar.shape.empty());
  ASSERT_EQ(scalar.size(), 1u);
  EXPECT_EQ(scalar.integer(0), 42);
  const Array empty = read_bytes(file_of("<i4", "True", "(3, 0, 9223372036854775807)", ""));
  EXPECT_EQ(empty.size(), 0u);
}

TEST(Npy, SaysWhatIsWrongWithAHeader) {
  const std::string d = bytes_of<int32_t>({1, 2});
  const std::pair<std::string, std::string> cases[] = {
      {"", "a.npy is too short to be a .npy file."},
      {"\x89PNG\r\n\x1a\n...", "a.npy is not a .npy file: it does not begin with \\x93NUMPY."},
      {with_header("{}", "", 4), "a.npy has version 4.0 of the .npy format; allowed are 1.0, 2.0 and 3.0."},
      {std::string("\x93NUMPY\x01\x00\x76", 9), "a.npy ends within its header."},
      {std::string("\x93NUMPY\x01\x00\x76\x00{'de", 14),
       "a.npy ends within its header: 4 bytes are there, 118 are needed."},
      {with_header("{", d), "the header of a.npy has no quoted name at character 1."},
      {with_header("{'descr' '<i4'}", d), "the header of a.npy has ''' where ':' was expected."},
      {with_header("{'descr': '<i4}", d), "the header of a.npy has a quote that is never closed."},
      {with_header("{'descr': '<i4', 'shape': (2,)}", d),
       "the header of a.npy lacks the key 'fortran_order'."},
      {with_header("{'size': 3}", d), "the header of a.npy has the unknown key 'size'."},
      {with_header("{'descr': '<i4', 'descr': '<i4'}", d), "the header of a.npy has the key 'descr' twice."},
      {file_of("<i4", "maybe", "(2,)", d),
       "the header of a.npy has a fortran_order that is neither True nor False."},
      {file_of("<i4", "False", "(2, -1)", d), "the header of a.npy has the negative length -1 in its shape."},
      {file_of("<i4", "False", "(two,)", d),
       "the header of a.npy has a shape that is not a list of integers."},
      {file_of("<i4", "False", "(99999999999999999999,)", d),
       "the header of a.npy has a length in its shape that no memory can hold."},
      {with_header("{'descr': '<i4', 'fortran_order': False, 'shape': (2,)} x", d),
       "the header of a.npy goes on after its closing brace."},
      {with_header("{'descr': [('x', '<i4')], 'fortran_order': False, 'shape': (2,)}", d),
       "a.npy holds records with named fields; allowed is one number per place."},
  };
  for (const auto& [bytes, message] : cases) EXPECT_EQ(error_of_bytes(bytes), message);
}

TEST(Npy, SaysWhatIsWrongWithTheData) {
  const std::string d = bytes_of<int32_t>({1, 2});
  for (const char* descr : {"<f2", "<c8", "<U4", "|O", "|S3", "?", "<i3", "xi4"})
    EXPECT_EQ(error_of_bytes(file_of(descr, "False", "(2,)", d)),
              "a.npy holds values of type '" + std::string(descr) +
                  "'; allowed are bool, integers of 8 to 64 bits and floats of 32 or 64 bits.");
  EXPECT_EQ(error_of_bytes(file_of("<i4", "False", "(3, 5)", d)),
            "a.npy is cut short: 8 bytes of data are there, 60 are needed for the shape (3, 5) with 4 bytes "
            "per value.");
  EXPECT_EQ(error_of_bytes(file_of("<i4", "False", "(1,)", d)),
            "a.npy is too long: 8 bytes of data are there, 4 are needed for the shape (1,) with 4 bytes per "
            "value.");
  EXPECT_EQ(error_of_bytes(file_of("<i4", "False", "(4294967296, 4294967296)", d)),
            "a.npy has the shape (4294967296, 4294967296), which no memory can hold.");
  EXPECT_EQ(error_of_bytes(file_of("<u8", "False", "(1,)", bytes_of<uint64_t>({uint64_t(1) << 63}))),
            "a.npy holds the value 9223372036854775808; integers must lie below 2^63.");
}

TEST(Npy, ReadsFilesAndSaysWhatIsWrongWithThePath) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("kiln_npy_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string bytes = file_of("<i4", "False", "(2,)", bytes_of<int32_t>({8, 9}));
  std::ofstream(folder / "a.npy", std::ios::binary) << bytes;
  std::ofstream(folder / "cut.npy", std::ios::binary) << bytes.substr(0, bytes.size() - 1);
  const auto message = [](const std::filesystem::path& path) {
    try {
      read_npy(path);
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(read_npy(folder / "a.npy").integer(1), 9);
  EXPECT_EQ(message(folder / "cut.npy").find((folder / "cut.npy").string() + " is cut short: 7 bytes"), 0u);
  EXPECT_EQ(message(folder / "none.npy"),
            "cannot read " + (folder / "none.npy").string() + ": No such file or directory.");
  EXPECT_EQ(message(folder), "cannot read " + folder.string() + ": it is not a file.");
  std::filesystem::remove_all(folder);
}

// Whatever happens to a file, it is read as something that fits its bytes, or refused.
TEST(Npy, DamagedFilesAreReadOrRefused) {
  const std::string valid = file_of("<i4", "True", "(2, 3)", bytes_of<int32_t>({1, 2, 3, 4, 5, 6}));
  int refused = 0, accepted = 0;
  for (uint32_t round = 0; round < 4000; ++round) {
    std::string bytes = valid;
    const Draw d = draw(2024, Stream::pictures, round, 0);
    Digits digits{d.ab()};
    const bool truncate = digits.take(3) == 0;
    if (truncate) bytes.resize(digits.take(uint32_t(bytes.size())));
    const uint32_t flips = truncate ? digits.take(2) : 1 + digits.take(4);
    Digits places{d.cd()};
    for (uint32_t i = 0; i < flips && !bytes.empty(); ++i)
      bytes[places.take(uint32_t(bytes.size()))] ^= char(1u << places.take(8));
    try {
      const Array array = read_bytes(bytes);
      int64_t product = 1;
      for (const int64_t length : array.shape) product *= length;
      ASSERT_EQ(array.size(), std::size_t(product)) << round;
      ++accepted;
    } catch (const UserError& e) {
      ASSERT_NE(std::string(e.what()).find("a.npy"), std::string::npos) << e.what();
      ++refused;
    }
  }
  // Flips in the 24 bytes of data leave a good file; truncation never does.
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace kiln
