#include "simulation/run/summary.hpp"

#include <fmt/format.h>

#include "base/atomic_file.hpp"
#include "base/bytes_of_file.hpp"
#include "base/wording.hpp"
#include "measure/shape.hpp"
#include "measure/statistics.hpp"
#include "model/explain.hpp"
#include "output/report/report.hpp"
#include "output/table/tables.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

// What may spoil the results, a sentence each.
std::vector<std::string> warnings(const Look& look, const Model& model, std::optional<int64_t> fragmented) {
  const std::vector<bool> frozen = model.frozen_types();
  std::vector<std::string> result;
  const auto say = [&](int64_t count, const char* what) {
    if (count > 0)
      result.push_back(fmt::format("{} {} {}.", grouped(double(count)), count == 1 ? "cell" : "cells", what));
  };
  say(extinct_cells(look, frozen), "died out (volume 0)");
  say(fragmented ? *fragmented : fragmented_cells(look, frozen, all_threads()),
      model.phase_at(look.mcs()).physics.uses.connectivity
          ? "in more than one piece"
          : "in more than one piece, as is usual where no term forbids it; `connectivity` keeps cells whole");
  say(wide_cells(look, frozen), "wider than half the lattice, whose centroids cannot be trusted");
  return result;
}

std::string spread_text(const Summary& s, const char* unit) {
  if (s.count == 0) return "no cells";
  if (s.count == 1) return fmt::format("{:.4g} {}", s.mean, unit);
  return fmt::format("{:.4g} ± {:.3g} {}", s.mean, s.sd, unit);
}

std::vector<std::pair<std::string, std::string>> facts_of(const Model& model, const Look& look) {
  const SizeStatistics sizes = size_statistics(look, model.frozen_types());
  std::vector<std::pair<std::string, std::string>> facts;
  facts.emplace_back("volume", spread_text(sizes.all.volume, "sites"));
  facts.emplace_back("perimeter", spread_text(sizes.all.perimeter, "pairs"));
  return facts;
}

const std::pair<const char*, const char*> kFiles[] = {
    {"measures.csv", "the tissue over time"},
    {"cells.csv", "every cell over time (tracks)"},
    {"cells.h5", "every cell over time (tracks, HDF5)"},
    {"lags.csv", "mean squared displacement and direction autocorrelation over lags"},
    {"speeds.csv", "how often cells had which speed"},
    {"motility.csv", "speeds and arrest coefficient of each phase"},
    {"direction_correlation.csv", "whether cells near each other go the same way"},
    {"lineage.csv", "which cells came from which, and how they ended"},
    {"lattice.h5", "snapshots of the lattice (HDF5)"},
    {"lattice.xdmf", "the same for ParaView"},
    {"labels", "the cells' ids as labels, one OME-TIFF per snapshot"},
    {"checkpoint.h5", "the state to go on from (--resume)"},
    {"checkpoint-before.h5", "the one before it, in case that is damaged"},
    {"model.toml", "the model with every default written out"},
    {"source.toml", "the model as it was given"},
    {"run.json", "this run: version, seed, times, hash"},
};

// Stills, and animations after them, go into the page as long as it can be sent by mail.
void embed(std::vector<ReportPicture>& pictures, const fs::path& folder) {
  double left = 8e6;  // bytes
  for (ReportPicture& picture : pictures) {
    std::error_code error;
    const double size = double(fs::file_size(folder / picture.file, error));
    if (error || size > left) continue;
    picture.png = bytes_of_file(folder / picture.file);
    left -= size;
  }
}

std::vector<ReportPicture> report_pictures(const RunWriter& writer) {
  std::vector<ReportPicture> result;
  for (const auto& [name, files] : writer.stills()) {
    if (files.empty()) continue;
    const auto caption = [&](const std::string& file) {
      return fmt::format("{}, MCS {}", name, grouped(std::stod(file.substr(file.size() - 12, 8))));
    };
    result.push_back({files.front(), caption(files.front()), {}});
    if (files.size() > 1) result.push_back({files.back(), caption(files.back()), {}});
  }
  for (const std::string& file : writer.animations())
    if (file.ends_with(".png")) result.push_back({file, "animation", {}});
  return result;
}

}  // namespace

CellCounts cell_counts(const Look& look, const std::vector<bool>& frozen) {
  CellCounts counts;
  look.each_slice([&](const CellSlice& slice) {
    for (CellId row = 1; row < slice.cells.count(); ++row) {
      const bool is_frozen = frozen[slice.cells.type[row]];
      counts.frozen += is_frozen ? 1 : 0;
      counts.living += !is_frozen && slice.cells.extent[row].volume > 0 ? 1 : 0;
    }
  });
  return counts;
}

