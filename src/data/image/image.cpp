#include "data/image/image.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <new>
#include <stdexcept>
#include <system_error>

#include "base/error.hpp"
#include "base/wording.hpp"
#include "data/hdf5/file.hpp"
#include "data/image/axes.hpp"
#include "data/image/checks.hpp"
#include "data/npy/npy.hpp"
#include "data/png/image.hpp"
#include "data/tiff/stack.hpp"

namespace kiln {
namespace {

enum class Format { npy, tiff, slices, hdf5, png };

Format format_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error) throw UserError(fmt::format("cannot read {}: {}.", path.string(), error.message()));
  if (std::filesystem::is_directory(status)) return Format::slices;
  std::string extension = path.extension().string();
  for (char& c : extension) c = char(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".npy") return Format::npy;
  if (extension == ".tif" || extension == ".tiff") return Format::tiff;
  if (extension == ".png") return Format::png;
  if (extension == ".h5" || extension == ".hdf5") return Format::hdf5;
  throw UserError(fmt::format(
      "{} is no image that can be read; allowed are .npy, .tif, .tiff, .png, .h5 and .hdf5 files and "
      "folders of TIFF slices.",
      path.string()));
}

ImageHeader header_of(const NpyFile& file, const StackPlace& place) {
  ImageHeader header{file.name(), place.zyx, file.element(), {}};
  header.channels = place.channels;
  header.times = place.times;
  return header;
}

// One stack of an array; the others are not read, unless the whole has to be turned around.
class NpySource : public ImageSource {
 public:
  NpySource(NpyFile file, const StackPlace& place)
      : ImageSource(header_of(file, place)), file_(std::move(file)) {
    std::size_t index = 0;  // of the chosen stack among those that follow each other
    for (std::size_t axis = 0; axis + 3 < file_.shape().size(); ++axis)
      index = index * std::size_t(file_.shape()[axis]) + place.start[axis];
    first_value_ = index * std::size_t(place.zyx[0]) * plane_values();
  }

 private:
  std::size_t plane_values() const { return std::size_t(header().zyx[1]) * std::size_t(header().zyx[2]); }

  void append(int64_t first, int64_t, std::size_t size, std::vector<unsigned char>& bytes) override {
    bytes.resize(size);
    file_.read(first_value_ + std::size_t(first) * plane_values(), size / width_of(header().element),
               bytes.data());
  }

  NpyFile file_;
  std::size_t first_value_ = 0;
};

std::unique_ptr<ImageSource> open_npy(const std::filesystem::path& path, const ImagePart& part,
                                      std::size_t most_bytes) {
  NpyFile file(path, most_bytes);
  const StackPlace place = place_of_stack(file.name(), {file.shape().begin(), file.shape().end()}, part);
  return std::make_unique<NpySource>(std::move(file), place);
}

// The one that was asked for, or the only one there is.
std::string dataset_of(const hdf5::Group& root, const std::string& wanted, const std::string& name) {
  if (!wanted.empty() && root.has(wanted)) return wanted;
  std::vector<std::string> found = root.find_numbers(2);
  if (found.empty())
    throw UserError(fmt::format("{} holds no dataset of numbers with two axes or more.", name));
  if (wanted.empty() && found.size() == 1) return found[0];
  static constexpr std::size_t kListed = 20;
  if (found.size() > kListed) {
    found.resize(kListed);
    found.emplace_back("...");
  }
  const std::string list = fmt::format("{}", fmt::join(found, ", "));
  throw UserError(wanted.empty() ? fmt::format("{} holds several datasets; choose one of {}.", name, list)
                                 : fmt::format("{} holds no dataset {}; it holds {}.", name, wanted, list));
}

class Hdf5Source : public ImageSource {
 public:
  Hdf5Source(ImageHeader header, hdf5::File file, hdf5::Numbers numbers, StackPlace place)
      : ImageSource(std::move(header)),
        file_(std::move(file)),
        numbers_(std::move(numbers)),
        place_(std::move(place)) {}

 private:
  void append(int64_t first, int64_t end, std::size_t size, std::vector<unsigned char>& bytes) override {
    std::vector<uint64_t> start = place_.start, lengths = place_.lengths;
    if (start.size() > 2) {
      start[start.size() - 3] = uint64_t(first);
      lengths[lengths.size() - 3] = uint64_t(end - first);
    }
    bytes.resize(size);
    numbers_.read(start, lengths, bytes.data());
  }

