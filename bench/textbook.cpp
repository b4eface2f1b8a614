// The textbook loop as a simulator of its own, for `./kiln side-by-side`: reads a model and a first state,
// and writes the states after every so many MCS as OUT/MCS.npy.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <filesystem>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "data/npy/npy.hpp"
#include "data/npy/write.hpp"
#include "engine/host/plain.hpp"
#include "model/edit.hpp"
#include "model/file/read.hpp"

namespace {

using namespace kiln;

struct Options {
  std::string model, start, types, out;
  int64_t mcs = 0, every = 0;
  uint64_t seed = 0;
};

template <class Value>
std::vector<Value> integers_in(const std::string& file, const std::vector<int64_t>* shape) {
  const Array array = read_npy(file);
  if (array.kind() != Array::Kind::integer || (shape && array.shape != *shape))
    throw UserError(fmt::format("{} must hold integers{}.", file,
                                shape ? fmt::format(" in the shape {}", shape_text(*shape)) : ""));
  std::vector<Value> values(array.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int64_t value = array.integer(i);
    if (!std::in_range<Value>(value)) throw UserError(fmt::format("{} holds {}.", file, value));
    values[i] = Value(value);
  }
  return values;
}

std::vector<int64_t> shape_of(const Lattice& lattice) {
  const Vec3i& size = lattice.size;
  if (lattice.dimension == 2) return {size.y, size.x};
  return {size.z, size.y, size.x};
}

void save(const State& state, const std::filesystem::path& folder) {
  static_assert(sizeof(CellId) == 4 && std::endian::native == std::endian::little);
  write_atomically(folder / fmt::format("{}.npy", state.mcs), [&](const std::filesystem::path& temporary) {
    write_npy(temporary, {"<u4", false, shape_of(state.lattice)},
              std::as_bytes(std::span(state.ids.data(), state.ids.size())));
  });
}

void run(const Options& options) {
  const Model model = read_model(options.model, {fmt::format("seed={}", options.seed)});
  const std::vector<int64_t> shape = shape_of(model.lattice);
  State state = state_of_ids(model, integers_in<CellId>(options.start, &shape),
                             integers_in<TypeId>(options.types, nullptr));
  AttemptCounts counts;
  while (state.mcs < options.mcs) {
    plain_mcs(state, model.phase_at(state.mcs).physics.view(), options.seed, counts);
    if (state.mcs % options.every == 0) save(state, options.out);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Plays a model with the textbook loop, and writes OUT/MCS.npy every so many MCS.", "textbook"};
  app.add_option("MODEL", options.model, "model file")->required();
  app.add_option("START", options.start, ".npy file: ids of cells by site")->required();
  app.add_option("TYPES", options.types, ".npy file: types of cells by id, the medium's first")->required();
  app.add_option("OUT", options.out, "folder, which must be there")->required();
  app.add_option("MCS", options.mcs)->required()->check(CLI::PositiveNumber);
  app.add_option("EVERY", options.every)->required()->check(CLI::PositiveNumber);
  app.add_option("SEED", options.seed)->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    run(options);
  } catch (const std::exception& e) {
    fmt::print(stderr, "textbook: {}\n", e.what());
    return dynamic_cast<const UserError*>(&e) ? 2 : 1;
  }
}
