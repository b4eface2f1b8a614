// Datasets of other programs: any type of number, any layout within the one file.
#ifdef KILN_HAS_HDF5
#include <hdf5.h>

#include <algorithm>
#include <optional>

#include "data/hdf5/chunk_check.hpp"
#include "data/hdf5/file.hpp"

namespace kiln::hdf5 {
namespace {

using Value = Array::Element;

std::optional<Value> integer_of(std::size_t bytes, bool is_signed) {
  if (bytes == 0 || bytes > 8) return std::nullopt;
  if (bytes == 1) return is_signed ? Value::int8 : Value::uint8;
  if (bytes == 2) return is_signed ? Value::int16 : Value::uint16;
  if (bytes <= 4) return is_signed ? Value::int32 : Value::uint32;
  return is_signed ? Value::int64 : Value::uint64;
}

// Enumerations count as their integers: h5py stores booleans so.
std::optional<Value> value_of(hid_t type) {
  const std::size_t bytes = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return integer_of(bytes, H5Tget_sign(type) != H5T_SGN_NONE);
    case H5T_ENUM: {
      const Handle base(H5Tget_super(type), H5Tclose);
      return base.id() < 0 ? std::nullopt : integer_of(bytes, H5Tget_sign(base.id()) != H5T_SGN_NONE);
    }
    case H5T_FLOAT:
      if (bytes == 0 || bytes > 8) return std::nullopt;
      return bytes <= 4 ? Value::float32 : Value::float64;
    default:
      return std::nullopt;
  }
}

hid_t memory_type(Value value) {
  switch (value) {
    case Value::int8:
      return H5T_NATIVE_INT8;
    case Value::uint8:
      return H5T_NATIVE_UINT8;
    case Value::int16:
      return H5T_NATIVE_INT16;
    case Value::uint16:
      return H5T_NATIVE_UINT16;
    case Value::int32:
      return H5T_NATIVE_INT32;
    case Value::uint32:
      return H5T_NATIVE_UINT32;
    case Value::int64:
      return H5T_NATIVE_INT64;
    case Value::uint64:
      return H5T_NATIVE_UINT64;
    case Value::float32:
      return H5T_NATIVE_FLOAT;
    case Value::float64:
      return H5T_NATIVE_DOUBLE;
  }
  return -1;
}

struct Search {
  std::size_t least_axes;
  std::vector<std::string> found;
};

herr_t visit(hid_t root, const char* name, const H5O_info_t* info, void* out) {
  if (info->type != H5O_TYPE_DATASET) return 0;
  auto& search = *static_cast<Search*>(out);
  const Handle dataset(H5Dopen2(root, name, H5P_DEFAULT), H5Dclose);
  if (dataset.id() < 0) return 0;
  const Handle type(H5Dget_type(dataset.id()), H5Tclose), space(H5Dget_space(dataset.id()), H5Sclose);
  const bool fits = type.id() >= 0 && value_of(type.id()) && space.id() >= 0 &&
                    H5Sget_simple_extent_ndims(space.id()) >= int(search.least_axes);
  if (fits) search.found.emplace_back(name);
  return 0;
}

// The name of the first filter that this library has no code for; "" where all are known.
std::string missing_filter(hid_t properties) {
  for (int i = 0; i < H5Pget_nfilters(properties); ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    char name[64] = {};
    const H5Z_filter_t filter =
        H5Pget_filter2(properties, unsigned(i), &flags, &values, nullptr, sizeof name, name, nullptr);
    if (filter < 0 || H5Zfilter_avail(filter) > 0) continue;
    name[sizeof name - 1] = '\0';
    for (char& c : name)
      if (c != '\0' && (c < ' ' || c > '~')) c = '?';
    return name[0] != '\0' ? name : "filter " + std::to_string(filter);
  }
  return "";
}

}  // namespace

std::vector<double> Object::numbers_if_any(const std::string& name, std::size_t count) const {
  if (H5Aexists(handle_.id(), name.c_str()) <= 0) return {};
  const Handle attribute(H5Aopen(handle_.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  check(attribute.id(), "attribute " + name);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose), space(H5Aget_space(attribute.id()), H5Sclose);
  if (type.id() < 0 || !value_of(type.id()) || space.id() < 0 ||
      H5Sget_simple_extent_npoints(space.id()) != hssize_t(count))
    fail("attribute " + name + " is not a list of " + std::to_string(count) + " numbers");
  std::vector<double> values(count);
  check(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, values.data()), "attribute " + name);
  return values;
}

