// The pictures of a run as an observer: stills, and animations of them.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "measure/watch.hpp"
#include "output/picture/animation.hpp"
#include "output/picture/picture.hpp"
#include "output/run/folder.hpp"
#include "output/run/observer.hpp"

namespace kiln {

class RunPictures : public Observer {
 public:
  // `watch` tells which phases are shown. With `last_kept`, the stills up to that MCS belong to the run, and
  // later ones are taken away: they are drawn again where they are due.
  // `memory`: what a checkpoint says of them.
  RunPictures(const Model& model, const RunFolder& folder, int64_t start, const Watch& watch,
              std::optional<int64_t> last_kept, const NamedArrays& memory);

  int64_t next_due(int64_t mcs) const override;
  Work look(const Glance& now) override;
  Memory remember() override;
  void sync() override;
  void finish() override;
  void model_changed(const Model& model) override;

  // Relative to the folder, in order of time: the still pictures of each view, and the animations, as PNG and
  // MP4.
  std::map<std::string, std::vector<std::string>> stills() const;
  std::vector<std::string> animations() const;
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Series {
    PictureSettings settings;
    PictureSeries pictures;
    std::optional<AnimationWriter> animation;
    std::vector<int64_t> drawn;
  };

  bool is_regular(const Series& series, int64_t mcs, Moment moment) const;
  void draw_all(int64_t mcs, Moment moment, const std::function<PngParts(PictureSeries&)>& draw);
  void draw_planes(StateParts& state, Moment moment);
  void take_up(Series& series, int64_t last_kept);
  std::string still_name(const Series& series, int64_t mcs) const;

  RunFolder folder_;
  int64_t start_;  // MCS
  const Watch& watch_;
  std::vector<Series> series_;
  std::mutex unflushed_lock_;  // a checkpoint is written beside pictures that are drawn at once
  std::vector<std::filesystem::path> unflushed_;
  bool has_ended_ = false;  // the last state was shown
  std::vector<std::string> notes_;
};

}  // namespace kiln
