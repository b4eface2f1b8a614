// Layout of a site's word on a device.
#pragma once

#include <cstdint>

namespace kiln::cuda {

// The cell's id in the low bits, a stamp of Act above.
struct SiteLayout {
  int word_bytes = 4;
  int id_bits = 32;
  int max_act = 0;  // the largest Act value; 0 without Act

  int stamp_bits() const { return 8 * word_bytes - id_bits; }
  // How long stale stamps may lie before they would be taken for fresh ones.
  int64_t mcs_between_refreshes() const { return (int64_t(1) << stamp_bits()) - max_act - 1; }
};

SiteLayout site_layout(uint32_t cells, int max_act);

}  // namespace kiln::cuda
