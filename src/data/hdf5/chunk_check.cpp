#ifdef KILN_HAS_HDF5
#include "data/hdf5/chunk_check.hpp"

#include <hdf5.h>
#if __has_include(<zlib.h>)
#include <zlib.h>
#endif

#include <algorithm>
#include <limits>
#include <utility>

#include "data/hdf5/file.hpp"

namespace kiln::hdf5 {
namespace {

// Whether this is a whole deflate stream of so many bytes, and no more. Without zlib it is not known; HDF5
// itself cannot read such chunks then, either.
bool inflates_to(uint64_t expected, const uint8_t* bytes, uint64_t size) {
#if __has_include(<zlib.h>)
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return false;
  stream.next_in = const_cast<uint8_t*>(bytes);
  std::vector<uint8_t> out(1 << 16);
  int status = Z_OK;
  uint64_t fed = 0;
  while (status == Z_OK && stream.total_out <= expected) {
    if (stream.avail_in == 0) {  // its counter has 32 bits
      stream.avail_in = uInt(std::min<uint64_t>(size - fed, 1u << 30));
      fed += stream.avail_in;
    }
    stream.next_out = out.data();
    stream.avail_out = uInt(out.size());
    status = inflate(&stream, Z_NO_FLUSH);
  }
  const bool whole = status == Z_STREAM_END && stream.total_out == expected;
  inflateEnd(&stream);
  return whole;
#else
  return expected > 0 && bytes != nullptr && size > 0;
#endif
}

class Chunks {
 public:
  explicit Chunks(hid_t dataset) : dataset_(dataset) {
    const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
    const Handle type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.id());
    if (rank <= 0) return;
    chunk_.resize(std::size_t(rank));
    shape_.resize(std::size_t(rank));
    usable_ = H5Pget_chunk(properties.id(), rank, chunk_.data()) == rank &&
              H5Sget_simple_extent_dims(space.id(), shape_.data(), nullptr) == rank;
    bytes_ = H5Tget_size(type.id());
    for (const hsize_t length : chunk_)
      if (__builtin_mul_overflow(bytes_, length, &bytes_) || length == 0) usable_ = false;
    unsigned options = 0;
    H5Pget_chunk_opts(properties.id(), &options);
    edges_unpacked_ = (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
    for (int i = 0; i < H5Pget_nfilters(properties.id()); ++i) {
      unsigned flags = 0;
      std::size_t values = 0;
      filters_.push_back(
          H5Pget_filter2(properties.id(), unsigned(i), &flags, &values, nullptr, 0, nullptr, nullptr));
    }
    const Handle file(H5Iget_file_id(dataset), H5Fclose);
    H5Fget_filesize(file.id(), &file_bytes_);
  }

  bool usable() const { return usable_; }
  const std::vector<hsize_t>& lengths() const { return chunk_; }
  bool all_known() const {
    return std::all_of(filters_.begin(), filters_.end(), [](H5Z_filter_t filter) {
      return filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32;
    });
  }

  bool is_whole(const std::vector<hsize_t>& place) {
    hsize_t stored = 0;
    if (H5Dget_chunk_storage_size(dataset_, place.data(), &stored) < 0 || stored == 0) return true;
    if (stored > file_bytes_) return false;
    bool edge = false;
    for (std::size_t axis = 0; axis < place.size(); ++axis) edge |= place[axis] + chunk_[axis] > shape_[axis];
    if (filters_.empty() || (edge && edges_unpacked_)) return stored == bytes_;
    raw_.resize(stored);
    uint32_t skipped = 0;
    if (H5Dread_chunk(dataset_, H5P_DEFAULT, place.data(), &skipped, raw_.data()) < 0) return false;
    return decodes(stored, skipped);
  }

 private:
  // Follows the filters backwards, as reading does, for as long as the size changes in a known way.
  bool decodes(uint64_t size, uint32_t skipped) const {
    static constexpr uint64_t kChecksum = 4;
    uint64_t before = bytes_;  // what deflate has to give: the chunk, and checksums that were added first
    bool packed = false;
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      if ((skipped >> i & 1) != 0 || filters_[i] == H5Z_FILTER_SHUFFLE) continue;
      if (filters_[i] == H5Z_FILTER_DEFLATE) {
        if (std::exchange(packed, true)) return false;  // packed twice: no program does
      } else if (packed) {
        if (size < kChecksum) return false;
        size -= kChecksum;
      } else {
        before += kChecksum;
      }
    }
    return packed ? inflates_to(before, raw_.data(), size) : size == before;
  }

  hid_t dataset_;
  std::vector<hsize_t> chunk_, shape_;
  std::vector<H5Z_filter_t> filters_;
  std::vector<uint8_t> raw_;
  hsize_t bytes_ = 0, file_bytes_ = 0;
  bool usable_ = false, edges_unpacked_ = false;
};

}  // namespace

bool next_block(std::vector<uint64_t>& place, const std::vector<uint64_t>& first,
                const std::vector<uint64_t>& end, const std::vector<uint64_t>& block) {
  for (std::size_t axis = place.size(); axis-- > 0;) {
    place[axis] += block[axis];
    if (place[axis] < end[axis]) return true;
    place[axis] = first[axis];
  }
  return false;
}

bool chunks_are_whole(int64_t dataset, const std::vector<uint64_t>& start,
                      const std::vector<uint64_t>& lengths) {
  Chunks chunks(dataset);
  if (!chunks.usable()) return false;
  if (!chunks.all_known()) return true;
  const std::vector<uint64_t> chunk(chunks.lengths().begin(), chunks.lengths().end());
  std::vector<uint64_t> first(start.size()), end(start.size());
  for (std::size_t axis = 0; axis < start.size(); ++axis) {
    first[axis] = start[axis] / chunk[axis] * chunk[axis];
    end[axis] = start[axis] + lengths[axis];
  }
  std::vector<uint64_t> place = first;
  do {
    if (!chunks.is_whole({place.begin(), place.end()})) return false;
  } while (next_block(place, first, end, chunk));
  return true;
}

}  // namespace kiln::hdf5
#endif
