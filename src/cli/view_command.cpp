#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "base/tell.hpp"
#include "cli/commands.hpp"
#include "model/file/read.hpp"
#include "output/run/folder.hpp"
#include "simulation/interrupt.hpp"
#include "view/folder_source.hpp"

namespace kiln {
namespace {

constexpr auto kGlance = std::chrono::milliseconds(100);

// Until a run that goes on has saved its first state. False: a signal came.
bool await_snapshots(const RunFolder& folder, const InterruptGuard& interrupt) {
  for (bool said = false; !has_snapshots(folder) && is_running_in(folder.path); said = true) {
    const bool has_model = std::filesystem::exists(folder.model());
    if (has_model && read_model(folder.model()).output.lattice_every == 0)
      throw UserError(
          fmt::format("{} goes on, and saves no states on its way (lattice_every = 0): `kiln run --view` "
                      "shows such a run while it goes on.",
                      folder.path.string()));
    if (!said)
      tell(stderr, "{} has saved no state yet; the page comes with the first. Ctrl-C ends this.\n",
           folder.path.string());
    std::this_thread::sleep_for(kGlance);
    if (interrupt.requested()) return false;
  }
  return true;
}

}  // namespace

int view_command(const ViewFolderOptions& options) {
  http::require_server();
  const InterruptGuard interrupt;
  if (!await_snapshots({options.run}, interrupt)) return 0;
  const auto source = std::make_shared<view::FolderSource>(options.run);
  const view::Viewer viewer(source, options.viewer);
  tell(stderr, "{}\n", options.run);
  viewer.announce();
  tell(stderr, "  Ctrl-C ends it\n");
  viewer.open_browser();
  viewer.wait([&] { return interrupt.requested(); });
  return 0;
}

}  // namespace kiln
