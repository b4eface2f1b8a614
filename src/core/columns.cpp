#include "core/columns.hpp"

#include <vector>

namespace kiln {
namespace {

int one_row(const Cells&) { return 1; }
int history_rows(const Cells& cells) { return cells.history_length; }
int property_rows(const Cells& cells) { return cells.property_count; }

// `Member` is a vector of Cells.
template <auto Member>
constexpr Column column(std::span<const Field> fields, bool optional,
                        int (*rows_per_cell)(const Cells&) = one_row) {
  using Row = typename std::remove_reference_t<decltype(std::declval<Cells>().*Member)>::value_type;
  static_assert(std::is_trivially_copyable_v<Row>);
  return {fields,
          sizeof(Row),
          optional,
          rows_per_cell,
          [](const Cells& cells) { return (cells.*Member).size(); },
          [](Cells& cells) { return reinterpret_cast<std::byte*>((cells.*Member).data()); },
          [](Cells& cells, std::size_t rows) { (cells.*Member).resize(rows); }};
}

constexpr Field kType[] = {{"type", Element::u8, 1, 0, 5, false}};
constexpr Field kExtent[] = {
    {"volume", Element::i32, 1, offsetof(Cells::Extent, volume), 6, true},
    {"perimeter", Element::i32, 1, offsetof(Cells::Extent, perimeter), 7, true},
};
constexpr Field kCentroid[] = {
    {"anchor", Element::i32, 3, offsetof(Cells::Centroid, anchor), 8, false},
    {"sum", Element::i64, 3, offsetof(Cells::Centroid, sum), 9, true},
};
constexpr Field kDirection[] = {{"direction", Element::f32, 3, 0, 10, false}};
constexpr Field kHistory[] = {{"history", Element::f64, 3, 0, 0, false}};
constexpr Field kMoments[] = {{"moments", Element::i64, Moments::kMost, 0, 11, true}};
constexpr Field kTargets[] = {
    {"target_volume", Element::f32, 1, offsetof(Cells::Targets, volume), 12, false},
    {"target_perimeter", Element::f32, 1, offsetof(Cells::Targets, perimeter), 13, false},
};
constexpr Field kOwnLambdas[] = {
    {"lambda_chemotaxis", Element::f32, 1, offsetof(OwnLambdas, chemotaxis), 24, false},
    {"lambda_persistence", Element::f32, 1, offsetof(OwnLambdas, persistence), 25, false},
    {"lambda_act", Element::f32, 1, offsetof(OwnLambdas, act), 26, false},
};
constexpr Field kProperty[] = {{"property", Element::f64, 1, 0, 14, false}};
constexpr Field kLife[] = {
    {"parent", Element::i64, 1, offsetof(Cells::Life, parent), 15, false},
    {"born", Element::i64, 1, offsetof(Cells::Life, born), 16, false},
    {"ended", Element::i64, 1, offsetof(Cells::Life, ended), 17, false},
    {"exact_target", Element::f64, 1, offsetof(Cells::Life, target), 18, false},
    {"generation", Element::i32, 1, offsetof(Cells::Life, generation), 19, false},
    {"end", Element::i32, 1, offsetof(Cells::Life, end), 20, false},
    {"shrinks", Element::f32, 1, offsetof(Cells::Life, shrinks), 21, false},
    {"gone_at", Element::i32, 1, offsetof(Cells::Life, gone_at), 22, false},
};

constexpr bool kOptional = true;
const Column kColumns[] = {
    column<&Cells::type>(kType, !kOptional),
    column<&Cells::extent>(kExtent, !kOptional),
    column<&Cells::centroid>(kCentroid, !kOptional),
    column<&Cells::moments>(kMoments, kOptional),
    column<&Cells::targets>(kTargets, kOptional),
    column<&Cells::own_lambdas>(kOwnLambdas, kOptional),
    column<&Cells::direction>(kDirection, kOptional),
    column<&Cells::history>(kHistory, kOptional, history_rows),
    column<&Cells::life>(kLife, kOptional),
    column<&Cells::property>(kProperty, kOptional, property_rows),
};

}  // namespace

std::size_t bytes_of(Element element) {
  switch (element) {
    case Element::u8:
      return 1;
    case Element::i32:
    case Element::f32:
      return 4;
    case Element::i64:
    case Element::f64:
      return 8;
  }
  return 0;
}

std::span<const Column> columns() { return kColumns; }

CellId Cells::add(TypeId type_of_cell) {
  const std::size_t before = count();
  for (const Column& column : columns())
    if (!column.optional || column.is_there(*this))
      column.resize(*this, (before + 1) * std::size_t(column.rows_per_cell(*this)));
  type[before] = type_of_cell;
  return CellId(before);
}

}  // namespace kiln
