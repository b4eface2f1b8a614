// What each command of `kiln` does, once its options are known. All return the exit code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "model/file/overrides.hpp"
#include "model/initial/phantom.hpp"
#include "model/model.hpp"
#include "simulation/sweep/shard.hpp"
#include "simulation/wall_clock.hpp"
#include "view/viewer.hpp"

namespace kiln {

struct RunOptions {
  std::string model;  // empty: the demo
  EngineOptions engine;
  std::optional<int64_t> mcs;
  std::optional<uint64_t> seed;
  std::vector<std::string> set;
  std::string out;   // empty: runs/NAME
  std::string from;  // another run's folder, or a checkpoint; empty: the model's first state
  WallTimes times;
  bool force = false;
  bool resume = false;
  bool json = false;
  bool view = false;   // in a browser
  bool steer = false;  // from there
  std::string replay;  // the folder of a steered run that is repeated; empty: none
  view::ViewOptions viewer;
};
int run_command(const RunOptions& options);

struct BenchOptions {
  std::string name;
  std::optional<int> size;
  EngineOptions engine;
  int64_t mcs = 0;  // 0: chosen so that it takes a few seconds
  std::optional<int64_t> replicas;
  std::vector<std::string> set;
  bool json = false;
};
int bench_command(const BenchOptions& options);

struct SweepOptions {
  std::string model;
  std::vector<std::string> vary;
  int64_t replicas = 1;
  EngineOptions engine;
  std::optional<int64_t> mcs;
  std::optional<uint64_t> seed;
  std::vector<std::string> set;
  std::string devices;         // all, or numbers of GPUs; empty: that of `engine`
  std::optional<Shard> shard;  // none: all runs
  std::string out;             // empty: runs/NAME-sweep
  bool force = false;
  bool resume = false;
  bool json = false;
};
int sweep_command(const SweepOptions& options);

struct FidelityOptions {
  bool quick = false;
  bool close = false, strict = false;  // test models with this fidelity, and promise more
  EngineOptions engine;
  std::string out;   // empty: runs/fidelity
  std::string only;  // one scenario; empty: all
  std::vector<std::string> set;
  bool json = false;
};
int fidelity_command(const FidelityOptions& options);

struct ValidateOptions {
  std::string model;
  std::vector<std::string> set;
};
int validate_command(const ValidateOptions& options);

struct PlanOptions {
  std::string model;
  int ranks = 1;
  std::string bricks;  // empty: of least surface
  std::string on = "h200";
  std::optional<int64_t> mcs;
  std::vector<std::string> set;
  bool json = false;
};
int plan_command(const PlanOptions& options);

struct InfoOptions {
  bool tables = false;  // the columns of all tables instead
};
int info_command(const InfoOptions& options);

struct RenderOptions {
  std::string what;  // a run's folder, or a model file
  std::vector<std::string> set;
  std::optional<int64_t> mcs;
  std::string out;
  PictureSettings picture;
  std::string colour = "type";
  std::optional<PictureSettings::FrameOf> frame;
  bool animation = false;
};
int render_command(const RenderOptions& options);

struct ViewFolderOptions {
  std::string run;  // its folder
  view::ViewOptions viewer;
};
int view_command(const ViewFolderOptions& options);

struct ExportOptions {
  enum class Lineage { none, newick, challenge };

  std::string run;                  // its folder
  Lineage lineage = Lineage::none;  // in place of states
  std::optional<int64_t> mcs;
  bool all = false;
  std::string out;
};
int export_command(const ExportOptions& options);

struct ImportOptions {
  std::string file;
  ImagePlacement placement;
  std::vector<double> voxel_um;         // one, or one per axis
  std::vector<int> crop_from, crop_to;  // one per axis
  Segmentation segmentation;
  double site_um = 0;  // 0: the narrowest voxel edge
  bool labels = false;
  std::string out;  // empty: next to where it is called
};
int import_command(ImportOptions options);

struct PhantomOptions {
  std::string kind;
  PhantomSettings settings;
  std::vector<double> size_um, voxel_um;  // x, y, z
  std::string out;                        // empty: KIND.tif
};
int phantom_command(const PhantomOptions& options);

// Where there are other processes: whether all of them mean to play this model, and whether this one leads.
// The others follow its orders instead.
// What "auto" is for all of them is then known.
bool meet_others(EngineOptions& engine, const Model& model);
int follow_orders(const EngineOptions& engine, const Model& model);

// What stands in a model file, or in the demo where the name is empty.
std::string given_text(const std::string& file);

// A model file, or the demo where the name is empty, with the options of the command line applied, and after
// --set what `varied` says.
Model load_model(const std::string& file, const std::vector<std::string>& set, std::optional<uint64_t> seed,
                 std::optional<int64_t> mcs, const std::vector<Override>& varied = {});

}  // namespace kiln
