#include <fmt/format.h>

#include "base/wording.hpp"
#include "model/file/reading.hpp"

namespace kiln {
namespace {

// Otherwise some regions would not be active in every MCS.
void check_switching(const Node& node, const std::string& path, const Model& model) {
  const CheckerboardSettings& c = model.checkerboard;
  const int sites = model.lattice.dimension == 2 ? c.region * c.region : c.region * c.region * c.region;
  if (c.switch_every > sites)
    fail_at(*find(node, "switch_every"),
            fmt::format(
                "{}.switch_every is {}, but must be at most {}, the sites of a region: every region is to "
                "be active in every MCS.",
                path, c.switch_every, sites));
}

void check_sides(const Node& node, const std::string& path, const Model& model) {
  const CheckerboardSettings& c = model.checkerboard;
  if (c.per_thread % c.region != 0)
    fail_at(*find(node, "per_thread"),
            fmt::format("{}.per_thread is {}, but must be a multiple of region ({}).", path, c.per_thread,
                        c.region));
  // So that no attempt sees another's target, where that is drawn.
  const int reach = longest_reach(model.adhesion_neighbours, model.perimeter_neighbours);
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
  const auto text = [&node](const char* key) { return find(node, key)->text(); };
  using Barriers = CheckerboardSettings::Barriers;
  r.model.checkerboard = {.region = whole("region"),
                          .per_thread = whole("per_thread"),
                          .switch_every = whole("switch_every"),
                          .random_order = text("order") == "random",
                          .mutex = text("conflict") == "mutex",
                          .draws_source = text("draws") == "source",
                          .barriers = text("barriers") == "attempt"  ? Barriers::attempt
                                      : text("barriers") == "region" ? Barriers::region
                                                                     : Barriers::none,
                          .replayed_mcs = text("reseed") == "launch" ? whole("replayed_mcs") : 0};
  check_sides(node, path, r.model);
  check_switching(node, path, r.model);
  put(r.complete, name, std::move(schedule));
}

}  // namespace kiln
