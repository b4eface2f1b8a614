// What a run will need, before anybody rents a machine: memory, messages, time. Arithmetic on a few numbers
// that were measured, and on some that are assumed; it says which.
#pragma once

#include <string>
#include <vector>

#include "engine/ranks/bricks.hpp"
#include "model/model.hpp"

namespace kiln {

// What a rank runs on.
struct Hardware {
  const char* key;       // as the command line has it
  const char* name;      // of one
  const char* names;     // of several
  const char* measured;  // which one it was
  double memory;         // bytes of one; 0: not known
  int ranks_per_node;    // assumed
  // Between two ranks of a machine and of two, assumed: seconds until a message is there, bytes per second.
  struct Link {
    double latency_s, bytes_per_s;
  };
  Link within, between;
};
// Throws UserError where it is not known.
const Hardware& hardware_named(const std::string& key);

// A case that was timed, and what its ranks told each other.
struct MeasuredCase {
  const char* name;
  int dimension;
  bool act, history, several_passes;
  double accepted;        // of attempts
  double h200_s, core_s;  // per site and MCS
  double h200_bytes;      // of device memory, per site
  // Of a brick on a GPU, beside one piece, per site.
  struct Cut {
    double time, bytes;
  } h200_cut;
};
// The one that is most like a model.
const MeasuredCase& measured_case_like(const Model& model);

struct Plan {
  const Hardware* hardware = nullptr;
  const MeasuredCase* like = nullptr;
  double cells = 0;
  BrickGrid grid;
  int ranks = 1, nodes = 1;
  double rounds = 0;  // of an MCS
  double swaps = 0;   // of a round: how often a rank sends to all its partners and waits for them
  double memory = 0;  // of a rank, bytes
  // Of a rank's processor, bytes: while a first state is built; and what the first needs for measures.
  double first_state_memory = 0, measures_memory = 0;
  double face_bytes = 0;  // that a rank sends over one face in a round, the largest
  double copy_bytes = 0, claim_bytes = 0, sharing_bytes = 0;  // that a rank sends in an MCS
  double computing_s = 0, talking_s = 0;                      // of an MCS
  double disk = 0;                                            // bytes

  double message_bytes() const { return copy_bytes + claim_bytes + sharing_bytes; }
  const Hardware::Link& link() const { return nodes > 1 ? hardware->between : hardware->within; }
  double mcs_s() const { return computing_s + talking_s; }
};

// `bricks` as for the engines, "": of least surface. Throws UserError where the lattice cannot be cut so.
Plan plan_for(const Model& model, int ranks, const std::string& bricks, const Hardware& hardware);

// A page; and one JSON object.
std::string plan_text(const Plan& plan, const Model& model);
std::string plan_json(const Plan& plan, const Model& model);

}  // namespace kiln
