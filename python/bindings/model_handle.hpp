// A model as Python holds it: what was given, what was changed since, and the model made of both.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "model/model.hpp"
#include "values.hpp"

namespace kiln::python {

class ModelHandle {
 public:
  // `text`: as it was given; "" where it was no text. `file`: that it was read from; "" where from none.
  ModelHandle(Node given, std::string source, std::string folder, std::vector<Override> changes = {},
              std::string text = "", std::string file = "");

  const Model& model() const { return *model_; }
  std::shared_ptr<const Model> shared() const { return model_; }

  // For source.toml of a run.
  std::string given_text() const;
  const std::string& file() const { return file_; }
  // Changes the length of the whole run.
  void set_length(int64_t mcs);
  // Changes nothing where the new values are refused.
  void change(const std::vector<Override>& changes);
  // A value of the complete model, by its dotted key; KeyError where there is none.
  py::object value(const std::string& dotted) const;
  // The number of a type by its name; UserError where there is none.
  TypeId type_named(const std::string& name) const;

  // All that it is made of, as values of Python; `restored` makes the same one again.
  py::tuple state() const;
  static ModelHandle restored(const py::tuple& state);

 private:
  Node given_;
  std::string source_, folder_, text_, file_;
  std::vector<Override> changes_;  // the latest value of each key
  std::shared_ptr<const Model> model_;
  mutable std::shared_ptr<const Node> complete_;  // of model_; made when a value is first asked for
};

void bind_model(py::module_& module);

}  // namespace kiln::python
