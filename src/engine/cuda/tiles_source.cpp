#include "engine/cuda/tiles_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/error.hpp"

namespace kiln::cuda {
namespace {

// Hexadecimal, so that not a bit is lost.
std::string literal(float v) { return fmt::format("{:a}f", v); }
std::string literal(double v) { return fmt::format("{:a}", v); }
std::string literal(bool v) { return v ? "true" : "false"; }
std::string literal(const Vec3d& v) {
  return fmt::format("{{{}, {}, {}}}", literal(v.x), literal(v.y), literal(v.z));
}

std::string type_literal(const TypePhysics& t) {
  const auto f = [](float v) { return literal(v); };
  return fmt::format("{{{{{}, {}}}, {{{}, {}}}, {{{}, {}}}, {{{}, {}, {}}}, {{{}, {}, {}}}, {{{}, {}}}, {}}}",
                     f(t.volume.target), f(t.volume.lambda), f(t.perimeter.target), f(t.perimeter.lambda),
                     f(t.chemotaxis.lambda), f(t.chemotaxis.field), f(t.persistence.lambda),
                     f(t.persistence.mu), f(t.persistence.dt), f(t.act.lambda), f(t.act.max),
                     f(t.act.start_full), f(t.connectivity.penalty), f(t.connectivity.hard),
                     literal(t.frozen));
}

std::string neighbourhood_literal(const Neighbourhood& n) {
  std::string text = fmt::format("{{{}, {}, {{", n.count, n.reach);
  for (int k = 0; k < n.count; ++k)
    text += fmt::format("{{{}, {}, {}}},", n.offset[k].x, n.offset[k].y, n.offset[k].z);
  return text + "}}";
}

int used_fields(const Physics& physics) {
  int fields = 0;
  for (int type = 0; type < physics.adhesion.types; ++type)
    if (physics.types[type].chemotaxis.lambda != 0)
      fields = std::max(fields, int(physics.types[type].chemotaxis.field) + 1);
  return fields;
}

std::string field_literal(const VectorField& f) {
  return fmt::format("{{VectorField::Shape({}), {}, {}, {}, nullptr, {}}}", int(f.shape), literal(f.strength),
                     literal(f.centre), literal(f.axis), f.components);
}

template <class Item>
std::string table(const std::string& declaration, int count, const Item& item) {
  std::string text = declaration + "[] = {";
  for (int i = 0; i < count; ++i) text += item(i) + ",";
  return text + "};\n";
}

std::string physics_function(const Physics& p, int fields) {
  const TermsInUse& u = p.uses;
  return fmt::format(
      "__device__ __forceinline__ Physics physics() {{\n"
      "  Physics p;\n"
      "  p.temperature = {};\n"
      "  p.lattice = Lattice{{kSize, kPeriodic, kDim}};\n"
      "  p.uses = TermsInUse{{{}, {}, {}, {}, {}, {}, {}}};\n"
      "  p.types = kTypePhysics;\n"
      "  p.adhesion = adhesion::Table{{kAdhesion, kTypes, {}}};\n"
      "  p.adhesion_neighbours = &kAdhesionNeighbours;\n"
      "  p.perimeter_neighbours = &kPerimeterNeighbours;\n"
      "  p.adhesion_is_moore = {};\n"
      "  p.perimeter_is_moore = {};\n"
      "  p.fields = {};\n"
      "  p.act_logs = nullptr;\n"
      "  return p;\n}}\n",
      literal(p.temperature), literal(u.volume), literal(u.perimeter), literal(u.chemotaxis),
      literal(u.persistence), literal(u.act), literal(u.connectivity), literal(u.frozen),
      literal(p.adhesion.unit), literal(p.adhesion_is_moore), literal(p.perimeter_is_moore),
      fields > 0 ? "kFields" : "nullptr");
}

}  // namespace

SiteLayout site_layout(uint32_t cells, int max_act) {
  const int id_bits = std::bit_width(cells - 1);
  if (max_act == 0) return {4, 32, 0};
  const int least_stamp = std::bit_width(uint32_t(max_act + 1));  // so that mcs_between_refreshes() is not 0
  constexpr int kAmple = 8;  // stamp bits: a refresh every few hundred MCS costs nothing
  if (id_bits + least_stamp > 32) return {8, 32, max_act};
  return {4, 32 - std::clamp(kAmple, least_stamp, 32 - id_bits), max_act};
}

bool has_stored_fields(const Physics& physics, int fields) {
  return std::any_of(physics.fields, physics.fields + fields,
                     [](const VectorField& f) { return f.shape == VectorField::Shape::stored; });
}

std::string tiles_source(const Physics& p, const tiles::Settings& settings, const SiteLayout& layout,
                         int history, const KernelShape& shape) {
  const int types = p.adhesion.types, fields = used_fields(p);
  std::string text =
      "#include \"engine/cuda/tiles_data.hpp\"\n#include \"terms/physics.hpp\"\nnamespace kiln::model {\n";
  const auto constant = [&text](const char* name, int value) {
    text += fmt::format("constexpr int {} = {};\n", name, value);
  };
  constant("kDim", p.lattice.dimension);
  text += fmt::format("constexpr Vec3i kSize{{{}, {}, {}}};\n", p.lattice.size.x, p.lattice.size.y,
                      p.lattice.size.z);
  text += fmt::format("constexpr Vec3<bool> kPeriodic{{{}, {}, {}}};\n", literal(p.lattice.periodic.x),
                      literal(p.lattice.periodic.y), literal(p.lattice.periodic.z));
  constant("kTypes", types);
  constant("kSpacing", settings.spacing);
  constant("kPasses", settings.passes);
  constant("kIdBits", layout.id_bits);
  constant("kMaxAct", layout.max_act);
  constant("kHistory", history);
  constant("kWarpsPerBlock", shape.warps_per_block);
  constant("kBlocksPerMultiprocessor", shape.blocks_per_multiprocessor);
  text += fmt::format("using Word = {};\n", layout.word_bytes == 4 ? "uint32_t" : "uint64_t");
  text += table("__device__ constexpr TypePhysics kTypePhysics", types,
                [&](int i) { return type_literal(p.types[i]); });
  text += table("__device__ constexpr int32_t kAdhesion", types * types,
                [&](int i) { return fmt::format("{}", p.adhesion.j[i]); });
  text += table("__device__ constexpr int32_t kActLogs", layout.max_act + 1,
                [&](int i) { return fmt::format("{}", i == 0 ? 0 : act::log_units(ActValue(i))); });
  text += "__device__ constexpr Neighbourhood kAdhesionNeighbours = " +
          neighbourhood_literal(*p.adhesion_neighbours) + ";\n";
  text += "__device__ constexpr Neighbourhood kPerimeterNeighbours = " +
          neighbourhood_literal(*p.perimeter_neighbours) + ";\n";
  if (fields > 0 && has_stored_fields(p, fields))  // addresses are known only at run time
    text += fmt::format("__constant__ VectorField kFields[{}];\n", fields);
  else if (fields > 0)
    text += table("__device__ constexpr VectorField kFields", fields,
                  [&](int i) { return field_literal(p.fields[i]); });
  text += physics_function(p, fields);
  return text + "}  // namespace kiln::model\n#include \"engine/cuda/tiles.cuh\"\n";
}

}  // namespace kiln::cuda