  hdf5::File file_;
  hdf5::Numbers numbers_;
  StackPlace place_;
};

std::unique_ptr<ImageSource> open_hdf5(const std::filesystem::path& path, const ImagePart& part,
                                       std::size_t most_bytes) {
  hdf5::File file(path, hdf5::File::Mode::read);
  const std::string dataset = dataset_of(file.root(), part.dataset, path.string());
  hdf5::Numbers numbers = file.root().open_numbers(dataset);
  ImageHeader header{fmt::format("dataset {} of {}", dataset, path.string()), {}, numbers.element(), {}};
  StackPlace place = place_of_stack(header.name, numbers.shape(), part);
  header.zyx = place.zyx;
  header.channels = place.channels;
  header.times = place.times;
  // The library decodes a chunk as a whole. Small ones are always allowed, like small strips of TIFF.
  static constexpr double kSmallChunk = double(16 << 20);
  if (numbers.chunk_bytes() > std::max(double(most_bytes), kSmallChunk))
    throw UserError(fmt::format("{} is stored in chunks of {}; {} are allowed.", header.name,
                                bytes_text(numbers.chunk_bytes()), bytes_text(double(most_bytes))));
  // As ilastik and Fiji's plugin for HDF5 write it.
  const std::vector<double> edges = numbers.numbers_if_any("element_size_um", 3);
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (std::isfinite(edges[i]) && edges[i] > 0) header.voxel_um[int(2 - i)] = edges[i];
  return std::make_unique<Hdf5Source>(std::move(header), std::move(file), std::move(numbers),
                                      std::move(place));
}

std::unique_ptr<ImageSource> open_by_format(const std::filesystem::path& path, const ImagePart& part,
                                            std::size_t most_bytes) {
  const Format format = format_of(path);
  if (!part.dataset.empty() && format != Format::hdf5)
    throw UserError(
        fmt::format("{} is not an HDF5 file, so it has no dataset '{}'.", path.string(), part.dataset));
  switch (format) {
    case Format::npy:
      return open_npy(path, part, most_bytes);
    case Format::tiff:
      return open_tiff(path, part, most_bytes);
    case Format::slices:
      return open_tiff_slices(path, part, most_bytes);
    case Format::hdf5:
      return open_hdf5(path, part, most_bytes);
    case Format::png:
      return open_png(path, part);
  }
  throw std::logic_error("an image of no format");
}

class StackSource : public ImageSource {
 public:
  StackSource(ImageHeader header, std::vector<unsigned char> bytes)
      : ImageSource(std::move(header)), bytes_(std::move(bytes)) {}

 private:
  void append(int64_t first, int64_t end, std::size_t size, std::vector<unsigned char>& bytes) override {
    const std::size_t plane = size / std::size_t(end - first);
    const auto begin = bytes_.begin() + std::ptrdiff_t(std::size_t(first) * plane);
    bytes.assign(begin, begin + std::ptrdiff_t(size));
  }

  std::vector<unsigned char> bytes_;
};

// What the readers throw where memory runs out, as a sentence.
template <class Read>
auto with_memory(const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    throw UserError(fmt::format("cannot read {}: there is not enough memory.", name));
  } catch (const std::length_error&) {
    throw UserError(fmt::format("cannot read {}: no memory can hold it.", name));
  }
}

}  // namespace

Array ImageSource::planes(int64_t first, int64_t end, std::size_t most_bytes) {
  return with_memory(header_.name, [&] {
    const std::array<int64_t, 3> shape{end - first, header_.zyx[1], header_.zyx[2]};
    const std::size_t size = stack_bytes(header_.name, shape, header_.element, most_bytes);
    Array values;
    values.shape.assign(shape.begin(), shape.end());
    values.element = header_.element;
    append(first, end, size, values.bytes);
    check_below_2_63(header_.name, values);
    return values;
  });
}

std::unique_ptr<ImageSource> open_image(const std::filesystem::path& path, const ImagePart& part,
                                        std::size_t most_bytes) {
  return with_memory(path.string(), [&] { return open_by_format(path, part, most_bytes); });
}

std::unique_ptr<ImageSource> image_in_memory(ImageStack image, std::string name) {
  const std::vector<int64_t>& shape = image.values.shape;
  ImageHeader header{std::move(name), {shape[0], shape[1], shape[2]}, image.values.element, image.voxel_um};
  return std::make_unique<StackSource>(std::move(header), std::move(image.values.bytes));
}

}  // namespace kiln
