#include <fmt/format.h>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "model/file/read.hpp"
#include "output/run/folder.hpp"
#include "output/state/checkpoint.hpp"
#include "output/state/label_image.hpp"
#include "output/state/snapshot.hpp"
#include "output/table/lineage_files.hpp"

namespace kiln {
namespace {

int export_lineage(const ExportOptions& options, const RunFolder& folder) {
  if (!std::filesystem::exists(folder.checkpoint()))
    throw UserError(fmt::format("{} has no checkpoint.h5, which has the lineage.", options.run));
  const Checkpoint checkpoint = read_checkpoint(folder.checkpoint());
  if (checkpoint.state.cells.life.empty())
    throw UserError(
        fmt::format("{}: its cells have no lineage; the model has neither properties nor growth "
                    "nor rules.",
                    options.run));
  const bool newick = options.lineage == ExportOptions::Lineage::newick;
  const std::filesystem::path out = !options.out.empty()
                                        ? std::filesystem::path(options.out)
                                        : folder.path / (newick ? "lineage.nwk" : "res_track.txt");
  check_output(out, newick ? kNewickTree : kTrackTable);
  write_text_atomically(out, newick ? newick_trees(checkpoint.state.cells, checkpoint.state.mcs)
                                    : challenge_tracks(checkpoint.state.cells, snapshot_times(folder.path)));
  fmt::print("{}\n", out.string());
  return 0;
}

}  // namespace

int export_command(const ExportOptions& options) {
  const RunFolder folder = run_with_snapshots(options.run);
  if (options.lineage != ExportOptions::Lineage::none) return export_lineage(options, folder);
  if (options.all && !options.out.empty())
    throw UserError("--out names one file, but --all writes several; leave one of them out.");
  const Model model = read_model(folder.model());
  std::vector<std::optional<int64_t>> times = {options.mcs};
  if (options.all) {
    const std::vector<int64_t> saved = snapshot_times(folder.path);
    times.assign(saved.begin(), saved.end());
  }
  for (const std::optional<int64_t>& mcs : times) {
    const State state = read_snapshot(folder.path, mcs);
    const std::filesystem::path out =
        options.out.empty() ? folder.labels(state.mcs) : std::filesystem::path(options.out);
    check_output(out, kTiffImage);
    write_label_image(out, state, model);
    fmt::print("{}\n", out.string());
  }
  return 0;
}

}  // namespace kiln
