#ifdef KILN_HAS_TIFF
#include "data/tiff/stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/wording.hpp"
#include "data/image/checks.hpp"
#include "data/tiff/file.hpp"
#include "data/tiff/imagej.hpp"
#include "data/tiff/ome.hpp"

namespace kiln {
namespace {

// One channel at one time of one file. Finds its pages first, so that its size is known before any is read.
class TiffStack {
 public:
  TiffStack(const std::filesystem::path& path, const ImagePart& part, std::size_t most_bytes)
      : file_(path, most_bytes), part_(part) {
    const auto first = std::find_if(file_.pages().begin(), file_.pages().end(),
                                    [](const TiffPage& page) { return !page.reduced; });
    if (first == file_.pages().end()) file_.fail("it holds only reduced copies of an image");
    file_.go_to(*first);
    format_ = first->format;
    if (!format_.element())
      throw UserError(
          fmt::format("{} holds {}; allowed are integers of 1 to 64 bits and floats of 32 or 64 bits.",
                      name(), format_.text()));
    if (format_.width == 0 || format_.height == 0 || format_.samples == 0)
      throw UserError(fmt::format("{} holds no voxels.", name()));
    choose_pages(file_.description());
  }

  const std::string& name() const { return file_.name(); }
  const TiffFormat& format() const { return format_; }
  Array::Element element() const { return *format_.element(); }
  int64_t slices() const { return int64_t(raw_ ? raw_slices_.size() : pages_.size()); }

  ImageHeader header(std::string name, int64_t slices) const {
    ImageHeader header{std::move(name), {slices, format_.height, format_.width}, element(), voxel_um_};
    header.voxel_ratio = voxel_ratio_;
    header.channels = channels_;
    header.times = times_;
    header.colours = format_.samples >= 3 && channels_ == format_.samples;
    return header;
  }

  // The header is believed as far as the bytes of the file could make up for what it promises.
  void check_plausible() const {
    if (raw_) return;  // has been checked to the byte
    const double values = double(format_.width) * double(format_.height) * double(pages_.size());
    const double need = values * format_.bits / 8;
    if (need > file_.most_decoded_bytes())
      throw UserError(fmt::format("cannot read {}: it is cut short: {} cannot hold {} pages of {}.", name(),
                                  bytes_text(double(file_.file_bytes())), pages_.size(), format_.text()));
  }

  // The slices first <= z < end.
  void append_to(std::vector<unsigned char>& bytes, int64_t first, int64_t end) {
    if (raw_) return append_raw(bytes, first, end);
    for (int64_t z = first; z < end; ++z) {
      file_.go_to(file_.pages()[pages_[std::size_t(z)]]);
      file_.append_plane(sample_, bytes);
    }
  }

 private:
  void choose_pages(const std::string& description) {
    voxel_from_tags(file_.resolution_unit_um(), 0);
    if (const std::optional<OmePixels> ome = parse_ome(description, name())) return choose_by_ome(*ome);
    std::vector<std::size_t> pages;
    for (std::size_t page = 0; page < file_.pages().size(); ++page)
      if (!file_.pages()[page].reduced) pages.push_back(page);
    if (const std::optional<ImagejStack> imagej = parse_imagej(description, name()))
      return choose_by_imagej(*imagej, pages);
    choose_sample(format_.samples);
    choose_time(1);
    use(pages);
  }

  // Channels are numbered through the samples of a page first. Returns which page of several it is in.
  int64_t choose_sample(int64_t channels) {
    check_choice(name(), "channel", part_.channel, channels);
    channels_ = channels;
    sample_ = part_.channel % format_.samples;
    return part_.channel / format_.samples;
  }

  void choose_time(int64_t times) {
    check_choice(name(), "time", part_.time, times);
    times_ = times;
  }

  void choose_by_ome(const OmePixels& ome) {
    if (ome.width != format_.width || ome.height != format_.height || ome.channels % format_.samples != 0)
      throw UserError(fmt::format(
          "cannot read {}: by its OME-XML it has {} x {} pixels and {}, but its first page has {}.", name(),
          ome.width, ome.height, counted(double(ome.channels), "channel"), format_.text()));
    const int64_t channel = choose_sample(ome.channels);
    choose_time(ome.times);
    use(ome_pages(ome, {channel, part_.time, format_.samples}, file_.pages().size(), name()));
    if (!(ome.voxel_um == Vec3d{})) voxel_um_ = ome.voxel_um;
  }

