// A program that is asked at a rhythm of its own and may change the run: a callback in Python, or the viewer.
#pragma once

#include <cstdint>
#include <string>

namespace kiln {

class Controller {
 public:
  enum class Answer {
    go_on,
    stop,    // ends the run here, with a checkpoint
    failed,  // likewise; it is asked again at this MCS when the run goes on, unless it has changed something
  };

  virtual ~Controller() = default;
  virtual std::string name() const = 0;  // as run.json says it
  // The run's folder is there, and no MCS of it has been played, or of this part of it.
  virtual void begin() {}
  // The first MCS after `mcs` at which it wants to be asked. A function of `mcs` alone, so that a run that
  // was interrupted asks at the same ones.
  virtual int64_t next_due(int64_t mcs) const = 0;
  // Whether it wants to be asked at the end of this MCS in any case. Changes that it then makes follow from
  // nothing else, so it has to write them down.
  virtual bool wants_now() const { return false; }
  // Before observers look: they see what it leaves.
  virtual Answer act() = 0;
};

}  // namespace kiln
