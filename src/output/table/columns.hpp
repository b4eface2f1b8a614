// Descriptors of all tables: the name, unit and definition of every column and HDF5 dataset that a run or a
// sweep writes. Writers take names and units from here; docs/tables.md, `kiln info --tables` and the report
// are written from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {
namespace hdf5 {
class Object;
}

struct ColumnInfo {
  std::string_view name;  // A, B, TERM, KEY and N stand for what a model or a run puts there: contact_A_B
  std::string_view unit;  // "": none
  std::string_view meaning;
};

// All columns of another table, after a table's own.
struct IncludedTable {
  std::string_view file;
  std::string_view group = "";  // in which an HDF5 file has them: "cells/"
};

struct TableInfo {
  std::string_view file;
  std::string_view python;  // what has the same columns there; "": nothing
  std::string_view about;   // what a row is, and when there is one
  std::vector<ColumnInfo> columns;
  std::vector<IncludedTable> included = {};
};

// In the order of the page.
const std::vector<TableInfo>& all_tables();
const TableInfo& table_named(std::string_view file);  // std::logic_error where there is none
// Also among the columns that it includes; nullptr where there is none.
const ColumnInfo* find_column(const TableInfo& table, std::string_view name);
const ColumnInfo& column_named(std::string_view file, std::string_view name);  // std::logic_error

// The attribute "unit" of a dataset, in ASCII ("um"); none for what has no unit.
void set_unit(const hdf5::Object& dataset, const ColumnInfo& column);

std::vector<std::string> names_of(std::span<const ColumnInfo> columns);

// What the writers of CSV files fold over.
std::span<const ColumnInfo> cells_columns();  // cells.csv, and the datasets of cells.h5
std::span<const ColumnInfo> lives_columns();  // of those tables, where cells live, but for properties
std::span<const ColumnInfo> lag_columns();    // lags.csv
std::span<const ColumnInfo> speed_columns(bool several_intervals);  // speeds.csv
std::span<const ColumnInfo> motility_columns();                     // motility.csv but for the phase
std::span<const ColumnInfo> correlation_columns();                  // direction_correlation.csv
std::span<const ColumnInfo> lineage_columns();                      // lineage.csv but for properties
std::span<const ColumnInfo> sweep_columns();  // what names a run of a sweep, after the varied keys

// docs/tables.md.
std::string tables_reference();

}  // namespace kiln
