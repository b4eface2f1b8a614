#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "model/file/read.hpp"
#include "output/picture/animation.hpp"
#include "output/picture/picture.hpp"
#include "output/picture/png.hpp"
#include "output/run/folder.hpp"
#include "output/state/snapshot.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

int render_run(const RenderOptions& options) {
  const RunFolder folder = finished_run(options.what);
  const Model model = read_model(folder.model(), options.set);
  if (options.animation) {
    AnimationWriter animation(0.12);
    for (const int64_t mcs : snapshot_times(folder.lattice()))
      animation.add(draw(options.picture, model, read_snapshot(folder.lattice(), mcs)));
    const fs::path out = options.out.empty() ? folder.pictures() / "render.png" : fs::path(options.out);
    animation.finish(out);
    fmt::print("{}: {} frames\n", out.string(), animation.frames());
    return 0;
  }
  const State state = read_snapshot(folder.lattice(), options.mcs);
  const fs::path out = options.out.empty() ? folder.pictures() / fmt::format("render_{:08}.png", state.mcs)
                                           : fs::path(options.out);
  write_png(draw(options.picture, model, state), out);
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
  const fs::path out =
      options.out.empty() ? fs::path(fs::path(options.what).stem().string() + ".png") : fs::path(options.out);
  write_png(draw(options.picture, model, initial_state(model)), out);
  fmt::print("{}\n", out.string());
  return 0;
}

}  // namespace

int render_command(const RenderOptions& options) {
  return fs::is_directory(options.what) ? render_run(options) : render_first_state(options);
}

}  // namespace kiln
