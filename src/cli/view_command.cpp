#include "base/tell.hpp"
#include "cli/commands.hpp"
#include "simulation/interrupt.hpp"
#include "view/folder_source.hpp"

namespace kiln {

int view_command(const ViewFolderOptions& options) {
  http::require_server();
  const auto source = std::make_shared<view::FolderSource>(options.run);
  const InterruptGuard interrupt;
  const view::Viewer viewer(source, options.viewer);
  tell(stderr, "{}\n", options.run);
  viewer.announce();
  tell(stderr, "  Ctrl-C ends it\n");
  viewer.open_browser();
  viewer.wait([&] { return interrupt.requested(); });
  return 0;
}

}  // namespace kiln
