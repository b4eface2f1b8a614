#include "engine/ranks/part_transfer.hpp"

#include "core/columns.hpp"

namespace kiln {
namespace {

template <class T>
void receive_sites(Crew& crew, int from, HugeVector<T>& sites) {
  receive_numbers<T>(crew, from, [&](std::size_t count) {
    sites = HugeVector<T>(count);
    return sites.data();
  });
}

// How a substance's voxels lie, and what is known of it, beside its concentrations.
struct SentSubstance {
  Lattice voxels;
  int32_t coarsen;
  double first_total, total;
  SubstanceBudget budget;
};

void send_substances(Crew& crew, int to, const std::vector<Substance>& substances) {
  const auto count = uint64_t(substances.size());
  crew.send(to, std::as_bytes(std::span(&count, 1)));
  for (const Substance& s : substances) {
    const SentSubstance sent{s.voxels, s.coarsen, s.first_total, s.total, s.budget};
    crew.send(to, std::as_bytes(std::span(&sent, 1)));
    send_numbers<char>(crew, to, s.name);
    send_numbers<double>(crew, to, s.values);
  }
}

void receive_substances(Crew& crew, int from, std::vector<Substance>& substances) {
  uint64_t count = 0;
  crew.receive(from, std::as_writable_bytes(std::span(&count, 1)));
  substances.resize(std::size_t(count));
  for (Substance& s : substances) {
    SentSubstance sent;
    crew.receive(from, std::as_writable_bytes(std::span(&sent, 1)));
    s.voxels = sent.voxels;
    s.coarsen = sent.coarsen;
    s.first_total = sent.first_total;
    s.total = sent.total;
    s.budget = sent.budget;
    const std::vector<char> name = receive_numbers<char>(crew, from);
    s.name.assign(name.begin(), name.end());
    s.values = receive_numbers<double>(crew, from);
    s.show();
  }
}

}  // namespace

void send_cells(Crew& crew, int to, const Cells& cells) {
  const int64_t frame[] = {cells.history_length, cells.property_count};
  send_numbers<int64_t>(crew, to, frame);
  for (const Column& column : columns())
    send_numbers<std::byte>(crew, to, {column.data_of(cells), column.rows(cells) * column.row_bytes});
}

Cells receive_cells(Crew& crew, int from) {
  const auto frame = receive_numbers<int64_t>(crew, from);
  Cells cells;
  cells.history_length = int(frame[0]);
  cells.property_count = int(frame[1]);
  for (const Column& column : columns())
    receive_numbers<std::byte>(crew, from, [&](std::size_t bytes) {
      column.resize(cells, bytes / column.row_bytes);
      return column.data(cells);
    });
  return cells;
}

void send_part(Crew& crew, int to, const TissuePart& part, PartOf what) {
  const State& state = part.state;
  const int64_t frame[] = {state.mcs, part.cells_in_all};
  send_numbers<int64_t>(crew, to, frame);
  send_numbers<CellId>(crew, to, part.number);
  send_numbers<int32_t>(crew, to, part.here);
  if (what != PartOf::sites) send_cells(crew, to, state.cells);
  if (what == PartOf::cells) return;
  if (what == PartOf::all) send_substances(crew, to, state.substances);
  send_numbers<CellId>(crew, to, {state.ids.data(), state.ids.size()});
  send_numbers<ActValue>(crew, to, {state.act.data(), state.act.size()});
}

TissuePart receive_part(Crew& crew, int from, const BrickGrid& grid, int rank, int halo,
                        const std::vector<bool>& frozen, PartOf what) {
  TissuePart part = empty_part(grid, rank, halo, frozen);
  State& state = part.state;
  const auto frame = receive_numbers<int64_t>(crew, from);
  state.mcs = frame[0];
  part.cells_in_all = CellId(frame[1]);
  part.number = receive_numbers<CellId>(crew, from);
  part.here = receive_numbers<int32_t>(crew, from);
  if (what != PartOf::sites) state.cells = receive_cells(crew, from);
  for (CellId own = 1; own < part.number.size(); ++own) {
    if (part.number[own] == kNowhere)
      part.free_rows.push_back(own);
    else
      part.own_id.insert(part.number[own], own);
  }
  if (what == PartOf::cells) return part;
  if (what == PartOf::all) receive_substances(crew, from, state.substances);
  receive_sites(crew, from, state.ids);
  receive_sites(crew, from, state.act);
  return part;
}

void send_holders(Crew& crew, int to, const TissuePart& part, const Holders& holders) {
  std::vector<uint32_t> numbers;
  for (const auto& [cell, ranks] : holders) {
    if (part.own_id.find(cell) == kMedium) continue;
    numbers.push_back(cell);
    numbers.push_back(uint32_t(ranks.size()));
    numbers.insert(numbers.end(), ranks.begin(), ranks.end());
  }
  send_numbers<uint32_t>(crew, to, numbers);
}

Holders receive_holders(Crew& crew, int from) {
  const auto numbers = receive_numbers<uint32_t>(crew, from);
  Holders holders;
  for (std::size_t at = 0; at < numbers.size();) {
    const uint32_t* const entry = numbers.data() + at;
    holders[entry[0]].assign(entry + 2, entry + 2 + entry[1]);
    at += 2 + entry[1];
  }
  return holders;
}

}  // namespace kiln
