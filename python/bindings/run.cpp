// A run with its folder, as `kiln run` makes it, that asks Python on its way.
#include <pybind11/stl.h>

#include <csignal>
#include <exception>

#include "base/wording.hpp"
#include "model/file/read.hpp"
#include "output/state/snapshot.hpp"
#include "simulation/run/run.hpp"
#include "simulation_handle.hpp"

namespace kiln::python {
namespace {

// A function of Python, asked every so many MCS.
class Call : public Controller {
 public:
  Call(py::object function, int64_t every) : function_(std::move(function)), every_(every) {}

  void set_simulation(py::object simulation) { simulation_ = std::move(simulation); }

  std::string name() const override { return "Python"; }
  int64_t next_due(int64_t mcs) const override { return next_multiple(mcs, every_); }
  Answer act() override {
    const py::gil_scoped_acquire for_the_call;
    try {
      const py::object answer = function_(simulation_);
      return answer.is(py::bool_(false)) ? Answer::stop : Answer::go_on;
    } catch (...) {
      raised_ = std::current_exception();
      return Answer::failed;
    }
  }

  void raise_again() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  py::object function_, simulation_;
  int64_t every_;
  std::exception_ptr raised_;
};

// A bar of Python: told the MCS so far, the first and the last, and the phase.
class Tick : public Observer {
 public:
  Tick(py::object function, const Run& run)
      : function_(std::move(function)), first_(run.start_mcs()), last_(run.model().total_mcs()), run_(run) {}

  int64_t next_due(int64_t) const override { return kNeverDue; }
  Work look(const Glance&) override { return {}; }
  void pulse(int64_t mcs) override {
    const py::gil_scoped_acquire for_the_call;
    try {
      function_(mcs, first_, last_, run_.model().phase_at(mcs - 1).name);
    } catch (py::error_already_set& e) {
      e.discard_as_unraisable("a bar of kiln.run");  // no reason to end a run
    }
  }

 private:
  py::object function_;
  int64_t first_, last_;
  const Run& run_;
};

double seconds_of(const py::object& given, const char* name) {
  if (py::isinstance<py::str>(given))
    if (const std::optional<double> seconds = seconds_in(py::cast<std::string>(given))) return *seconds;
  if (py::isinstance<py::int_>(given) || py::isinstance<py::float_>(given))
    if (const auto seconds = py::cast<double>(given); seconds >= 0) return seconds;
  throw UserError(std::string(name) + " is " + py::cast<std::string>(py::repr(given)) +
                  ", but must be a duration such as \"1h30m\", \"90min\" or 5400 (seconds).");
}

IfExists if_exists_of(bool force, bool resume) {
  if (force && resume) throw UserError("force and resume exclude each other.");
  return resume ? IfExists::resume : force ? IfExists::replace : IfExists::refuse;
}

// What a signal would have done without the run.
void pass_on(int signal) {
  if (signal == SIGINT) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  std::raise(signal);
}

// However the run ends, its simulation can no longer be changed.
struct Closing {
  SimulationHandle& simulation;
  ~Closing() { simulation.run_has_ended(); }
};

// However the run ends, its viewer looks at it no more.
struct ClosingView {
  std::shared_ptr<view::LiveRun> live;
  ~ClosingView() {
    if (live) live->close();
  }
};

struct RunArguments {
  RunSettings settings;
  py::object call, tick;
  int64_t every = 0;
  std::optional<view::ViewOptions> view;  // none: nothing is shown
  py::object opened;                      // called with the viewer
  bool signals = true;                    // whether they end it: only where the main thread waits for it
};

// Gives back the folder.
std::string play(const ModelHandle& model, RunArguments arguments) {
  const auto started = WallClock::Clock::now();
  Call call(arguments.call, arguments.every);
  if (!arguments.call.is_none()) arguments.settings.controller = &call;
  const auto run = std::make_shared<Run>(model.shared(), std::move(arguments.settings), started);
  const ModelHandle now = run->start().model
                              ? ModelHandle(parse_document(run->model().resolved, run->model().source),
                                            run->model().source, run->model().folder)
                              : model;
  const py::object simulation = py::cast(std::make_unique<SimulationHandle>(now, run));
  auto& handle = py::cast<SimulationHandle&>(simulation);
  call.set_simulation(simulation);
  std::optional<Tick> tick;
  if (!arguments.tick.is_none()) run->add(tick.emplace(arguments.tick, *run));
  ClosingView closing_view;
  std::shared_ptr<ViewHandle> shown;
  if (arguments.view) {
    closing_view.live = std::make_shared<view::LiveRun>(*run, nullptr);
    run->add(*closing_view.live);
    shown = std::make_shared<ViewHandle>(closing_view.live, closing_view.live, *arguments.view);
    arguments.opened(shown);
  }
  int signal = 0;
  {
    std::optional<InterruptGuard> interrupt;
    if (arguments.signals) interrupt.emplace();
    const Closing closing{handle};
    const py::gil_scoped_release others_may_go_on;
    const Access::Busy busy(handle.access());
    const Ending ending = run->go(interrupt ? &*interrupt : nullptr);
    if (ending == Ending::signal) signal = interrupt->signal();
  }
  if (shown) {
    closing_view.live->close();
    shown->show_saved_states(run->folder().path);
  }
  if (signal != 0) pass_on(signal);
  call.raise_again();
  return run->folder().path.string();
}

std::string run(const ModelHandle& model, const std::string& out, const std::string& name,
                const EngineOptions& engine, const std::string& from, bool force, bool resume,
                const py::object& time_limit, const py::object& checkpoint_every, int64_t every,
                const py::object& call, const py::object& tick, bool signals,
                const std::optional<view::ViewOptions>& view, const py::object& opened) {
  if (view) http::require_server();
  RunArguments arguments;
  RunSettings& settings = arguments.settings;
  settings.engine = engine;
  settings.out = out;
  settings.name = name;
  settings.given = model.given_text();
  settings.input = model.file();
  settings.from = from;
  settings.if_exists = if_exists_of(force, resume);
  if (!time_limit.is_none()) settings.times.limit_s = seconds_of(time_limit, "time_limit");
  if (!checkpoint_every.is_none())
    settings.times.checkpoint_every_s = seconds_of(checkpoint_every, "checkpoint_every");
  if (!call.is_none() && every < 1)
    throw UserError("every is " + std::to_string(every) + ", but must be at least 1.");
  arguments.call = call;
  arguments.every = every;
  arguments.tick = tick;
  arguments.signals = signals;
  arguments.view = view;
  arguments.opened = opened;
  return play(model, std::move(arguments));
}

// Ids by site of a snapshot in a run's folder, which may be under way.
py::array snapshot(const std::string& folder, std::optional<int64_t> mcs) {
  const State state = read_snapshot(folder, mcs);
  py::array_t<CellId> ids(shape_of(state.lattice));
  std::copy(state.ids.begin(), state.ids.end(), ids.mutable_data());
  return ids;
}

}  // namespace

void bind_run(py::module_& module) {
  module.def("run", &run, py::arg("model"), py::arg("out"), py::arg("name"), py::arg("engine"),
             py::arg("from_run"), py::arg("force"), py::arg("resume"), py::arg("time_limit"),
             py::arg("checkpoint_every"), py::arg("every"), py::arg("call"), py::arg("tick"),
             py::arg("signals"), py::arg("view"), py::arg("opened"));
  module.def(
      "snapshot_times", [](const std::string& folder) { return snapshot_times(folder); }, py::arg("folder"));
  module.def("snapshot", &snapshot, py::arg("folder"), py::arg("mcs"));
}

}  // namespace kiln::python
