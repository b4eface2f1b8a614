#include <algorithm>

#include "measure/motility.hpp"

namespace kiln {
namespace {

constexpr std::size_t kLimbs = 4;  // of 32 bits in a WideSum, which is never negative here
constexpr std::size_t kSumNumbers = 4 + kSpeedBins + 1 + 3 * kLimbs;

void append(std::vector<double>& numbers, const SpeedSums& sums) {
  numbers.insert(numbers.end(),
                 {double(sums.phase), double(sums.intervals), double(sums.arrested), sums.arrest_by_cell});
  numbers.insert(numbers.end(), sums.counts.begin(), sums.counts.end());
  for (const WideSum sum : sums.powers)
    for (std::size_t limb = 0; limb < kLimbs; ++limb)
      numbers.push_back(double(uint32_t(uint64_t(sum >> (32 * limb)))));
}

SpeedSums sums_at(const double* numbers) {
  SpeedSums sums;
  sums.phase = int(numbers[0]);
  sums.intervals = int64_t(numbers[1]);
  sums.arrested = int64_t(numbers[2]);
  sums.arrest_by_cell = numbers[3];
  numbers += 4;
  for (int64_t& count : sums.counts) count = int64_t(*numbers++);
  for (WideSum& sum : sums.powers)
    for (std::size_t limb = 0; limb < kLimbs; ++limb) sum += WideSum(uint32_t(*numbers++)) << (32 * limb);
  return sums;
}

void add_arrays(const SpeedData& data, NamedArrays& arrays) {
  arrays["speeds.numbers"] = {double(data.phase), double(data.start_mcs), double(data.last_mcs)};
  arrays["speeds.last"] = flat(data.last);
  arrays["speeds.intervals"] = numbers(data.intervals);
  arrays["speeds.arrested"] = numbers(data.arrested);
  std::vector<double>& phases = arrays["speeds.phases"];
  phases.clear();
  for (const SpeedSums& sums : data.phases) append(phases, sums);
}

SpeedData speeds_from_arrays(const NamedArrays& arrays) {
  SpeedData data;
  const std::vector<int64_t> numbers = wholes_named<int64_t>(arrays, "speeds.numbers", 3);
  data.phase = int(numbers.at(0));
  data.start_mcs = numbers.at(1);
  data.last_mcs = numbers.at(2);
  data.last = vectors_named(arrays, "speeds.last");
  data.intervals = wholes_named<int64_t>(arrays, "speeds.intervals");
  data.arrested = wholes_named<int64_t>(arrays, "speeds.arrested");
  const std::vector<double>& phases = array_named(arrays, "speeds.phases", kSumNumbers);
  for (std::size_t at = 0; at < phases.size(); at += kSumNumbers)
    data.phases.push_back(sums_at(phases.data() + at));
  return data;
}

}  // namespace

void add_arrays(const MotilityData& data, NamedArrays& arrays) { add_arrays(data.speeds, arrays); }

MotilityData motility_from_arrays(const NamedArrays& arrays) { return {speeds_from_arrays(arrays)}; }

}  // namespace kiln
