#include "view/live_simulation.hpp"

#include <limits>

#include "output/table/tables.hpp"

namespace kiln::view {
namespace {

constexpr auto kStretch = std::chrono::milliseconds(20);  // until a frame that is not due yet is tried again
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double number_of_value(const TableValue& value) {
  if (const int64_t* whole = std::get_if<int64_t>(&value)) return double(*whole);
  const double* real = std::get_if<double>(&value);
  return real != nullptr ? *real : kUnknown;
}

}  // namespace

LiveSimulation::LiveSimulation(Simulation& simulation, std::string name, Owner& owner)
    : LiveRun(simulation, std::move(name), {}, nullptr), owner_(owner), thread_([this] { serve(); }) {}

void LiveSimulation::close() {
  LiveRun::close();
  const std::lock_guard lock(close_mutex_);
  if (thread_.joinable()) thread_.join();
}

void LiveSimulation::serve() {
  while (!is_closed()) {
    if (!wait_for_wish()) continue;
    try {
      owner_.between_stretches([this] {
        if (!is_closed()) serve_frames(false);
      });
    } catch (const std::exception&) {
      // For lack of memory, or of the device: the program that plays it will meet the same and say so.
    }
    std::this_thread::sleep_for(kStretch);
  }
}

// Models may change on the way, and rows that are older than a column lack it.
void LiveSimulation::take_rows(const std::vector<MeasureRow>& rows, const Model& model) {
  const std::lock_guard lock(rows_mutex_);
  if (rows.size() == rows_) return;
  const std::vector<std::string> names = measures_columns(model);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == columns_.size()) columns_.push_back({"", std::vector<double>(rows_, kUnknown)});
    columns_[i].name = names[i];
  }
  for (; rows_ < rows.size(); ++rows_) {
    const std::vector<TableValue> fields = measures_fields(rows[rows_]);
    for (std::size_t i = 0; i < columns_.size(); ++i)
      columns_[i].values.push_back(i < fields.size() ? number_of_value(fields[i]) : kUnknown);
  }
  known_ = nullptr;
}

Measures LiveSimulation::measures() {
  const std::lock_guard lock(rows_mutex_);
  if (!known_ && !columns_.empty()) known_ = std::make_shared<const std::vector<TableColumn>>(columns_);
  return known_;
}

}  // namespace kiln::view
