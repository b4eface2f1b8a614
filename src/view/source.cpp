#include "view/source.hpp"

#include <fmt/format.h>

#include <atomic>

#include "base/json.hpp"
#include "view/about.hpp"
#include "view/frame.hpp"

namespace kiln::view {

http::Reply Source::steer(const std::string&) {
  return http::reply(403, "This run is only watched: start it with --steer to change it on its way.\n");
}

http::Reply Source::numbers() { return http::json_reply("[]"); }

int64_t next_about_version() {
  static std::atomic<int64_t> last = 0;
  return ++last;
}

std::string about_json(const Model& model, const std::string& name, bool steers) {
  const Lattice& lattice = model.lattice;
  std::vector<JsonObject> types;
  for (const CellType& type : model.types) {
    const Colour& c = type.colour;
    types.emplace_back()
        .add("name", type.name)
        .add("colour", fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue))
        .add("frozen", type.frozen)
        .add("hidden", type.hidden);
  }
  JsonObject about;
  about.add("title", model.title.empty() ? model.source : model.title).add("name", name);
  about.add("version", KILN_VERSION).add("steers", steers);
  about.add("nx", lattice.size.x).add("ny", lattice.size.y).add("nz", lattice.size.z);
  about.add("dimension", lattice.dimension).add("step", reduction_of(lattice));
  about.add("voxel_um", model.units.voxel_um).add("seconds_per_mcs", model.units.seconds_per_mcs);
  about.add("total_mcs", model.total_mcs()).add("seed", int64_t(model.seed));
  about.add("fields", site_fields(model)).add("types", types);
  return about.line();
}

}  // namespace kiln::view
