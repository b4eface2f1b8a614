#include "engine/cuda/state/field_values.hpp"

#include "engine/cuda/model_source.hpp"

namespace kiln::cuda {

void FieldValues::give(const Device& device, const Module& module, const Physics& physics) {
  const int count = stored_fields(physics);
  if (count == 0) return;
  std::vector<VectorField> fields(physics.fields, physics.fields + count);
  for (VectorField& field : fields)
    if (field.shape == VectorField::Shape::stored)
      field.data = values_of(device, field, physics.lattice.sites());
  module.set_global("kFields", fields);
}

const float* FieldValues::values_of(const Device& device, const VectorField& field, Site sites) {
  Buffer<float>& values = values_[field.data];
  if (values.size() == 0) {
    values = Buffer<float>(device, sites * field.components, "a field");
    values.upload(field.data, values.size());
  }
  return values.data();
}

}  // namespace kiln::cuda
