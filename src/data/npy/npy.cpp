#include "data/npy/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/wording.hpp"
#include "data/npy/header.hpp"

namespace kiln {
namespace {

using Element = Array::Element;

struct ElementType {
  Element element = Element::int8;
  std::size_t width = 1;  // bytes
  bool boolean = false;
  bool swapped = false;  // stored in the other byte order
};

// "<i4": byte order, kind, bytes.
std::optional<ElementType> element_type(std::string_view descr) {
  static constexpr std::pair<std::string_view, Element> kKnown[] = {
      {"b1", Element::uint8},  {"i1", Element::int8},    {"u1", Element::uint8},   {"i2", Element::int16},
      {"u2", Element::uint16}, {"i4", Element::int32},   {"u4", Element::uint32},  {"i8", Element::int64},
      {"u8", Element::uint64}, {"f4", Element::float32}, {"f8", Element::float64},
  };
  if (descr.size() != 3) return std::nullopt;
  const char order = descr[0];
  if (std::string_view("<>|=").find(order) == std::string_view::npos) return std::nullopt;
  const auto* known = std::find_if(std::begin(kKnown), std::end(kKnown),
                                   [&](const auto& entry) { return entry.first == descr.substr(1); });
  if (known == std::end(kKnown)) return std::nullopt;
  ElementType type;
  type.element = known->second;
  type.width = width_of(type.element);
  type.boolean = descr[1] == 'b';
  const bool big_here = std::endian::native == std::endian::big;
  type.swapped = (order == '<' && big_here) || (order == '>' && !big_here);
  return type;
}

// Header and values of a stream.
class NpyReader {
 public:
  NpyReader(std::istream& in, std::size_t bytes, std::string name)
      : in_(in), file_bytes_(bytes), name_(std::move(name)) {
    header_ = parse_npy_header(read_header_text(), name_);
    const std::optional<ElementType> type = element_type(header_.descr);
    if (!type)
      throw UserError(
          fmt::format("{} holds values of type '{}'; allowed are bool, integers of 8 to 64 bits "
                      "and floats of 32 or 64 bits.",
                      name_, header_.descr));
    type_ = *type;
    data_ = read_bytes_;
    data_bytes_ = checked_bytes(header_.shape, type_.width);
  }

  const std::string& name() const { return name_; }
  const std::vector<int64_t>& shape() const { return header_.shape; }
  Element element() const { return type_.element; }
  bool fortran_order() const { return header_.fortran_order; }
  std::size_t data_bytes() const { return data_bytes_; }

  // As they follow each other in the file.
  void read(std::size_t first, std::size_t count, unsigned char* to) {
    if (const std::size_t at = data_ + first * type_.width; at != read_bytes_) {
      in_.seekg(std::streamoff(at));
      read_bytes_ = at;
    }
    const std::size_t bytes = count * type_.width;
    read_exactly(to, bytes);
    if (type_.swapped) swap_bytes(to, bytes, type_.width);
    if (type_.boolean) std::transform(to, to + bytes, to, [](unsigned char v) { return v != 0 ? 1 : 0; });
  }

  Array read_all() {
    Array array;
    array.shape = header_.shape;
    array.element = type_.element;
    array.bytes.resize(data_bytes_);
    read(0, data_bytes_ / type_.width, array.bytes.data());
    if (header_.fortran_order) array.bytes = to_c_order(array.bytes, array.shape, type_.width);
    check_below_2_63(name_, array);
    return array;
  }

 private:
  static constexpr std::size_t kMostHeaderBytes = std::size_t(1) << 20;

