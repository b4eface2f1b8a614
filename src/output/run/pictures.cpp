#include "output/run/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/atomic_file.hpp"
#include "base/parallel.hpp"
#include "engine/state_parts.hpp"
#include "output/picture/png.hpp"
#include "output/picture/video.hpp"

namespace kiln {
namespace {

constexpr double kSecondsPerFrame = 0.12;

// In checkpoints.
std::string frame_key(const PictureSettings& settings) { return "picture." + settings.name + ".frame"; }

Frame remembered_frame(const NamedArrays& memory, const PictureSettings& settings) {
  const auto found = memory.find(frame_key(settings));
  return found == memory.end() ? Frame{} : Frame::from_numbers(found->second);
}

// The MCS in the name of a still of this view; none where it is another file.
std::optional<int64_t> mcs_of(const std::string& name, const std::string& view) {
  const std::string prefix = view + "_", ending = ".png";
  if (name.size() != prefix.size() + 8 + ending.size() || !name.starts_with(prefix) ||
      !name.ends_with(ending))
    return std::nullopt;
  const std::string digits = name.substr(prefix.size(), 8);
  if (digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stoll(digits);
}

}  // namespace

RunPictures::RunPictures(const Model& model, const RunFolder& folder, int64_t start, const Watch& watch,
                         std::optional<int64_t> last_kept, const NamedArrays& memory)
    : folder_(folder), start_(start), watch_(watch) {
  if (!kHasPng) {
    if (!model.pictures.empty())
      notes_.push_back("No pictures: this build has no PNG (install libpng-dev and rebuild).");
    return;
  }
  for (const PictureSettings& settings : model.pictures) {
    series_.push_back(
        {settings, PictureSeries(settings, model, remembered_frame(memory, settings)), std::nullopt, {}});
    if (settings.animation) series_.back().animation.emplace(kSecondsPerFrame);
    if (last_kept) take_up(series_.back(), *last_kept);
  }
}

// The stills that an earlier part of the run left; its animation is put together again from them. Those that
// the run would not have without its interruption go.
void RunPictures::take_up(Series& series, int64_t last_kept) {
  std::vector<std::filesystem::path> stray;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.pictures())) {
    const std::optional<int64_t> mcs = mcs_of(entry.path().filename().string(), series.settings.name);
    if (!mcs || !entry.is_regular_file()) continue;
    if (*mcs <= last_kept && (*mcs == start_ || watch_.is_due(*mcs, series.settings.every, false)))
      series.drawn.push_back(*mcs);
    else
      stray.push_back(entry.path());
  }
  for (const std::filesystem::path& path : stray) std::filesystem::remove(path);
  std::sort(series.drawn.begin(), series.drawn.end());
  if (!series.animation) return;
  for (const int64_t mcs : series.drawn) series.animation->add_file(folder_.path / still_name(series, mcs));
}

std::string RunPictures::still_name(const Series& series, int64_t mcs) const {
  return fmt::format("pictures/{}_{:08}.png", series.settings.name, mcs);
}

bool RunPictures::is_regular(const Series& series, int64_t mcs, Moment moment) const {
  return watch_.is_due(mcs, series.settings.every, false) || moment == Moment::start || moment == Moment::end;
}

int64_t RunPictures::next_due(int64_t mcs) const {
  int64_t next = kNeverDue;
  for (const Series& s : series_) next = std::min(next, next_multiple(mcs, s.settings.every));
  return next;
}

Observer::Work RunPictures::look(const Glance& now) {
  has_ended_ = now.moment == Moment::end;
  const auto is_wanted = [&](const Series& s) {
    return now.moment == Moment::interrupted || is_regular(s, now.mcs(), now.moment);
  };
  if (std::none_of(series_.begin(), series_.end(), is_wanted)) return {};
  // Beside a run that has all cores, a picture would take as much of their time, and every thread of the run
  // would wait for the one that is held up. So the run stands still for it, and all cores draw.
  const bool beside = now.spare_cores > 0;
  const int threads = beside ? now.spare_cores : all_threads();
  Work work{[this, moment = now.moment, threads](const State& state) {
              draw_all(state.mcs, moment,
                       [&](PictureSeries& pictures) { return pictures.draw_png(state, threads); });
            },
            beside};
  const auto needs_all = [&](const Series& s) { return is_wanted(s) && !s.pictures.plane(); };
  if (std::none_of(series_.begin(), series_.end(), needs_all))
    work.on_parts = [this, moment = now.moment](StateParts& state) { draw_planes(state, moment); };
  return work;
}

