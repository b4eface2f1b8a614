#include "engine/ranks/brick_voxels.hpp"

#include <algorithm>

#include "engine/ranks/parcels.hpp"

namespace kiln {
namespace {

using substances::RowPiece;
using substances::Rows;
using substances::SiteRate;

template <class T>
void append_all(Message& message, const std::vector<T>& values) {
  append(message, uint64_t(values.size()));
  const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
  message.insert(message.end(), bytes, bytes + values.size() * sizeof(T));
}
template <class T>
void take_all(Reading& message, std::vector<T>& values) {
  values.resize(std::size_t(message.take<uint64_t>()));
  if (!values.empty())
    std::memcpy(values.data(), message.take_bytes(values.size() * sizeof(T)), values.size() * sizeof(T));
}

}  // namespace

BrickVoxels::Layers BrickVoxels::layers_of(const Lattice& voxels) {
  return voxels.dimension == 3 ? Layers{voxels.size.z, voxels.size.y} : Layers{voxels.size.y, 1};
}

int BrickVoxels::Layers::owner(int64_t layer, int ranks) const {
  int rank = int(layer * ranks / count);
  while (first(rank + 1, ranks) <= layer) ++rank;
  return rank;
}

Rows BrickVoxels::rows(const Lattice& voxels) const {
  const Layers layers = layers_of(voxels);
  const int rank = exchange_.rank(), ranks = exchange_.ranks();
  return {layers.first(rank, ranks) * layers.rows_in_each,
          layers.first(rank + 1, ranks) * layers.rows_in_each};
}

// Every rank tells all others of its brick, a bit per site.
std::vector<bool> BrickVoxels::sites_of_types(const State& state, const std::vector<bool>& types) {
  const Box own = part_.brick.own_stored();
  Message here;
  std::byte bits{0};
  int used = 0;
  const auto flush = [&] {
    here.push_back(bits);
    bits = std::byte{0};
    used = 0;
  };
  for (int32_t z = own.low.z; z < own.high.z; ++z)
    for (int32_t y = own.low.y; y < own.high.y; ++y)
      for (int32_t x = own.low.x; x < own.high.x; ++x) {
        const CellId cell = state.ids[std::size_t(state.lattice.index({x, y, z}))];
        if (types[state.cells.type[cell]]) bits |= std::byte(1 << used);
        if (++used == 8) flush();
      }
  if (used > 0) flush();
  const std::vector<Message> told = tell_all(exchange_, here);
  const Lattice& lattice = part_.grid.lattice();
  std::vector<bool> found(std::size_t(lattice.sites()));
  for (int rank = 0; rank < exchange_.ranks(); ++rank) {
    const Box box = part_.grid.brick(rank);
    const Message& of_rank = told[std::size_t(rank)];
    std::size_t at = 0;
    for (int32_t z = box.low.z; z < box.high.z; ++z)
      for (int32_t y = box.low.y; y < box.high.y; ++y)
        for (int32_t x = box.low.x; x < box.high.x; ++x, ++at)
          found[std::size_t(lattice.index({x, y, z}))] =
              (of_rank[at / 8] >> int(at % 8) & std::byte{1}) != std::byte{0};
  }
  return found;
}

void BrickVoxels::swap_edges(const Lattice& voxels, std::vector<double>& values) {
  const Layers layers = layers_of(voxels);
  const int rank = exchange_.rank(), ranks = exchange_.ranks();
  const int64_t first = layers.first(rank, ranks), end = layers.first(rank + 1, ranks);
  if (first == end) return;
  const bool periodic = voxels.periodic[voxels.dimension - 1];
  const auto length = std::size_t(layers.rows_in_each * voxels.size.x);
  std::vector<int> to;
  std::vector<Message> out, in;
  const auto tell = [&](int64_t layer, int64_t beside) {
    if (beside < 0 || beside >= layers.count) {
      if (!periodic) return;
      beside = (beside + layers.count) % layers.count;
    }
    const int owner = layers.owner(beside, ranks);
    if (owner == rank) return;
    auto at = std::size_t(std::find(to.begin(), to.end(), owner) - to.begin());
    if (at == to.size()) {
      to.push_back(owner);
      out.emplace_back();
    }
    append(out[at], layer);
    const auto* const bytes = reinterpret_cast<const std::byte*>(values.data() + std::size_t(layer) * length);
    out[at].insert(out[at].end(), bytes, bytes + length * sizeof(double));
  };
  tell(first, first - 1);
  tell(end - 1, end);
  for (const Message& message : out) told_ += int64_t(message.size());
  exchange_.swap(to, out, in);
  for (const Message& message : in)
    for (Reading reading(message); !reading.done();) {
      const auto layer = std::size_t(reading.take<int64_t>());
      std::memcpy(values.data() + layer * length, reading.take_bytes(length * sizeof(double)),
                  length * sizeof(double));
    }
}

void BrickVoxels::gather(const Lattice& voxels, double* values, std::size_t per_row) {
  const Layers layers = layers_of(voxels);
  const int ranks = exchange_.ranks();
  const auto first = [&](int rank) {
    return std::size_t(layers.first(rank, ranks) * layers.rows_in_each) * per_row;
  };
  const auto* const bytes = reinterpret_cast<const std::byte*>(values);
  const int here = exchange_.rank();
  const Message mine(bytes + first(here) * sizeof(double), bytes + first(here + 1) * sizeof(double));
  told_ += int64_t(mine.size()) * (ranks - 1);
  const std::vector<Message> told = tell_all(exchange_, mine);
  for (int rank = 0; rank < ranks; ++rank)
    if (rank != here && !told[std::size_t(rank)].empty())
      std::memcpy(values + first(rank), told[std::size_t(rank)].data(), told[std::size_t(rank)].size());
}

void BrickVoxels::unite(const Lattice& voxels, std::vector<RowPiece>& pieces) {
  const Layers layers = layers_of(voxels);
  std::vector<RowPiece> mine;
  std::size_t next = 0;
  send_parcels(
      exchange_,
      [&](std::vector<Message>& messages) {
        for (std::size_t bytes = 0; next < pieces.size() && bytes < kParcelBytes; ++next) {
          const RowPiece& piece = pieces[next];
          const int owner = layers.owner(piece.row / layers.rows_in_each, exchange_.ranks());
          if (owner == exchange_.rank()) {
            mine.push_back(piece);
            continue;
          }
          Message& message = messages[std::size_t(owner)];
          const std::size_t before = message.size();
          append(message, piece.row);
          append(message, piece.first);
          append(message, piece.voxels);
          append_all(message, piece.counts);
          append_all(message, piece.of_cells);
          append_all(message, piece.single);
          bytes += message.size() - before;
        }
        return next == pieces.size();
      },
      [&](Reading message) {
        while (!message.done()) {
          RowPiece& piece = mine.emplace_back();
          piece.row = message.take<int64_t>();
          piece.first = message.take<int32_t>();
          piece.voxels = message.take<int32_t>();
          take_all(message, piece.counts);
          take_all(message, piece.of_cells);
          take_all(message, piece.single);
        }
      });
  pieces.swap(mine);
}

}  // namespace kiln
