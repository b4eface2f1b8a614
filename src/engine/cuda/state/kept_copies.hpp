// A cache of large copies (device buffers), each kept for as long as it is asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace kiln::cuda {

// An original is known by an id, not by its address, which another may have after it. Id 0 is an original
// that is not known: its copy is made anew every time.
template <class Copy>
class KeptCopies {
 public:
  // A copy for each of the ids; make(i) makes that of ids[i] where it is missing. Copies that these ids do
  // not name are dropped first, to free their memory. Pointers are good until the next call.
  template <class Make>
  std::vector<const Copy*> of(const std::vector<uint64_t>& ids, const Make& make) {
    unknown_.clear();
    std::erase_if(known_,
                  [&](const auto& kept) { return std::count(ids.begin(), ids.end(), kept.first) == 0; });
    unknown_.reserve(ids.size());
    std::vector<const Copy*> copies;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == 0) {
        copies.push_back(&unknown_.emplace_back(make(i)));
        continue;
      }
      auto kept = known_.find(ids[i]);
      if (kept == known_.end()) kept = known_.emplace(ids[i], make(i)).first;
      copies.push_back(&kept->second);
    }
    return copies;
  }

 private:
  std::map<uint64_t, Copy> known_;
  std::vector<Copy> unknown_;
};

}  // namespace kiln::cuda
