// A substance on a GPU: the bits of substances::Diffusion on threads.
#pragma once

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/substances/diffusion_tables.hpp"
#include "engine/substances/budget.hpp"

namespace kiln::cuda {

std::string diffusion_source(int dimension);

class DeviceDiffusion {
 public:
  DeviceDiffusion(const Device& device, const Stream& stream, const substances::Equation& equation);

  void set(const std::vector<double>& concentration);
  void set(const substances::Sources& sources);
  std::vector<double> concentration() const;
  void advance(double seconds, substances::Budget* budget = nullptr);

 private:
  substances::Budget flows();

  Device device_;
  const Stream& stream_;
  substances::Equation equation_;
  substances::Sources sources_;
  double secreted_ = 0;  // per second
  Buffer<double> now_, before_, secretion_, volume_, low_[3], share_[kMostUptakes], row_sums_;
  Buffer<uint8_t> held_;
  DiffusionTables tables_{};
  Function diffuse_, sum_rows_;
};

}  // namespace kiln::cuda