  void choose_by_imagej(const ImagejStack& imagej, const std::vector<std::size_t>& pages) {
    if (imagej.unit_um) voxel_from_tags(imagej.unit_um, imagej.spacing);
    if (!imagej.unit_um && imagej.spacing > 0) voxel_ratio_ = edges_in_units(imagej.spacing);
    const int64_t channel = choose_sample(imagej.channels * format_.samples);
    choose_time(imagej.frames);
    const auto image = [&](int64_t slice) {
      return std::size_t((part_.time * imagej.slices + slice) * imagej.channels + channel);
    };
    if (pages.size() == 1 && imagej.images > 1) {
      check_raw(imagej.images);
      for (int64_t slice = 0; slice < imagej.slices; ++slice) raw_slices_.push_back(image(slice));
      return;
    }
    if (uint64_t(imagej.images) != pages.size())
      throw UserError(fmt::format("cannot read {}: ImageJ's description promises {}, but it has {}.", name(),
                                  counted(double(imagej.images), "image"),
                                  counted(double(pages.size()), "page")));
    std::vector<std::size_t> chosen;
    for (int64_t slice = 0; slice < imagej.slices; ++slice) chosen.push_back(pages[image(slice)]);
    use(std::move(chosen));
  }

  void use(std::vector<std::size_t> pages) {
    for (const std::size_t page : pages) {
      const TiffFormat& format = file_.pages()[page].format;
      if (!(format == format_))
        throw UserError(fmt::format("cannot read {}: its page {} has {}, but the first has {}.", name(),
                                    page + 1, format.text(), format_.text()));
    }
    pages_ = std::move(pages);
  }

  void voxel_from_tags(const std::optional<double>& unit_um, double spacing) {
    if (!unit_um) return;
    for (int axis = 0; axis < 2; ++axis)
      if (const double density = file_.pixels_per_unit(axis); density > 0)
        voxel_um_[axis] = *unit_um / density;
    voxel_um_.z = spacing * *unit_um;
  }

  // ImageJ counts in pixels where nothing was calibrated.
  Vec3d edges_in_units(double spacing) const {
    const auto edge = [&](int axis) {
      const double density = file_.pixels_per_unit(axis);
      return density > 0 ? 1 / density : 1.0;
    };
    return {edge(0), edge(1), spacing};
  }

  std::size_t plane_bytes() const {
    return std::size_t(format_.width) * std::size_t(format_.height) * width_of(element());
  }

  // Beyond 4 GB ImageJ describes only the first image; the others follow, uncompressed.
  void check_raw(int64_t images) {
    raw_ = file_.raw();
    if (!raw_ || format_.samples != 1 || format_.bits < 8)
      throw UserError(fmt::format(
          "cannot read {}: ImageJ's description promises {} images, but it has 1 page.", name(), images));
    const double need =
        double(format_.width) * double(format_.height) * double(width_of(element())) * double(images);
    if (double(raw_->offset) + need > double(file_.file_bytes()))
      throw UserError(fmt::format("cannot read {}: it is cut short: {} cannot hold {} pages of {}.", name(),
                                  bytes_text(double(file_.file_bytes())), images, format_.text()));
  }

  void append_raw(std::vector<unsigned char>& bytes, int64_t first, int64_t end) const {
    std::ifstream in(name(), std::ios::binary);
    for (int64_t z = first; z < end; ++z) {
      const std::size_t image = raw_slices_[std::size_t(z)], start = bytes.size();
      bytes.resize(start + plane_bytes());
      in.seekg(std::streamoff(raw_->offset + image * plane_bytes()));
      in.read(reinterpret_cast<char*>(&bytes[start]), std::streamsize(plane_bytes()));
      if (!in) throw UserError(fmt::format("cannot read {}: it is cut short.", name()));
      if (raw_->swapped) swap_bytes(&bytes[start], plane_bytes(), width_of(element()));
      if (file_.white_is_zero() && element() != Array::Element::float32 &&
          element() != Array::Element::float64)
        for (std::size_t i = start; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(~bytes[i]);
    }
  }

  TiffFile file_;
  ImagePart part_;
  TiffFormat format_;
  Vec3d voxel_um_{0, 0, 0}, voxel_ratio_{0, 0, 0};
  int64_t channels_ = 1, times_ = 1;
  std::vector<std::size_t> pages_;  // by slice
  int sample_ = 0;                  // of each page
  std::optional<TiffFile::Raw> raw_;
  std::vector<std::size_t> raw_slices_;  // images of a file that has only one page
};

class TiffSource : public ImageSource {
 public:
  explicit TiffSource(TiffStack stack)
      : ImageSource(stack.header(stack.name(), stack.slices())), stack_(std::move(stack)) {}

