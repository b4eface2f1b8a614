#include "output/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/atomic_file.hpp"
#include "base/wording.hpp"
#include "output/table/columns.hpp"

namespace kiln {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0; background: #f5f6f7; color: #1d2126;
       font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 36px 24px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 18px; margin: 40px 0 12px; }
a { color: #2368b0; text-decoration: none; }
a:hover { text-decoration: underline; }
.subtitle { color: #5a6068; margin: 0 0 24px; }
.card { background: #fff; border: 1px solid #e4e7ea; border-radius: 8px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; }
.figures .card { padding: 14px 16px; }
.figures b { display: block; font-size: 22px; line-height: 1.25; font-weight: 600; white-space: nowrap; }
.figures span { color: #5a6068; font-size: 13px; }
.notes { margin: 16px 0 0; padding: 12px 16px 12px 34px; background: #fff7e3; border: 1px solid #f0dca8;
         border-radius: 8px; }
.columns { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 16px; align-items: start; }
@media (max-width: 820px) { .columns { grid-template-columns: minmax(0, 1fr); } }
pre { margin: 0; padding: 16px; overflow-x: auto; font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.columns pre { white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; }
td { padding: 7px 16px; border-top: 1px solid #eef0f2; vertical-align: top; overflow-wrap: anywhere; }
tr:first-child td { border-top: 0; }
td:first-child { color: #5a6068; white-space: nowrap; overflow-wrap: normal; }
.phases td { overflow-wrap: normal; }
.card + .subtitle { margin-top: 8px; font-size: 13px; }
code { font: 13px ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.pictures, .plots { display: grid; gap: 16px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); }
figure { margin: 0; padding: 12px; }
figure img { display: block; max-width: 100%; max-height: 560px; margin: 0 auto; border-radius: 4px; }
figcaption { color: #5a6068; font-size: 13px; padding: 8px 4px 0; text-align: center; }
.plots .card { padding: 14px 12px 6px; }
svg { display: block; width: 100%; height: auto; }
details { margin-top: 40px; }
summary { cursor: pointer; font-size: 18px; font-weight: 600; margin-bottom: 12px; }
footer { margin-top: 48px; color: #8b929a; font-size: 13px; }
)";

// 1.26e9 as "1.26 billion".
std::string rate(double per_second) {
  if (!(per_second > 0) || !std::isfinite(per_second)) return "–";
  if (per_second >= 1e12) return fmt::format("{:.3g} trillion", per_second / 1e12);
  if (per_second >= 1e9) return fmt::format("{:.3g} billion", per_second / 1e9);
  if (per_second >= 1e6) return fmt::format("{:.3g} million", per_second / 1e6);
  return grouped(per_second);
}

// A relative path as a link: what has a meaning in URLs is spelled out.
std::string link(const std::string& file) {
  std::string out;
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        (byte < 0x80 && std::isalnum(byte) != 0) || std::string_view("/._-~()+,=@").find(c) < 12;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return file.find(':') < file.find('/') ? "./" + out : out;
}

std::string figure(const std::string& value, const std::string& what) {
  return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>\n", escaped(value), escaped(what));
}

std::string key_figures(const RunRecord& run) {
  return "<div class=\"figures\">\n" + figure(grouped(double(run.mcs)), "Monte Carlo steps") +
         figure(grouped(double(run.cells)), "cells") + figure(grouped(double(run.sites)), "sites") +
         figure(duration_text(run.seconds), "computing time") +
         figure(rate(run.site_updates_per_second), "site updates per second") + "</div>\n";
}

std::string notes(const RunRecord& run) {
  std::string items;
  if (run.interrupted) items += "<li>The run was interrupted; <code>--resume</code> continues it.</li>\n";
  for (const std::string& note : run.notes) items += fmt::format("<li>{}</li>\n", escaped(note));
  return items.empty() ? "" : "<ul class=\"notes\">\n" + items + "</ul>\n";
}

std::string row(const std::string& name, const std::string& value, bool code = false) {
  if (value.empty()) return "";
  return fmt::format("<tr><td>{}</td><td>{}{}{}</td></tr>\n", escaped(name), code ? "<code>" : "",
                     escaped(value), code ? "</code>" : "");
}

std::string what_was_run(const ReportInfo& info) {
  const RunRecord& run = info.run;
  std::string out = "<h2>What was run</h2>\n<div class=\"columns\">\n<div class=\"card\"><pre>" +
                    escaped(info.description) + "</pre></div>\n<div class=\"card\"><table>\n";
  out += row("State hash", run.hash, true);
  out += row("Seed", std::to_string(run.seed));
  out += row("Schedule", run.schedule + (run.settings.empty() ? "" : ": " + run.settings));
  out += row("Engine", run.engine);
  out += row("Device", run.device);
  out += row("Started", run.started);
  out += row("Model file", run.model);
  for (const auto& [name, value] : info.facts) out += row(name, value);
  return out + "</table></div>\n</div>\n";
}

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? uint8_t(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::string source_of(const ReportPicture& picture) {
  return picture.png.empty() ? escaped(link(picture.file)) : "data:image/png;base64," + base64(picture.png);
}

std::string pictures(const std::vector<ReportPicture>& all) {
  if (all.empty()) return "";
  std::string out = "<h2>Pictures</h2>\n<div class=\"pictures\">\n";
  for (const ReportPicture& picture : all)
    out += fmt::format(
        "<figure class=\"card\"><a href=\"{0}\"><img src=\"{2}\" alt=\"{1}\" loading=\"lazy\"></a>"
        "<figcaption>{1}</figcaption></figure>\n",
        escaped(link(picture.file)), escaped(picture.caption), source_of(picture));
  return out + "</div>\n";
}

std::string plots(const ReportInfo& info) {
  std::vector<Plot> all = plots_of_measures(info.measures);
  for (Plot& plot : plots_of_lags(info.lags)) all.push_back(std::move(plot));
  if (all.empty()) return "";
  std::string out = "<h2>Measures</h2>\n<div class=\"plots\">\n";
  for (const Plot& plot : all) out += "<div class=\"card\">" + line_plot_svg(plot) + "</div>\n";
  out += "</div>\n";
  if (const std::string books = books_text(info.measures); !books.empty())
    out += fmt::format("<p class=\"subtitle\">{}</p>\n", escaped(books));
  return out;
}

std::string files(const std::vector<ReportFile>& all) {
  if (all.empty()) return "";
  std::string out = "<h2>Files</h2>\n<div class=\"card\"><table>\n";
  for (const ReportFile& file : all)
    out += fmt::format("<tr><td><a href=\"{}\">{}</a></td><td>{}</td></tr>\n", escaped(link(file.file)),
                       escaped(file.file), escaped(file.what));
  return out + "</table></div>\n";
}

// What the columns of the tables that are there mean, folded away.
std::string columns(const std::vector<ReportFile>& files) {
  std::string out;
  for (const ReportFile& file : files)
    for (const TableInfo& table : all_tables()) {
      if (table.file != file.file || !table.file.ends_with(".csv")) continue;
      out += fmt::format("<h2>{}</h2>\n<div class=\"card\"><table>\n", escaped(file.file));
      for (const ColumnInfo& column : table.columns)
        out += fmt::format("<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n",
                           escaped(std::string(column.name)), escaped(std::string(column.unit)),
                           escaped(std::string(column.meaning)));
      out += "</table></div>\n";
    }
  if (out.empty()) return "";
  return "<details id=\"columns\"><summary>The columns of the tables</summary>\n" + out + "</details>\n";
}

}  // namespace

std::string html_page(const PageFrame& frame, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n"
      "<p class=\"subtitle\">{2}</p>\n{3}<footer>Kiln {4}</footer>\n</main>\n</body>\n</html>\n",
      escaped(frame.title), kStyle, escaped(frame.subtitle), body, escaped(frame.version));
}

std::string report_html(const ReportInfo& info) {
  const RunRecord& run = info.run;
  std::string body = key_figures(run) + notes(run) + pictures(info.pictures) + plots(info) +
                     motility_section(info.motility) + lineage_section(info.lineage) + what_was_run(info) +
                     files(info.files) + columns(info.files);
  if (!info.resolved_model.empty())
    body += "<details><summary>The model, every default written out</summary>\n<div class=\"card\"><pre>" +
            escaped(info.resolved_model) + "</pre></div></details>\n";
  return html_page(
      {run.title.empty() ? run.model : run.title, "Cellular Potts Model, " + run.out, run.version}, body);
}

void write_report(const std::filesystem::path& path, const ReportInfo& info) {
  write_text_atomically(path, report_html(info));
}

}  // namespace kiln
