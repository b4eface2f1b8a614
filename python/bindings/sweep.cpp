// Sweeps, as `kiln sweep` plays them; their tables are read from the folder that they are written to.
#include <pybind11/stl.h>

#include "engine/devices.hpp"
#include "model_handle.hpp"
#include "simulation/interrupt.hpp"
#include "simulation/sweep/folder.hpp"
#include "simulation_handle.hpp"

namespace kiln::python {
namespace {

// {"types.cell.act.lambda": [100, 200], "temperature": "5:20:5"}
std::vector<Variation> variations_of(const py::dict& vary) {
  std::vector<Variation> result;
  for (const auto& [key, values] : vary) {
    const std::string name = py::cast<std::string>(key);
    if (py::isinstance<py::str>(values)) {
      result.push_back(parse_variation(name + "=" + py::cast<std::string>(values)));
      continue;
    }
    Variation variation{name, {}};
    for (const auto& value : values) variation.values.push_back(inline_toml(node_of(value, name)));
    result.push_back(std::move(variation));
  }
  return result;
}

using Failures = std::vector<std::tuple<std::string, uint64_t, std::string>>;  // run, seed, why

// Which runs are played, and where; texts are those of the command line, "" where there is none.
struct Part {
  std::string devices, shard, out;
  bool resume;
};

// Gives back the folder of the tables, and the runs that failed. `tick` is told MCS made, MCS in all, runs
// finished, runs in all.
std::pair<std::string, Failures> play(const ModelHandle& model, const std::vector<Variation>& variations,
                                      int64_t replicas, EngineOptions options, const Part& part,
                                      const InterruptGuard& interrupt, const py::object& tick) {
  const auto make_model = [&model](const std::vector<Override>& varied) {
    ModelHandle one = model;
    one.change(varied);
    return one.model();
  };
  SweepShare share;
  if (!part.shard.empty()) share.shard = parse_shard(part.shard);
  share.devices = choose_devices(part.devices, options);
  Sweep sweep(variations, replicas, make_model, options, share);
  SweepFolder folder(part.out, part.resume ? IfExists::resume : IfExists::refuse, model.model(),
                     sweep.engine().schedule, share.shard);
  const std::vector<FailedRun> runs = play_into(folder, sweep, [&](const SweepProgress& now) {
    const py::gil_scoped_acquire for_the_call;
    if (!tick.is_none()) tick(now.mcs, now.all_mcs, now.finished, sweep.runs().size());
    return !interrupt.requested();
  });
  Failures failed;
  for (const FailedRun& f : runs) failed.emplace_back(f.run.name, f.run.seed, f.why);
  folder.write_tables(sweep);
  return {folder.path().string(), failed};
}

std::pair<std::string, Failures> sweep(const ModelHandle& model, const py::dict& vary, int64_t replicas,
                                       const EngineOptions& options, const std::string& devices,
                                       const std::string& shard, const std::string& out, bool resume,
                                       const py::object& tick) {
  const std::vector<Variation> variations = variations_of(vary);
  const InterruptGuard interrupt;
  std::pair<std::string, Failures> played;
  {
    const py::gil_scoped_release others_may_go_on;
    played = play(model, variations, replicas, options, {devices, shard, out, resume}, interrupt, tick);
  }
  if (interrupt.requested()) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  return played;
}

}  // namespace

void bind_sweep(py::module_& module) {
  module.def("sweep", &sweep, py::arg("model"), py::arg("vary"), py::arg("replicas"), py::arg("engine"),
             py::arg("devices"), py::arg("shard"), py::arg("out"), py::arg("resume"), py::arg("tick"));
}

}  // namespace kiln::python