  std::string read_header_text() {
    unsigned char start[8];
    if (left() < sizeof(start)) throw UserError(fmt::format("{} is too short to be a .npy file.", name_));
    read_exactly(start, sizeof(start));
    if (std::memcmp(start, "\x93NUMPY", 6) != 0)
      throw UserError(fmt::format("{} is not a .npy file: it does not begin with \\x93NUMPY.", name_));
    const int version = start[6];
    if (version < 1 || version > 3 || start[7] != 0)
      throw UserError(fmt::format("{} has version {}.{} of the .npy format; allowed are 1.0, 2.0 and 3.0.",
                                  name_, version, int(start[7])));
    unsigned char length_bytes[4] = {};
    const std::size_t length_width = version == 1 ? 2 : 4;
    if (left() < length_width) throw UserError(fmt::format("{} ends within its header.", name_));
    read_exactly(length_bytes, length_width);
    std::size_t length = 0;
    for (int i = 3; i >= 0; --i) length = length << 8 | length_bytes[i];
    if (length > left())
      throw UserError(fmt::format("{} ends within its header: {} bytes are there, {} are needed.", name_,
                                  left(), length));
    if (length > kMostHeaderBytes)
      throw UserError(fmt::format("{} has a header of {} bytes; at most {} are allowed.", name_, length,
                                  kMostHeaderBytes));
    std::string text(length, '\0');
    read_exactly(text.data(), length);
    return text;
  }

  // The size of the data; the file must hold exactly that.
  std::size_t checked_bytes(const std::vector<int64_t>& shape, std::size_t width) {
    uint64_t need = width;
    bool overflow = false;
    for (const int64_t length : shape) overflow |= __builtin_mul_overflow(need, uint64_t(length), &need);
    const bool is_empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
    if (overflow && !is_empty)
      throw UserError(
          fmt::format("{} has the shape {}, which no memory can hold.", name_, shape_text(shape)));
    if (is_empty) need = 0;
    if (need != left())
      throw UserError(fmt::format(
          "{} {}: {} bytes of data are there, {} are needed for the shape {} with {} "
          "bytes per value.",
          name_, left() < need ? "is cut short" : "is too long", left(), need, shape_text(shape), width));
    return need;
  }

  void read_exactly(void* to, std::size_t bytes) {
    in_.read(static_cast<char*>(to), std::streamsize(bytes));
    if (std::size_t(in_.gcount()) != bytes)
      throw UserError(fmt::format("cannot read {}: it ended after {} of {} bytes.", name_,
                                  read_bytes_ + std::size_t(in_.gcount()), file_bytes_));
    read_bytes_ += bytes;
  }

  static std::vector<unsigned char> to_c_order(const std::vector<unsigned char>& bytes,
                                               const std::vector<int64_t>& shape, std::size_t width);

  std::size_t left() const { return file_bytes_ - read_bytes_; }

