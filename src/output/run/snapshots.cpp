#include "output/run/snapshots.hpp"

#include <charconv>

#include "data/image/image.hpp"  // kHasTiff
#include "output/state/label_image.hpp"

namespace kiln {

RunSnapshots::RunSnapshots(const Model& model, const RunFolder& folder, std::optional<int64_t> last_kept)
    : model_(&model),
      folder_(folder),
      every_(model.output.lattice_every),
      labels_(kHasTiff && model.output.lattice_ome_tiff) {
  if (model.output.lattice_ome_tiff && !kHasTiff)
    notes_.push_back(
        "No labels/*.ome.tif: this build has no TIFF (install libtiff-dev and libpugixml-dev and rebuild).");
  if (!kHasHdf5)
    notes_.push_back(
        "No lattice.h5 and no checkpoint: this build has no HDF5 (install libhdf5-dev and rebuild).");
  else if (model.output.lattice_hdf5)
    lattice_.emplace(last_kept ? LatticeFile::continue_from(folder.path, model, *last_kept)
                               : LatticeFile(folder.path, model));
  if (labels_ && last_kept) drop_labels_after(*last_kept);
}

void RunSnapshots::drop_labels_after(int64_t last_kept) const {
  std::vector<std::filesystem::path> later;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path / "labels", none)) {
    const std::string name = entry.path().filename().string(), prefix = "labels_";
    int64_t mcs = -1;
    if (!name.starts_with(prefix)) continue;
    std::from_chars(name.data() + prefix.size(), name.data() + name.size(), mcs);
    if (mcs > last_kept && entry.path() == folder_.labels(mcs)) later.push_back(entry.path());
  }
  for (const std::filesystem::path& path : later) std::filesystem::remove(path);
}

Observer::Work RunSnapshots::look(const Glance& now) {
  if (!lattice_ && !labels_) return {};
  if (!is_multiple(now.mcs(), every_) && now.moment != Moment::end) return {};
  Work work{[this](const State& state) {
    if (lattice_) lattice_->add(state);
    if (labels_) write_label_image(folder_.labels(state.mcs), state, *model_);
  }};
  work.on_parts = [this](StateParts& state) {
    if (lattice_) lattice_->add(state);
    if (labels_) write_label_image(folder_.labels(state.mcs()), state, *model_);
  };
  return work;
}

void RunSnapshots::finish() {
  if (lattice_ && !lattice_->saved().empty()) lattice_->finish();
}

}  // namespace kiln
