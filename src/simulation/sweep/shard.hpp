// A shard of a sweep: the runs that one of many machines plays, in a folder of its own below the sweep's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kiln {

// Every `count`-th run, beginning with the `number`-th: neighbours in the grid take about as long, so that
// shards do too.
struct Shard {
  int64_t number = 1, count = 1;  // from 1 on

  bool has(int64_t run) const { return run % count == number - 1; }  // from 0 on, in the order of the sweep
  std::string text() const;                                          // 3/16
  std::string folder_name() const;                                   // shard-03-of-16: sorted by number
};

// From "3/16". UserError where it is no such thing.
Shard parse_shard(const std::string& text);

// The folders of all shards in that of a sweep, by name.
std::vector<std::filesystem::path> shard_folders_in(const std::filesystem::path& sweep);

}  // namespace kiln
