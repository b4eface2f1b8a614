// What every engine can do. A run is defined by (model, seed, schedule); the engine decides only how fast it
// goes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/parallel.hpp"
#include "core/cell_slice.hpp"
#include "core/state.hpp"
#include "engine/lattice_survey.hpp"
#include "model/model.hpp"

namespace kiln {

// Counted since the engine was made.
struct AttemptCounts {
  int64_t attempts = 0;  // all copy attempts
  int64_t live = 0;      // those that could change something
  int64_t accepted = 0;

  void add(const AttemptCounts& other) {
    attempts += other.attempts;
    live += other.live;
    accepted += other.accepted;
  }
};

// What the parts of a tissue that is cut told each other since the engine was made, in bytes. Every rank
// counts what it sends.
struct Traffic {
  int64_t swaps = 0;       // in which a rank sends something to each of its partners; summed over ranks
  int64_t copies = 0;      // of sites that change shared cells
  int64_t claims = 0;      // on shared cells
  int64_t sums = 0;        // of cells whose anchors were moved
  int64_t sharing = 0;     // who shares which cells, and the rows of those that come
  int64_t living = 0;      // of cells between two MCS: what was counted, and sites of those that divide
  int64_t substances = 0;  // concentrations, and what rows of voxels add up to

  void add(const Traffic& other) {
    swaps += other.swaps;
    copies += other.copies;
    claims += other.claims;
    sums += other.sums;
    sharing += other.sharing;
    living += other.living;
    substances += other.substances;
  }
};

// Ids by site in the memory of a GPU, x fastest, as they were when they were asked for.
struct DeviceIds {
  uint64_t address = 0;
  int device = 0;               // which GPU
  std::shared_ptr<void> owner;  // keeps the memory alive
};

class Crew;
class PartStore;
class StateParts;

class Engine {
 public:
  virtual ~Engine() = default;

  // Applies to every MCS from now on.
  virtual void set_physics(const Physics& physics) = 0;
  virtual void advance(int64_t mcs) = 0;
  // The state as it is now; the reference stays good until the next call of a member that is not const.
  virtual const State& state() = 0;
  // The same, but the lattice, Act and concentrations may be old ones: cheap where those lie on a GPU.
  virtual const State& state_of_cells() { return state(); }
  // The same, but of cells no more than types, volumes and perimeters need be as they are now.
  virtual const State& state_of_sizes() { return state_of_cells(); }
  // The same, but cells may be old ones, too. What several processes hold is brought together for none of
  // this, nor for the two below.
  virtual const State& outline() { return state_of_cells(); }
  virtual CellId cell_count() { return state_of_cells().cells.count(); }  // with the medium
  // The rows of all cells; `take` may ask the engine nothing.
  virtual void each_slice(const TakeSlice& take) { take({state_of_cells().cells}); }
  // Starts a snapshot of the state into `to`, whose memory is used again; it stays valid while the engine
  // advances. The snapshot is complete when the returned function has been called; that may be on another
  // thread, while the engine advances, but before the next snapshot.
  virtual std::function<void()> begin_copy(State& to) {
    copy_state(state(), to, all_threads());
    return [] {};
  }
  // Of the state (core/state.hpp), also where no memory holds all of it.
  virtual std::string hash() { return state_hash(state()); }
  // Measures of the lattice in the engine's own memory; nullptr where state() has it at hand anyway.
  virtual LatticeSurvey* survey() { return nullptr; }
  // Where several processes hold the state, and write it: each its part; nullptr elsewhere.
  virtual StateParts* parts() { return nullptr; }
  // Where the lattice lies on a GPU: its ids for another program there, without a way over the host.
  virtual std::optional<DeviceIds> device_ids() { return std::nullopt; }
  virtual AttemptCounts counts() const = 0;
  virtual std::string name() const = 0;
  virtual std::string schedule() const = 0;
  // What the schedule derived from the model, in words; "" where there is nothing to derive.
  virtual std::string settings() const { return ""; }
  // The GPU it runs on; "" for a processor.
  virtual std::string gpu() const { return ""; }
  // Threads that play, where it runs on a processor; those of all processes.
  virtual int threads() const { return 1; }
  virtual int processes() const { return 1; }
  virtual Traffic traffic() const { return {}; }
  // One that came to another process while they advanced; 0: none.
  virtual int signal() const { return 0; }
};

// Two things that make the checkerboard's kernels fast. They are turned off only to see what they are worth.
struct BoardKernels {
  bool cached = true;       // active regions are kept in shared memory, where that pays
  bool specialised = true;  // compiled for the model's terms and parameters; else both are read from memory
  bool skipping = true;     // where not specialised: terms that the model does not use
};

struct EngineOptions {
  std::string engine = "auto";  // auto, serial, threads, cuda
  std::string schedule = "";    // tiles, checkerboard, serial; "": the engine's default
  int threads = 0;              // 0: one per core that the job was given
  int device = 0;               // which GPU
  std::string devices = "";     // GPUs that play bricks of one tissue: all, or 0,1; "": `device` plays it
  std::vector<int> gpus = {};   // the same as numbers; set by chosen_engine (engine_choice.hpp)
  std::string bricks = "";      // cuts the lattice, as "2x2x1", for threads or GPUs. "": a piece per GPU
  Crew* crew = nullptr;         // other processes: each plays a brick. Bricks "" are then of least surface
  PartStore* store = nullptr;   // into which those write their parts; nullptr: the first writes all
  // What they begin with, in place of a state: a checkpoint in the store; or the model's first state, which
  // all of them build. What there is to say of that goes to `notes`.
  std::string stored = "";
  bool build = false;
  std::vector<std::string>* notes = nullptr;
  BoardKernels board_kernels = {};  // of the checkerboard on a GPU
  // GPU: kernels read temperature, lambdas, targets and J from memory, so that others need no compiling. A
  // little slower; what set_physics turns to in any case.
  bool numbers_in_memory = false;
};

// Throws UserError where the engine or schedule is not known or not to be had.
std::unique_ptr<Engine> make_engine(const Model& model, const Physics& physics, State state,
                                    const EngineOptions& options);

}  // namespace kiln
