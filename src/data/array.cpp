#include "data/array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "base/error.hpp"

namespace kiln {
namespace {

using Element = Array::Element;

template <class T>
T load(const unsigned char* bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

std::size_t width_of(Array::Element element) {
  switch (element) {
    case Element::int8:
    case Element::uint8:
      return 1;
    case Element::int16:
    case Element::uint16:
      return 2;
    case Element::int32:
    case Element::uint32:
    case Element::float32:
      return 4;
    case Element::int64:
    case Element::uint64:
    case Element::float64:
      return 8;
  }
  return 0;
}

std::size_t Array::size() const { return bytes.size() / width_of(element); }

int64_t Array::integer(std::size_t index) const {
  switch (element) {
    case Element::int8:
      return load<int8_t>(bytes.data(), index);
    case Element::uint8:
      return load<uint8_t>(bytes.data(), index);
    case Element::int16:
      return load<int16_t>(bytes.data(), index);
    case Element::uint16:
      return load<uint16_t>(bytes.data(), index);
    case Element::int32:
      return load<int32_t>(bytes.data(), index);
    case Element::uint32:
      return load<uint32_t>(bytes.data(), index);
    case Element::int64:
      return load<int64_t>(bytes.data(), index);
    case Element::uint64:
      return int64_t(load<uint64_t>(bytes.data(), index));
    default:
      throw std::logic_error("an array of real values was asked for integers");
  }
}

double Array::real(std::size_t index) const {
  if (element == Element::float32) return double(load<float>(bytes.data(), index));
  if (element == Element::float64) return load<double>(bytes.data(), index);
  return double(integer(index));
}

void check_below_2_63(const std::string& name, const Array& array) {
  if (array.element != Array::Element::uint64) return;
  for (std::size_t i = 0; i < array.size(); ++i)
    if (const int64_t value = array.integer(i); value < 0)
      throw UserError(
          fmt::format("{} holds the value {}; integers must lie below 2^63.", name, uint64_t(value)));
}

void swap_bytes(unsigned char* bytes, std::size_t size, std::size_t width) {
  for (std::size_t i = 0; i + width <= size; i += width) std::reverse(bytes + i, bytes + i + width);
}

std::string shape_text(const std::vector<int64_t>& shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape[0]);
  return fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace kiln
