// Snapshots of the lattice for other programs: `lattice.h5`, and `lattice.xdmf` that tells ParaView how to
// read it.
//
//   /                       attributes size (x, y, z), periodic, dimension, voxel_um, seconds_per_mcs,
//   type_names,
//                           kiln_version
//   /mcs_00000100           attribute mcs
//   /mcs_00000100/ids       uint32 (nz, ny, nx), or (ny, nx) in 2-D: the cell at every site, 0 is the medium
//   /mcs_00000100/type      uint8, the same shape: its type
//   /mcs_00000100/act       uint16, the same shape: Act, where the model uses it
//   /mcs_00000100/cells     type, volume (sites), perimeter, x, y, z (micrometres, unwrapped), by cell id; x,
//   y, z
//                           are NaN for the medium and for cells that are frozen or extinct
//
// The site (i, j, k) is centred at (i, j, k) voxel_um.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "data/hdf5.hpp"  // kHasHdf5
#include "model/model.hpp"

namespace kiln {

// The lattice.h5 of a run that goes on. Each snapshot is first a small lattice.h5 of its own in the hidden
// folder
// `.lattice.h5.parts`, which appears whole or not at all; at the end they are put together. A run that dies
// leaves that folder behind; continue_from picks it up.
class LatticeFile {
 public:
  // Starts with nothing in a folder that exists.
  LatticeFile(const std::filesystem::path& folder, const Model& model);

  // Goes on with what an earlier part of the same run left in the folder, if anything: its snapshots up to
  // and including `last_mcs` are kept. UserError where they cannot be read or belong to another lattice.
  static LatticeFile continue_from(const std::filesystem::path& folder, const Model& model, int64_t last_mcs);

  // A state whose MCS is in the file already is left out: a run makes the same one again.
  void add(const State& state);

  // Writes lattice.h5 and lattice.xdmf.
  void finish();

  const std::vector<int64_t>& saved() const { return saved_; }  // MCS of the snapshots, ascending

 private:
  struct Settings {
    Lattice lattice;
    Units units;
    std::vector<std::string> type_names;
  };
  LatticeFile(const std::filesystem::path& folder, Settings settings);
  static Settings settings_of(const Model& model);
  // Lists what an earlier part of the run has left.
  void take_over(int64_t last_mcs);
  void take_over_file(const std::filesystem::path& file, int64_t last_mcs);
  void describe(const hdf5::Group& root) const;
  std::filesystem::path file() const { return folder_ / "lattice.h5"; }
  std::filesystem::path parts() const { return folder_ / ".lattice.h5.parts"; }
  std::filesystem::path part_of(int64_t mcs) const;
  void join() const;
  void write_xdmf() const;

  std::filesystem::path folder_;
  Settings settings_;
  std::vector<int64_t> saved_;
};

// The MCS of the snapshots in a lattice.h5, ascending.
std::vector<int64_t> snapshot_times(const std::filesystem::path& path);

// A snapshot, the last one unless `mcs` is given: lattice, MCS, ids, Act, and the cells' types and extents.
// Enough to draw, not to go on with: centroids are left at zero, and there is nothing of persistence.
State read_snapshot(const std::filesystem::path& path, std::optional<int64_t> mcs = std::nullopt);

}  // namespace kiln
