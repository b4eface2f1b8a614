#include "model/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/wording.hpp"
#include "core/lattice_size.hpp"
#include "model/file/term_registry.hpp"

namespace kiln {
namespace {

// Text with a label in front of the first line and the rest below it.
class Page {
 public:
  template <class... Args>
  void line(std::string_view label, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), "{:<13}{}\n", label,
                   fmt::format(format, std::forward<Args>(args)...));
  }
  void heading(std::string_view title) { text_ += fmt::format("\n{}\n", title); }
  void raw(const std::string& s) { text_ += s + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string volume_text(double sites, const Model& m) {
  const double edge = m.units.voxel_um;
  const int d = m.lattice.dimension;
  const double size = sites * edge * edge * (d == 3 ? edge : 1.0);
  return fmt::format("{:g} sites = {:.4g} µm{}, a {} {:.3g} µm across", sites, size, d == 3 ? "³" : "²",
                     d == 3 ? "ball" : "disc", ball_diameter(sites, d) * edge);
}

std::string perimeter_text(double pairs, const TypePhysics& type, const Model& m) {
  std::string text = fmt::format("{:g} pairs", pairs);
  if (type.volume.target > 0)
    text +=
        fmt::format(" (a {} of {:g} sites has about {:.0f})", m.lattice.dimension == 3 ? "ball" : "disc",
                    type.volume.target,
                    round_perimeter(m.perimeter_neighbours, m.lattice.dimension, double(type.volume.target)));
  return text;
}

// Parameters of which more can be said than their number and unit.
struct Explained {
  std::string_view term, parameter;
  std::string (*text)(double value, const TypePhysics& type, const Model& model);
};
constexpr Explained kExplained[] = {
    {"volume", "target", [](double v, const TypePhysics&, const Model& m) { return volume_text(v, m); }},
    {"perimeter", "target", perimeter_text},
};

void explain_lattice(const Model& m, Page& page) {
  const Lattice& l = m.lattice;
  const double edge = m.units.voxel_um;
  std::string physical = fmt::format("{:g} x {:g}", l.size.x * edge, l.size.y * edge);
  if (l.dimension == 3) physical += fmt::format(" x {:g}", l.size.z * edge);
  std::vector<std::string_view> walls;
  for (int axis = 0; axis < l.dimension; ++axis) walls.push_back(l.periodic[axis] ? "periodic" : "closed");
  const bool alike = std::all_of(walls.begin(), walls.end(), [&walls](auto w) { return w == walls[0]; });
  page.line("lattice", "{} sites = {} µm, {}", size_text(l), physical,
            alike ? std::string(walls[0]) : fmt::format("{}", fmt::join(walls, " x ")));
  const double cells = expected_cells(m, Frozen::left_out);
  page.line("", "{} sites, about {}, {} of memory", grouped(double(l.sites())), counted(cells, "cell"),
            bytes_text(memory_need(m, expected_cells(m)).total()));
  const auto neighbours = [&l](const Neighbourhood& n) {
    return fmt::format("{}{}", n.count, n.is_moore(l.dimension) ? " (Moore)" : "");
  };
  page.line("neighbours", "adhesion {}, perimeter {}", neighbours(m.adhesion_neighbours),
            neighbours(m.perimeter_neighbours));
  page.line("time", "{} MCS of {:g} s = {}", grouped(double(m.total_mcs())), m.units.seconds_per_mcs,
            duration_text(double(m.total_mcs()) * m.units.seconds_per_mcs));
  page.line("seed", "{}", m.seed);
  page.line("temperature", "{:g}", m.phases.front().physics.temperature);
}

// Parameters are those of the first phase; the others say what they change.
std::string at_first(const Model& m) {
  return m.phases.size() == 1 ? "" : fmt::format(" (phase {})", m.phases.front().name);
}

void explain_types(const Model& m, Page& page) {
  const PhysicsData& physics = m.phases.front().physics;
  page.heading("Cell types" + at_first(m));
  for (std::size_t i = 1; i < m.types.size(); ++i) {
    const CellType& type = m.types[i];
    page.raw(
        fmt::format("  {}{}{}", type.name, type.frozen ? ", frozen" : "", type.hidden ? ", hidden" : ""));
    for (const Term& term : all_terms()) {
      if (!term.given(physics.types[i])) continue;
      std::vector<std::string> parts;
      for (std::size_t k = 0; k < term.parameters.size(); ++k)
        if (std::string text = parameter_text(term, k, physics.declared(i), m); !text.empty())
          parts.push_back(std::move(text));
      page.raw(fmt::format("    {:<13}{}", term.name, fmt::join(parts, "; ")));
    }
    if (m.living == nullptr) continue;
    for (const std::string& said : m.living->types[i].said) page.raw("    " + said);
  }
}

void explain_substances(const Model& m, Page& page) {
  if (m.substances.empty()) return;
  page.heading("Substances");
  for (const SubstanceData& substance : m.substances) {
    page.raw("  " + substance.name);
    for (const std::string& said : substance.said) page.raw("    " + said);
  }
}

void explain_adhesion(const Model& m, Page& page) {
  const PhysicsData& physics = m.phases.front().physics;
  const std::size_t types = m.types.size();
  const auto j = [&](std::size_t a, std::size_t b) { return physics.adhesion[a * types + b]; };
  std::size_t width = 8;
  for (const CellType& type : m.types) width = std::max(width, type.name.size() + 2);
  page.heading("Adhesion J" + at_first(m));
  std::string header(width, ' ');
  for (std::size_t b = 0; b < types; ++b) header += fmt::format("{:>{}}", m.types[b].name, width);
  page.raw("  " + header);
  for (std::size_t a = 1; a < types; ++a) {
    std::string row = fmt::format("{:<{}}", m.types[a].name, width);
    for (std::size_t b = 0; b < types; ++b) row += fmt::format("{:>{}g}", j(a, b), width);
    page.raw("  " + row);
  }
  // What a boundary costs beyond the two it replaces; cells of types with a high one are engulfed by the
  // others.
  std::vector<std::string> tensions;
  for (std::size_t a = 1; a < types; ++a)
    for (std::size_t b = 0; b < types; ++b)
      if ((b == 0 || b > a) && !m.types[a].frozen && !m.types[b].frozen)
        tensions.push_back(fmt::format("{}-{} {:g}", m.types[a].name, m.types[b].name,
                                       j(a, b) - 0.5 * (j(a, a) + (b == 0 ? 0 : j(b, b)))));
  if (!tensions.empty()) page.raw(fmt::format("  surface tension: {}", fmt::join(tensions, ", ")));
}

std::string place_text(const Vec3d& p, const Model& m) {
  return m.lattice.dimension == 2 ? fmt::format("({:g}, {:g})", p.x, p.y)
                                  : fmt::format("({:g}, {:g}, {:g})", p.x, p.y, p.z);
}

void explain_fields(const Model& m, Page& page) {
  if (m.fields.empty()) return;
  page.heading("Fields");
  for (const FieldData& f : m.fields) {
    std::string text;
    switch (f.field.shape) {
      case VectorField::Shape::uniform:
        text = "uniform along " + place_text(f.field.axis, m);
        break;
      case VectorField::Shape::radial:
        text = "away from " + place_text(f.field.centre, m);
        break;
      case VectorField::Shape::circular:
        text = "around " + place_text(f.field.centre, m);
        break;
      case VectorField::Shape::stored:
        text = "from " + f.file;
        break;
    }
    page.raw(fmt::format("  {}: {}, strength {:g}", f.name, text, f.field.strength));
  }
}

std::string region_name(const Region& r, const Model& m);

// "a ball of ..., a box from ... and a tube from ...".
std::string names_of(const Region* first, const Region* last, const char* conjunction, const Model& m) {
  std::string text;
  for (const Region* r = first; r != last; ++r) {
    if (r != first) text += r + 1 == last ? fmt::format(" {} ", conjunction) : ", ";
    text += r->of.empty() && !r->outside ? region_name(*r, m) : fmt::format("({})", region_name(*r, m));
  }
  return text;
}

std::string region_name(const Region& r, const Model& m) {
  const std::string where = r.outside ? "what lies outside of " : "";
  const auto radius = [&] {
    return fmt::format("of radius {:g} sites = {:.4g} µm", r.radius, r.radius * m.units.voxel_um);
  };
  const Region *first = r.of.data(), *last = first + r.of.size();
  switch (r.shape) {
    case Region::Shape::all:
      return where + "the lattice";
    case Region::Shape::ball:
      return fmt::format("{}a {} {} at {}", where, m.lattice.dimension == 2 ? "disc" : "ball", radius(),
                         place_text(r.centre, m));
    case Region::Shape::box:
      return fmt::format("{}a box from {} to {}", where, place_text(r.low, m), place_text(r.high, m));
    case Region::Shape::tube:
      return fmt::format("{}a tube {} from {} to {}", where, radius(), place_text(r.from, m),
                         place_text(r.to, m));
    case Region::Shape::set_union:
      return fmt::format("{}{}", where, names_of(first, last, "or", m));
    case Region::Shape::intersection:
      return fmt::format("{}what lies in {}", where, names_of(first, last, "and in", m));
    case Region::Shape::difference:
      return fmt::format("{}{}{}{}", where, names_of(first, first + 1, "", m),
                         r.of.size() > 1 ? " without " : "", names_of(first + 1, last, "and", m));
  }
  return "";
}

std::string region_text(const Region& r, const Model& m) {
  if (r.shape == Region::Shape::all) return "";
  Region inside = r;
  inside.outside = false;
  return fmt::format(" {} {}", r.outside ? "outside" : "in", region_name(inside, m));
}

// Which part of an image counts.
std::string kept_text(const ImageMask& image) {
  const Segmentation& s = image.segmentation;
  return fmt::format("{} {} in {}", s.below ? "below" : "above",
                     s.threshold ? fmt::format("{:g}", *s.threshold) : "Otsu's threshold", image.name());
}

std::string slivers_text(const InitialStep& s) {
  if (s.slivers == InitialStep::Slivers::keep) return "";
  return fmt::format(", those below {:g}% of one {}", 100 * s.smallest_share,
                     s.slivers == InitialStep::Slivers::give ? "given to a neighbour" : "left out");
}

std::string step_text(const InitialStep& s, const Model& m) {
  const double edge = m.units.voxel_um;
  const auto sides = [&m](const Vec3i& v) {
    return m.lattice.dimension == 2 ? fmt::format("{} x {}", v.x, v.y)
                                    : fmt::format("{} x {} x {}", v.x, v.y, v.z);
  };
  switch (s.kind) {
    case InitialStep::Kind::boxes:
      return fmt::format("boxes of {} sites{}{}", sides(s.box),
                         s.spacing == s.box ? "" : fmt::format(", every {}", sides(s.spacing)),
                         slivers_text(s));
    case InitialStep::Kind::hexagonal:
      return fmt::format("{} of about {:g} sites{}",
                         m.lattice.dimension == 2 ? "hexagons" : "a hexagonal close packing of cells",
                         s.volume, slivers_text(s));
    case InitialStep::Kind::voronoi:
      return fmt::format("Voronoi cells of {}{}{}",
                         s.count     ? fmt::format("{} random seeds", grouped(double(*s.count)))
                         : s.density ? fmt::format("random seeds for a density of {:g}", *s.density)
                                     : fmt::format("random seeds, {:g} sites each on average", s.volume),
                         s.relax == 0 ? "" : fmt::format(", relaxed {}", counted(s.relax, "time")),
                         slivers_text(s));
    case InitialStep::Kind::seeds:
      return fmt::format("{} of radius {:g}",
                         s.count ? fmt::format("{} seeds", grouped(double(*s.count)))
                                 : fmt::format("seeds for a density of {:g}", *s.density),
                         s.radius);
    case InitialStep::Kind::fill:
      return "all sites";
    case InitialStep::Kind::tube:
      return fmt::format("a tube of radius {:g} sites = {:.3g} µm from {} to {}", s.radius, s.radius * edge,
                         place_text(s.from, m), place_text(s.to, m));
    case InitialStep::Kind::network:
      return fmt::format("a network of strands of radius {:g} sites = {:.3g} µm, nodes {:g} apart, {:g}%",
                         s.radius, s.radius * edge, s.node_spacing, 100 * s.fraction);
    case InitialStep::Kind::labels:
      return fmt::format(
          "labels from {}{}", s.image.file,
          s.centred ? ", in the lattice's middle"
          : s.offset
              ? fmt::format(", from site {} on",
                            place_text({double(s.offset->x), double(s.offset->y), double(s.offset->z)}, m))
              : "");
    case InitialStep::Kind::image:
      return "what is " + kept_text(s.image);
  }
  return "";
}

void explain_initial(const Model& m, Page& page) {
  page.heading("Initial state");
  for (std::size_t i = 0; i < m.initial.size(); ++i) {
    const InitialStep& step = m.initial[i];
    double weights = 0;
    for (const auto& [type, weight] : step.types) weights += weight;
    std::vector<std::string> types;
    for (const auto& [type, weight] : step.types)
      types.push_back(step.types.size() == 1
                          ? m.types[type].name
                          : fmt::format("{} {:.3g}%", m.types[type].name, 100 * weight / weights));
    if (!step.label_types_file.empty())
      types.push_back(
          fmt::format("{} labels by {}", grouped(double(step.label_types.size())), step.label_types_file));
    else
      for (const auto& [label, type] : step.label_types)
        types.push_back(fmt::format("{} for label {}", m.types[type].name, label));
    page.raw(fmt::format("  {}. {}: {}{}{}", i + 1, fmt::join(types, ", "), step_text(step, m),
                         region_text(step.region, m),
                         step.mask ? ", only on what is " + kept_text(*step.mask) : ""));
  }
}

// What differs from the phase before.
std::vector<std::string> changes(const PhysicsData& before, const PhysicsData& now, const Model& m) {
  std::vector<std::string> result;
  const auto add = [&result](const std::string& what, double from, double to, Kind kind = Kind::real) {
    const auto text = [kind](double value) {
      return kind == Kind::target && value == double(kOwnTarget) ? "start" : fmt::format("{:g}", value);
    };
    if (from != to) result.push_back(fmt::format("{} {} -> {}", what, text(from), text(to)));
  };
  add("temperature", double(before.temperature), double(now.temperature));
  for (std::size_t i = 1; i < m.types.size(); ++i) {
    for (const Term& term : all_terms())
      for (std::size_t k = 0; k < term.parameters.size(); ++k)
        add(fmt::format("{} {}.{}", m.types[i].name, term.name, term.parameters[k].name),
            double(term.get(before.types[i], k)), double(term.get(now.types[i], k)), term.parameters[k].kind);
    for (std::size_t b = 0; b <= i; ++b)
      add(fmt::format("J {}-{}", m.types[i].name, m.types[b].name), before.adhesion[i * m.types.size() + b],
          now.adhesion[i * m.types.size() + b]);
  }
  return result;
}

void explain_rules(const Model& m, Page& page) {
  if (m.living == nullptr || m.living->rules.empty()) return;
  page.heading(m.living->every == 1 ? "Rules, after every MCS"
                                    : fmt::format("Rules, every {} MCS", grouped(double(m.living->every))));
  for (std::size_t i = 0; i < m.living->rules.size(); ++i)
    page.raw(fmt::format("  {}. {}", i + 1, m.living->rules[i].said));
}

void explain_phases(const Model& m, Page& page) {
  page.heading("Phases");
  for (std::size_t i = 0; i < m.phases.size(); ++i) {
    const Phase& phase = m.phases[i];
    page.raw(fmt::format("  {}. {}: {} MCS = {}{}", i + 1, phase.name, grouped(double(phase.mcs)),
                         duration_text(double(phase.mcs) * m.units.seconds_per_mcs),
                         phase.measured ? "" : ", not measured"));
    if (i == 0) continue;
    for (const std::string& change : changes(m.phases[i - 1].physics, phase.physics, m))
      page.raw("     " + change);
  }
}

std::string every_text(int64_t every, const std::string& otherwise) {
  return every > 0 ? fmt::format("every {} MCS", grouped(double(every))) : otherwise;
}

void explain_motility(const Model& m, Page& page) {
  std::string over;
  for (const int64_t interval : m.measure.speed_intervals_mcs)
    over += fmt::format("{}{} MCS = {}", over.empty() ? "over " : ", ", grouped(double(interval)),
                        duration_text(double(interval) * m.units.seconds_per_mcs));
  page.raw("  speeds.csv: " + (over.empty() ? "never" : over));
  if (m.measure.direction_correlation)
    page.raw(fmt::format("  direction_correlation.csv: up to {:g} µm, {}", m.measure.correlation_distance_um,
                         every_text(m.measure.cells_every, "never")));
}

std::string tracks_text(const MeasureSettings& measure) {
  using Format = MeasureSettings::CellsFormat;
  const char* file = measure.cells_format == Format::csv    ? "cells.csv"
                     : measure.cells_format == Format::hdf5 ? "cells.h5"
                                                            : "cells.csv or, beyond a million rows, cells.h5";
  std::string text = fmt::format("{}: {}", file, every_text(measure.cells_every, "never"));
  if (measure.one_cell_in.value_or(1) > 1)
    text += fmt::format(", one cell in {}", grouped(double(*measure.one_cell_in)));
  return text;
}

void explain_output(const Model& m, Page& page) {
  page.heading("Output");
  std::string measures = every_text(m.measure.every, "never");
  if (m.measure.explored) measures += ", with the sites explored";
  if (m.measure.halves)
    measures += fmt::format(", with the mixing of halves along {}", "xyz"[*m.measure.halves]);
  page.raw("  measures.csv: " + measures);
  page.raw("  " + tracks_text(m.measure));
  explain_motility(m, page);
  for (const PictureSettings& p : m.pictures) {
    const std::string colour = p.colour_by == PictureSettings::ColourBy::type   ? "type"
                               : p.colour_by == PictureSettings::ColourBy::cell ? "cell"
                               : p.colour_by == PictureSettings::ColourBy::act  ? "Act"
                                                                                : p.shown;
    std::string view = p.cut_away ? "solid, cut away" : "solid";
    if (p.one_cell_in > 1) view += fmt::format(", one cell in {}", grouped(double(p.one_cell_in)));
    if (p.view == PictureSettings::View::slice)
      view = m.lattice.dimension == 2 ? "the lattice"
                                      : fmt::format("slice at {} = {}", "xyz"[p.axis], *p.position);
    std::string size = p.frame == PictureSettings::FrameOf::tissue ? ", framed to the tissue" : "";
    if (p.width > 0) size += fmt::format(", {} pixels wide", p.width);
    page.raw(fmt::format("  picture {}: {}, coloured by {}{}, {}{}", p.name, view, colour, size,
                         every_text(p.every, "first and last"), p.animation ? ", animated" : ""));
  }
  const char* lattice = !m.output.lattice_ome_tiff ? "lattice.h5"
                        : m.output.lattice_hdf5    ? "lattice.h5, labels/*.ome.tif"
                                                   : "labels/*.ome.tif";
  page.raw(fmt::format("  {}: {}", lattice, every_text(m.output.lattice_every, "last state")));
  page.raw("  checkpoint.h5: " + every_text(m.output.checkpoint_every, "at the end"));
}

// In the unit of the substance; a linear response has no scale.
std::string half_text(const Parameter& p, float value, const TypePhysics& type, const Model& m) {
  if (chemotaxis::Response(int(type.chemotaxis.response)) == chemotaxis::Response::linear) return "";
  const std::string& known = m.substances[std::size_t(type.chemotaxis.substance)].unit;
  return known.empty() ? fmt::format("{} {:g}", p.name, value)
                       : fmt::format("{} {:g} {}", p.name, value, known);
}

}  // namespace

std::string parameter_text(const Term& term, std::size_t i, const TypePhysics& type, const Model& m) {
  const Parameter& p = term.parameters[i];
  const float value = term.get(type, i);
  const std::string_view unit = p.unit;
  // How a cell senses a substance says nothing of one that follows a field.
  if (term.name == std::string_view(chemotaxis::Term::kName) && type.chemotaxis.substance < 0 &&
      p.kind != Kind::field && p.name != std::string_view("lambda"))
    return "";
  if (unit == "concentration") return half_text(p, value, type, m);
  if (p.kind == Kind::flag) return fmt::format("{} {}", p.name, value != 0 ? "true" : "false");
  if ((p.kind == Kind::field || p.kind == Kind::substance) && value < 0) return "";
  if (p.kind == Kind::field) return fmt::format("{} {}", p.name, m.fields[std::size_t(value)].name);
  if (p.kind == Kind::substance) return fmt::format("{} {}", p.name, m.substances[std::size_t(value)].name);
  if (p.kind == Kind::choice)
    return fmt::format("{} {}", p.name, choices_of(term_keys(term)[i])[std::size_t(value)]);
  if (p.kind == Kind::target && value == kOwnTarget)
    return fmt::format("{} what each cell has at the start", p.name);
  for (const Explained& known : kExplained)
    if (known.term == term.name && known.parameter == p.name)
      return fmt::format("{} {}", p.name, known.text(double(value), type, m));
  if (unit == "MCS")
    return fmt::format("{} {:g} MCS = {}", p.name, value,
                       duration_text(double(value) * m.units.seconds_per_mcs));
  if (unit.empty() || unit.starts_with("energy")) return fmt::format("{} {:g}", p.name, value);
  return fmt::format("{} {:g} {}", p.name, value, unit);
}

std::string explain(const Model& model) {
  Page page;
  page.raw(fmt::format("{} ({})\n", model.title, model.source));
  explain_lattice(model, page);
  explain_types(model, page);
  explain_adhesion(model, page);
  explain_fields(model, page);
  explain_substances(model, page);
  explain_initial(model, page);
  explain_rules(model, page);
  explain_phases(model, page);
  explain_output(model, page);
  const std::vector<std::string> notes = model_notes(model);
  if (!notes.empty()) page.raw("");
  for (const std::string& note : notes) page.raw("note: " + note);
  return page.text();
}

}  // namespace kiln
