#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "model/branch.hpp"
#include "model/file/read.hpp"
#include "output/picture/animation.hpp"
#include "output/picture/picture.hpp"
#include "output/picture/video.hpp"
#include "output/run/folder.hpp"
#include "output/state/snapshot.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

// ": dye, o2", those that colours can show; "" without any.
std::string names_of_numbers(const Model& model) {
  std::vector<std::string> names;
  if (model.living != nullptr)
    for (const Property& property : model.living->properties) names.push_back(property.name);
  for (const SubstanceData& substance : model.substances) names.push_back(substance.name);
  return names.empty() ? " (it has none)" : fmt::format(" ({})", fmt::join(names, ", "));
}

// Framed as the model's first picture, unless told otherwise.
PictureSettings framed(const RenderOptions& options, const Model& model) {
  PictureSettings picture = options.picture;
  if (options.frame)
    picture.frame = *options.frame;
  else if (!model.pictures.empty())
    picture.frame = model.pictures.front().frame;
  const std::optional<PictureSettings::ColourBy> colour = colour_named(model, options.colour);
  if (!colour)
    throw UserError(
        fmt::format("--colour is {}, but must be type, cell, act, or one of the model's properties and "
                    "substances{}.",
                    options.colour, names_of_numbers(model)));
  picture.colour_by = *colour;
  if (picture.shows_number()) picture.shown = options.colour;
  if (!picture.range.empty() && (!picture.shows_number() || !(picture.range[0] < picture.range[1])))
    throw UserError(
        fmt::format("--range goes with the colour of a property or a substance, the smaller value first."));
  return picture;
}

fs::path picture_file(const RenderOptions& options, const fs::path& otherwise) {
  const fs::path out = options.out.empty() ? otherwise : fs::path(options.out);
  const bool is_film = options.animation && out.extension() == ".mp4";
  if (!is_film) check_output(out, kPngPicture);
  return out;
}

int render_run(const RenderOptions& options) {
  const RunFolder folder = run_with_snapshots(options.what);
  const Model model = read_model(folder.model(), options.set);
  if (options.animation) {
    AnimationWriter animation(0.12);
    PictureSeries series(framed(options, model), model);
    for (const int64_t mcs : snapshot_times(folder.path))
      animation.add(series.draw_png(read_snapshot(folder.path, mcs, property_names(model))));
    const fs::path out = picture_file(options, folder.pictures() / "render.png");
    if (out.extension() != ".mp4")
      animation.finish(out);
    else if (const auto problem = write_mp4(animation, out))
      throw Failure(fmt::format("cannot write {}: {}.", out.string(), *problem));
    fmt::print("{}: {} frames\n", out.string(), animation.frames());
    return 0;
  }
  const State state = read_snapshot(folder.path, options.mcs, property_names(model));
  const fs::path out = picture_file(options, folder.pictures() / fmt::format("render_{:08}.png", state.mcs));
  write_text_atomically(out, png_file(PictureSeries(framed(options, model), model).draw_png(state)));
  fmt::print("{}\n", out.string());
  return 0;
}

int render_first_state(const RenderOptions& options) {
  if (options.mcs && *options.mcs != 0)
    throw UserError(
        fmt::format("--mcs is {}, but a model file has only its first state (0); give a run's folder "
                    "for later ones.",
                    *options.mcs));
  const Model model = read_model(options.what, options.set);
  const fs::path out = picture_file(options, fs::path(options.what).stem().string() + ".png");
  write_text_atomically(
      out, png_file(PictureSeries(framed(options, model), model).draw_png(initial_state(model))));
  fmt::print("{}\n", out.string());
  return 0;
}

}  // namespace

int render_command(const RenderOptions& options) {
  return fs::is_directory(options.what) ? render_run(options) : render_first_state(options);
}

}  // namespace kiln
