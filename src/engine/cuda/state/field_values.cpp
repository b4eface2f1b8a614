#include "engine/cuda/state/field_values.hpp"

#include "engine/cuda/model_source.hpp"

namespace kiln::cuda {

void FieldValues::give(const Device& device, const Module& module, const Physics& physics) {
  std::vector<VectorField> fields(physics.fields, physics.fields + stored_fields(physics));
  std::vector<VectorField*> stored;
  std::vector<uint64_t> ids;
  for (VectorField& field : fields) {
    if (field.shape != VectorField::Shape::stored) continue;
    stored.push_back(&field);
    ids.push_back(field.values_id);
  }
  const auto copies = values_.of(ids, [&](std::size_t i) {
    Buffer<float> values(device, physics.lattice.sites() * stored[i]->components, "a field");
    values.upload(stored[i]->data, values.size());
    return values;
  });
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i]->data = copies[i]->data();
  if (!fields.empty()) module.set_global("kFields", fields);
}

}  // namespace kiln::cuda
