#include "view/folder_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/branch.hpp"
#include "model/file/read.hpp"
#include "output/state/snapshot.hpp"
#include "view/about.hpp"
#include "view/frame.hpp"

namespace kiln::view {
namespace {

constexpr std::size_t kKept = 6;  // frames

}  // namespace

FolderSource::FolderSource(const std::filesystem::path& path)
    : folder_(run_with_snapshots(path)),
      model_(read_model(folder_.model())),
      measures_(folder_.measures()),
      about_version_(next_about_version()) {
  model_.source = path.string();
}

std::string FolderSource::about() {
  const std::filesystem::path named = folder_.path.has_filename() ? folder_.path : folder_.path.parent_path();
  return about_json(model_, named.filename().string(), false);
}

std::string FolderSource::status() {
  const std::vector<int64_t> times = snapshot_times(folder_.path);
  JsonObject status;
  status.add("state", "folder").add("mcs", times.empty() ? 0 : times.back()).add("total", model_.total_mcs());
  status.add("about", about_version_);
  // A list of numbers; JsonObject has none.
  const std::string rest = status.line();
  return fmt::format("{}, \"snapshots\": [{}]}}", rest.substr(0, rest.size() - 1), fmt::join(times, ", "));
}

Bytes FolderSource::packed(int64_t mcs, FrameContent content) {
  const std::vector<std::string> fields = site_fields(model_);
  if (std::find(fields.begin(), fields.end(), content.field) == fields.end()) content.field = "";
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(recent_.begin(), recent_.end(),
                                  [&](const Packed& p) { return p.mcs == mcs && p.content == content; });
  if (found != recent_.end()) {
    recent_.splice(recent_.begin(), recent_, found);
    return recent_.front().bytes;
  }
  const State state = read_snapshot(folder_.path, mcs, property_names(model_));
  recent_.push_front(
      {mcs, content, std::make_shared<const std::string>(take_frame(state, model_, content, false)())});
  if (recent_.size() > kKept) recent_.pop_back();
  return recent_.front().bytes;
}

int64_t FolderSource::snapshot_of(const std::optional<int64_t>& mcs) const {
  const std::vector<int64_t> times = snapshot_times(folder_.path);
  if (times.empty()) throw UserError("the folder holds no snapshots any more.");
  if (mcs && !std::binary_search(times.begin(), times.end(), *mcs))
    throw UserError(fmt::format("there is no snapshot of MCS {}.", *mcs));
  return mcs.value_or(times.back());
}

NumberedFrame FolderSource::frame(const FrameWish& wish) {
  const int64_t mcs = snapshot_of(wish.mcs);
  return {packed(mcs, wish.content), mcs + 1, mcs};
}

http::Reply FolderSource::picture(const PictureWish& wish) {
  const int64_t mcs = snapshot_of(wish.mcs);
  const std::lock_guard lock(mutex_);
  const State state = read_snapshot(folder_.path, mcs, property_names(model_));
  return http::reply(200, draw_wish(wish, model_, state), "image/png");
}

}  // namespace kiln::view
