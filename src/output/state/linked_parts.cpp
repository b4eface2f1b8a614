#include "output/state/linked_parts.hpp"

#include <fmt/format.h>

namespace kiln {
namespace {

constexpr const char *kFolder = "parts", *kBoxes = "part_boxes", *kCells = "part_cells";

}  // namespace

hdf5::Shape shape_of_box(const Box& box, bool flat) {
  const Vec3i size = box.size();
  if (flat) return {uint64_t(size.y), uint64_t(size.x)};
  return {uint64_t(size.z), uint64_t(size.y), uint64_t(size.x)};
}

std::string LinkedParts::name(int part) { return fmt::format("part_{:05}.h5", part); }

std::size_t LinkedParts::cells() const {
  std::size_t sum = 0;
  for (const PartPlace& place : places) sum += place.cells;
  return sum;
}

std::vector<hdf5::VirtualPart> LinkedParts::sites(const std::string& dataset, bool flat) const {
  std::vector<hdf5::VirtualPart> parts;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Box& box = places[i].box;
    parts.push_back({file(i), dataset, shape_of_box({{0, 0, 0}, box.low}, flat), shape_of_box(box, flat)});
  }
  return parts;
}

std::vector<hdf5::VirtualPart> LinkedParts::rows(const std::string& dataset, std::size_t per_cell,
                                                 hdf5::Shape row) const {
  std::vector<hdf5::VirtualPart> parts;
  for (std::size_t i = 0; i < places.size(); ++i) {
    hdf5::Shape start(row.size(), 0);
    start[0] = per_cell * places[i].first_cell;
    row[0] = per_cell * places[i].cells;
    parts.push_back({file(i), dataset, start, row});
  }
  return parts;
}

void LinkedParts::write(const hdf5::Group& group) const {
  std::vector<int64_t> boxes, cells;
  for (const PartPlace& place : places) {
    for (const Vec3i& corner : {place.box.low, place.box.high})
      boxes.insert(boxes.end(), {corner.x, corner.y, corner.z});
    cells.insert(cells.end(), {int64_t(place.first_cell), int64_t(place.cells)});
  }
  group.set(kFolder, folder);
  group.set(kBoxes, boxes);
  group.set(kCells, cells);
}

std::optional<LinkedParts> LinkedParts::read(const hdf5::Group& group) {
  if (!group.has_attribute(kFolder)) return std::nullopt;
  LinkedParts parts{group.text(kFolder), {}};
  const std::vector<int64_t> boxes = group.wholes(kBoxes), cells = group.wholes(kCells);
  for (std::size_t i = 0; 6 * i + 5 < boxes.size() && 2 * i + 1 < cells.size(); ++i) {
    const int64_t* const box = boxes.data() + 6 * i;
    parts.places.push_back({{{int32_t(box[0]), int32_t(box[1]), int32_t(box[2])},
                             {int32_t(box[3]), int32_t(box[4]), int32_t(box[5])}},
                            CellId(cells[2 * i]),
                            CellId(cells[2 * i + 1])});
  }
  return parts;
}

}  // namespace kiln
