// Frames hold the tissue as it is.
#include "view/frame.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>

#include "base/json.hpp"
#include "base/text.hpp"
#include "model/file/read.hpp"

namespace kiln::view {
namespace {

Model model_of(const std::string& size, const std::string& more = "") {
  const bool is_flat = std::count(size.begin(), size.end(), ',') == 1;
  return parse_model("mcs = 5\n[lattice]\nsize = " + size + R"(
[types.a]
volume = {target = 60, lambda = 2}
act = {lambda = 20, max = 8, start_full = true}
[types.b]
volume = {target = 60, lambda = 2}
[[initial]]
kind = "boxes"
types = {a = 1, b = 1}
)" + std::string(is_flat ? "box = [4, 4]\nspacing = [5, 4]\n" : "box = [4, 4, 4]\nspacing = [5, 4, 6]\n") +
                         more,
                     "m.toml", "");
}

// Plainly what src/view/frame.hpp says.
struct Read {
  std::string header;
  const char* blocks = nullptr;

  explicit Read(const std::string& bytes) {
    uint32_t length = 0;
    std::memcpy(&length, bytes.data() + 4, 4);
    EXPECT_EQ(bytes.substr(0, 4), "KILN");
    header = bytes.substr(8, length);
    blocks = bytes.data() + 8 + length;
  }
  int64_t number(const std::string& key) const { return *whole_in(*json_member(header, key)); }
  // The description of a block, an object of its own.
  std::string block(const std::string& name) const {
    const std::size_t at = header.find("{\"name\": \"" + name + "\"");
    return at == header.npos ? "" : header.substr(at, header.find('}', at) + 1 - at);
  }
  template <class Number>
  std::vector<Number> column(const std::string& name) const {
    const std::string about = block(name);
    std::vector<Number> values(std::size_t(*whole_in(*json_member(about, "count"))));
    std::memcpy(values.data(), blocks + *whole_in(*json_member(about, "offset")),
                values.size() * sizeof(Number));
    return values;
  }
  std::vector<uint32_t> rows(const std::string& name) const {
    const std::string about = block(name);
    const char* at = blocks + *whole_in(*json_member(about, "offset"));
    const int64_t width = number("nx"), count = number("ny") * number("nz");
    std::string lengths = *json_member(about, "chunks");
    lengths = lengths.substr(1, lengths.size() - 2);
    std::istringstream words(lengths);
    std::vector<int64_t> chunks;
    for (int64_t length; words >> length;) chunks.push_back(length);
    std::vector<uint32_t> values;
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
      const std::size_t start = values.size();
      for (const char* end = at + chunks[chunk]; at < end;) {
        const uint32_t token = varint(at);
        const uint32_t value = token % 2 == 1 ? varint(at) : 0;
        for (uint32_t i = 0; i < token / 2; ++i) {
          const bool is_first_row = values.size() - start < std::size_t(width);
          values.push_back(token % 2 == 1 ? value
                           : is_first_row ? 0
                                          : values[values.size() - std::size_t(width)]);
        }
      }
    }
    EXPECT_EQ(values.size(), std::size_t(width * count));
    return values;
  }
  static uint32_t varint(const char*& at) {
    uint32_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at++);
      value |= uint32_t(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
};

TEST(ViewFrame, HasEverySiteAndCell) {
  for (const char* size : {"[37, 29, 21]", "[64, 48]", "[3, 3, 130]", "[300, 3]"}) {
    const Model model = model_of(size);
    const State state = initial_state(model);
    const std::string bytes = take_frame(state, model, {"act"}, true)();
    const Read read(bytes);
    EXPECT_EQ(read.number("step"), 1);
    EXPECT_EQ(read.number("mcs"), 0);
    const std::vector<uint32_t> ids = read.rows("ids"), act = read.rows("field");
    ASSERT_EQ(ids.size(), state.ids.size()) << size;
    EXPECT_TRUE(std::equal(ids.begin(), ids.end(), state.ids.begin())) << size;
    for (std::size_t i = 0; i < ids.size(); ++i)
      ASSERT_EQ(act[i], uint32_t(state.act[i] / 8.0 * 255 + 0.5)) << i;
    const auto type = read.column<uint8_t>("type");
    const auto volume = read.column<float>("volume"), x = read.column<float>("x");
    ASSERT_EQ(type.size(), state.cells.count());
    for (CellId cell = 1; cell < state.cells.count(); ++cell) {
      EXPECT_EQ(type[cell], state.cells.type[cell]);
      EXPECT_EQ(volume[cell], float(state.cells.extent[cell].volume));
      EXPECT_EQ(x[cell], float(state.cells.position(cell).x));
    }
    EXPECT_EQ(read.block("z").empty(), model.lattice.dimension == 2);
  }
}

TEST(ViewFrame, LargeLatticesAreThinnedOut) {
  const auto step = [](int x, int y, int z, int dimension) {
    Lattice lattice;
    lattice.size = {x, y, z};
    lattice.dimension = dimension;
    return reduction_of(lattice);
  };
  EXPECT_EQ(step(256, 256, 256, 3), 1);
  EXPECT_EQ(step(257, 256, 256, 3), 2);
  EXPECT_EQ(step(1024, 1024, 1024, 3), 4);
  EXPECT_EQ(step(2048, 2048, 1, 2), 1);
  EXPECT_EQ(step(4096, 100, 1, 2), 2);
  EXPECT_EQ(step(16384, 16384, 1, 2), 8);
  EXPECT_EQ(step(1, 1, 1, 2), 1);

  const Model model = model_of("[4099, 6]");
  const State state = initial_state(model);
  const std::string bytes = take_frame(state, model, {}, true)();
  const Read read(bytes);
  EXPECT_EQ(read.number("step"), 4);
  EXPECT_EQ(read.number("nx"), 1025);
  const std::vector<uint32_t> ids = read.rows("ids");
  // From the middle of each block of 4 x 4, or the last site where that lies beyond the edge.
  EXPECT_EQ(ids[10], state.ids[std::size_t(state.lattice.index({42, 2, 0}))]);
  EXPECT_EQ(ids[1025 + 1024], state.ids[std::size_t(state.lattice.index({4098, 5, 0}))]);
}

TEST(ViewFrame, FieldsThatAModelLacksAreLeftOut) {
  const Model model = model_of("[16, 16]");
  const State state = initial_state(model);
  EXPECT_EQ(site_fields(model), std::vector<std::string>{"act"});
  const std::string bytes = take_frame(state, model, {"no such thing"}, true)();
  EXPECT_TRUE(Read(bytes).block("field").empty());
  const std::string snapshot = take_frame(state, model, {}, false)();
  EXPECT_TRUE(Read(snapshot).block("x").empty());
}

TEST(ViewFrame, VeryManyCellsHaveFewNumbersUntilMoreAreAskedFor) {
  Model model = model_of("[1000, 840]");
  model.initial[0].box = model.initial[0].spacing = {2, 2, 1};
  const State state = initial_state(model);
  ASSERT_GT(state.cells.count(), kManyCells);
  const std::string few = take_frame(state, model, {}, true)(),
                    all = take_frame(state, model, {.all_numbers = true}, true)();
  EXPECT_EQ(*json_member(Read(few).header, "all_numbers"), "false");
  EXPECT_EQ(*json_member(Read(all).header, "all_numbers"), "true");
  for (const char* name : {"type", "volume", "by_type", "by_cell", "ids"})
    EXPECT_FALSE(Read(few).block(name).empty()) << name;
  for (const char* name : {"perimeter", "x", "y"}) {
    EXPECT_TRUE(Read(few).block(name).empty()) << name;
    EXPECT_FALSE(Read(all).block(name).empty()) << name;
  }
  EXPECT_EQ(*json_member(Read(few).header, "numbers"), *json_member(Read(all).header, "numbers"));
  EXPECT_EQ(Read(few).column<float>("volume"), Read(all).column<float>("volume"));
}

TEST(ViewFrame, ShowsSubstances) {
  const Model model = model_of("[16, 16]", "[substances.o2]\ndiffusion = 1\nstart = 2.5\n");
  const State state = initial_state(model);
  EXPECT_EQ(site_fields(model), (std::vector<std::string>{"act", "o2"}));
  const std::string bytes = take_frame(state, model, {"o2"}, true)();
  const Read read(bytes);
  EXPECT_EQ(*json_member(read.header, "field_low"), "2.5");
  for (const uint32_t value : read.rows("field")) ASSERT_EQ(value, 0u);
}

}  // namespace
}  // namespace kiln::view
