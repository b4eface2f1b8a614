#include "data/image/segment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "core/math.hpp"

namespace kiln {
namespace {

constexpr int kBins = 1024;

template <class T, class Get>
Grid<T> part_of(const Array& values, const Vec3i& low, const Vec3i& high, const Get& get) {
  const std::size_t width = std::size_t(values.shape[2]), height = std::size_t(values.shape[1]);
  Grid<T> result(high - low);
  for_rows(result.size, [&](int32_t y, int32_t z) {
    const std::size_t from =
        (std::size_t(z + low.z) * height + std::size_t(y + low.y)) * width + std::size_t(low.x);
    T* to = &result.at(0, y, z);
    for (int32_t x = 0; x < result.size.x; ++x) to[x] = T(get(from + std::size_t(x)));
  });
  return result;
}

// Squared distances to the nearest set voxel along lines, one axis after the other (Felzenszwalb and
// Huttenlocher 2012): the lower envelope of parabolas.
class DistanceLine {
 public:
  explicit DistanceLine(std::size_t longest) : apex_(longest), begin_(longest + 1), result_(longest) {}

  const std::vector<float>& transform(const std::vector<float>& squared, std::size_t length) {
    std::size_t last = 0;
    bool any = false;
    for (std::size_t q = 0; q < length; ++q) {
      if (squared[q] == kFar) continue;
      if (!any) {
        apex_[0] = q;
        begin_[0] = -std::numeric_limits<double>::infinity();
        any = true;
        continue;
      }
      double meet = crossing(squared, apex_[last], q);
      while (last > 0 && meet <= begin_[last]) meet = crossing(squared, apex_[--last], q);
      apex_[++last] = q;
      begin_[last] = meet;
    }
    std::size_t k = 0;
    for (std::size_t q = 0; q < length; ++q) {
      while (any && k < last && begin_[k + 1] < double(q)) ++k;
      const double away = any ? double(q) - double(apex_[k]) : 0;
      result_[q] = any ? float(away * away + double(squared[apex_[k]])) : kFar;
    }
    return result_;
  }

  static constexpr float kFar = 3e38f;

 private:
  static double crossing(const std::vector<float>& squared, std::size_t p, std::size_t q) {
    const double a = double(p), b = double(q);
    return ((double(squared[q]) + b * b) - (double(squared[p]) + a * a)) / (2 * (b - a));
  }

  std::vector<std::size_t> apex_;
  std::vector<double> begin_;
  std::vector<float> result_;
};

// Along x or y of a plane.
void transform_along(Volume& squared, int axis) {
  const Vec3i size = squared.size;
  if (size[axis] < 2) return;
  const std::size_t length = std::size_t(size[axis]), stride = squared.stride(axis);
  in_parallel(size[1 - axis], all_threads(), [&](int, int64_t begin, int64_t end) {
    DistanceLine line(length);
    std::vector<float> values(length);
    for (int64_t i = begin; i < end; ++i) {
      float* first = axis == 0 ? &squared.at(0, int32_t(i), 0) : &squared.at(int32_t(i), 0, 0);
      for (std::size_t k = 0; k < length; ++k) values[k] = first[k * stride];
      const std::vector<float>& result = line.transform(values, length);
      for (std::size_t k = 0; k < length; ++k) first[k * stride] = result[k];
    }
  });
}

// Squared distances to the nearest site of this value in the same plane.
Planes squared_distances(const SiteBits& mask, bool value) {
  return {mask.size(), [&mask, value](const Planes::Visit& visit) {
            const Vec3i& size = mask.size();
            for (int32_t z = 0; z < size.z; ++z) {
              Volume plane({size.x, size.y, 1});
              for_rows(plane.size, [&](int32_t y, int32_t) {
                for (int32_t x = 0; x < size.x; ++x)
                  plane.at(x, y, 0) = mask[{x, y, z}] == value ? 0.0f : DistanceLine::kFar;
              });
              transform_along(plane, 0);
              transform_along(plane, 1);
              visit(z, std::move(plane));
            }
          }};
}

// Sets all sites within the radius of one that has this value. At a wall the mirror image is never nearer
// than what it mirrors.
void grow(SiteBits& mask, bool value, double radius) {
  const Vec3i size = mask.size();
  const float limit = float(radius * radius);
  const auto reach = int32_t(std::min(radius, double(size.z)));
  const auto first = [&](int32_t z) { return std::max(z - reach, 0); };
  const auto last = [&](int32_t z) { return std::min(z + reach, size.z - 1); };
  SiteBits grown = mask;
  for_each_window(squared_distances(mask, value), size.z, first, last,
                  [&](int32_t z, const PlaneWindow& planes) {
                    for_rows({size.x, size.y, 1}, [&](int32_t y, int32_t) {
                      for (int32_t k = first(z); k <= last(z); ++k) {
                        const float away = float(k - z) * float(k - z);
                        const float* squared = &planes[k].at(0, y, 0);
                        for (int32_t x = 0; x < size.x; ++x)
                          if (squared[x] != DistanceLine::kFar && away + squared[x] <= limit)
                            grown.set({x, y, z}, value);
                      }
                    });
                  });
  mask = std::move(grown);
}

// Finds pieces as planes come, and clears the small ones of those that have ended.
class SpeckRemover {
 public:
  SpeckRemover(SiteBits& mask, int64_t least) : mask_(mask), least_(least) {}