  std::istream& in_;
  std::size_t file_bytes_;
  std::string name_;
  std::size_t read_bytes_ = 0;  // where the stream stands
  NpyHeader header_;
  ElementType type_;
  std::size_t data_ = 0;        // where the values begin
  std::size_t data_bytes_ = 0;  // how long they are
};

// A transposition of the first axis against the last for every place along the axes between, in blocks that
// stay in the cache: a plain loop would fetch a line of memory per value.
template <std::size_t Width>
void transpose(const unsigned char* from, unsigned char* to, const std::vector<int64_t>& shape) {
  constexpr int64_t kBlock = 64;
  const std::size_t axes = shape.size();
  std::vector<int64_t> from_stride(axes, 1), to_stride(axes, 1), place(axes, 0);
  for (std::size_t axis = 1; axis < axes; ++axis) from_stride[axis] = from_stride[axis - 1] * shape[axis - 1];
  for (std::size_t axis = axes - 1; axis > 0; --axis) to_stride[axis - 1] = to_stride[axis] * shape[axis];
  const int64_t first = shape.front(), last = shape.back();
  for (bool more = true; more;) {
    int64_t from_base = 0, to_base = 0;
    for (std::size_t axis = 1; axis + 1 < axes; ++axis) {
      from_base += place[axis] * from_stride[axis];
      to_base += place[axis] * to_stride[axis];
    }
    for (int64_t i0 = 0; i0 < first; i0 += kBlock)
      for (int64_t j0 = 0; j0 < last; j0 += kBlock)
        for (int64_t i = i0; i < std::min(first, i0 + kBlock); ++i)
          for (int64_t j = j0; j < std::min(last, j0 + kBlock); ++j)
            std::memcpy(to + std::size_t(to_base + i * to_stride.front() + j) * Width,
                        from + std::size_t(from_base + i + j * from_stride.back()) * Width, Width);
    more = false;
    for (std::size_t axis = 1; axis + 1 < axes && !more; ++axis) {
      more = ++place[axis] < shape[axis];
      if (!more) place[axis] = 0;
    }
  }
}

std::vector<unsigned char> NpyReader::to_c_order(const std::vector<unsigned char>& bytes,
                                                 const std::vector<int64_t>& shape, std::size_t width) {
  if (shape.size() < 2 || bytes.empty()) return bytes;
  std::vector<unsigned char> result(bytes.size());
  switch (width) {
    case 1:
      transpose<1>(bytes.data(), result.data(), shape);
      break;
    case 2:
      transpose<2>(bytes.data(), result.data(), shape);
      break;
    case 4:
      transpose<4>(bytes.data(), result.data(), shape);
      break;
    default:
      transpose<8>(bytes.data(), result.data(), shape);
      break;
  }
  return result;
}

// The size of a file that can be read.
std::size_t bytes_of_file(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(path, error);
  if (error) throw UserError(fmt::format("cannot read {}: {}.", name, error.message()));
  if (!is_file) throw UserError(fmt::format("cannot read {}: it is not a file.", name));
  const std::size_t bytes = std::filesystem::file_size(path, error);
  if (error) throw UserError(fmt::format("cannot read {}: {}.", name, error.message()));
  return bytes;
}

std::ifstream opened(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw UserError(fmt::format("cannot read {}: it cannot be opened.", path.string()));
  return in;
}

}  // namespace

Array read_npy(std::istream& in, std::size_t bytes, const std::string& name) {
  return NpyReader(in, bytes, name).read_all();
}

Array read_npy(const std::filesystem::path& path) {
  const std::size_t bytes = bytes_of_file(path);
  std::ifstream in = opened(path);
  return read_npy(in, bytes, path.string());
}

struct NpyFile::Open {
  Open(const std::filesystem::path& path, std::size_t bytes)
      : in(opened(path)), reader(in, bytes, path.string()) {}

  std::ifstream in;
  NpyReader reader;
  std::optional<Array> turned;  // all of an array in Fortran's order, once it has been read
};

NpyFile::NpyFile(const std::filesystem::path& path, std::size_t most_bytes)
    : open_(std::make_unique<Open>(path, bytes_of_file(path))) {
  const NpyReader& reader = open_->reader;
  if (reader.fortran_order() && reader.data_bytes() > most_bytes / 2)
    throw UserError(fmt::format(
        "{} is stored in Fortran's order, and needs {} of memory to be turned around; {} are allowed.",
        reader.name(), bytes_text(2 * double(reader.data_bytes())), bytes_text(double(most_bytes))));
}
NpyFile::NpyFile(NpyFile&&) noexcept = default;
NpyFile::~NpyFile() = default;

const std::string& NpyFile::name() const { return open_->reader.name(); }
const std::vector<int64_t>& NpyFile::shape() const { return open_->reader.shape(); }
Array::Element NpyFile::element() const { return open_->reader.element(); }

void NpyFile::read(std::size_t first, std::size_t count, unsigned char* to) {
  if (!open_->reader.fortran_order()) return open_->reader.read(first, count, to);
  if (!open_->turned) open_->turned = open_->reader.read_all();
  const std::size_t width = width_of(element());
  std::memcpy(to, open_->turned->bytes.data() + first * width, count * width);
}

}  // namespace kiln
