// Limits that several sections share.
#pragma once

namespace kiln::limits {

inline constexpr double kMostMcs = 1e12;
inline constexpr double kMostSide = 1e6;
inline constexpr double kAnyPlace = 1e7;
inline constexpr double kMostSeed = 9223372036854775807.0;

}  // namespace kiln::limits
