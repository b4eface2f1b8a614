// A substance on a GPU: the bits of substances::Diffusion on threads. Nothing comes to the host unless it is
// asked for.
#pragma once

#include <optional>

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/substances/diffusion_tables.hpp"
#include "engine/substances/budget.hpp"

namespace kiln::cuda {

// Shares of voxels that fit floats take half the memory, which is what a stage waits for: those that are
// multiples of a power of two.
enum class Shares { any, fit_floats };

// What sources are stored as. `secreted`: where one type of cells secretes, its rate per site; then secretion
// is stored as shares, too. 0: as it is.
struct SourceForm {
  Shares shares = Shares::any;
  double secreted = 0;
};

// CUDA C++ for compile(): for what an equation is like, and which sources there are.
std::string diffusion_source(const substances::Equation& equation, const substances::Sources& like,
                             const SourceForm& form);

class DeviceDiffusion {
 public:
  // `like` tells which sources there are, and their numbers.
  DeviceDiffusion(const Device& device, const Stream& stream, const substances::Equation& equation,
                  const substances::Sources& like, const SourceForm& form = {});

  void set(const std::vector<double>& concentration);
  void set(const substances::Sources& sources);
  void set(const substances::Budget& budget, double total);

  // Arrays of sources, to be filled on the device.
  void* secretion() const { return tables_.secretion == nullptr ? nullptr : secretion_.data(); }
  void* share(std::size_t uptake) const { return share_[uptake].data(); }
  uint8_t* held() const { return tables_.held == nullptr ? nullptr : held_.data(); }
  double* held_at() const { return held_at_.data(); }
  const double* open_parts() const { return tables_.volume; }
  // Until the next advance.
  const double* values() const { return now_.data(); }
  // A copy of the values for copy attempts, which stays where it is.
  const float* shown() const { return shown_.data(); }

  // Where `held_at` says so, concentrations are set.
  void hold(bool in_books);
  // Always by the same time. The end of MCS number `mcs`, for overflow().
  void advance(double seconds, int64_t mcs = 1);
  void settle(double error, int64_t mcs = 1);
  void show();

  std::vector<double> concentration() const;
  substances::Budget budget() const;
  double total() const;  // concentration times voxels after the last advance
  // When there was first more than is computed with, and what the total was.
  struct Overflow {
    int64_t mcs;
    double total;
  };
  std::optional<Overflow> overflow() const;

 private:
  int64_t rows() const { return int64_t(equation_.voxels.size.y) * equation_.voxels.size.z; }
  Launch warp_per_row() const;
  void reserve_sources(const substances::Sources& like);
  void play(const substances::Stages& stages, bool in_books, int64_t mcs);
  void sum_up(int64_t arrays, double* to);

  Device device_;
  const Stream& stream_;
  substances::Equation equation_;
  double fastest_uptake_ = 0;  // 1/s
  SourceForm form_;
  Buffer<double> now_, before_, held_at_, volume_, low_[3];
  Buffer<uint8_t> secretion_, share_[kMostUptakes];               // floats or doubles
  Buffer<double> row_sums_, plane_sums_, flows_, added_, books_;  // books_: kBooks numbers
  Buffer<uint8_t> held_;
  Buffer<float> shown_;
  Buffer<substances::Stage> stages_;
  int64_t slots_together_ = 1;  // sets of sums of rows that are kept
  bool holds_in_books_ = false;
  DiffusionTables tables_{};
  Function diffuse_, sum_groups_, hold_rows_, keep_books_, show_values_;
};

}  // namespace kiln::cuda
