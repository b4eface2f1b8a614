#include <fmt/format.h>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "model/file/read.hpp"
#include "output/run/folder.hpp"
#include "output/state/label_image.hpp"
#include "output/state/snapshot.hpp"

namespace kiln {

int export_command(const ExportOptions& options) {
  const RunFolder folder = run_with_snapshots(options.run);
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
