#ifdef KILN_HAS_HDF5
#include "data/hdf5/file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.hpp"
#include "data/hdf5/chunks.hpp"
#include "data/hdf5/deflate.hpp"

namespace kiln::hdf5 {
namespace {

static_assert(std::is_same_v<hid_t, int64_t>);
static_assert(std::endian::native == std::endian::little, "attributes are handed over as they lie in memory");

// The innermost entry of the library's error stack is the one that says what happened.
std::string reason_of_library() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned level, const H5E_error2_t* entry, void* out) -> herr_t {
        if (level == 0 && entry->desc != nullptr) *static_cast<std::string*>(out) = entry->desc;
        return 0;
      },
      &reason);
  H5Eclear2(H5E_DEFAULT);
  // What failed in the operating system is quoted in the middle of a long line.
  static constexpr std::string_view kQuote = "error message = '";
  if (const std::size_t begin = reason.find(kQuote); begin != std::string::npos)
    reason = reason.substr(begin + kQuote.size(),
                           reason.find('\'', begin + kQuote.size()) - begin - kQuote.size());
  return reason;
}

[[noreturn]] void fail_at(const Origin& origin, const std::string& what) {
  const std::string reason = reason_of_library();
  const std::string message = fmt::format("{} {}: {}{}{}.", origin.writing ? "cannot write" : "cannot read",
                                          origin.path, what, reason.empty() ? "" : ": ", reason);
  if (origin.writing) throw Failure(message);
  throw UserError(message);
}

hid_t file_type(Element element) {
  switch (element) {
    case Element::u8:
      return H5T_STD_U8LE;
    case Element::u16:
      return H5T_STD_U16LE;
    case Element::u32:
      return H5T_STD_U32LE;
    case Element::i32:
      return H5T_STD_I32LE;
    case Element::i64:
      return H5T_STD_I64LE;
    case Element::f32:
      return H5T_IEEE_F32LE;
    case Element::f64:
      return H5T_IEEE_F64LE;
  }
  return -1;
}

hid_t memory_type(Element element) {
  switch (element) {
    case Element::u8:
      return H5T_NATIVE_UINT8;
    case Element::u16:
      return H5T_NATIVE_UINT16;
    case Element::u32:
      return H5T_NATIVE_UINT32;
    case Element::i32:
      return H5T_NATIVE_INT32;
    case Element::i64:
      return H5T_NATIVE_INT64;
    case Element::f32:
      return H5T_NATIVE_FLOAT;
    case Element::f64:
      return H5T_NATIVE_DOUBLE;
  }
  return -1;
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

// Files are closed here, one by one. At exit the library would try again those whose closing failed, on a
// full disk say, and crash.
void start_library() {
  static const bool started = H5dont_atexit() >= 0;
  if (started) H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// Of all calls to the library; a thread may have several files open.
std::recursive_mutex library_mutex;

// Without the time of day, the same content makes the same file.
Handle untimed(hid_t kind) {
  Handle properties(H5Pcreate(kind), H5Pclose);
  H5Pset_obj_track_times(properties.id(), false);
  return properties;
}

std::vector<hsize_t> extents(const Shape& shape) { return {shape.begin(), shape.end()}; }

// Near cubes of 2^18 entries at most: about a megabyte, what the library's cache holds.
Shape chunk_of(const Shape& shape) {
  static constexpr uint64_t kEntries = 1 << 18, kLongest[] = {kEntries, 512, 64};
  Shape chunk = shape;
  uint64_t others = 1;
  for (std::size_t axis = 1; axis < chunk.size(); ++axis)
    others *= chunk[axis] = std::min(chunk[axis], kLongest[std::min<std::size_t>(shape.size(), 3) - 1]);
  chunk[0] = std::min(chunk[0], std::max<uint64_t>(1, kEntries / others));
  return chunk;
}

Handle space_of(const Shape& shape) {
  const std::vector<hsize_t> lengths = extents(shape);
  return Handle(H5Screate_simple(int(lengths.size()), lengths.data(), nullptr), H5Sclose);
}

void select_box(const Handle& space, const Shape& start, const Shape& lengths) {
  H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, extents(start).data(), nullptr, extents(lengths).data(),
                      nullptr);
}

// A box of a dataset, or rows of it, as the library wants to have them named.
struct Slab {
  Handle file, memory;

  Slab(hid_t dataset, const Shape& start, const Shape& lengths)
      : file(H5Dget_space(dataset), H5Sclose), memory(space_of(lengths)) {
    select_box(file, start, lengths);
  }
  static Slab of_rows(hid_t dataset, const Shape& shape, uint64_t first, uint64_t count) {
    Shape start(shape.size(), 0), lengths = shape;
    start[0] = first;
    lengths[0] = count;
    return Slab(dataset, start, lengths);
  }
};

// The fastest. Level 3 makes lattices smaller by a tenth, in twice the time.
constexpr int kDeflateLevel = 1;

// Deflate cannot shrink anything further than this.
constexpr uint64_t kLargestRatio = 1032;

}  // namespace

