// Ranks that are processes, on one machine or on many.
#pragma once

#include <string>

#include "engine/ranks/exchange.hpp"

namespace kiln {

class Processes : public Exchange {
 public:
  virtual std::string host() const = 0;  // the machine that this rank is on
  virtual std::string version() const { return KILN_VERSION; }
  virtual int ranks_here() const = 0;    // on that machine
  virtual int rank_here() const = 0;     // among those
  // Ends all of them at once, wherever they are.
  [[noreturn]] virtual void end_all(int code) = 0;
};

// What this rank may use of `cores`, which are those that it was given: where ranks of a machine were not
// each given their own, they share.
int fair_threads(int cores, int cores_of_machine, int ranks_here);

}  // namespace kiln
