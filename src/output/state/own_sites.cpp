#include "output/state/own_sites.hpp"

#include <algorithm>

#include "output/state/linked_parts.hpp"

namespace kiln {
namespace {

// Some layers at a time: a whole copy would be as large as the part itself.
template <class T, class Copy>
void write_layers(const hdf5::Group& group, const std::string& name, const Box& box, bool flat,
                  const Copy& copy) {
  const hdf5::Shape shape = shape_of_box(box, flat);
  const hdf5::Dataset dataset = group.create_dataset(name, hdf5::element_of<T>, shape);
  const auto layers = uint64_t(box.size().z), layer = hdf5::elements(shape) / layers;
  const uint64_t together = flat ? 1 : dataset.rows_per_chunk();
  std::vector<T> values;
  for (uint64_t first = 0; first < layers; first += together) {
    const uint64_t count = std::min(together, layers - first);
    values.resize(count * layer);
    copy(int32_t(first), int32_t(count), values.data());
    dataset.write_rows(first, flat ? shape[0] : count, values.data());
  }
}

}  // namespace

void write_own_sites(const hdf5::Group& group, const TissuePart& part, const OwnSites& how) {
  const Box& box = part.brick.own;
  write_layers<CellId>(group, "ids", box, how.flat, [&](int32_t first, int32_t count, CellId* values) {
    copy_own_layers(part, first, count, values, nullptr, nullptr);
  });
  if (how.types)
    write_layers<TypeId>(group, "type", box, how.flat, [&](int32_t first, int32_t count, TypeId* values) {
      copy_own_layers(part, first, count, nullptr, nullptr, values);
    });
  if (!part.state.act.empty())
    write_layers<ActValue>(group, "act", box, how.flat, [&](int32_t first, int32_t count, ActValue* values) {
      copy_own_layers(part, first, count, nullptr, values, nullptr);
    });
}

}  // namespace kiln
