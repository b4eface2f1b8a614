#include "fidelity/updates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "engine/schedule/targets.hpp"
#include "fidelity/histograms.hpp"
#include "model/file/read.hpp"
#include "simulation/bench_cases.hpp"

namespace kiln {
namespace {

constexpr int64_t kMcs = 100;
// A schedule that tries every site at most once per round is a little more even than the serial chain. With
// 12 rounds in 2-D, `tiles` has 0.02 and 0.04; the limits leave room for the 8 that stiff cells have.
constexpr double kCountLimit = 0.06, kWaitingLimit = 0.08;

UpdateStatistics statistics_of(const Model& model, const std::string& schedule) {
  UpdateStatistics statistics(model.lattice.sites());
  for (int64_t mcs = 0; mcs < kMcs; ++mcs) {
    std::vector<std::pair<double, Site>> attempts;
    for_each_target(model, schedule, mcs, [&](Site site, double time) { attempts.push_back({time, site}); });
    std::sort(attempts.begin(), attempts.end());
    for (const auto& [time, site] : attempts) statistics.attempt(site, double(mcs) + time);
    statistics.end_mcs();
  }
  return statistics;
}

}  // namespace

std::vector<UpdateFinding> compare_updates(const TestedSchedule& tested) {
  std::vector<UpdateFinding> findings;
  for (const auto& [name, size, dimension] : {std::tuple{"sorting2d", 128, "2-D"}, {"dense3d", 24, "3-D"}}) {
    const Model model = parse_model(bench_model(name, size), name, ".", tested.set);
    const UpdateStatistics serial = statistics_of(model, "serial"),
                           other = statistics_of(model, tested.schedule);
    findings.push_back({fmt::format("attempts per site and MCS, {}", dimension),
                        total_variation(serial.updates(), other.updates()),
                        kl_divergence(serial.updates(), other.updates()), kCountLimit});
    findings.push_back({fmt::format("time between attempts on a site, {}", dimension),
                        total_variation(serial.waiting(), other.waiting()),
                        kl_divergence(serial.waiting(), other.waiting()), kWaitingLimit});
  }
  return findings;
}

std::string updates_table(const std::vector<UpdateFinding>& findings) {
  std::string text =
      fmt::format("{:<40} {:>15} {:>10} {:>7}  verdict\n", "distribution, against the serial one",
                  "total variation", "KL (bits)", "limit");
  for (const UpdateFinding& f : findings)
    text += fmt::format("{:<40} {:>15.4f} {:>10.4f} {:>7.2f}  {}\n", f.what, f.total_variation, f.kl_bits,
                        f.limit, f.passes() ? "pass" : "FAIL");
  return text;
}

}  // namespace kiln
