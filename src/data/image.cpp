#include "data/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <new>
#include <stdexcept>
#include <system_error>

#include "core/error.hpp"
#include "data/hdf5.hpp"
#include "data/image_axes.hpp"
#include "data/image_checks.hpp"
#include "data/npy.hpp"
#include "data/tiff_stack.hpp"
#include "data/wording.hpp"

namespace kiln {
namespace {

enum class Format { npy, tiff, slices, hdf5 };

Format format_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error) throw UserError(fmt::format("cannot read {}: {}.", path.string(), error.message()));
  if (std::filesystem::is_directory(status)) return Format::slices;
  std::string extension = path.extension().string();
  for (char& c : extension) c = char(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".npy") return Format::npy;
  if (extension == ".tif" || extension == ".tiff") return Format::tiff;
  if (extension == ".h5" || extension == ".hdf5") return Format::hdf5;
  throw UserError(
      fmt::format("{} is no image that can be read; allowed are .npy, .tif, .tiff, .h5 and .hdf5 files and "
                  "folders of TIFF slices.",
                  path.string()));
}

ImageStack read_npy_image(const std::filesystem::path& path, const ImagePart& part, std::size_t most_bytes) {
  const std::string name = path.string();
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(path, error);
  // An array is as large as its file, which read_npy() checks.
  if (!error && bytes > most_bytes)
    throw UserError(fmt::format("{} needs {} of memory; {} are allowed.", name, bytes_text(double(bytes)),
                                bytes_text(double(most_bytes))));
  ImageStack image;
  image.values = read_npy(path);
  Array& values = image.values;
  const StackPlace place = place_of_stack(name, {values.shape.begin(), values.shape.end()}, part);
  const std::size_t size = stack_bytes(name, place.zyx, values.element, most_bytes);
  std::size_t index = 0;  // of the chosen stack among those that follow each other
  for (std::size_t axis = 0; axis + 3 < values.shape.size(); ++axis)
    index = index * std::size_t(values.shape[axis]) + place.start[axis];
  if (size < values.bytes.size()) {
    const auto begin = values.bytes.begin() + std::ptrdiff_t(index * size);
    values.bytes = std::vector<unsigned char>(begin, begin + std::ptrdiff_t(size));
  }
  values.shape.assign(place.zyx.begin(), place.zyx.end());
  return image;
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

ImageStack read_hdf5_image(const std::filesystem::path& path, const ImagePart& part, std::size_t most_bytes) {
  const std::string name = path.string();
  const hdf5::File file(path, hdf5::File::Mode::read);
  const std::string dataset = dataset_of(file.root(), part.dataset, name);
  const hdf5::Numbers numbers = file.root().open_numbers(dataset);
  const std::string both = fmt::format("dataset {} of {}", dataset, name);
  const StackPlace place = place_of_stack(both, numbers.shape(), part);
  const std::size_t bytes = stack_bytes(both, place.zyx, numbers.element(), most_bytes);
  // The library decodes a chunk as a whole. Small ones are always allowed, like small strips of TIFF.
  static constexpr double kSmallChunk = double(16 << 20);
  if (numbers.chunk_bytes() > std::max(double(most_bytes), kSmallChunk))
    throw UserError(fmt::format("{} is stored in chunks of {}; {} are allowed.", both,
                                bytes_text(numbers.chunk_bytes()), bytes_text(double(most_bytes))));
  ImageStack image;
  image.values.shape.assign(place.zyx.begin(), place.zyx.end());
  image.values.element = numbers.element();
  image.values.bytes.resize(bytes);
  numbers.read(place.start, place.lengths, image.values.bytes.data());
  // As ilastik and Fiji's plugin for HDF5 write it.
  const std::vector<double> edges = numbers.numbers_if_any("element_size_um", 3);
  for (std::size_t i = 0; i < edges.size(); ++i)
    if (std::isfinite(edges[i]) && edges[i] > 0) image.voxel_um[int(2 - i)] = edges[i];
  return image;
}

ImageStack read_by_format(const std::filesystem::path& path, const ImagePart& part, std::size_t most_bytes) {
  const Format format = format_of(path);
  if (!part.dataset.empty() && format != Format::hdf5)
    throw UserError(
        fmt::format("{} is not an HDF5 file, so it has no dataset '{}'.", path.string(), part.dataset));
  switch (format) {
    case Format::npy:
      return read_npy_image(path, part, most_bytes);
    case Format::tiff:
      return read_tiff(path, part, most_bytes);
    case Format::slices:
      return read_tiff_slices(path, part, most_bytes);
    case Format::hdf5:
      return read_hdf5_image(path, part, most_bytes);
  }
  throw std::logic_error("an image of no format");
}

}  // namespace

ImageStack read_image(const std::filesystem::path& path, const ImagePart& part, std::size_t most_bytes) {
  try {
    ImageStack image = read_by_format(path, part, most_bytes);
    check_below_2_63(path.string(), image.values);
    return image;
  } catch (const std::bad_alloc&) {
    throw UserError(fmt::format("cannot read {}: there is not enough memory.", path.string()));
  } catch (const std::length_error&) {
    throw UserError(fmt::format("cannot read {}: no memory can hold it.", path.string()));
  }
}

}  // namespace kiln
