// What a run leaves to be read: the page on the screen, run.json and report.html.
#pragma once

#include <optional>
#include <string>

#include "measure/look.hpp"
#include "model/model.hpp"
#include "output/run/folder.hpp"
#include "output/run/record.hpp"
#include "output/run/writer.hpp"

namespace kiln {

struct CellCounts {
  int64_t living = 0;  // of types that are not frozen, with a site
  int64_t frozen = 0;
};
CellCounts cell_counts(const Look& look, const std::vector<bool>& frozen);

// A rough guess, in bytes, before anything is written.
double disk_need(const Model& model, double cells);

// The GPU or the processor that an engine runs on.
std::string device_of(const Engine& engine);

// All that can be told from the model and the engine; `record.seconds` must be set. What the last row of
// measures.csv tells of this state is not counted again.
void fill_record(RunRecord& record, const Model& model, Engine& engine, int64_t start_mcs,
                 const std::optional<MeasureRow>& last_row = std::nullopt);

// run.json and report.html.
void write_summary_files(const RunRecord& record, const Model& model, const Look& look,
                         const RunWriter& writer, const RunFolder& folder);

// One page; it ends with what to look at. `writer` is null where nothing was left to do.
std::string summary_text(const RunRecord& record, const Model& model, const Look& look,
                         const AttemptCounts& counts, const RunWriter* writer);

}  // namespace kiln
