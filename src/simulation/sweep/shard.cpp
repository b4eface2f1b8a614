#include "simulation/sweep/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostShards = 1'000'000;  // as many as a sweep may have runs
constexpr std::string_view kStart = "shard-", kMiddle = "-of-";

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

bool is_shard_name(std::string_view name) {
  if (!name.starts_with(kStart)) return false;
  name.remove_prefix(kStart.size());
  const std::size_t middle = name.find(kMiddle);
  return middle != name.npos && is_digits(name.substr(0, middle)) &&
         is_digits(name.substr(middle + kMiddle.size()));
}

}  // namespace

std::string Shard::text() const { return fmt::format("{}/{}", number, count); }

std::string Shard::folder_name() const {
  return fmt::format("{}{:0{}}{}{}", kStart, number, std::to_string(count).size(), kMiddle, count);
}

Shard parse_shard(const std::string& text) {
  const std::string_view all = text;
  const std::size_t slash = all.find('/');
  std::optional<int64_t> number, count;
  if (slash != all.npos) {
    number = whole_in(all.substr(0, slash));
    count = whole_in(all.substr(slash + 1));
  }
  if (!number || !count)
    throw UserError(fmt::format(
        "--shard is \"{}\", but must be the number of a shard and how many there are, as 3/16.", text));
  if (*count < 1 || *count > kMostShards)
    throw UserError(fmt::format("--shard is \"{}\", but a sweep has 1 to {} shards.", text, kMostShards));
  if (*number < 1 || *number > *count)
    throw UserError(
        fmt::format("--shard is \"{}\", but the shards are numbered from 1 to {}.", text, *count));
  return {*number, *count};
}

std::vector<fs::path> shard_folders_in(const fs::path& sweep) {
  std::vector<fs::path> found;
  if (!fs::is_directory(sweep)) return found;
  for (const fs::directory_entry& entry : fs::directory_iterator(sweep))
    if (is_shard_name(entry.path().filename().string()) && entry.is_directory())
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace kiln
