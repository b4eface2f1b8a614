// report.html: one page that shows what was run and what came of it. It needs no network, and holds its
// pictures.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "output/report/lineage.hpp"
#include "output/report/motility.hpp"
#include "output/report/plots.hpp"
#include "output/run/record.hpp"

namespace kiln {

struct ReportPicture {
  std::string file;  // relative to the report: "pictures/first.png"
  std::string caption;
  std::string png;  // its bytes, which the page then holds; empty: it only links the file
};

struct ReportFile {
  std::string file;  // relative to the report
  std::string what;
};

struct ReportInfo {
  RunRecord run;
  std::string description;                                 // the model in words, lines as they are to stand
  std::string resolved_model;                              // TOML
  std::vector<std::pair<std::string, std::string>> facts;  // further lines of the summary: name, value
  std::vector<ReportPicture> pictures;
  std::vector<TableColumn> measures, lags;
  ReportMotility motility;
  ReportLineage lineage;
  std::vector<ReportFile> files;
};

struct PageFrame {
  std::string title, subtitle;
  std::string version;  // of Kiln
};
// A whole page in the style of the report.
std::string html_page(const PageFrame& frame, const std::string& body);

std::string report_html(const ReportInfo& info);

// Appears whole or not at all.
void write_report(const std::filesystem::path& path, const ReportInfo& info);

}  // namespace kiln
