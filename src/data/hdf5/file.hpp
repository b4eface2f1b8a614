// HDF5 files, thinly: what snapshots and checkpoints need, with handles that close themselves and errors that
// are sentences: a UserError where a file that was given cannot be read, a Failure where one cannot be
// written. The library is not thread-safe, so a thread that has a file open keeps all others waiting that
// want to open one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/types.hpp"
#include "data/array.hpp"

namespace kiln {

#ifdef KILN_HAS_HDF5
inline constexpr bool kHasHdf5 = true;
#else
inline constexpr bool kHasHdf5 = false;
#endif

namespace hdf5 {

// Throws a Failure that says what to install where this build has no HDF5. Every function below does, too.
void require();

// What datasets hold; little-endian in the file.
enum class Element { u8, u16, u32, i32, i64, f32, f64 };

template <class T>
inline constexpr Element element_of = T::unsupported;
template <>
inline constexpr Element element_of<uint8_t> = Element::u8;
template <>
inline constexpr Element element_of<uint16_t> = Element::u16;
template <>
inline constexpr Element element_of<uint32_t> = Element::u32;
template <>
inline constexpr Element element_of<int32_t> = Element::i32;
template <>
inline constexpr Element element_of<int64_t> = Element::i64;
template <>
inline constexpr Element element_of<float> = Element::f32;
template <>
inline constexpr Element element_of<double> = Element::f64;

using Shape = std::vector<uint64_t>;  // slowest axis first

inline uint64_t elements(const Shape& shape) {
  uint64_t count = 1;
  for (const uint64_t length : shape) count *= length;
  return count;
}

// An identifier of the library and what closes it.
class Handle {
 public:
  using Close = int (*)(int64_t);
  Handle() = default;
  Handle(int64_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept { *this = std::move(other); }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { reset(); }

  int64_t id() const { return id_; }
  // False where closing failed.
  bool reset() {
    const int64_t id = std::exchange(id_, -1);
    return id < 0 || close_(id) >= 0;
  }

 private:
  int64_t id_ = -1;
  Close close_ = nullptr;
};

// For messages: which file an object lies in, and whether it is being written.
struct Origin {
  std::string path;
  bool writing = false;
};

// A group or a dataset: something that carries attributes.
class Object {
 public:
  void set(const std::string& name, const std::string& value) const;
  void set(const std::string& name, int64_t value) const;
  void set(const std::string& name, double value) const;
  void set(const std::string& name, const std::vector<int64_t>& values) const;
  void set(const std::string& name, const std::vector<std::string>& values) const;

  bool has_attribute(const std::string& name) const;
  std::string text(const std::string& name) const;
  int64_t whole(const std::string& name) const;
  double real(const std::string& name) const;
  std::vector<int64_t> wholes(const std::string& name) const;
  std::vector<std::string> texts(const std::string& name) const;
  // So many numbers of any type; none where there is no such attribute.
  std::vector<double> numbers_if_any(const std::string& name, std::size_t count) const;

 protected:
  Object(Handle handle, std::shared_ptr<const Origin> origin);
  [[noreturn]] void fail(const std::string& what) const;  // with the library's own reason, if it has one
  int64_t check(int64_t result, const std::string& what) const;

  Handle handle_;
  std::shared_ptr<const Origin> origin_;

 private:
  template <class T>
  std::vector<T> numbers(const std::string& name, int64_t type) const;
  void write_attribute(const std::string& name, int64_t type, const Shape& shape, const void* values) const;
  void write_texts(const std::string& name, const Shape& shape, const std::vector<std::string>& values) const;
};

class Dataset : public Object {
 public:
  const Shape& shape() const { return shape_; }
  // A part, along the slowest axis; rows that fill whole chunks are the fastest.
  void write_rows(uint64_t first, uint64_t count, const void* values) const;
  void read(void* values) const;
  void read_rows(uint64_t first, uint64_t count, void* values) const;
  void read_box(const Shape& start, const Shape& lengths, void* values) const;
  uint64_t rows_per_chunk() const { return rows_per_chunk_; }

 private:
  friend class Group;
  Dataset(Handle handle, std::shared_ptr<const Origin> origin, Element element, std::string name);

  Element element_;
  std::string name_;
  Shape shape_;
  uint64_t rows_per_chunk_ = 1;
};

// A dataset of integers or floats of up to 64 bits, in whatever way another program has written it.
class Numbers : public Object {
 public:
  const Shape& shape() const { return shape_; }
  Array::Element element() const { return element_; }  // the narrowest that holds every value
  // Of a piece that is stored, and maybe compressed, as a whole; 0 where there are none.
  double chunk_bytes() const { return chunk_bytes_; }
  void read(const Shape& start, const Shape& lengths, void* values) const;

 private:
  friend class Group;
  Numbers(Handle handle, std::shared_ptr<const Origin> origin, std::string name);
  Shape block_of(const Shape& lengths) const;

  std::string name_;
  Shape shape_, chunk_;
  Array::Element element_ = Array::Element::int8;
  double chunk_bytes_ = 0;
};

// A part of a dataset that lies in another file, as a whole dataset there. The file's path is relative to the
// folder of the one that names it.
struct VirtualPart {
  std::string file, dataset;
  Shape start, lengths;
};

class Group : public Object {
 public:
  Group create_group(const std::string& name) const;
  Group open_group(const std::string& name) const;
  bool has(const std::string& name) const;
  std::vector<std::string> members() const;  // sorted by name
  // The object `name` of another file that was written here, with all that lies below it.
  void copy_from(const Group& source, const std::string& name) const;

  // Chunked and compressed without loss.
  Dataset create_dataset(const std::string& name, Element element, const Shape& shape) const;
  // Shows other files' datasets as one. Where such a file is missing, readers find zeros: look for them
  // first.
  Dataset create_virtual(const std::string& name, Element element, const Shape& shape,
                         const std::vector<VirtualPart>& parts) const;
  // Refuses a dataset that holds something else, or less than its shape promises.
  Dataset open_dataset(const std::string& name, Element element) const;
  Dataset open_dataset(const std::string& name, Element element, const Shape& expected) const;

  Numbers open_numbers(const std::string& name) const;
  // The paths of all such datasets in this group and those below it that have at least so many axes.
  std::vector<std::string> find_numbers(std::size_t least_axes) const;

  template <class T>
  Dataset write(const std::string& name, const T* values, const Shape& shape) const {
    Dataset dataset = create_dataset(name, element_of<T>, shape);
    dataset.write_rows(0, shape[0], values);
    return dataset;
  }

  template <class T>
  void read(const std::string& name, T* values, const Shape& expected) const {
    open_dataset(name, element_of<T>, expected).read(values);
  }

  // Any shape, flattened.
  template <class T>
  std::vector<T> read_all(const std::string& name) const {
    const Dataset dataset = open_dataset(name, element_of<T>);
    std::vector<T> values(elements(dataset.shape()));
    dataset.read(values.data());
    return values;
  }

 private:
  friend class File;
  using Object::Object;
};

class File {
 public:
  enum class Mode { create, append, read };
  // `user_block` bytes (0, or a power of two from 512) at the start of a new file are left to the caller.
  File(const std::filesystem::path& path, Mode mode, uint64_t user_block = 0);

  const Group& root() const { return *root_; }
  // Writes out what is still held back. Without it the destructor does, but cannot say that it failed.
  void close();

 private:
  std::unique_lock<std::recursive_mutex> library_;  // let go of last, by the thread that took it
  Handle handle_;
  std::shared_ptr<const Origin> origin_;
  std::unique_ptr<Group> root_;
};

}  // namespace hdf5
}  // namespace kiln