  int64_t remove() {
    for (int32_t z = 0; z < mask_.size().z; ++z) {
      find_runs(z);
      for (std::size_t y = 0; y + 1 < now_.begins.size(); ++y) unite_row(int32_t(y));
      end_pieces();
      before_ = std::move(now_);
    }
    now_ = {};
    end_pieces();
    return removed_;
  }

 private:
  // Sites of a row that follow each other.
  struct Run {
    int32_t y, z, begin, end;
    std::size_t piece;
  };
  struct PlaneOfRuns {
    std::vector<Run> runs;            // row by row
    std::vector<std::size_t> begins;  // of rows, and the end of the last
  };
  struct Piece {
    std::size_t parent;  // itself, or one that it was united with
    int64_t sites = 0;
    std::vector<Run> runs = {};  // none where it is no speck
  };

  void find_runs(int32_t z) {
    const Vec3i& size = mask_.size();
    now_ = {};
    for (int32_t y = 0; y < size.y; ++y) {
      now_.begins.push_back(now_.runs.size());
      for (int32_t x = 0; x < size.x; ++x) {
        if (!mask_[{x, y, z}]) continue;
        Run run{y, z, x, x, pieces_.size()};
        while (run.end < size.x && mask_[{run.end, y, z}]) ++run.end;
        x = run.end;
        now_.runs.push_back(run);
        pieces_.push_back({run.piece, run.end - run.begin, {}});
        if (pieces_.back().sites < least_) pieces_.back().runs.push_back(run);
      }
    }
    now_.begins.push_back(now_.runs.size());
  }

  // With the row before it, and the three that touch it in the plane before.
  void unite_row(int32_t y) {
    if (y > 0) unite_rows(now_, y, now_, y - 1);
    if (before_.begins.empty()) return;
    const int32_t high = std::min(y + 1, mask_.size().y - 1);
    for (int32_t other = std::max(y - 1, 0); other <= high; ++other) unite_rows(now_, y, before_, other);
  }
  void unite_rows(const PlaneOfRuns& one, int32_t y, const PlaneOfRuns& other, int32_t of_other) {
    std::size_t a = one.begins[std::size_t(y)], b = other.begins[std::size_t(of_other)];
    const std::size_t end_a = one.begins[std::size_t(y) + 1], end_b = other.begins[std::size_t(of_other) + 1];
    while (a < end_a && b < end_b) {
      const Run &first = one.runs[a], &second = other.runs[b];
      // Those that meet at a corner touch.
      if (first.begin <= second.end && second.begin <= first.end) unite(first.piece, second.piece);
      first.end < second.end ? ++a : ++b;
    }
  }

  std::size_t root_of(std::size_t piece) {
    while (pieces_[piece].parent != piece)
      piece = pieces_[piece].parent = pieces_[pieces_[piece].parent].parent;
    return piece;
  }
  void unite(std::size_t a, std::size_t b) {
    a = root_of(a), b = root_of(b);
    if (a == b) return;
    if (pieces_[a].sites < pieces_[b].sites) std::swap(a, b);
    Piece &larger = pieces_[a], &smaller = pieces_[b];
    smaller.parent = a;
    larger.sites += smaller.sites;
    if (larger.sites < least_)
      larger.runs.insert(larger.runs.end(), smaller.runs.begin(), smaller.runs.end());
    else
      larger.runs = {};
    smaller.runs = {};
  }

