#include <fmt/format.h>

#include <algorithm>

#include "base/wording.hpp"
#include "model/file/reading.hpp"

namespace kiln {
namespace {

void check_sides(const Node& node, const std::string& path, const Model& model) {
  const CheckerboardSettings& c = model.checkerboard;
  if (c.per_thread % c.region != 0)
    fail_at(*find(node, "per_thread"),
            fmt::format("{}.per_thread is {}, but must be a multiple of region ({}).", path, c.per_thread,
                        c.region));
  // So that no attempt sees another's target: Act looks two sites far, the others as far as their neighbours.
  const int reach = std::max({2, model.adhesion_neighbours.reach, model.perimeter_neighbours.reach});
  if (c.per_thread < c.region + reach)
    fail_at(*find(node, "per_thread"),
            fmt::format("{}.per_thread is {}, but must be at least {}: active regions of {} stay {} "
                        "sites apart.",
                        path, c.per_thread, c.region + reach, counted(c.region, "site"), reach));
}

}  // namespace

void read_schedule(Reading& r) {
  const std::string name(kScheduleSection.name);
  Node schedule = complete_section(table_of(r.given, name), kScheduleSection, name, r.scope);
  const std::string path = fmt::format("{}.{}", name, kCheckerboardSection.name);
  Node& node = *find(schedule, kCheckerboardSection.name);
  node = complete_section(node, kCheckerboardSection, path, r.scope);
  const auto whole = [&node](const char* key) { return int(find(node, key)->whole()); };
  r.model.checkerboard = {whole("region"), whole("per_thread"), whole("switch_every"),
                          find(node, "order")->text() == "random", find(node, "conflict")->text() == "mutex"};
  check_sides(node, path, r.model);
  put(r.complete, name, std::move(schedule));
}

}  // namespace kiln
