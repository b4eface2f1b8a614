#include "engine/cuda/state/device_columns.hpp"

#include <algorithm>
#include <cstring>

namespace kiln::cuda {
namespace {

struct Place {
  const Column* column;
  const Field* field;
};

Place find(std::string_view field_name) {
  for (const Column& column : columns())
    for (const Field& field : column.fields)
      if (field_name == field.name) return {&column, &field};
  throw Failure("the device has a table for a column that is not there: " + std::string(field_name));
}

// From field `first` to field `last` of one column, which lie side by side. T is a row of the device's table.
template <class T>
DeviceColumn table(const char* first, const char* last, void (*put)(StateTables&, uint8_t*),
                   bool of_life = false) {
  const Place from = find(first), to = find(last);
  const std::size_t end = to.field->offset + std::size_t(to.field->count) * bytes_of(to.field->element);
  static_assert(sizeof(T) % 4 == 0);
  if (from.column != to.column || end - from.field->offset > sizeof(T))
    throw Failure("a table of the device does not fit its column: " + std::string(first));
  return {from.column, from.field->offset, end - from.field->offset, sizeof(T), put, of_life};
}

template <auto Member>
void put(StateTables& tables, uint8_t* first_row) {
  using Pointer = std::remove_reference_t<decltype(tables.*Member)>;
  tables.*Member = reinterpret_cast<Pointer>(first_row);
}

// Every per-cell table of StateTables that the host has a column for.
const std::vector<DeviceColumn>& device_columns() {
  using T = StateTables;
  static const std::vector<DeviceColumn> all = {
      table<Extent>("volume", "perimeter", put<&T::extents>),
      table<Vec3i>("anchor", "anchor", put<&T::anchors>),
      table<Vec3<int64_t>>("sum", "sum", put<&T::sums>),
      table<Moments>("moments", "moments", put<&T::moments>),
      table<float>("target_volume", "target_volume", put<&T::target_volumes>),
      table<float>("target_perimeter", "target_perimeter", put<&T::target_perimeters>),
      table<OwnLambdas>("lambda_chemotaxis", "lambda_act", put<&T::own_lambdas>),
      table<Direction>("direction", "direction", put<&T::directions>),
      table<Vec3d>("history", "history", put<&T::history>),
      table<double>("exact_target", "exact_target", put<&T::exact_targets>, true),
      table<Shrinking>("shrinks", "gone_at", put<&T::shrinking>, true),
      table<int64_t>("born", "born", put<&T::born>, true),
      table<int32_t>("generation", "generation", put<&T::generations>, true),
      table<int32_t>("end", "end", put<&T::ends>, true),
      table<double>("property", "property", put<&T::properties>, true),
  };
  return all;
}

}  // namespace

DeviceColumns::DeviceColumns(const Device& device, const Cells& like, int64_t cells, bool with_life) {
  for (const DeviceColumn& what : device_columns()) {
    if (what.of_life && !with_life) continue;
    if (what.column->optional && !what.column->is_there(like)) continue;
    const int rows = what.column->rows_per_cell(like);
    held_.push_back({&what, rows, Buffer<uint8_t>(device, cells * rows * int64_t(what.stride), "the cells")});
  }
}

void DeviceColumns::upload(const Cells& from, const CellNumbers& numbers, int64_t first) {
  for (Held& held : held_) {
    const std::size_t count = numbers.from_device.size(), bytes = std::size_t(held.bytes_per_cell());
    std::vector<uint8_t> packed(count * bytes);
    for (std::size_t i = 0; i < count; ++i)
      held.pack(from, numbers.from_device[i], packed.data() + i * bytes);
    held.rows.upload(packed.data(), int64_t(packed.size()), first * held.bytes_per_cell());
  }
}

void DeviceColumns::give(StateTables& tables, int64_t first) const {
  for (const DeviceColumn& what : device_columns()) what.put(tables, nullptr);
  for (const Held& held : held_) held.what->put(tables, held.rows.data() + first * held.bytes_per_cell());
}

void DeviceColumns::clear_sums(const Stream& stream) {
  static const Column* const centroid = find("sum").column;
  static const std::size_t sums = find("sum").field->offset;
  static const Column* const moments = find("moments").column;
  for (Held& held : held_)
    if ((held.what->column == centroid && held.what->offset == sums) || held.what->column == moments)
      held.rows.fill(0, &stream);
}

const DeviceColumns::Held& DeviceColumns::sizes() const {
  static const Column* const extent = find("volume").column;
  return *std::find_if(held_.begin(), held_.end(),
                       [](const Held& held) { return held.what->column == extent; });
}

void DeviceColumns::Held::pack(const Cells& from, CellId cell, uint8_t* packed) const {
  const std::byte* const source = what->column->data_of(from) + what->offset +
                                  std::size_t(cell) * std::size_t(rows_per_cell) * what->column->row_bytes;
  for (std::size_t i = 0; i < std::size_t(rows_per_cell); ++i)
    std::memcpy(packed + i * what->stride, source + i * what->column->row_bytes, what->bytes);
}

void DeviceColumns::Held::unpack(const uint8_t* packed, int64_t first, int64_t count, Cells& to) const {
  std::byte* const target =
      what->column->data(to) + what->offset + std::size_t(first * rows_per_cell) * what->column->row_bytes;
  for (int64_t i = 0; i < count * rows_per_cell; ++i)
    std::memcpy(target + std::size_t(i) * what->column->row_bytes, packed + std::size_t(i) * what->stride,
                what->bytes);
}

}  // namespace kiln::cuda