void require() {}

Object::Object(Handle handle, std::shared_ptr<const Origin> origin)
    : handle_(std::move(handle)), origin_(std::move(origin)) {}

void Object::fail(const std::string& what) const { fail_at(*origin_, what); }

int64_t Object::check(int64_t result, const std::string& what) const {
  if (result < 0) fail(what);
  return result;
}

void Object::write_attribute(const std::string& name, int64_t type, const Shape& shape,
                             const void* values) const {
  const std::vector<hsize_t> lengths = extents(shape);
  const Handle space(
      shape.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(int(lengths.size()), lengths.data(), nullptr),
      H5Sclose);
  const Handle attribute(H5Acreate2(handle_.id(), name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  check(attribute.id(), "attribute " + name);
  if (values != nullptr) check(H5Awrite(attribute.id(), type, values), "attribute " + name);
}

void Object::write_texts(const std::string& name, const Shape& shape,
                         const std::vector<std::string>& values) const {
  std::vector<const char*> pointers;
  for (const std::string& value : values) pointers.push_back(value.c_str());
  write_attribute(name, text_type().id(), shape, pointers.empty() ? nullptr : pointers.data());
}

void Object::set(const std::string& name, const std::string& value) const { write_texts(name, {}, {value}); }

void Object::set(const std::string& name, int64_t value) const {
  write_attribute(name, H5T_STD_I64LE, {}, &value);
}

void Object::set(const std::string& name, double value) const {
  write_attribute(name, H5T_IEEE_F64LE, {}, &value);
}

void Object::set(const std::string& name, const std::vector<int64_t>& values) const {
  write_attribute(name, H5T_STD_I64LE, {values.size()}, values.empty() ? nullptr : values.data());
}

void Object::set(const std::string& name, const std::vector<std::string>& values) const {
  write_texts(name, {values.size()}, values);
}

template <class T>
std::vector<T> Object::numbers(const std::string& name, int64_t type) const {
  const Handle attribute(H5Aopen(handle_.id(), name.c_str(), H5P_DEFAULT), H5Aclose);
  check(attribute.id(), "attribute " + name + " is missing");
  const Handle stored(H5Aget_type(attribute.id()), H5Tclose);
  if (H5Tequal(stored.id(), type) <= 0) fail("attribute " + name + " is of another type");
  const Handle space(H5Aget_space(attribute.id()), H5Sclose);
  const int64_t count = check(H5Sget_simple_extent_npoints(space.id()), "attribute " + name);
  if (uint64_t(count) * sizeof(T) > H5Aget_storage_size(attribute.id()))
    fail("attribute " + name + " is cut off");
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0) check(H5Aread(attribute.id(), type, values.data()), "attribute " + name);
  return values;
}

std::vector<int64_t> Object::wholes(const std::string& name) const {
  return numbers<int64_t>(name, H5T_STD_I64LE);
}

std::vector<std::string> Object::texts(const std::string& name) const {
  const std::vector<char*> pointers = numbers<char*>(name, text_type().id());
  std::vector<std::string> values;
  for (char* pointer : pointers) {
    values.emplace_back(pointer == nullptr ? "" : pointer);
    H5free_memory(pointer);
  }
  return values;
}

bool Object::has_attribute(const std::string& name) const {
  return H5Aexists(handle_.id(), name.c_str()) > 0;
}

std::string Object::text(const std::string& name) const {
  const std::vector<std::string> values = texts(name);
  if (values.size() != 1) fail("attribute " + name + " is not a single value");
  return values[0];
}

int64_t Object::whole(const std::string& name) const {
  const std::vector<int64_t> values = wholes(name);
  if (values.size() != 1) fail("attribute " + name + " is not a single value");
  return values[0];
}

double Object::real(const std::string& name) const {
  const std::vector<double> values = numbers<double>(name, H5T_IEEE_F64LE);
  if (values.size() != 1) fail("attribute " + name + " is not a single value");
  return values[0];
}

Dataset::Dataset(Handle handle, std::shared_ptr<const Origin> origin, Element element, std::string name)
    : Object(std::move(handle), std::move(origin)), element_(element), name_("dataset " + std::move(name)) {
  check(handle_.id(), name_ + (origin_->writing ? "" : " is missing"));
  const Handle space(H5Dget_space(handle_.id()), H5Sclose);
  const int64_t rank = check(H5Sget_simple_extent_ndims(space.id()), name_);
  std::vector<hsize_t> lengths(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space.id(), lengths.data(), nullptr), name_);
  shape_.assign(lengths.begin(), lengths.end());
  if (!shape_.empty() && elements(shape_) > 0) rows_per_chunk_ = chunk_of(shape_)[0];
}

