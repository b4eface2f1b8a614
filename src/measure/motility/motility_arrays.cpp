#include <algorithm>
#include <string>

#include "measure/motility/motility.hpp"

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

// Those of the first interval are called as if there were no other.
std::string name_of_speeds(std::size_t interval) {
  return interval == 0 ? "speeds." : "speeds." + std::to_string(interval) + ".";
}

void add_arrays(const SpeedData& data, const std::string& name, NamedArrays& arrays) {
  arrays[name + "numbers"] = {double(data.phase), double(data.start_mcs), double(data.last_mcs)};
  arrays[name + "last"] = flat(data.last);
  arrays[name + "intervals"] = numbers(data.intervals);
  arrays[name + "arrested"] = numbers(data.arrested);
  std::vector<double>& phases = arrays[name + "phases"];
  phases.clear();
  for (const SpeedSums& sums : data.phases) append(phases, sums);
}

SpeedData speeds_from_arrays(const NamedArrays& arrays, const std::string& name) {
  SpeedData data;
  const std::vector<int64_t> numbers = wholes_named<int64_t>(arrays, name + "numbers", 3);
  data.phase = int(numbers.at(0));
  data.start_mcs = numbers.at(1);
  data.last_mcs = numbers.at(2);
  data.last = vectors_named(arrays, name + "last");
  data.intervals = wholes_named<int64_t>(arrays, name + "intervals");
  data.arrested = wholes_named<int64_t>(arrays, name + "arrested");
  const std::vector<double>& phases = array_named(arrays, name + "phases", kSumNumbers);
  for (std::size_t at = 0; at < phases.size(); at += kSumNumbers)
    data.phases.push_back(sums_at(phases.data() + at));
  return data;
}

// Words of 64 bits as two numbers of 32, visits as they are: below 2^53 for lattices of up to 9e10 sites.
void add_arrays(const ExploredData& data, NamedArrays& arrays) {
  arrays["explored.numbers"] = {double(data.sites), double(data.stride), double(data.cells)};
  arrays["explored.visits"] = numbers(data.visits);
  std::vector<double>& seen = arrays["explored.seen"];
  seen.clear();
  seen.reserve(2 * data.seen.size());
  for (const uint64_t word : data.seen) seen.insert(seen.end(), {double(uint32_t(word)), double(word >> 32)});
}

ExploredData explored_from_arrays(const NamedArrays& arrays) {
  ExploredData data;
  const std::vector<int64_t> numbers = wholes_named<int64_t>(arrays, "explored.numbers", 3);
  data.sites = numbers.at(0);
  data.stride = numbers.at(1);
  data.cells = numbers.at(2);
  data.visits = wholes_named<uint64_t>(arrays, "explored.visits");
  const std::vector<double>& seen = array_named(arrays, "explored.seen", 2);
  for (std::size_t i = 0; i < seen.size(); i += 2)
    data.seen.push_back(uint64_t(seen[i]) | uint64_t(seen[i + 1]) << 32);
  return data;
}

}  // namespace

void add_arrays(const MotilityData& data, NamedArrays& arrays) {
  arrays["motility.numbers"] = {double(data.phase), data.correlation_bin};
  for (std::size_t i = 0; i < data.speeds.size(); ++i) add_arrays(data.speeds[i], name_of_speeds(i), arrays);
  if (data.stride > 1) arrays["motility.stride"] = {double(data.stride)};
  add_arrays(data.explored, arrays);
  std::vector<double>& halves = arrays["motility.halves"];
  halves.clear();
  for (const Half half : data.halves) halves.push_back(double(half));
}

MotilityData motility_from_arrays(const NamedArrays& arrays) {
  MotilityData data;
  const std::vector<double>& numbers = array_named(arrays, "motility.numbers", 2);
  data.phase = int(numbers.at(0));
  data.correlation_bin = numbers.at(1);
  for (std::size_t i = 0; arrays.contains(name_of_speeds(i) + "numbers"); ++i)
    data.speeds.push_back(speeds_from_arrays(arrays, name_of_speeds(i)));
  const bool has_speeds =
      std::any_of(data.speeds.begin(), data.speeds.end(), [](const SpeedData& s) { return !s.last.empty(); });
  data.stride = arrays.contains("motility.stride") ? wholes_named<int64_t>(arrays, "motility.stride", 1).at(0)
                                                   : int64_t(has_speeds);
  data.explored = explored_from_arrays(arrays);
  for (const double half : array_named(arrays, "motility.halves")) data.halves.push_back(Half(int(half)));
  return data;
}

}  // namespace kiln
