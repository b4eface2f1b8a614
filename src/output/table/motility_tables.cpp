#include "output/table/motility_tables.hpp"

#include "measure/motility/speed_divergence.hpp"

namespace kiln {
namespace {

std::string_view name_of(const SpeedSums& sums, const Model& model) {
  return model.phases[std::size_t(sums.phase)].name;
}

double interval_s(int64_t mcs, const Model& model) { return double(mcs) * model.units.seconds_per_mcs; }

}  // namespace

Rows speed_rows(std::span<const SpeedSums> phases, const Model& model) {
  const bool several = model.measure.speed_intervals_mcs.size() > 1;
  Rows table{names_of(speed_columns(several)), {}};
  for (const SpeedSums& sums : phases)
    for (int64_t bin = 0; bin <= kSpeedBins; ++bin) {
      table.rows.push_back({name_of(sums, model), bin,
                            bin < kSpeedBins ? TableValue(bin + 1) : TableValue(kUndefined),
                            sums.counts[std::size_t(bin)]});
      if (several) table.rows.back().push_back(interval_s(sums.interval_mcs, model));
    }
  return table;
}

std::vector<TableValue> motility_fields(const SpeedSums& sums, const Model& model) {
  const SpeedMoments speed = moments_of(sums);
  const Share arrest = wilson_share(sums.arrested, sums.intervals);
  return {interval_s(sums.interval_mcs, model),
          sums.intervals,
          speed.mean,
          speed.sd,
          speed.skewness,
          arrest.value,
          arrest.low,
          arrest.high,
          sums.arrest_by_cell,
          divergence_bits(sums.counts, model.measure.reference_speeds)};
}

Rows motility_rows(std::span<const SpeedSums> phases, const Model& model) {
  Rows table{names_of(table_named("motility.csv").columns), {}};
  for (const SpeedSums& sums : phases) {
    std::vector<TableValue> row = motility_fields(sums, model);
    row.insert(row.begin(), name_of(sums, model));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Rows correlation_rows(int64_t mcs, std::span<const IntervalCorrelation> intervals, const Model& model) {
  Rows table{names_of(correlation_columns()), {}};
  const double um = model.units.voxel_um;
  for (const IntervalCorrelation& over : intervals)
    for (const CorrelationBin& bin : over.bins)
      table.rows.push_back({mcs, bin.low * um, bin.high * um, bin.pairs, bin.correlation,
                            interval_s(over.interval_mcs, model), bin.cells_within, bin.order_index,
                            bin.order_null});
  return table;
}

}  // namespace kiln
