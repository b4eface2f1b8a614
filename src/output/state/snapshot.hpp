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
//                           are NaN for the medium and for cells that are frozen or extinct; where cells
//                           live, also parent (id), generation, and a dataset per property
//   /mcs_00000100/substances/NAME   float64 (nz, ny, nx) or (ny, nx) by voxel: its concentration; attributes
//                           coarsen (sites per edge of a voxel), periodic
//
// The site (i, j, k) is centred at (i, j, k) voxel_um.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "data/hdf5/file.hpp"  // kHasHdf5
#include "engine/state_parts.hpp"
#include "model/model.hpp"

namespace kiln {

// The lattice.h5 of a run that goes on. Until the end every snapshot is a file of its own with the same
// layout, snapshots/mcs_00000100.h5, since HDF5 files do not survive a process that dies, or a full disk,
// while they grow. A run that dies leaves that folder behind; continue_from picks it up.
class LatticeFile {
 public:
  // Starts an empty file in a folder that exists; what was there of an earlier run is gone.
  LatticeFile(const std::filesystem::path& folder, const Model& model);

  // Goes on with what an earlier part of the same run left in the folder, if anything: its snapshots up to
  // and including `last_mcs` are kept. UserError where they cannot be read or belong to another lattice.
  static LatticeFile continue_from(const std::filesystem::path& folder, const Model& model, int64_t last_mcs);

  // A state whose MCS is in the file already is left out: a run makes the same one again.
  void add(const State& state);
  // The same where every process writes a part of it, into lattice-parts/mcs_00000100. The file then shows
  // these as one (virtual datasets of HDF5), and they stay where they are.
  void add(StateParts& state);

  // Gives the file its name and writes lattice.xdmf.
  void finish();

  const std::vector<int64_t>& saved() const { return saved_; }  // MCS of the snapshots, ascending

  struct Settings {
    Lattice lattice;
    Units units;
    std::vector<std::string> type_names, properties;
  };

 private:
  LatticeFile(const std::filesystem::path& folder, Settings settings);
  std::filesystem::path file_of(int64_t mcs) const;
  std::vector<int64_t> take_over(const std::filesystem::path& earlier) const;
  void assemble(const std::filesystem::path& path) const;
  void add_group(const hdf5::Group& from, int64_t mcs, const hdf5::Group& to) const;
  static Settings settings_of(const Model& model);
  static void start(const hdf5::Group& root, const Settings& settings);

  std::filesystem::path folder_, parts_;
  Settings settings_;
  std::vector<int64_t> saved_;
};

// A process's part of a snapshot.
void write_snapshot_part(const std::filesystem::path& folder, const OwnPart& part, double voxel_um,
                         const std::vector<std::string>& properties);

// The MCS of the snapshots in a lattice.h5, or in the folder of a run, which may be under way: ascending.
std::vector<int64_t> snapshot_times(const std::filesystem::path& path);

// A snapshot of a lattice.h5, or of the folder of a run, the last one unless `mcs` is given: lattice, MCS,
// ids, Act, substances, and the cells' types, extents and properties, these in the order of `properties`.
// Enough to draw, not to go on with: centroids are left at zero, and there is nothing of persistence.
State read_snapshot(const std::filesystem::path& path, std::optional<int64_t> mcs = std::nullopt,
                    const std::vector<std::string>& properties = {});

}  // namespace kiln
