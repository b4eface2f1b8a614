#include "cli/cli.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/tell.hpp"
#include "base/text.hpp"
#include "base/wording.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "engine/ranks/crew.hpp"
#include "engine/ranks/join.hpp"
#include "simulation/bench_cases.hpp"

namespace kiln {
namespace {

void add_engine_options(CLI::App& command, EngineOptions& options) {
  command.add_option("--engine", options.engine, "auto, serial, threads or cuda")->capture_default_str();
  command.add_option("--schedule", options.schedule,
                     "order of the copy attempts: tiles, checkerboard, or serial with --engine serial");
  command
      .add_option("--threads", options.threads,
                  "for --engine threads; 0: one per core that the job was given")
      ->capture_default_str();
  command.add_option("--device", options.device, "which GPU, for --engine cuda")->capture_default_str();
}

// Where there is a --device.
void add_devices_option(CLI::App& command, std::string& devices, const std::string& meaning) {
  command
      .add_option_function<std::string>(
          "--devices",
          [&devices](const std::string& text) {
            if (text.empty()) throw UserError("--devices is \"\", but must be all, or numbers of GPUs.");
            devices = text;
          },
          meaning)
      ->type_name("all|LIST")
      ->excludes(command.get_option("--device"));
}

void add_bricks_option(CLI::App& command, EngineOptions& options) {
  command
      .add_option("--bricks", options.bricks,
                  "cuts the lattice into so many bricks along its axes, which share the threads, or the "
                  "GPUs: the same "
                  "bits")
      ->type_name("NxNxN");
  add_devices_option(
      command, options.devices,
      "which GPUs play it together, as 0,1, or all: a brick each, or the --bricks dealt to them");
}

void add_set_option(CLI::App& command, std::vector<std::string>& set) {
  command
      .add_option("--set", set,
                  "changes a key of the model, as in --set types.cell.volume.lambda=5; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_duration(CLI::App& command, const std::string& name, double& seconds, const std::string& what,
                  bool may_be_zero) {
  command
      .add_option_function<std::string>(
          name,
          [name, &seconds, may_be_zero](const std::string& text) {
            const std::optional<double> given = seconds_in(text);
            if (!given)
              throw UserError(
                  fmt::format("{} is \"{}\", but must be a duration such as 1h30m, 90min or 5400 "
                              "(seconds).",
                              name, text));
            if (*given == 0 && !may_be_zero)
              throw UserError(
                  fmt::format("{} is \"{}\", but must be longer than 0; leave it out for none.", name, text));
            seconds = *given;
          },
          what)
      ->type_name("TIME");
}

// An empty name is what an unset variable of a script leaves.
void add_folder(CLI::App& command, std::string& folder, const std::string& what) {
  command
      .add_option_function<std::string>(
          "--out",
          [&folder](const std::string& text) {
            if (text.empty()) throw UserError("--out is \"\", but must name a folder.");
            folder = text;
          },
          what)
      ->type_name("DIR");
}

void add_viewer_options(CLI::App& command, view::ViewOptions& options) {
  constexpr int kMostPort = 65535;
  add_whole(command, "--port", options.port, 1, kMostPort,
            fmt::format("of the viewer [{}, or a free one where that is taken]", http::kUsualPort));
  command
      .add_option_function<std::string>(
          "--listen",
          [&options](const std::string& text) {
            if (text.empty()) throw UserError("--listen is \"\", but must be an address of this machine.");
            options.listen = text;
          },
          "address at which the viewer is reached; others than [127.0.0.1] open it to the network")
      ->type_name("ADDR");
}

void add_run(CLI::App& app, RunOptions& o) {
  CLI::App& c = *app.add_subcommand("run", "Runs a model, or the demo when none is given");
  c.add_option("MODEL", o.model, "model file (TOML); see docs/model-file.md");
  add_engine_options(c, o.engine);
  add_bricks_option(c, o.engine);
  add_whole(c, "--mcs", o.mcs, 0, kMostMcs, "Monte Carlo steps in all, instead of the model's");
  add_whole(c, "--seed", o.seed, 0, kMostSeed, "seed of the random numbers, instead of the model's");
  add_set_option(c, o.set);
  add_folder(c, o.out, "folder for the results [runs/NAME]");
  auto* force = c.add_flag("--force", o.force, "replaces an earlier run in that folder");
  c.add_flag("--resume", o.resume, "goes on with the run in that folder from its checkpoint")
      ->excludes(force);
  c.add_option("--from", o.from,
               "starts with the state of another run, at its MCS: its folder or a checkpoint")
      ->type_name("RUN");
  add_duration(
      c, "--time-limit", o.times.limit_s,
      "ends with a checkpoint before this time has passed, with exit code 75; as 1h30m, 90min or 5400 "
      "(seconds)",
      false);
  add_duration(c, "--checkpoint-every", o.times.checkpoint_every_s,
               "time between checkpoints, beside those of the model [30min]; 0: none", true);
  c.add_flag("--json", o.json, "prints only a JSON object about the run");
  c.add_flag("--view", o.view, "shows it in a browser while it runs; see docs/viewer.md");
  auto* steer = c.add_flag("--steer", o.steer, "with --view: it can be paused and changed from there");
  add_viewer_options(c, o.viewer);
  c.add_option("--replay", o.replay,
               "repeats a steered run with all changes; without MODEL that of its folder")
      ->type_name("RUN")
      ->excludes(steer);
  c.footer(
      "\nCtrl-C, SIGTERM and other signals end a run cleanly, with a checkpoint and exit code 128 + signal. "
      "See docs/long-runs.md. `kiln info --tables` explains the columns of its tables.");
}

void add_share_options(CLI::App& command, SweepOptions& o) {
  add_devices_option(command, o.devices,
                     "which GPUs play it, as 0,1,3, or all: combinations are dealt to them");
  command
      .add_option_function<std::string>(
          "--shard", [&o](const std::string& text) { o.shard = parse_shard(text); },
          "plays the I-th of N shards, every N-th run, in a folder of its own within that of the sweep; "
          "--resume without --shard then puts all of them together")
      ->type_name("I/N");
}

void add_sweep(CLI::App& app, SweepOptions& o) {
  CLI::App& c = *app.add_subcommand("sweep", "Runs a model with many values of its parameters");
  c.add_option("MODEL", o.model, "model file (TOML)")->required();
  c.add_option("--vary", o.vary,
               "a key and its values: a list, as temperature=5,10,20, or a range LO:HI:STEP, as "
               "types.cell.act.lambda=200:3000:200; of several --vary all combinations are run, and of "
               "KEY,KEY=VALUES both keys take each value together")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  c.add_option("--replicas", o.replicas, "runs of each combination, with seeds of their own")
      ->capture_default_str();
  add_engine_options(c, o.engine);
  add_whole(c, "--mcs", o.mcs, 0, kMostMcs, "Monte Carlo steps of every run, instead of the model's");
  add_whole(c, "--seed", o.seed, 0, kMostSeed,
            "that the seeds of all runs are drawn from, instead of the model's");
  add_set_option(c, o.set);
  add_share_options(c, o);
  add_folder(c, o.out, "folder for the tables [runs/NAME-sweep]");
  auto* force = c.add_flag("--force", o.force, "replaces an earlier sweep in that folder");
  c.add_flag("--resume", o.resume,
             "goes on with the sweep in that folder: runs in it, and in its shards, are not run again")
      ->excludes(force);
  c.add_flag("--json", o.json, "prints only a JSON object about the sweep");
  c.footer(
      "\nLeaves sweep.csv, a row per run, and measures.csv, a row per run and time. Exit code 1: some runs "
      "failed; they are listed at the end. See docs/sweeps.md; `kiln info --tables` explains the columns.");
}

void add_bench(CLI::App& app, BenchOptions& o) {
  CLI::App& c = *app.add_subcommand("bench", "Times a standard case");
  std::string cases = "one of";
  for (const BenchCase& b : bench_cases()) cases += fmt::format("\n{} ({})", b.name, b.what);
  c.add_option("CASE", o.name, cases)->required();
  c.add_option("--size", o.size, "edge of the lattice, in sites");
  add_engine_options(c, o.engine);
  add_bricks_option(c, o.engine);
  add_whole(c, "--mcs", o.mcs, 0, kMostMcs, "steps to time, after a burn-in of as many");
  c.add_option("--replicas", o.replicas, "plays so many at once, with seeds 1, 2, ...");
  c.add_option("--set", o.set, "changes the case, as in --set schedule.checkerboard.switch_every=16")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  c.add_flag("--json", o.json, "prints a JSON object");
  // For the paper's Fig. 6A alone.
  BoardKernels& kernels = o.engine.board_kernels;
  c.add_flag("!--no-cache", kernels.cached)->group("");
  c.add_flag("!--generic", kernels.specialised)->group("");
  c.add_flag_callback("--all-terms", [&kernels] {
     kernels.specialised = kernels.skipping = false;
   })->group("");
}

void add_fidelity(CLI::App& app, FidelityOptions& o) {
  CLI::App& c = *app.add_subcommand("fidelity", "Measures a schedule against the serial chain");
  c.add_flag("--quick", o.quick, "two minutes on two cores; open questions do not fail it");
  auto* close =
      c.add_flag("--close", o.close,
                 "tests models with fidelity = \"close\", with closer limits on spreads and displacement");
  c.add_flag("--strict", o.strict, "likewise, with fidelity = \"strict\"")->excludes(close);
  add_engine_options(c, o.engine);
  add_folder(c, o.out, "folder for fidelity.csv and fidelity.html [runs/fidelity]");
  c.add_option(
       "--only", o.only,
       "one scenario: dense3d, act3d, chemotaxis2d, sorting2d, soft2d, soft3d, length2d, collective3d, "
       "persistent3d, growth2d or substance2d")
      ->type_name("SCENARIO");
  c.add_option("--set", o.set,
               "changes the tested models alone, as in --set temperature=21, to see what the suite notices")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  c.add_flag("--json", o.json, "prints only a JSON object about the outcome");
}

void add_validate(CLI::App& app, ValidateOptions& o) {
  CLI::App& c = *app.add_subcommand("validate", "Checks a model file and explains it in words");
  c.add_option("MODEL", o.model, "model file (TOML)")->required();
  add_set_option(c, o.set);
}

void add_plan(CLI::App& app, PlanOptions& o) {
  CLI::App& c = *app.add_subcommand("plan", "Says what a run will need: memory, messages, time, disk");
  c.add_option("MODEL", o.model, "model file (TOML)")->required();
  add_whole(c, "--ranks", o.ranks, 1, 1'000'000, "GPUs, or cores, that play it together [1]");
  c.add_option("--on", o.on, "what a rank is: h200 or core")->capture_default_str();
  c.add_option("--bricks", o.bricks, "how the lattice is cut [by the least surface]")->type_name("NxNxN");
  add_whole(c, "--mcs", o.mcs, 0, kMostMcs, "Monte Carlo steps, instead of the model's");
  add_set_option(c, o.set);
  c.add_flag("--json", o.json, "prints a JSON object");
  c.footer("\nNothing is played. It says what was measured and what is assumed. See docs/clusters.md.");
}

void add_render(CLI::App& app, RenderOptions& o) {
  CLI::App& c = *app.add_subcommand("render", "Draws a run's saved states, or the first state of a model");
  using View = PictureSettings::View;
  using FrameOf = PictureSettings::FrameOf;
  using Decoration = PictureSettings::Decoration;
  PictureSettings& p = o.picture;
  p.name = "render";
  c.add_option("WHAT", o.what, "a run's folder or a model file")->required();
  add_whole(c, "--mcs", o.mcs, 0, kMostMcs, "which saved state [the last]");
  c.add_option("--out", o.out, "the PNG file, or of an animation an MP4 file")->type_name("FILE");
  add_choice<View>(c, "--view", p.view, {{"slice", View::slice}, {"solid", View::solid}},
                   "slice (a plane) or solid (shaded surfaces)")
      ->type_name("VIEW");
  c.add_option("--colour,--color", o.colour, "by type, cell, act, or the name of a property or a substance")
      ->capture_default_str()
      ->type_name("WHAT");
  c.add_option("--range", p.range, "colours by a number: the two values at the ends of the scale")
      ->expected(2)
      ->option_text("LOW HIGH");
  add_choice<int>(c, "--axis", p.axis, {{"x", 0}, {"y", 1}, {"z", 2}},
                  "slice: the axis that is cut across, x, y or z")
      ->type_name("AXIS");
  c.add_option("--position", p.position, "slice: where along the axis [the middle]");
  c.add_flag("--borders", p.borders, "slice: lines between cells [yes]");
  c.add_flag_callback(
      "--no-borders", [&p] { p.borders = false; }, "slice: none");
  add_choice<FrameOf>(c, "--frame", o.frame, {{"lattice", FrameOf::lattice}, {"tissue", FrameOf::tissue}},
                      "what fills the picture: lattice or tissue [as the model's first picture has it]")
      ->type_name("WHAT");
  add_whole(c, "--width", p.width, 0, kWidestPicture,
            "of the picture, in pixels [a whole number of them per site]")
      ->type_name("PIXELS");
  add_choice<Decoration>(
      c, "--decoration", p.decoration,
      {{"full", Decoration::full}, {"scale", Decoration::scale}, {"none", Decoration::none}},
      "below the picture: full, scale (and time) or none")
      ->type_name("WHAT");
  c.add_flag("--cut-away", p.cut_away, "solid: takes the nearest octant out");
  add_whole(c, "--one-cell-in", p.one_cell_in, 1, 1'000'000'000,
            "solid: draws one cell in so many, and leaves out the others but frozen ones")
      ->type_name("N");
  c.add_option("--turn", p.turn, "solid: where the camera stands, degrees around")->capture_default_str();
  c.add_option("--tilt", p.tilt, "solid: degrees above the horizon")->capture_default_str();
  c.add_flag("--animation", o.animation, "all saved states as an animated PNG");
  add_set_option(c, o.set);
}

void add_view(CLI::App& app, ViewFolderOptions& o) {
  CLI::App& c = *app.add_subcommand("view", "Shows a run's saved states in a browser; see docs/viewer.md");
  c.add_option("RUN", o.run, "a run's folder, finished or under way")->required();
  add_viewer_options(c, o.viewer);
}

void add_export(CLI::App& app, ExportOptions& o) {
  CLI::App& c = *app.add_subcommand("export",
                                    "Writes a run's saved states as OME-TIFF, the cells' ids as labels, for "
                                    "Fiji and napari; or its lineage");
  c.add_option("RUN", o.run, "a run's folder")->required();
  auto* mcs = add_whole(c, "--mcs", o.mcs, 0, kMostMcs, "which saved state [the last]");
  c.add_flag("--all", o.all, "all of them, one file each")->excludes(mcs);
  using Lineage = ExportOptions::Lineage;
  add_choice<Lineage>(
      c, "--lineage", o.lineage, {{"newick", Lineage::newick}, {"ctc", Lineage::challenge}},
      "who came from whom, in place of states: newick (a tree for every first cell) or ctc (the "
      "table of the Cell Tracking Challenge; its frames are the saved states)")
      ->type_name("FORMAT")
      ->excludes(mcs);
  c.add_option("--out", o.out,
               "[labels/labels_MCS.ome.tif, lineage.nwk or res_track.txt in the run's folder]")
      ->type_name("FILE");
}

void add_import(CLI::App& app, ImportOptions& o) {
  CLI::App& c = *app.add_subcommand(
      "import",
      "Shows what a model would make of an image: figures, preview pictures, lines for a model file");
  c.add_option("FILE", o.file, "TIFF, OME-TIFF, a folder of TIFF slices, PNG, .npy or HDF5")->required();
  c.add_option("--dataset", o.placement.part.dataset, "HDF5: which one");
  add_whole(c, "--channel", o.placement.part.channel, 0, kMostPart, "of several, from 0");
  add_whole(c, "--time", o.placement.part.time, 0, kMostPart, "of a series, from 0");
  c.add_option("--voxel-um", o.voxel_um, "edges of a voxel: one number, or x y z [what the file says]")
      ->expected(1, 3)
      ->check(between(1e-6, 1e6))
      ->option_text("EDGE | X Y Z");
  c.add_option("--site-um", o.site_um, "edge of a site of the lattice [the narrowest edge of a voxel]")
      ->check(between(1e-6, 1e6));
  c.add_option("--crop-from", o.crop_from, "first voxel that is used; in a stack x y z, else x y")
      ->expected(2, 3)
      ->option_text("X Y [Z]");
  c.add_option("--crop-to", o.crop_to, "first voxel that is not used any more, beyond the part")
      ->expected(2, 3)
      ->option_text("X Y [Z]");
  c.add_option("--smooth-um", o.segmentation.smooth_um, "Gaussian, standard deviation")
      ->check(between(0, 1e6));
  c.add_option("--threshold", o.segmentation.threshold, "[Otsu's]")->check(between(-1e30, 1e30));
  c.add_flag("--below", o.segmentation.below, "keeps what is below the threshold");
  c.add_option("--specks-um3", o.segmentation.specks_um3, "drops smaller pieces")->check(between(0, 1e18));
  c.add_option("--close-um", o.segmentation.close_um, "fills gaps narrower than a ball of this radius")
      ->check(between(0, 1e6));
  c.add_flag("--labels", o.labels, "the values are labels, one cell each");
  add_folder(c, o.out, "folder for the pictures [import]");
}

void add_phantom(CLI::App& app, PhantomOptions& o) {
  CLI::App& c =
      *app.add_subcommand("phantom", "Writes a stack that looks like a microscope's, to try imports");
  std::string kinds = "one of";
  for (const PhantomKind& k : kPhantoms) kinds += fmt::format("\n{} ({})", k.name, k.what);
  c.add_option("KIND", o.kind, kinds)->required();
  c.add_option("--size-um", o.size_um, "x y z [128 128 64]")
      ->expected(3)
      ->check(between(8, 1e5))
      ->option_text("X Y Z");
  c.add_option("--voxel-um", o.voxel_um, "edges of a voxel, x y z [0.5 0.5 1]")
      ->expected(3)
      ->check(between(0.05, 100))
      ->option_text("X Y Z");
  c.add_option("--noise", o.settings.noise, "in units of the noise of counted photons")
      ->check(between(0, 100))
      ->capture_default_str();
  add_whole(c, "--seed", o.settings.seed, 0, kMostSeed, "of the random numbers [1]");
  c.add_option("--out", o.out, "a .tif, .tiff or .npy file [KIND.tif]")->type_name("FILE");
}

void add_info(CLI::App& app, InfoOptions& o) {
  CLI::App& c = *app.add_subcommand("info", "Says what this build and this machine can do");
  c.add_flag("--tables", o.tables, "instead, what every column of every table is: docs/tables.md");
}

// A command that does not exist, in a sentence that names the nearest.
void check_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::vector<const CLI::App*> commands = app.get_subcommands([](const CLI::App*) { return true; });
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (std::find(known.begin(), known.end(), argv[1]) != known.end()) return;
  const std::string_view near = nearest_name(argv[1], known);
  throw UserError(fmt::format("there is no command {}; {}", argv[1],
                              near.empty() ? fmt::format("there are {}.", fmt::join(known, ", "))
                                           : fmt::format("did you mean {}?", near)));
}

// What processes have to agree on is told to the first; it alone talks and writes. What is not played by all
// of them is done by it alone.
bool is_played_together(const CLI::App& app) {
  return app.got_subcommand("run") || app.got_subcommand("bench");
}

void refuse_for_many(const CLI::App& app, const Crew& crew) {
  for (const char* command : {"sweep", "fidelity"})
    if (app.got_subcommand(command))
      throw UserError(
          fmt::format("kiln {} is not played by several processes together, but {} were started; start one.",
                      command, crew.ranks()));
}

int dispatch(int argc, char** argv, Crew* crew) {
  const bool talks = crew == nullptr || crew->leads();
  CLI::App app{"Kiln simulates tissues with the Cellular Potts Model.", "kiln"};
  app.set_version_flag("--version", KILN_VERSION);
  app.require_subcommand(1);
  app.footer(
      "\n`kiln COMMAND --help` tells more, `kiln info --tables` what is in the tables. Exit code 2: "
      "something in the call or the model is wrong; 1: a "
      "failure.");
  RunOptions run;
  SweepOptions sweep;
  BenchOptions bench;
  FidelityOptions fidelity;
  ValidateOptions validate;
  PlanOptions plan;
  RenderOptions render;
  ViewFolderOptions viewed;
  ExportOptions exported;
  ImportOptions import;
  PhantomOptions phantom;
  InfoOptions info;
  add_run(app, run);
  add_sweep(app, sweep);
  add_bench(app, bench);
  add_fidelity(app, fidelity);
  add_validate(app, validate);
  add_plan(app, plan);
  add_info(app, info);
  add_render(app, render);
  add_view(app, viewed);
  add_export(app, exported);
  add_import(app, import);
  add_phantom(app, phantom);
  check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return (talks ? app.exit(e) : e.get_exit_code()) == 0 ? 0 : 2;
  }
  if (crew != nullptr) {
    refuse_for_many(app, *crew);
    if (!talks && !is_played_together(app)) return 0;
    run.engine.crew = bench.engine.crew = crew;
  }
  if (app.got_subcommand("run")) return run_command(run);
  if (app.got_subcommand("sweep")) return sweep_command(sweep);
  if (app.got_subcommand("bench")) return bench_command(bench);
  if (app.got_subcommand("fidelity")) return fidelity_command(fidelity);
  if (app.got_subcommand("plan")) return plan_command(plan);
  if (app.got_subcommand("validate")) return validate_command(validate);
  if (app.got_subcommand("render")) return render_command(render);
  if (app.got_subcommand("view")) return view_command(viewed);
  if (app.got_subcommand("export")) return export_command(exported);
  if (app.got_subcommand("import")) return import_command(import);
  if (app.got_subcommand("phantom")) return phantom_command(phantom);
  return info_command(info);
}

// Whether the path that was given is wrong, rather than the disk.
bool is_of_the_path(const std::error_code& code) {
  const std::errc wrong[] = {std::errc::no_such_file_or_directory,
                             std::errc::not_a_directory,
                             std::errc::is_a_directory,
                             std::errc::permission_denied,
                             std::errc::operation_not_permitted,
                             std::errc::read_only_file_system,
                             std::errc::filename_too_long,
                             std::errc::too_many_symbolic_link_levels,
                             std::errc::invalid_argument};
  return std::any_of(std::begin(wrong), std::end(wrong), [&](std::errc e) { return code == e; });
}

// What came of a command: the exit code and, where it failed, why.
struct Outcome {
  int code = 0;
  std::string why;
};

Outcome outcome_of(const std::function<int()>& command) {
  try {
    return {command(), ""};
  } catch (const UserError& e) {
    return {2, e.what()};
  } catch (const std::bad_alloc&) {
    return {1, "not enough memory."};
  } catch (const std::filesystem::filesystem_error& e) {
    return {is_of_the_path(e.code()) ? 2 : 1,
            fmt::format("cannot use {}: {}.", e.path1().string(), e.code().message())};
  } catch (const std::system_error& e) {
    const bool threads = e.code() == std::errc::resource_unavailable_try_again;
    return {1, fmt::format("{}{}.",
                           threads ? "no further thread can be started, for lack of memory or of processes "
                                     "that are allowed; --threads sets how many: "
                                   : "",
                           e.code().message())};
  } catch (const std::exception& e) {
    return {1, e.what()};
  }
}

// However a rank has ended, no other waits for it.
int leave(Crew& crew, const Outcome& outcome) {
  if (!crew.has_met()) {
    crew.stay_away(outcome.why);
  } else if (!outcome.why.empty() && (crew.is_busy() || !crew.leads())) {
    if (!crew.leads())
      tell(stderr, "kiln: rank {} on {}: {}\n", crew.processes().rank(), crew.processes().host(),
           outcome.why);
    std::fflush(nullptr);
    crew.processes().end_all(outcome.code);
  } else if (crew.leads() && crew.is_manned()) {
    crew.order(Order::leave);
    crew.answers();
  }
  return crew.leads() ? outcome.code : 0;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  const Launch launch = launch_by([](const char* name) -> const char* { return std::getenv(name); });
  std::optional<Crew> crew;
  const Outcome outcome = outcome_of([&] {
    if (auto processes = join_processes(launch)) crew.emplace(std::move(processes));
    return dispatch(argc, argv, crew ? &*crew : nullptr);
  });
  if (!outcome.why.empty() && launch.rank == 0) tell(stderr, "kiln: {}\n", outcome.why);
  return crew ? leave(*crew, outcome) : outcome.code;
}

}  // namespace kiln
