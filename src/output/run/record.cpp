#include "output/run/record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <thread>

#include "base/bytes_of_file.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "base/wording.hpp"

namespace kiln {
namespace {

JsonObject origin_of(const BranchPoint& from) {
  return JsonObject().add("file", from.file).add("hash", from.hash).add("mcs", from.mcs);
}

// "0x41" and the like from /proc/cpuinfo. Arm processors do not say their name, only who made which part.
std::string arm_name(const std::string& implementer, const std::string& part) {
  static const std::map<std::string, const char*> parts = {
      {"0xd03", "Cortex-A53"},  {"0xd07", "Cortex-A57"},  {"0xd08", "Cortex-A72"},  {"0xd0b", "Cortex-A76"},
      {"0xd0c", "Neoverse N1"}, {"0xd40", "Neoverse V1"}, {"0xd49", "Neoverse N2"}, {"0xd4f", "Neoverse V2"}};
  const auto known = parts.find(part);
  if (implementer == "0x41" && known != parts.end()) return fmt::format("Arm {}", known->second);
  return part.empty() ? "processor"
                      : fmt::format("Arm processor (implementer {}, part {})", implementer, part);
}

}  // namespace

std::string run_json(const RunRecord& r) {
  JsonObject json;
  json.add("version", r.version)
      .add("model", r.model)
      .add("title", r.title)
      .add("seed", r.seed)
      .add("engine", r.engine)
      .add("schedule", r.schedule)
      .add("settings", r.settings)
      .add("device", r.device)
      .add("started", r.started)
      .add("seconds", r.seconds)
      .add("output_seconds", r.output_seconds)
      .add("seconds_in_all", r.seconds_in_all)
      .add("mcs", r.mcs)
      .add("cells", r.cells)
      .add("sites", r.sites)
      .add("site_updates_per_second", r.site_updates_per_second)
      .add("hash", r.hash)
      .add("interrupted", r.interrupted)
      .add("stopped_by", r.interrupted ? std::optional(r.stopped_by) : std::nullopt);
  if (r.from)
    json.add("from", origin_of(*r.from));
  else
    json.add("from", std::optional<bool>());
  json.add("steered_by", r.steered_by.empty() ? std::nullopt : std::optional(r.steered_by));
  return json.add("out", r.out).add("notes", r.notes).lines();
}

std::optional<RunRecord> read_record(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  const std::string json = bytes_of_file(file);
  const auto wrong = [&](const char* key) {
    return UserError(fmt::format("{} is not the record of a run: it lacks \"{}\".", file.string(), key));
  };
  const auto text = [&](const std::string& object, const char* key) {
    const std::optional<std::string> value = text_of_json(json_member(object, key).value_or(""));
    return value ? *value : throw wrong(key);
  };
  const auto whole = [&](const std::string& object, const char* key) {
    const std::optional<int64_t> value = whole_in(json_member(object, key).value_or(""));
    return value ? *value : throw wrong(key);
  };
  RunRecord record;
  record.version = text(json, "version");
  record.schedule = text(json, "schedule");
  record.hash = text(json, "hash");
  record.mcs = whole(json, "mcs");
  record.interrupted = json_member(json, "interrupted") != json_of(false);
  const std::string from = json_member(json, "from").value_or("null");
  if (from != "null") record.from = BranchPoint{text(from, "file"), text(from, "hash"), whole(from, "mcs")};
  return record;
}

bool is_record_of(const std::filesystem::path& file, const std::string& hash) {
  const std::string text = bytes_of_file(file);
  return json_member(text, "hash") == json_of(hash) && json_member(text, "interrupted") == json_of(false);
}

std::string summary_json(const RunRecord& r) {
  return JsonObject()
      .add("hash", r.hash)
      .add("mcs", r.mcs)
      .add("cells", r.cells)
      .add("engine", r.engine)
      .add("schedule", r.schedule)
      .add("seconds", r.seconds)
      .add("site_updates_per_second", r.site_updates_per_second)
      .add("out", r.out)
      .line();
}

std::string iso_time(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::string processor_name() {
  std::ifstream in("/proc/cpuinfo");
  std::map<std::string, std::string> facts;
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    facts.emplace(line.substr(0, line.find_last_not_of("\t ", colon - 1) + 1), line.substr(colon + 2));
  }
  return facts.count("model name") > 0 ? facts["model name"]
                                       : arm_name(facts["CPU implementer"], facts["CPU part"]);
}

std::string processor_name(int threads) {
  return fmt::format("{}, {}", processor_name(), counted(threads, "thread"));
}

}  // namespace kiln