  // Of the pieces, those that the plane now has none of have ended; the others get new numbers.
  void end_pieces() {
    constexpr std::size_t kEnded = std::size_t(-1);
    std::vector<std::size_t> number(pieces_.size(), kEnded);
    std::vector<Piece> kept;
    for (Run& run : now_.runs) {
      const std::size_t root = root_of(run.piece);
      if (number[root] == kEnded) {
        number[root] = kept.size();
        kept.push_back({kept.size(), pieces_[root].sites, std::move(pieces_[root].runs)});
        pieces_[root].runs = {};
      }
      run.piece = number[root];
    }
    for (const Piece& ended : pieces_)
      for (const Run& run : ended.runs) {
        for (int32_t x = run.begin; x < run.end; ++x) mask_.set({x, run.y, run.z}, false);
        removed_ += run.end - run.begin;
      }
    pieces_ = std::move(kept);
  }

  SiteBits& mask_;
  int64_t least_, removed_ = 0;
  PlaneOfRuns before_, now_;
  std::vector<Piece> pieces_;
};

}  // namespace

Volume volume_of(const Array& values, const Vec3i& low, const Vec3i& high) {
  return part_of<float>(values, low, high, [&](std::size_t i) { return values.real(i); });
}

Grid<int64_t> labels_of(const Array& values, const Vec3i& low, const Vec3i& high) {
  if (values.kind() == Array::Kind::real)
    return part_of<int64_t>(values, low, high, [&](std::size_t i) { return int64_t(values.real(i)); });
  return part_of<int64_t>(values, low, high, [&](std::size_t i) { return values.integer(i); });
}

Grid<int64_t> resampled(const Grid<int64_t>& labels, const Vec3d& scale) {
  Grid<int64_t> result(resampled_size(labels.size, scale));
  const auto nearest = [&](int32_t at, int axis) {
    return nearest_voxel(at, scale[axis], labels.size[axis]);
  };
  for_rows(result.size, [&](int32_t y, int32_t z) {
    for (int32_t x = 0; x < result.size.x; ++x)
      result.at(x, y, z) = labels.at(nearest(x, 0), nearest(y, 1), nearest(z, 2));
  });
  return result;
}

float otsu_threshold(const Planes& planes) {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  double total = 0;
  planes.each([&](int32_t, const Volume& plane) {
    const auto [least, most] = std::minmax_element(plane.values.begin(), plane.values.end());
    low = std::min(low, *least);
    high = std::max(high, *most);
    total += double(plane.values.size());
  });
  if (!(low < high)) return low;
  const double width = (double(high) - double(low)) / kBins;
  std::vector<int64_t> counts(kBins);
  planes.each([&](int32_t, const Volume& plane) {
    for (const float v : plane.values)
      counts[std::size_t(std::min(kBins - 1, int((double(v) - double(low)) / width)))] += 1;
  });
  double all = 0;
  for (int k = 0; k < kBins; ++k) all += double(k) * double(counts[std::size_t(k)]);
  double below = 0, sum = 0, best = -1;
  int first = 0, last = 0;  // several cuts may be equally good: take the middle
  for (int k = 0; k + 1 < kBins; ++k) {
    below += double(counts[std::size_t(k)]);
    sum += double(k) * double(counts[std::size_t(k)]);
    if (below == 0 || below == total) continue;
    const double apart = sum / below - (all - sum) / (total - below);
    const double between = below * (total - below) * apart * apart;
    if (between > best) {
      best = between;
      first = k;
    }
    if (between >= best) last = k;
  }
  return float(double(low) + width * (double(first + last) / 2 + 1));
}

int64_t remove_specks(SiteBits& mask, int64_t least) {
  return least <= 1 ? 0 : SpeckRemover(mask, least).remove();
}

void close_gaps(SiteBits& mask, double radius) {
  if (!(radius > 0)) return;
  grow(mask, true, radius);
  grow(mask, false, radius);
}

}  // namespace kiln