Numbers::Numbers(Handle handle, std::shared_ptr<const Origin> origin, std::string name)
    : Object(std::move(handle), std::move(origin)), name_("dataset " + std::move(name)) {
  const Handle type(check(H5Dget_type(handle_.id()), name_), H5Tclose);
  const std::optional<Value> value = value_of(type.id());
  if (!value) fail(name_ + " does not hold integers or floats of up to 64 bits");
  element_ = *value;
  const Handle space(check(H5Dget_space(handle_.id()), name_), H5Sclose);
  const int64_t rank = check(H5Sget_simple_extent_ndims(space.id()), name_);
  std::vector<hsize_t> lengths(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space.id(), lengths.data(), nullptr), name_);
  shape_.assign(lengths.begin(), lengths.end());

  const Handle properties(check(H5Dget_create_plist(handle_.id()), name_), H5Pclose);
  const H5D_layout_t layout = H5Pget_layout(properties.id());
  // A file that was given must not make us read others, which the user may not even know of.
  if (layout == H5D_VIRTUAL || H5Pget_external_count(properties.id()) != 0)
    fail(name_ + " is kept in other files");
  if (const std::string filter = missing_filter(properties.id()); !filter.empty()) {
    H5Eclear2(H5E_DEFAULT);  // the search for a plug-in is no reason that helps
    fail(name_ + " is compressed by " + filter +
         ", which this build of HDF5 does not know; write it with gzip");
  }
  if (layout == H5D_CHUNKED) {
    check(H5Pget_chunk(properties.id(), int(rank), lengths.data()), name_);
    chunk_bytes_ = double(H5Tget_size(type.id()));
    for (const hsize_t length : lengths) chunk_bytes_ *= double(length);
    chunk_.assign(lengths.begin(), lengths.end());
  }
}

// The library keeps some kilobytes for every chunk that one call touches, which for small chunks would be far
// more than the data. So they are read by blocks of some hundred chunks.
Shape Numbers::block_of(const Shape& lengths) const {
  if (chunk_.empty()) return lengths;
  static constexpr uint64_t kChunks = 256;
  Shape block = chunk_;
  uint64_t chunks = 1;
  for (std::size_t axis = block.size(); axis-- > 0;) {
    const uint64_t grid = (lengths[axis] + chunk_[axis] - 1) / chunk_[axis];
    const uint64_t factor = std::min(grid, std::max<uint64_t>(1, kChunks / chunks));
    block[axis] *= factor;
    chunks *= factor;
  }
  return block;
}

void Numbers::read(const Shape& start, const Shape& lengths, void* values) const {
  if (elements(lengths) == 0) return;
  if (!chunk_.empty() && !chunks_are_whole(handle_.id(), start, lengths)) fail(name_ + " is damaged");
  const std::size_t rank = start.size();
  const std::vector<hsize_t> whole(lengths.begin(), lengths.end());
  const Handle file_space(check(H5Dget_space(handle_.id()), name_), H5Sclose);
  const Handle memory_space(check(H5Screate_simple(int(rank), whole.data(), nullptr), name_), H5Sclose);
  const Shape block = block_of(lengths), first(rank, 0);
  Shape place = first;
  do {
    std::vector<hsize_t> from(rank), to(place.begin(), place.end()), count(rank);
    for (std::size_t axis = 0; axis < rank; ++axis) {
      from[axis] = start[axis] + place[axis];
      count[axis] = std::min(block[axis], lengths[axis] - place[axis]);
    }
    const auto select = [&](const Handle& space, const std::vector<hsize_t>& at) {
      check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, at.data(), nullptr, count.data(), nullptr),
            name_);
    };
    select(file_space, from);
    select(memory_space, to);
    check(
        H5Dread(handle_.id(), memory_type(element_), memory_space.id(), file_space.id(), H5P_DEFAULT, values),
        name_);
  } while (next_block(place, first, lengths, block));
}

Numbers Group::open_numbers(const std::string& name) const {
  if (!has(name)) fail("dataset " + name + " is missing");
  Handle handle(check(H5Dopen2(handle_.id(), name.c_str(), H5P_DEFAULT), name + " is not a dataset"),
                H5Dclose);
  return Numbers(std::move(handle), origin_, name);
}

std::vector<std::string> Group::find_numbers(std::size_t least_axes) const {
  Search search{least_axes, {}};
  // It visits every object once, however groups are linked to each other.
  check(H5Ovisit(handle_.id(), H5_INDEX_NAME, H5_ITER_INC, visit, &search), "its list of contents");
  std::sort(search.found.begin(), search.found.end());
  return search.found;
}

}  // namespace kiln::hdf5
#endif
