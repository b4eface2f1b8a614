#include "output/run/record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <fstream>
#include <map>
#include <thread>

namespace kiln {
namespace {

// Length of the UTF-8 sequence that starts here, 0 where there is none. RFC 3629: no surrogates, no overlong
// forms.
std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF)
    return follows(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
  if (lead >= 0xF0 && lead <= 0xF4)
    return follows(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4
                                                                                                          : 0;
  return 0;
}

using Member = std::pair<const char*, std::string>;

std::string list_of(const std::vector<std::string>& texts) {
  std::vector<std::string> parts;
  for (const std::string& text : texts) parts.push_back(json_text(text));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string origin_of(const BranchPoint& from) {
  return fmt::format(R"({{"file": {}, "hash": {}, "mcs": {}}})", json_text(from.file), json_text(from.hash),
                     from.mcs);
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

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text[0];
    if (length == 0)
      out += "\uFFFD";
    else if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (length == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F))
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out + "\"";
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

std::string run_json(const RunRecord& r) {
  const Member members[] = {
      {"version", json_text(r.version)},
      {"model", json_text(r.model)},
      {"title", json_text(r.title)},
      {"seed", std::to_string(r.seed)},
      {"engine", json_text(r.engine)},
      {"schedule", json_text(r.schedule)},
      {"settings", json_text(r.settings)},
      {"device", json_text(r.device)},
      {"started", json_text(r.started)},
      {"seconds", json_number(r.seconds)},
      {"output_seconds", json_number(r.output_seconds)},
      {"mcs", std::to_string(r.mcs)},
      {"cells", std::to_string(r.cells)},
      {"sites", std::to_string(r.sites)},
      {"site_updates_per_second", json_number(r.site_updates_per_second)},
      {"hash", json_text(r.hash)},
      {"interrupted", r.interrupted ? "true" : "false"},
      {"stopped_by", r.interrupted ? json_text(r.stopped_by) : "null"},
      {"from", r.from ? origin_of(*r.from) : "null"},
      {"out", json_text(r.out)},
      {"notes", list_of(r.notes)},
  };
  std::string text = "{\n";
  for (const Member& member : members)
    text += fmt::format("  \"{}\": {}{}\n", member.first, member.second,
                        &member == std::end(members) - 1 ? "" : ",");
  return text + "}\n";
}

bool is_record_of(const std::filesystem::path& file, const std::string& hash) {
  std::ifstream in(file);
  bool same_hash = false, finished = false;
  for (std::string line; std::getline(in, line);) {
    same_hash |= line == fmt::format("  \"hash\": {},", json_text(hash));
    finished |= line == "  \"interrupted\": false,";
  }
  return same_hash && finished;
}

std::string summary_json(const RunRecord& r) {
  return fmt::format(R"({{"hash": {}, "mcs": {}, "cells": {}, "engine": {}, "schedule": {}, "seconds": {}, )"
                     R"("site_updates_per_second": {}, "out": {}}})",
                     json_text(r.hash), r.mcs, r.cells, json_text(r.engine), json_text(r.schedule),
                     json_number(r.seconds), json_number(r.site_updates_per_second), json_text(r.out));
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
  return fmt::format("{}, {} {}", processor_name(), threads, threads == 1 ? "thread" : "threads");
}

}  // namespace kiln
