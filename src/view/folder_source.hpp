// The snapshots of a run's folder, which may still be under way.
#pragma once

#include <list>
#include <mutex>

#include "model/model.hpp"
#include "output/run/folder.hpp"
#include "view/source.hpp"

namespace kiln::view {

class FolderSource : public Source {
 public:
  // UserError where the folder holds no snapshots.
  explicit FolderSource(const std::filesystem::path& path);

  std::string about() override;
  std::string status() override;
  NumberedFrame frame(const FrameWish& wish) override;
  http::Reply picture(const PictureWish& wish) override;
  Measures measures() override { return measures_.read(); }

 private:
  struct Packed {
    int64_t mcs;
    FrameContent content;
    Bytes bytes;
  };
  int64_t snapshot_of(const std::optional<int64_t>& mcs) const;
  Bytes packed(int64_t mcs, FrameContent content);

  RunFolder folder_;
  Model model_;
  MeasuresFile measures_;
  int64_t about_version_;
  std::mutex mutex_;          // one snapshot is read at a time
  std::list<Packed> recent_;  // the last one first
};

}  // namespace kiln::view
