#include "engine/schedule/targets.hpp"

#include "base/error.hpp"
#include "engine/host/attempt_batch.hpp"
#include "engine/schedule/checkerboard_plan.hpp"
#include "engine/schedule/tiles_plan.hpp"

namespace kiln {
namespace {

using Visit = std::function<void(Site, double)>;

template <int Dim>
void serial_targets(const Model& model, int64_t mcs, const Visit& visit) {
  const Lattice& lattice = model.lattice;
  for (Site i = 0; i < lattice.sites(); ++i) {
    const Draw pair = draw(model.seed, Stream::attempts, uint64_t(i / 2), uint32_t(mcs));
    const AttemptDraw attempt = attempt_draw<Dim>(i % 2 == 0 ? pair.ab() : pair.cd(), lattice);
    visit(lattice.index(attempt.target), double(i) / double(lattice.sites()));
  }
}

void tiles_targets(const Model& model, int64_t mcs, const Visit& visit) {
  const Lattice& lattice = model.lattice;
  const tiles::Settings settings = tiles::settings_for(model);
  const tiles::Clock clock(lattice, settings.tile);
  const uint64_t first = clock.rounds_after(mcs), end = clock.rounds_after(mcs + 1);
  for (uint64_t number = first; number < end; ++number) {
    const tiles::Round round = tiles::round_at(lattice, settings, model.seed, number);
    for (uint32_t row = 0; row < round.rows(); ++row) {
      const uint32_t height = uint32_t(round.count.y);
      const tiles::Row targets = round.row_at(lattice, row % height, row / height);
      for (int32_t i = 0; i < round.count.x; ++i) {
        const Vec3i target{targets.x_of(i), targets.first.y, targets.first.z};
        if (!lattice.contains(target)) continue;
        const uint32_t tile = row * round.row_length() + uint32_t(i);  // the lower half of its number
        const double within = double(tiles::priority_of(tile, round.priority_key)) * 0x1p-32;
        visit(lattice.index(target), (double(number - first) + within) / double(end - first));
      }
    }
  }
}

template <int Dim>
void checkerboard_targets(const Model& model, int64_t mcs, const Visit& visit) {
  const Lattice& lattice = model.lattice;
  const checkerboard::Plan plan(lattice, model.checkerboard, model.seed);
  if (plan.replays())
    throw UserError(
        "targets are not known before a run where schedule.checkerboard.reseed is \"launch\": they depend on "
        "its "
        "state.");
  const uint64_t steps = plan.steps_per_mcs(), first = uint64_t(mcs) * steps;
  // Between two barriers blocks come one after the other, as on threads.
  for (uint64_t from = first, count; from < first + steps; from += count) {
    count = plan.steps_until_barrier(from);
    for (uint32_t block = 0; block < plan.block_count(); ++block)
      for (uint64_t i = 0; i < count; ++i) {
        const uint64_t bits = checkerboard::bits_for(model.seed, from + i, block);
        const auto attempt = checkerboard::attempt_of<Dim>(bits, model.checkerboard.region);
        Vec3i place = plan.corner_of(block) + plan.active_region(from + i) + attempt.drawn;
        if (!lattice.contains(place)) continue;
        if (!checkerboard::move_to_target<Dim>(lattice, attempt, model.checkerboard.draws_source, place))
          continue;
        const double within = count == 1 ? 0 : (block + double(i) / double(count)) / plan.block_count();
        visit(lattice.index(place), (double(from - first) + within * double(count)) / double(steps));
      }
  }
}

}  // namespace

void for_each_target(const Model& model, const std::string& schedule, int64_t mcs, const Visit& visit) {
  const bool flat = model.lattice.dimension == 2;
  if (schedule == "serial")
    flat ? serial_targets<2>(model, mcs, visit) : serial_targets<3>(model, mcs, visit);
  else if (schedule == "tiles")
    tiles_targets(model, mcs, visit);
  else if (schedule == "checkerboard")
    flat ? checkerboard_targets<2>(model, mcs, visit) : checkerboard_targets<3>(model, mcs, visit);
  else
    throw UserError("there is no schedule \"" + schedule + "\".");
}

}  // namespace kiln
