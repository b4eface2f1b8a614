#include "engine/cuda/state/site_layout.hpp"

#include <algorithm>
#include <bit>

namespace kiln::cuda {

SiteLayout site_layout(uint32_t cells, int max_act) {
  if (max_act == 0) return {4, 32, 0};
  const int id_bits = std::bit_width(cells);                      // at least one id is left over
  const int least_stamp = std::bit_width(uint32_t(max_act + 1));  // so that mcs_between_refreshes() is not 0
  constexpr int kAmple = 8;  // stamp bits: a refresh every few hundred MCS costs nothing
  if (id_bits + least_stamp > 32) return {8, 32, max_act};
  return {4, 32 - std::clamp(kAmple, least_stamp, 32 - id_bits), max_act};
}

StoredSites sites_of_brick(const Lattice& stored, const Vec3i& own, bool cut_along_x, int word_bytes) {
  const int32_t sector = cut_along_x ? 32 / word_bytes : 1;
  return {stored, (stored.size.x + sector - 1) / sector * sector, own, true};
}

}  // namespace kiln::cuda
