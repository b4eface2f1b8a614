// Measures of the lattice on a GPU.
#pragma once

#include <optional>
#include <string>

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/state/device_state.hpp"
#include "engine/lattice_survey.hpp"

namespace kiln::cuda {

// The source of its kernels, for compile(). Of the physics, only the number of types is used, and which are
// frozen.
std::string survey_source(const Physics& physics, const SiteLayout& layout);

class Survey : public LatticeSurvey {
 public:
  // All but the physics must live as long as the survey. Kernels are compiled when they are first needed.
  Survey(const Device& device, const Stream& stream, DeviceState& state, const Physics& physics);

  // After sites have got another layout.
  void use_layout(const Physics& physics);

  std::vector<int64_t> contacts() override;
  std::vector<uint8_t> touching(std::span<const uint8_t> keys) override;
  void tracked_sites(const TakeBits& take) override;
  ThinnedSites thinned_sites(int32_t step, bool with_act) override;
  std::vector<SiteOfCell> sites_of_sample(int64_t stride) override;
  std::vector<int32_t> neighbours_of_sample(int64_t stride) override;

 private:
  Function kernel(const char* name);
  int64_t sample_size(int64_t stride) const;
  void number_sample(int64_t stride);
  bool collect_neighbours(int64_t first, uint32_t slots, std::span<int32_t> sizes);

  const Device& device_;
  const Stream& stream_;
  DeviceState& state_;
  int types_;
  std::string source_;
  std::optional<Module> module_;
  std::vector<uint8_t> given_keys_;  // those that lie in keys_
  int64_t keys_numbering_ = -1;      // of the rows that they lie in
  // Memory that is used again from one look to the next.
  Buffer<uint64_t> flags_, bits_;     // a byte per cell; a bit per site
  Buffer<uint64_t> thinned_;          // an id and Act per site that is seen from afar
  Buffer<uint8_t> keys_, touches_;    // per cell
  Buffer<int32_t> numbers_, sizes_;   // per cell; per cell of a sample
  Buffer<uint32_t> sets_, overflow_;  // of neighbours
};

}  // namespace kiln::cuda