void Dataset::write_rows(uint64_t first, uint64_t count, const void* values) const {
  if (count == 0 || elements(shape_) == 0) return;
  const bool whole_chunks =
      first % rows_per_chunk_ == 0 && (count % rows_per_chunk_ == 0 || first + count == shape_[0]);
  if (kCanDeflate && whole_chunks && shape_.size() <= 3) {
    ChunkedArray array{values, H5Tget_size(file_type(element_)), shape_, chunk_of(shape_)};
    array.shape[0] = count;
    pack_chunks(array, kDeflateLevel, [&](std::vector<uint64_t> offset, const std::vector<uint8_t>& bytes) {
      offset[0] += first;
      const std::vector<hsize_t> place = extents(offset);
      check(H5Dwrite_chunk(handle_.id(), H5P_DEFAULT, 0, place.data(), bytes.size(), bytes.data()), name_);
    });
    return;
  }
  const Slab slab = Slab::of_rows(handle_.id(), shape_, first, count);
  check(H5Dwrite(handle_.id(), memory_type(element_), slab.memory.id(), slab.file.id(), H5P_DEFAULT, values),
        name_);
}

void Dataset::read_rows(uint64_t first, uint64_t count, void* values) const {
  if (count == 0) return;
  if (shape_.empty() || first + count > shape_[0]) fail(name_ + " is too short");
  const Slab slab = Slab::of_rows(handle_.id(), shape_, first, count);
  check(H5Dread(handle_.id(), memory_type(element_), slab.memory.id(), slab.file.id(), H5P_DEFAULT, values),
        name_);
}

void Dataset::read_box(const Shape& start, const Shape& lengths, void* values) const {
  if (elements(lengths) == 0) return;
  bool inside = start.size() == shape_.size() && lengths.size() == shape_.size();
  for (std::size_t axis = 0; inside && axis < shape_.size(); ++axis)
    inside = start[axis] + lengths[axis] <= shape_[axis];
  if (!inside) fail(name_ + " is too small");
  const Slab slab(handle_.id(), start, lengths);
  check(H5Dread(handle_.id(), memory_type(element_), slab.memory.id(), slab.file.id(), H5P_DEFAULT, values),
        name_);
}

void Dataset::read(void* values) const {
  if (elements(shape_) == 0) return;
  check(H5Dread(handle_.id(), memory_type(element_), H5S_ALL, H5S_ALL, H5P_DEFAULT, values), name_);
}

