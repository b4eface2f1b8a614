// States that no process holds as a whole: each writes its part of one into a file of its own, and reads what
// it needs of one from the files of others.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/box.hpp"
#include "core/cell_slice.hpp"
#include "core/state.hpp"

namespace kiln {

struct TissuePart;

// Where a part lies in the whole: the sites of a box, and the rows of some cells, one after the other.
struct PartPlace {
  Box box;
  CellId first_cell = 0, cells = 0;
};

// What a process has of a state.
struct OwnPart {
  int number;
  const TissuePart& tissue;  // its own sites
  CellId first_cell;         // the part's rows, which are not those of the tissue's cells
  const Cells& cells;
};

enum class PartFile : uint32_t { checkpoint, snapshot };

// A state of which a process reads what it needs: in files, or one that was just built
// (ranks/first_state.hpp).
class StateSource {
 public:
  virtual ~StateSource() = default;
  virtual const Lattice& lattice() const = 0;
  virtual int64_t mcs() const = 0;
  virtual bool has_act() const = 0;
  virtual CellId cells() const = 0;  // the medium among them
  // The sites of a box, x fastest; no Act where there is none.
  virtual void read_sites(const Box& box, CellId* ids, ActValue* act) = 0;
  virtual Cells read_rows(CellId first, CellId count) = 0;
  virtual std::vector<Substance> read_substances() = 0;
};

// Files of parts, as every process writes its own, and reads those of all.
class PartStore {
 public:
  virtual ~PartStore() = default;
  // In a folder that is there.
  virtual void write(PartFile kind, const std::string& folder, const OwnPart& part) = 0;
  virtual std::unique_ptr<StateSource> open(const std::string& checkpoint) = 0;
  // What is wrong with the parts of a checkpoint that it is up to this process to look at, in a sentence; "":
  // nothing.
  virtual std::string check(const std::string& checkpoint, int process, int processes) = 0;
};

// A state in parts, as the first process sees it.
class StateParts {
 public:
  virtual ~StateParts() = default;
  virtual const Lattice& lattice() const = 0;
  virtual int64_t mcs() const = 0;
  virtual std::string hash() = 0;
  virtual std::vector<PartPlace> places() const = 0;
  virtual bool has_act() const = 0;
  virtual const Cells& like() const = 0;  // has the columns that the cells have
  virtual void each_slice(const TakeSlice& take) = 0;  // of all cells
  virtual const std::vector<Substance>& substances() const = 0;
  // A box around all sites of cells of some types, which have a flag.
  virtual Box bounds(const std::vector<uint8_t>& types) = 0;
  // The sites of a box alone, as a state of its own.
  virtual State sites_of(const Box& box) = 0;
  // Shows a box of sites as a state of its own with the cells that are seen there, renumbered: `numbers` has
  // the ids of all.
  using ShowBox = std::function<void(const State&, std::span<const CellId> numbers)>;
  virtual void show_box(const Box& box, const ShowBox& show) = 0;
  // All processes write their parts.
  virtual void write(PartFile kind, const std::string& folder) = 0;
};

}  // namespace kiln
