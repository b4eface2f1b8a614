// A TIFF file that is being read: libtiff's handle, which closes itself, and errors that are sentences.
// libtiff itself never prints anything.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/array.hpp"

struct tiff;  // libtiff's

namespace kiln {

// What a page holds.
struct TiffFormat {
  int64_t width = 0, height = 0;
  int samples = 1;  // per pixel
  int bits = 1;     // per sample
  int kind = 1;     // libtiff's SAMPLEFORMAT

  bool operator==(const TiffFormat&) const = default;
  // Values of 1, 2 or 4 bits become bytes. Nothing for what an Array cannot hold, such as complex numbers.
  std::optional<Array::Element> element() const;
  std::string text() const;
};

struct TiffPage {
  uint64_t offset = 0;  // of its directory in the file
  TiffFormat format;
  bool reduced = false;  // a smaller copy of another page, or a mask
};

class TiffFile {
 public:
  // Lists all pages. No piece of the file, decoded, may need much more than `most_bytes`.
  TiffFile(const std::filesystem::path& path, std::size_t most_bytes);

  const std::string& name() const { return name_; }
  uint64_t file_bytes() const { return file_bytes_; }
  const std::vector<TiffPage>& pages() const { return pages_; }

  // What follows is about this page. The first one is current at the start.
  void go_to(const TiffPage& page);
  std::string description() const;
  double pixels_per_unit(int axis) const;            // along x or y; 0 where it is not given
  std::optional<double> resolution_unit_um() const;  // a centimetre or an inch
  // No file of this size can decode to more bytes, as the page is compressed.
  double most_decoded_bytes() const;
  // Where the pixels begin, if they lie in one piece, as they are in memory but for the byte order.
  struct Raw {
    uint64_t offset = 0;
    bool swapped = false;
  };
  std::optional<Raw> raw() const;
  bool white_is_zero() const;

  // Adds the pixels of one sample of the current page to `bytes`, row by row. Memory is taken as they are
  // decoded: a file that lies about its size is found out first.
  void append_plane(int sample, std::vector<unsigned char>& bytes);

  // Throws a UserError with the first thing that libtiff had to say since the last call to it.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Blocks;
  void open(const std::filesystem::path& path);
  TiffPage current_page() const;
  void list_pages();
  void check_readable() const;
  Blocks blocks() const;
  void read_block(const Blocks& blocks, uint32_t index, int64_t rows, unsigned char* to) const;

  std::string name_;
  std::size_t most_bytes_;
  uint64_t file_bytes_ = 0;
  std::unique_ptr<std::string> error_ = std::make_unique<std::string>();  // libtiff keeps its address
  std::unique_ptr<tiff, void (*)(tiff*)> tiff_;
  std::vector<TiffPage> pages_;
};

}  // namespace kiln