Group Group::create_group(const std::string& name) const {
  const Handle properties = untimed(H5P_GROUP_CREATE);
  Handle group(H5Gcreate2(handle_.id(), name.c_str(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Gclose);
  check(group.id(), "group " + name);
  return Group(std::move(group), origin_);
}

Group Group::open_group(const std::string& name) const {
  if (!has(name)) fail("group " + name + " is missing");
  Handle group(H5Gopen2(handle_.id(), name.c_str(), H5P_DEFAULT), H5Gclose);
  check(group.id(), "group " + name);
  return Group(std::move(group), origin_);
}

bool Group::has(const std::string& name) const {
  return H5Lexists(handle_.id(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Group::members() const {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  check(H5Literate(handle_.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "its list of contents");
  std::sort(names.begin(), names.end());
  return names;
}

Dataset Group::create_dataset(const std::string& name, Element element, const Shape& shape) const {
  const std::vector<hsize_t> lengths = extents(shape);
  const Handle space(H5Screate_simple(int(lengths.size()), lengths.data(), nullptr), H5Sclose);
  const Handle properties = untimed(H5P_DATASET_CREATE);
  if (elements(shape) > 0) {
    const std::vector<hsize_t> chunk = extents(chunk_of(shape));
    H5Pset_chunk(properties.id(), int(chunk.size()), chunk.data());
    H5Pset_shuffle(properties.id());
    check(H5Pset_deflate(properties.id(), kDeflateLevel), "this HDF5 library cannot compress");
  }
  Handle dataset(H5Dcreate2(handle_.id(), name.c_str(), file_type(element), space.id(), H5P_DEFAULT,
                            properties.id(), H5P_DEFAULT),
                 H5Dclose);
  return Dataset(std::move(dataset), origin_, element, name);
}

Dataset Group::create_virtual(const std::string& name, Element element, const Shape& shape,
                              const std::vector<VirtualPart>& parts) const {
  const Handle space = space_of(shape), properties = untimed(H5P_DATASET_CREATE);
  for (const VirtualPart& part : parts) {
    if (elements(part.lengths) == 0) continue;
    const Handle source = space_of(part.lengths);
    select_box(space, part.start, part.lengths);
    check(H5Pset_virtual(properties.id(), space.id(), part.file.c_str(), part.dataset.c_str(), source.id()),
          "dataset " + name);
  }
  H5Sselect_all(space.id());
  Handle dataset(H5Dcreate2(handle_.id(), name.c_str(), file_type(element), space.id(), H5P_DEFAULT,
                            properties.id(), H5P_DEFAULT),
                 H5Dclose);
  return Dataset(std::move(dataset), origin_, element, name);
}

Dataset Group::open_dataset(const std::string& name, Element element) const {
  const bool exists = has(name);
  Handle handle(exists ? H5Dopen2(handle_.id(), name.c_str(), H5P_DEFAULT) : -1, H5Dclose);
  Dataset dataset(std::move(handle), origin_, element, name);
  const hid_t id = dataset.handle_.id();
  const Handle stored(H5Dget_type(id), H5Tclose);
  if (H5Tequal(stored.id(), file_type(element)) <= 0) fail("dataset " + name + " is of another type");
  const Handle properties(H5Dget_create_plist(id), H5Pclose);
  if (H5Pget_layout(properties.id()) == H5D_VIRTUAL) return dataset;  // what it holds lies elsewhere
  uint64_t largest = H5Dget_storage_size(id) * kLargestRatio / H5Tget_size(stored.id());
  for (const uint64_t length : dataset.shape())
    if (length > 0) largest /= length;
  if (elements(dataset.shape()) > 0 && largest == 0) fail("dataset " + name + " is cut off");
  return dataset;
}

Dataset Group::open_dataset(const std::string& name, Element element, const Shape& expected) const {
  Dataset dataset = open_dataset(name, element);
  if (dataset.shape() != expected)
    fail(fmt::format("dataset {} has the shape ({}) where ({}) was expected", name,
                     fmt::join(dataset.shape(), ", "), fmt::join(expected, ", ")));
  return dataset;
}

File::File(const std::filesystem::path& path, Mode mode, uint64_t user_block)
    : library_(library_mutex),
      origin_(std::make_shared<const Origin>(Origin{path.string(), mode != Mode::read})) {
  start_library();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
  // Since 1.8 most of what describes the data has a checksum. The format of 1.10 would mark a file whose
  // writer was killed as open for ever: of it, only virtual datasets are used. Files of others are read
  // whatever their format.
  if (mode != Mode::read) H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V110);
#if H5_VERSION_GE(1, 12, 1) || (H5_VERS_MINOR == 10 && H5_VERS_RELEASE >= 7)
  // Parallel file systems are often mounted without locks; the library would refuse to work there.
  H5Pset_file_locking(access.id(), true, true);
#endif
  const Handle creation = untimed(H5P_FILE_CREATE);  // of the root group
  H5Pset_userblock(creation.id(), user_block);
  const char* name = origin_->path.c_str();
  const hid_t id = mode == Mode::create
                       ? H5Fcreate(name, H5F_ACC_TRUNC, creation.id(), access.id())
                       : H5Fopen(name, mode == Mode::append ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access.id());
  handle_ = Handle(id, H5Fclose);
  if (id < 0) fail_at(*origin_, mode == Mode::create ? "it cannot be created" : "it is no whole HDF5 file");
  Handle root(H5Gopen2(id, "/", H5P_DEFAULT), H5Gclose);
  if (root.id() < 0) fail_at(*origin_, "it is no whole HDF5 file");
  root_.reset(new Group(std::move(root), origin_));
}

void File::close() {
  root_.reset();
  if (!handle_.reset()) fail_at(*origin_, "its last part could not be written");
}

}  // namespace kiln::hdf5
#endif
