// What hdf5.hpp becomes in a build without HDF5: everything says what to install.
#ifndef KILN_HAS_HDF5
#include "base/error.hpp"
#include "data/hdf5/file.hpp"

namespace kiln::hdf5 {
namespace {

[[noreturn]] void missing() {
  throw Failure("this build of Kiln has no HDF5 support; install libhdf5-dev and rebuild.");
}

}  // namespace

void require() { missing(); }

Object::Object(Handle, std::shared_ptr<const Origin>) { missing(); }
void Object::set(const std::string&, const std::string&) const { missing(); }
void Object::set(const std::string&, int64_t) const { missing(); }
void Object::set(const std::string&, double) const { missing(); }
void Object::set(const std::string&, const std::vector<int64_t>&) const { missing(); }
void Object::set(const std::string&, const std::vector<std::string>&) const { missing(); }
bool Object::has_attribute(const std::string&) const { missing(); }
std::string Object::text(const std::string&) const { missing(); }
int64_t Object::whole(const std::string&) const { missing(); }
double Object::real(const std::string&) const { missing(); }
std::vector<int64_t> Object::wholes(const std::string&) const { missing(); }
std::vector<std::string> Object::texts(const std::string&) const { missing(); }
std::vector<double> Object::numbers_if_any(const std::string&, std::size_t) const { missing(); }

void Numbers::read(const Shape&, const Shape&, void*) const { missing(); }

void Dataset::write_rows(uint64_t, uint64_t, const void*) const { missing(); }
void Dataset::read(void*) const { missing(); }
void Dataset::read_rows(uint64_t, uint64_t, void*) const { missing(); }
void Dataset::read_box(const Shape&, const Shape&, void*) const { missing(); }

Group Group::create_group(const std::string&) const { missing(); }
Group Group::open_group(const std::string&) const { missing(); }
bool Group::has(const std::string&) const { missing(); }
std::vector<std::string> Group::members() const { missing(); }
void Group::copy_from(const Group&, const std::string&) const { missing(); }
Dataset Group::create_dataset(const std::string&, Element, const Shape&) const { missing(); }
Dataset Group::create_virtual(const std::string&, Element, const Shape&,
                              const std::vector<VirtualPart>&) const {
  missing();
}
Dataset Group::open_dataset(const std::string&, Element) const { missing(); }
Dataset Group::open_dataset(const std::string&, Element, const Shape&) const { missing(); }
Numbers Group::open_numbers(const std::string&) const { missing(); }
std::vector<std::string> Group::find_numbers(std::size_t) const { missing(); }

File::File(const std::filesystem::path&, Mode, uint64_t) { missing(); }
void File::close() { missing(); }

}  // namespace kiln::hdf5
#endif
