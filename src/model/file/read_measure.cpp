#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"
#include "model/file/reading.hpp"

namespace kiln {
namespace {

void check_fits_model(const Node& node, const std::string& path, const Model& model) {
  const Node& view = *find(node, "view");
  if (view.text() == "solid" && model.lattice.dimension == 2)
    fail_at(view, fmt::format("{}.view is \"solid\", but the lattice is 2-D; take \"slice\".", path));
  const Node& colour = *find(node, "colour");
  if (colour.text() == "act" && !model.uses_act())
    fail_at(colour, fmt::format("{}.colour is \"act\", but no cell type has an act term.", path));
  const Node* axis = find(node, "axis");
  if (axis != nullptr && axis->text() != "z" && model.lattice.dimension == 2)
    fail_at(*axis, fmt::format("{}.axis is \"{}\", but must be \"z\" in 2-D.", path, axis->text()));
}

int axis_of(const Node& node) {
  const Node* axis = find(node, "axis");
  return axis == nullptr || axis->text() == "z" ? 2 : axis->text() == "y" ? 1 : 0;
}

void complete_position(Node& node, const std::string& path, const Lattice& lattice) {
  const int64_t length = lattice.size[axis_of(node)];
  if (find(node, "position") == nullptr) put(node, "position", {length / 2, node.place});
  const Node& position = *find(node, "position");
  if (position.whole() >= length)
    fail_at(position, fmt::format("{}.position is {}, but must lie between 0 and {} (sites).", path,
                                  position.whole(), length - 1));
}

// What a picture is asked to be must be possible.
void check_height(const Node& node, const std::string& path, const PictureSettings& picture,
                  const Lattice& lattice) {
  if (picture.view != PictureSettings::View::slice || picture.frame != PictureSettings::FrameOf::lattice)
    return;
  const double columns = lattice.size[lattice.dimension == 3 && picture.axis == 0 ? 1 : 0];
  const double rows = lattice.size[lattice.dimension == 3 && picture.axis != 2 ? 2 : 1];
  if (picture.width / columns * rows <= kTallestPicture) return;
  fail_at(*find(node, "width"),
          fmt::format("{}.width is {}, which makes a picture of {} x {} sites {:.0f} pixels high; at most {} "
                      "are possible, "
                      "that is a width of {:.0f}.",
                      path, picture.width, columns, rows, picture.width / columns * rows, kTallestPicture,
                      std::floor(kTallestPicture / rows * columns)));
}

PictureSettings read_picture(const Reading& r, Node& node, const std::string& path) {
  node = complete_section(node, kPictureSection, path, r.scope);
  check_fits_model(node, path, r.model);
  PictureSettings result;
  const std::string view = find(node, "view")->text();
  const std::string colour = find(node, "colour")->text();
  if (find(node, "name") == nullptr) put(node, "name", {view + "-" + colour, node.place});
  result.name = find(node, "name")->text();
  result.colour_by = *colour_named(r.model, colour);
  if (result.shows_number()) result.shown = colour;
  if (const Node* range = find(node, "range")) {
    for (const Node& end : *range->array()) result.range.push_back(end.real());
    if (result.range.size() != 2 || !(result.range[0] < result.range[1]))
      fail_at(*range, fmt::format("{}.range is {}, but must be two numbers, the smaller one first.", path,
                                  inline_toml(*range)));
    if (!result.shows_number())
      fail_at(
          *range,
          fmt::format("{}.range goes with the colour of a property or a substance, but {}.colour is \"{}\".",
                      path, path, colour));
  }
  if (find(node, "frame") == nullptr)
    put(node, "frame", {std::string(r.model.migrates() ? "lattice" : "tissue"), node.place});
  result.frame = find(node, "frame")->text() == "tissue" ? PictureSettings::FrameOf::tissue
                                                         : PictureSettings::FrameOf::lattice;
  const std::string decoration = find(node, "decoration")->text();
  result.decoration = decoration == "full"    ? PictureSettings::Decoration::full
                      : decoration == "scale" ? PictureSettings::Decoration::scale
                                              : PictureSettings::Decoration::none;
  result.width = int(find(node, "width")->whole());
  result.every = find(node, "every")->whole();
  result.animation = find(node, "animation")->flag();
  result.mp4 = find(node, "mp4")->flag();
  if (view == "slice") {
    result.view = PictureSettings::View::slice;
    complete_position(node, path, r.model.lattice);
    result.axis = axis_of(node);
    result.position = int32_t(find(node, "position")->whole());
    result.borders = find(node, "borders")->flag();
  } else {
    result.view = PictureSettings::View::solid;
    result.cut_away = find(node, "cut_away")->flag();
    result.one_cell_in = find(node, "one_cell_in")->whole();
    result.turn = find(node, "turn")->real();
    result.tilt = find(node, "tilt")->real();
  }
  check_height(node, path, result, r.model.lattice);
  sort_keys(node, kPictureSection);
  return result;
}

Node::Array default_pictures(const Reading& r) {
  Node slice{Node::Table{}, r.given.place}, solid = slice;
  put(solid, "view", {std::string("solid"), r.given.place});
  if (r.model.lattice.dimension == 2) return {slice};
  return {slice, solid};
}

void read_pictures(Reading& r) {
  Node::Array given = tables_of(r.given, kPictureSection.name);
  if (find(r.given, kPictureSection.name) == nullptr) given = default_pictures(r);
  std::set<std::string> names;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string path = fmt::format("{}.{}", kPictureSection.name, i);
    r.model.pictures.push_back(read_picture(r, given[i], path));
    if (!names.insert(r.model.pictures.back().name).second)
      fail_at(given[i],
              fmt::format("{}.name is \"{}\", but an earlier picture has that name; give it another.", path,
                          r.model.pictures.back().name));
  }
  put(r.complete, kPictureSection.name, {std::move(given), r.given.place});
}

std::vector<SpeedBin> reference_speeds(Node& file, const Model& model) {
  const std::string absolute = absolute_file(model, file.text());
  try {
    std::vector<SpeedBin> bins = read_speed_table(absolute);
    // Resolved models are kept elsewhere, and must still find their files.
    file.value = absolute;
    return bins;
  } catch (const UserError& error) {
    fail_at(file, fmt::format("measure.reference_speeds cannot be used: {}", error.what()));
  }
}

std::vector<double> reals_in(const Node& node) {
  if (node.array() == nullptr) return {node.real()};
  std::vector<double> values;
  for (const Node& item : *node.array()) values.push_back(item.real());
  return values;
}

// Two intervals of as many MCS would be the same rows twice.
std::vector<int64_t> intervals_of(const Node& node, double seconds_per_mcs) {
  std::vector<int64_t> intervals;
  for (const double seconds : reals_in(node)) {
    if (seconds == 0 && node.array() == nullptr) return {};
    if (seconds == 0)
      fail_at(node, fmt::format("measure.speed_interval_s is {}, but every entry of a list must be above 0.",
                                inline_toml(node)));
    const int64_t mcs = std::max<int64_t>(1, std::llround(seconds / seconds_per_mcs));
    if (std::find(intervals.begin(), intervals.end(), mcs) != intervals.end())
      fail_at(node, fmt::format("measure.speed_interval_s is {}, in which {} MCS stand twice.",
                                inline_toml(node), mcs));
    intervals.push_back(mcs);
  }
  return intervals;
}

void read_speeds(const Reading& r, Node& measure, MeasureSettings& settings) {
  if (find(measure, "speed_interval_s") == nullptr)
    put(measure, "speed_interval_s", {settings.every > 0 ? 120.0 : 0.0, measure.place});
  settings.speed_intervals_mcs =
      intervals_of(*find(measure, "speed_interval_s"), r.model.units.seconds_per_mcs);
  settings.arrest_below_um_per_min = find(measure, "arrest_below_um_per_min")->real();
  Node* reference = find(measure, "reference_speeds");
  if (reference == nullptr) return;
  if (settings.speed_intervals_mcs.empty())
    fail_at(*reference, "measure.reference_speeds needs speeds; give measure.speed_interval_s above 0.");
  settings.reference_speeds = reference_speeds(*reference, r.model);
}

void read_halves(const Reading& r, const Node& measure, MeasureSettings& settings) {
  const Node &halves = *find(measure, "halves"), &within = *find(measure, "mixed_within_um");
  settings.mixed_within_um = reals_in(within);
  if (halves.text() == "none" && !settings.mixed_within_um.empty())
    fail_at(within, "measure.mixed_within_um tells how halves mix; give measure.halves.");
  if (halves.text() == "none") return;
  if (halves.text() == "z" && r.model.lattice.dimension == 2)
    fail_at(halves, "measure.halves is \"z\", but must be \"x\" or \"y\" in 2-D.");
  settings.halves = halves.text()[0] - 'x';
}

void read_correlation(const Node& measure, MeasureSettings& settings) {
  const Node& wanted = *find(measure, "direction_correlation");
  settings.direction_correlation = wanted.flag();
  settings.correlation_distance_um = find(measure, "correlation_distance_um")->real();
  settings.correlation_cells = find(measure, "correlation_cells")->whole();
  if (settings.direction_correlation && (settings.speed_intervals_mcs.empty() || settings.cells_every == 0))
    fail_at(wanted,
            "measure.direction_correlation needs steps of cells; give measure.speed_interval_s and "
            "measure.cells_every above 0.");
}

void read_tracks(const Node& measure, MeasureSettings& settings) {
  using Format = MeasureSettings::CellsFormat;
  settings.cells_every = find(measure, "cells_every")->whole();
  const std::string& format = find(measure, "cells_format")->text();
  settings.cells_format = format == "csv" ? Format::csv : format == "hdf5" ? Format::hdf5 : Format::automatic;
  if (const Node* given = find(measure, "one_cell_in")) settings.one_cell_in = given->whole();
}

void read_output(const Node& output, OutputSettings& settings) {
  settings.lattice_every = find(output, "lattice_every")->whole();
  settings.checkpoint_every = find(output, "checkpoint_every")->whole();
  const std::string& format = find(output, "lattice_format")->text();
  settings.lattice_hdf5 = format != "ome-tiff";
  settings.lattice_ome_tiff = format != "hdf5";
}

void read_settings(Reading& r, Node& measure) {
  MeasureSettings& settings = r.model.measure;
  settings.every = find(measure, "every")->whole();
  read_tracks(measure, settings);
  read_speeds(r, measure, settings);
  settings.explored = find(measure, "explored")->flag();
  settings.explored_cells = find(measure, "explored_cells")->whole();
  read_halves(r, measure, settings);
  read_correlation(measure, settings);
  const auto require_rows = [&](const char* key, bool wanted) {
    if (wanted && settings.every == 0)
      fail_at(*find(measure, key),
              fmt::format("measure.{} stands in measures.csv; give measure.every above 0.", key));
  };
  require_rows("explored", settings.explored);
  require_rows("halves", settings.halves.has_value());
  sort_keys(measure, kMeasureSection);
}

}  // namespace

void read_measure(Reading& r) {
  const auto section = [&r](const Section& s) -> Node& {
    return put(r.complete, s.name,
               complete_section(table_of(r.given, s.name), s, std::string(s.name), r.scope));
  };
  read_settings(r, section(kMeasureSection));
  read_pictures(r);
  read_output(section(kOutputSection), r.model.output);
}

}  // namespace kiln