void RunPictures::draw_planes(StateParts& state, Moment moment) {
  draw_all(state.mcs(), moment, [&](PictureSeries& pictures) {
    const PictureSeries::OfAllCells all =
        pictures.look_through([&](const TakeSlice& take) { state.each_slice(take); });
    const Box seen =
        all.framed_types.empty() ? Box{{0, 0, 0}, state.lattice().size} : state.bounds(all.framed_types);
    PngParts drawn;
    state.show_box(*pictures.plane(), [&](const State& plane, std::span<const CellId> numbers) {
      drawn = pictures.draw_plane_png(plane, numbers, all, seen);
    });
    return drawn;
  });
}

void RunPictures::draw_all(int64_t mcs, Moment moment, const std::function<PngParts(PictureSeries&)>& draw) {
  for (Series& s : series_) {
    const bool regular = is_regular(s, mcs, moment);
    if (!regular && moment != Moment::interrupted) continue;
    if (!s.drawn.empty() && s.drawn.back() == mcs) continue;
    const std::filesystem::path still = folder_.path / still_name(s, mcs);
    write_text_unflushed(still, png_file(draw(s.pictures)));
    s.drawn.push_back(mcs);
    if (s.animation && regular) s.animation->add_file(still);
    const std::lock_guard lock(unflushed_lock_);
    unflushed_.push_back(still);
  }
}

void RunPictures::sync() {
  std::vector<std::filesystem::path> stills;
  {
    const std::lock_guard lock(unflushed_lock_);
    stills.swap(unflushed_);
  }
  flush_files(stills);
}

Observer::Memory RunPictures::remember() {
  if (series_.empty()) return {};
  NamedArrays frames;
  for (const Series& s : series_) frames[frame_key(s.settings)] = s.pictures.frame().numbers();
  return [frames = std::move(frames)](NamedArrays& to) { to.insert(frames.begin(), frames.end()); };
}

void RunPictures::model_changed(const Model& model) {
  for (Series& s : series_) s.pictures = PictureSeries(s.settings, model, s.pictures.frame());
}

// A run that was interrupted gets its MP4 when it has ended: a batch system may not leave time for it now.
void RunPictures::finish() {
  sync();
  for (const Series& s : series_) {
    if (!s.animation || s.animation->frames() < 2) continue;
    const std::filesystem::path path = folder_.pictures() / s.settings.name;
    if (const int left_out = s.animation->finish(path.string() + ".png"); left_out > 0)
      notes_.push_back(
          fmt::format("{} of {} pictures are not in the animation {}.png: they are gone, or of another size.",
                      left_out, s.animation->frames(), s.settings.name));
    if (!s.settings.mp4 || !has_ended_) continue;
    if (const auto problem = write_mp4(*s.animation, path.string() + ".mp4"))
      notes_.push_back(fmt::format("no pictures/{}.mp4: {}; pictures/{}.png plays in every browser.",
                                   s.settings.name, *problem, s.settings.name));
  }
  // An ffmpeg that outlived a run that was killed may have left its file since this one began.
  remove_leftovers(folder_.pictures());
}

std::map<std::string, std::vector<std::string>> RunPictures::stills() const {
  std::map<std::string, std::vector<std::string>> result;
  for (const Series& s : series_)
    for (const int64_t mcs : s.drawn) result[s.settings.name].push_back(still_name(s, mcs));
  return result;
}

std::vector<std::string> RunPictures::animations() const {
  std::vector<std::string> result;
  for (const Series& s : series_)
    for (const char* ending : {".png", ".mp4"}) {
      const std::string file = "pictures/" + s.settings.name + ending;
      if (s.animation && s.animation->frames() > 1 && std::filesystem::exists(folder_.path / file))
        result.push_back(file);
    }
  return result;
}

}  // namespace kiln
