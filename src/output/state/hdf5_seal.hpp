// A seal in the first 512 bytes of an HDF5 file (its user block, which HDF5 leaves to us): what the file is,
// and the length and a checksum of all that follows. It is checked before the HDF5 library sees a byte, since
// the library can crash on damaged files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace kiln::hdf5 {

inline constexpr uint64_t kSealBytes = 512;

// `kind` and `version` name what the file is: "checkpoint", 1.
struct SealKind {
  std::string kind;
  int version = 1;
};

// The file is closed and was created with a user block of kSealBytes.
void seal(const std::filesystem::path& path, const SealKind& kind);

// UserError where the file cannot be read, is something else, or is not what was sealed.
void check_seal(const std::filesystem::path& path, const SealKind& kind);

}  // namespace kiln::hdf5
