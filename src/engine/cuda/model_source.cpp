#include "engine/cuda/model_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "engine/cuda/model_numbers.hpp"

namespace kiln::cuda {
namespace {

// Hexadecimal, so that not a bit is lost.
std::string literal(float v) { return fmt::format("{:a}f", v); }
std::string literal(double v) { return fmt::format("{:a}", v); }
std::string literal(bool v) { return v ? "true" : "false"; }
std::string literal(const Vec3d& v) {
  return fmt::format("{{{}, {}, {}}}", literal(v.x), literal(v.y), literal(v.z));
}

// Params are floats and nothing else (term_registry.cpp asserts it).
template <class Params>
std::string params_literal(const Params& params) {
  float values[sizeof(Params) / sizeof(float)];
  std::memcpy(values, &params, sizeof params);
  std::string text = "{{";
  for (const float value : values) text += literal(value) + ", ";
  return text + "}}, ";
}

std::string type_literal(const TypePhysics& t) {
  std::string text = "{{";
  Terms::each([&](auto term) { text += params_literal(t.*decltype(term)::kParams); });
  return text + "}, " + literal(t.frozen) + "}";
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

std::string uses_literal(const TermsInUse& u) {
  std::string text = "{{";
  Terms::each([&](auto term) { text += "{" + literal(u.*decltype(term)::kUse) + "}, "; });
  return text + "}, " + literal(u.frozen) + ", " + literal(u.targets) + ", " + literal(u.own_lambdas) + ", " +
         literal(u.substances) + "}";
}

// What physics() says that is not in a table: values for the compiler to fold, or where they are in memory.
struct Expressions {
  std::string temperature, adhesion_unit, uses, adhesion_is_moore, perimeter_is_moore;
};

Expressions expressions_for(const Physics& p, Numbers numbers) {
  Expressions e{literal(p.temperature), literal(p.adhesion.unit), "TermsInUse" + uses_literal(p.uses),
                literal(p.adhesion_is_moore), literal(p.perimeter_is_moore)};
  if (numbers == Numbers::folded) return e;
  e.temperature = "kNumbers.temperature";
  e.adhesion_unit = "kNumbers.adhesion_unit";
  if (numbers == Numbers::in_memory) return e;
  e.uses = "kNumbers.uses";
  e.adhesion_is_moore = "kNumbers.adhesion_is_moore";
  e.perimeter_is_moore = "kNumbers.perimeter_is_moore";
  return e;
}

std::string physics_function(const Expressions& e, bool fields, bool substances) {
  return fmt::format(
      "__device__ __forceinline__ Physics physics() {{\n"
      "  Physics p;\n"
      "  p.temperature = {};\n"
      "  p.lattice = Lattice{{kWholeSize, kWholePeriodic, kDim}};\n"
      "  p.uses = {};\n"
      "  p.types.first = kTypePhysics;\n"
      "  p.adhesion = adhesion::Table{{kAdhesion, kTypes, {}}};\n"
      "  p.adhesion_neighbours = &kAdhesionNeighbours;\n"
      "  p.perimeter_neighbours = &kPerimeterNeighbours;\n"
      "  p.adhesion_is_moore = {};\n"
      "  p.perimeter_is_moore = {};\n"
      "  p.fields = {};\n"
      "  p.act_logs = kActLogs;\n{}"
      "  return p;\n}}\n",
      e.temperature, e.uses, e.adhesion_unit, e.adhesion_is_moore, e.perimeter_is_moore,
      fields ? "kFields" : "nullptr",
      substances ? "  p.substances = kSubstances;\n  p.substance_values = kSubstanceValues;\n" : "");
}

// Filled by the host, which could change them at any time, so the compiler takes none of them for granted.
std::string numbers_in_memory(const Physics& p) {
  const int types = p.adhesion.types;
  return fmt::format(
      "extern \"C\" {{\n"
      "__constant__ TypePhysics kTypePhysics[{}];\n"
      "__constant__ int32_t kAdhesion[{}];\n"
      "__constant__ cuda::ModelNumbers kNumbers;\n"
      "}}\n",
      types, types * types);
}

std::string folded_numbers(const Physics& p) {
  const int types = p.adhesion.types;
  return table("__device__ constexpr TypePhysics kTypePhysics", types,
               [&](int i) { return type_literal(p.types[i]); }) +
         // Every lane looks up rows of its own, which takes long in global memory.
         table("__constant__ constexpr int32_t kAdhesion", types * types,
               [&](int i) { return fmt::format("{}", p.adhesion.j[i]); });
}

std::string fields_text(const Physics& p, Numbers numbers) {
  const int fields = used_fields(p);
  // Kernels of all terms have an empty one: what would read a null pointer would be left out.
  if (fields == 0) return numbers == Numbers::all_terms ? "__constant__ VectorField kFields[1];\n" : "";
  if (stored_fields(p) > 0)  // addresses are known only at run time
    return fmt::format("extern \"C\" {{ __constant__ VectorField kFields[{}]; }}\n", fields);
  return table("__device__ constexpr VectorField kFields", fields,
               [&](int i) { return field_literal(p.fields[i]); });
}

// Where their voxels are is folded; the host fills in where values are.
std::string substances_text(const Physics& p) {
  const int count = used_substances(p);
  if (count == 0) return "";
  return table("__device__ constexpr SubstanceView kSubstances", count,
               [&](int i) {
                 const Lattice& voxels = p.substances[i].voxels;
                 return fmt::format("{{nullptr, Lattice{{{{{}, {}, {}}}, {{{}, {}, {}}}, {}}}, {}}}",
                                    voxels.size.x, voxels.size.y, voxels.size.z, literal(voxels.periodic.x),
                                    literal(voxels.periodic.y), literal(voxels.periodic.z), voxels.dimension,
                                    p.substances[i].coarsen);
               }) +
         fmt::format("extern \"C\" {{ __constant__ const float* kSubstanceValues[{}]; }}\n", count);
}

// The one type that stands for all cells that can change; 0 where there are several kinds. (Connectivity asks
// for the medium's rule, too.) Types that are alike now may come to differ where numbers change.
int only_type(const Physics& p, Numbers numbers) {
  if (numbers == Numbers::all_terms || p.uses.connectivity) return 0;
  int only = 0;
  for (int type = 1; type < p.adhesion.types; ++type) {
    if (p.types[type].frozen) continue;
    if (only != 0 &&
        (numbers != Numbers::folded || type_literal(p.types[type]) != type_literal(p.types[only])))
      return 0;
    if (only == 0) only = type;
  }
  return only;
}

uint32_t frozen_types(const Physics& p) {
  uint32_t mask = 0;
  for (int type = 1; type < p.adhesion.types; ++type)
    if (p.types[type].frozen) mask |= uint32_t(1) << type;
  return mask;
}

// A bit per type: whether adhesion tells it from the type before. (Often it does not: of many kinds of cells,
// some adhere alike.)
uint32_t types_told_apart(const Physics& p) {
  uint32_t mask = 0;
  for (int type = 1; type < p.adhesion.types; ++type)
    for (int other = 0; other < p.adhesion.types; ++other)
      if (p.adhesion.row(TypeId(other))[type] != p.adhesion.row(TypeId(other))[type - 1])
        mask |= uint32_t(1) << type;
  return mask;
}

std::string lattice_constants(const Lattice& lattice, const char* name) {
  const Vec3i& size = lattice.size;
  const Vec3<bool>& periodic = lattice.periodic;
  return fmt::format("constexpr Vec3i k{}Size{{{}, {}, {}}};\n", name, size.x, size.y, size.z) +
         fmt::format("constexpr Vec3<bool> k{}Periodic{{{}, {}, {}}};\n", name, literal(periodic.x),
                     literal(periodic.y), literal(periodic.z));
}

// Sizes, memory layout and tables.
std::string constants_text(const Physics& p, const SiteLayout& layout, int history, Numbers numbers,
                           const StoredSites& stored) {
  const int types = p.adhesion.types;
  std::string text;
  const auto constant = [&text](const char* name, int value) {
    text += fmt::format("constexpr int {} = {};\n", name, value);
  };
  constant("kDim", p.lattice.dimension);
  text += lattice_constants(stored.lattice, "") + lattice_constants(p.lattice, "Whole");
  constant("kRowPitch", stored.row_pitch);
  text += fmt::format("constexpr bool kBrick = {};\n", literal(stored.is_brick));
  text += fmt::format("constexpr Vec3i kOwnSize{{{}, {}, {}}};\n", stored.own.x, stored.own.y, stored.own.z);
  constant("kTypes", types);
  constant("kIdBits", layout.id_bits);
  constant("kMaxAct", layout.max_act);
  constant("kHistory", history);
  // Terms that read second moments have sums and moments kept copy by copy.
  text += fmt::format("constexpr bool kMoments = {};\n", literal(reads_moments(p.uses)));
  text += fmt::format("constexpr bool kNeedsPlace = {};\n",
                      literal(p.uses.any([](auto term) { return decltype(term)::kNeedsPlace; })));
  text += fmt::format("{} uint32_t kFrozenTypes = {};\n",
                      numbers == Numbers::all_terms ? "__constant__" : "constexpr",
                      frozen_types(p));  // a bit per type
  text += fmt::format("constexpr uint32_t kToldApart = {};\n", types_told_apart(p));
  text += fmt::format("using Word = {};\n", layout.word_bytes == 4 ? "uint32_t" : "uint64_t");
  text += numbers == Numbers::folded ? folded_numbers(p) : numbers_in_memory(p);
  text += table("__device__ constexpr int32_t kActLogs", layout.max_act + 1,
                [&](int i) { return fmt::format("{}", i == 0 ? 0 : act::log_units(ActValue(i))); });
  text += "__device__ constexpr Neighbourhood kAdhesionNeighbours = " +
          neighbourhood_literal(*p.adhesion_neighbours) + ";\n";
  text += "__device__ constexpr Neighbourhood kPerimeterNeighbours = " +
          neighbourhood_literal(*p.perimeter_neighbours) + ";\n";
  text += fields_text(p, numbers);
  return text + substances_text(p);
}

std::string in_namespace(const std::string& text) {
  return "#include \"engine/cuda/model_numbers.hpp\"\nnamespace kiln::model {\n" + text +
         "}  // namespace kiln::model\n";
}

}  // namespace

bool reads_moments(const TermsInUse& uses) {
  return uses.any([](auto term) { return decltype(term)::kReads == OptionalColumn::moments; });
}

int used_substances(const Physics& physics) {
  int count = 0;
  for (int type = 0; physics.uses.substances && type < physics.adhesion.types; ++type)
    if (physics.types[type].chemotaxis.lambda != 0)
      count = std::max(count, int(physics.types[type].chemotaxis.substance) + 1);
  return count;
}

int stored_fields(const Physics& physics) {
  const int fields = used_fields(physics);
  const bool any = std::any_of(physics.fields, physics.fields + fields,
                               [](const VectorField& f) { return f.shape == VectorField::Shape::stored; });
  return any ? fields : 0;
}

std::string model_prologue(const Physics& p, const SiteLayout& layout, int history, Numbers numbers,
                           const StoredSites& stored) {
  const int only = only_type(p, numbers);
  const bool fields = numbers == Numbers::all_terms || used_fields(p) > 0;
  return (only != 0 ? fmt::format("#define KILN_ONLY_TYPE {}\n", only) : "") +
         in_namespace(constants_text(p, layout, history, numbers, stored) +
                      physics_function(expressions_for(p, numbers), fields, used_substances(p) > 0));
}

void give_numbers(const Module& module, const Physics& physics, Numbers numbers, float hopeless) {
  if (numbers == Numbers::folded) return;
  const int types = physics.adhesion.types;
  module.set_global("kTypePhysics", std::vector(physics.types.first, physics.types.first + types));
  module.set_global("kAdhesion", std::vector(physics.adhesion.j, physics.adhesion.j + types * types));
  module.set_global("kNumbers",
                    ModelNumbers{physics.temperature, physics.adhesion.unit, hopeless, physics.uses,
                                 physics.adhesion_is_moore, physics.perimeter_is_moore});
}

}  // namespace kiln::cuda