double disk_need(const Model& model, double cells) {
  const double mcs = double(model.total_mcs()), sites = double(model.lattice.sites());
  const auto times = [&](int64_t every) { return every > 0 ? mcs / double(every) + 1 : 1.0; };
  double bytes = 1e5;
  bytes += 300 * times(model.measure.every);
  if (model.measure.cells_every > 0) {
    const double samples = times(model.measure.cells_every);
    const TrackPlan plan = plan_tracks(model.measure, int64_t(cells), int64_t(samples));
    // cells.h5 takes about half of cells.rows, which stands beside it for a moment.
    const auto lives = double(names_of_lives(model).size());
    bytes += (plan.hdf5 ? 60 + 12 * lives : 90 + 14 * lives) * cells / double(plan.one_cell_in) * samples;
  }
  for (const PictureSettings& p : model.pictures) bytes += 3e5 * (1 + times(p.every)) * (p.animation ? 2 : 1);
  bytes += 0.5 * sites * times(model.output.lattice_every);
  return bytes + 3 * (sites + 100 * cells);  // two checkpoints, and a third while it is written
}

std::string device_of(const Engine& engine) {
  const std::string gpu = engine.gpu();
  const std::string device = gpu.empty() ? processor_name(engine.threads()) : gpu;
  return engine.processes() == 1 ? device : fmt::format("{} in {} processes", device, engine.processes());
}

void fill_record(RunRecord& record, const Model& model, Engine& engine, int64_t start_mcs,
                 const std::optional<MeasureRow>& last_row) {
  const Look look(engine);
  record.version = KILN_VERSION;
  record.model = model.source;
  record.title = model.title;
  record.seed = model.seed;
  record.engine = engine.name();
  record.schedule = engine.schedule();
  record.settings = engine.settings();
  record.device = device_of(engine);
  record.mcs = look.mcs();
  record.cells = cell_counts(look, model.frozen_types()).living;
  record.sites = model.lattice.sites();
  const double updates = double(record.sites) * double(look.mcs() - start_mcs);
  record.site_updates_per_second = record.seconds > 0 ? updates / record.seconds : 0;
  record.hash = engine.hash();
  const bool is_counted = last_row && last_row->mcs == look.mcs();
  for (std::string& warning : warnings(look, model, is_counted ? last_row->fragmented : std::nullopt))
    record.notes.push_back(std::move(warning));
}

void write_summary_files(const RunRecord& record, const Model& model, const Look& look,
                         const RunWriter& writer, const RunFolder& folder) {
  RunRecord complete = record;
  for (const std::string& note : writer.notes()) complete.notes.push_back(note);
  if (model.living != nullptr) write_table(folder.lineage(), lineage_rows(look.all_cells(), model));
  ReportInfo report;
  report.run = complete;
  report.description = explain(model);
  report.resolved_model = model.resolved;
  report.facts = facts_of(model, look);
  report.pictures = report_pictures(writer);
  embed(report.pictures, folder.path);
  if (fs::exists(folder.measures())) report.measures = csv_columns(folder.measures());
  if (fs::exists(folder.lags())) report.lags = csv_columns(folder.lags());
  report.motility = report_motility(writer.motility().speeds(), model);
  if (model.living != nullptr)
    report.lineage = report_lineage(look.all_cells(), look.mcs(), model.units.seconds_per_mcs);
  for (const auto& [file, what] : kFiles)
    if (fs::exists(folder.path / file) || folder.path / file == folder.record())
      report.files.push_back({file, what});
  write_report(folder.report(), report);
  // The last of all files: where it is there, so are the others.
  write_text_atomically(folder.record(), run_json(complete));
}

std::string summary_text(const RunRecord& record, const Model& model, const Look& look,
                         const AttemptCounts& counts, const RunWriter* writer) {
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<12} {}\n", name, value);
  };
  const double minutes = double(look.mcs()) * model.units.seconds_per_mcs / 60;
  text += record.interrupted ? fmt::format("\nInterrupted by {}; go on with --resume.\n", record.stopped_by)
                             : "\nFinished.\n";
  line("simulated", fmt::format("{} MCS ({})", grouped(double(record.mcs)), duration_text(minutes * 60)));
  line("cells", grouped(double(record.cells)));
  for (const auto& [name, value] : facts_of(model, look)) line(name.c_str(), value);
  if (counts.attempts > 0)
    line("accepted", fmt::format("{:.3g}% of attempts, {:.3g}% of those between two cells",
                                 100.0 * double(counts.accepted) / double(counts.attempts),
                                 100.0 * double(counts.accepted) / std::max<double>(1, double(counts.live))));
  if (record.seconds > 0)
    line("speed",
         fmt::format("{:.3g} site updates/s, {} of computing ({}, {})", record.site_updates_per_second,
                     duration_text(record.seconds), record.engine, record.device));
  line("seed", std::to_string(record.seed));
  line("hash", record.hash);
  for (const std::string& note : record.notes) line("note", note);
  if (writer != nullptr)
    for (const std::string& note : writer->notes()) line("note", note);
  const fs::path out = record.out;
  if (writer != nullptr) {
    text += "\nLook at\n";
    for (const auto& [name, files] : writer->stills())
      if (!files.empty()) line("picture", (out / files.back()).string());
    for (const std::string& file : writer->animations()) line("animation", (out / file).string());
  }
  for (const char* file : {"measures.csv", "cells.csv", "cells.h5"})
    if (fs::exists(out / file)) line("table", (out / file).string());
  if (fs::exists(out / "report.html")) line("report", (out / "report.html").string());
  return text;
}

}  // namespace kiln