 private:
  void append(int64_t first, int64_t end, std::size_t size, std::vector<unsigned char>& bytes) override {
    stack_.check_plausible();
    bytes.reserve(size);
    stack_.append_to(bytes, first, end);
  }

  TiffStack stack_;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Numbers within names count as numbers: slice2 comes before slice10.
bool comes_before(std::string_view a, std::string_view b) {
  const auto take_number = [](std::string_view& text) {
    std::string_view number =
        text.substr(0, std::size_t(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin()));
    text.remove_prefix(number.size());
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
  };
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view m = take_number(a), n = take_number(b);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
    } else {
      if (a.front() != b.front()) return a.front() < b.front();
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

std::vector<std::filesystem::path> slices_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> slices;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::string extension = at->path().extension().string();
    for (char& c : extension) c = char(std::tolower(static_cast<unsigned char>(c)));
    // Hidden ones are what other systems leave behind next to the real ones.
    if ((extension != ".tif" && extension != ".tiff") || at->path().filename().string().front() == '.')
      continue;
    const std::string stem = at->path().stem().string();
    if (std::none_of(stem.begin(), stem.end(), is_digit))
      throw UserError(fmt::format("{} has no number in its name, so its place among the slices is unknown.",
                                  at->path().string()));
    slices.push_back(at->path());
  }
  if (error) throw UserError(fmt::format("cannot read {}: {}.", folder.string(), error.message()));
  if (slices.empty())
    throw UserError(fmt::format("the folder {} holds no slices (.tif or .tiff).", folder.string()));
  std::sort(slices.begin(), slices.end(), [](const auto& a, const auto& b) {
    return comes_before(a.filename().string(), b.filename().string());
  });
  return slices;
}

TiffStack slice_of(const std::filesystem::path& path, const ImagePart& part, std::size_t most_bytes) {
  TiffStack slice(path, part, most_bytes);
  if (slice.slices() != 1)
    throw UserError(fmt::format("{} holds {} slices; in a folder of slices each file must hold one.",
                                slice.name(), slice.slices()));
  return slice;
}

class SlicesSource : public ImageSource {
 public:
  SlicesSource(const std::filesystem::path& folder, std::vector<std::filesystem::path> paths,
               const TiffStack& slice, const ImagePart& part, std::size_t most_bytes)
      : ImageSource(slice.header(folder.string(), int64_t(paths.size()))),
        paths_(std::move(paths)),
        format_(slice.format()),
        part_(part),
        most_bytes_(most_bytes) {}

 private:
  void append(int64_t first, int64_t end, std::size_t size, std::vector<unsigned char>& bytes) override {
    for (int64_t z = first; z < end; ++z) {
      TiffStack slice = slice_of(paths_[std::size_t(z)], part_, most_bytes_);
      if (!(slice.format() == format_))
        throw UserError(fmt::format("{} has {}, but {} has {}; the slices of a folder must agree.",
                                    slice.name(), slice.format().text(), paths_.front().filename().string(),
                                    format_.text()));
      slice.check_plausible();
      if (z == first) bytes.reserve(size);
      slice.append_to(bytes, 0, 1);
    }
  }

  std::vector<std::filesystem::path> paths_;
  TiffFormat format_;
  ImagePart part_;
  std::size_t most_bytes_;
};

}  // namespace

std::unique_ptr<ImageSource> open_tiff(const std::filesystem::path& path, const ImagePart& part,
                                       std::size_t most_bytes) {
  return std::make_unique<TiffSource>(TiffStack(path, part, most_bytes));
}

std::unique_ptr<ImageSource> open_tiff_slices(const std::filesystem::path& folder, const ImagePart& part,
                                              std::size_t most_bytes) {
  std::vector<std::filesystem::path> paths = slices_of(folder);
  const TiffStack first = slice_of(paths.front(), part, most_bytes);
  return std::make_unique<SlicesSource>(folder, std::move(paths), first, part, most_bytes);
}

}  // namespace kiln
#endif
