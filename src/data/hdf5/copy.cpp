// Objects of one file in another. The library's own copy, H5Ocopy, crashes where the disk is full (1.10.8);
// what is used here says that it failed. Chunks stay compressed as they are.
#ifdef KILN_HAS_HDF5
#include <hdf5.h>

#include <functional>

#include "data/hdf5/file.hpp"

namespace kiln::hdf5 {
namespace {

std::vector<std::string> attributes_of(hid_t object) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  hsize_t first = 0;
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &first, add, &names);
  return names;
}

// Fails at once where a result is negative: a later call, if only to close something, clears the reason.
using Check = std::function<void(int64_t)>;

void copy_attribute(hid_t from, hid_t to, const char* name, const Check& check) {
  const Handle source(H5Aopen(from, name, H5P_DEFAULT), H5Aclose);
  check(source.id());
  const Handle type(H5Aget_type(source.id()), H5Tclose), space(H5Aget_space(source.id()), H5Sclose);
  const Handle copy(H5Acreate2(to, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(copy.id());
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  if (count <= 0) return;
  std::vector<char> values(std::size_t(count) * H5Tget_size(type.id()));
  check(H5Aread(source.id(), type.id(), values.data()));
  check(H5Awrite(copy.id(), type.id(), values.data()));
  H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, values.data());
}

void copy_attributes(hid_t from, hid_t to, const Check& check) {
  for (const std::string& name : attributes_of(from)) copy_attribute(from, to, name.c_str(), check);
}

void copy_chunk(hid_t from, hid_t to, const std::vector<hsize_t>& offset, std::vector<char>& bytes,
                const Check& check) {
  hsize_t size = 0;
  check(H5Dget_chunk_storage_size(from, offset.data(), &size));
  bytes.resize(size);
  uint32_t filters = 0;
  check(H5Dread_chunk(from, H5P_DEFAULT, offset.data(), &filters, bytes.data()));
  check(H5Dwrite_chunk(to, H5P_DEFAULT, filters, offset.data(), size, bytes.data()));
}

// The next place of a chunk in raster order; false behind the last.
bool step(std::vector<hsize_t>& offset, const std::vector<hsize_t>& chunk,
          const std::vector<hsize_t>& shape) {
  for (std::size_t axis = offset.size(); axis-- > 0;) {
    offset[axis] += chunk[axis];
    if (offset[axis] < shape[axis]) return true;
    offset[axis] = 0;
  }
  return false;
}

void copy_chunks(hid_t from, hid_t to, hid_t space, hid_t properties, const Check& check) {
  const int rank = H5Sget_simple_extent_ndims(space);
  if (H5Sget_simple_extent_npoints(space) == 0) return;
  check(rank < 1 || H5Pget_layout(properties) != H5D_CHUNKED ? -1 : 0);
  std::vector<hsize_t> shape(std::size_t(rank), 0), chunk = shape, offset = shape;
  H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  H5Pget_chunk(properties, rank, chunk.data());
  std::vector<char> bytes;
  do {
    copy_chunk(from, to, offset, bytes, check);
  } while (step(offset, chunk, shape));
}

void copy_dataset(hid_t from, hid_t to, const char* name, const Check& check) {
  const Handle source(H5Dopen2(from, name, H5P_DEFAULT), H5Dclose);
  check(source.id());
  const Handle type(H5Dget_type(source.id()), H5Tclose), space(H5Dget_space(source.id()), H5Sclose);
  const Handle properties(H5Dget_create_plist(source.id()), H5Pclose);
  const Handle copy(H5Dcreate2(to, name, type.id(), space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                    H5Dclose);
  check(copy.id());
  copy_attributes(source.id(), copy.id(), check);
  copy_chunks(source.id(), copy.id(), space.id(), properties.id(), check);
}

}  // namespace

void Group::copy_from(const Group& source, const std::string& name) const {
  const Check check = [&](int64_t result) {
    if (result < 0) fail(name);
  };
  const Handle object(H5Oopen(source.handle_.id(), name.c_str(), H5P_DEFAULT), H5Oclose);
  if (H5Iget_type(object.id()) == H5I_DATASET)
    return copy_dataset(source.handle_.id(), handle_.id(), name.c_str(), check);
  const Group from = source.open_group(name), to = create_group(name);
  copy_attributes(from.handle_.id(), to.handle_.id(), check);
  for (const std::string& member : from.members()) to.copy_from(from, member);
}

}  // namespace kiln::hdf5
#endif
