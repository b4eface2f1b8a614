// What a warp keeps of its attempts in the `tiles` schedule until they are settled.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/tiles_data.hpp"

namespace kiln::device {

constexpr bool kOnePass = model::kPasses == 1;
constexpr bool kAtOnce = cuda::is_at_once(model::kPasses, model::kMaxAct);

// The sizes of the two cells of an attempt.
struct TwoSizes {
  CellId winner_id;
  cuda::Extent winner, loser;

  __device__ __forceinline__ int32_t volume(CellId cell) const {
    return cell == winner_id ? winner.volume : loser.volume;
  }
  __device__ __forceinline__ int32_t perimeter(CellId cell) const {
    return cell == winner_id ? winner.perimeter : loser.perimeter;
  }
};

// What it takes to carry an attempt out.
struct Record {
  CellId winner, loser;
  uint32_t packed;  // see cuda::pack
  uint32_t tile;

  __device__ __forceinline__ bool accepted() const { return (packed & cuda::kAccepted) != 0; }
};

// The attempts of one warp that are not settled yet, a column per field.
class OpenList {
 public:
  using Field = cuda::OpenField;

  __device__ OpenList(uint32_t* words, uint32_t capacity) : words_(words), capacity_(capacity) {}

  __device__ __forceinline__ uint32_t& at(Field field, uint32_t i) const {
    return words_[uint32_t(field) * capacity_ + i];
  }
  __device__ __forceinline__ float number(Field field, uint32_t i) const {
    return __uint_as_float(at(field, i));
  }
  __device__ __forceinline__ Record record(uint32_t i) const {
    return {at(Field::winner, i), at(Field::loser, i), at(Field::packed, i), at(Field::tile, i)};
  }
  __device__ __forceinline__ void put(uint32_t i, const Record& record) const {
    at(Field::winner, i) = record.winner;
    at(Field::loser, i) = record.loser;
    at(Field::packed, i) = record.packed;
    at(Field::tile, i) = record.tile;
  }

 private:
  uint32_t* words_;
  uint32_t capacity_;
};

}  // namespace kiln::device
