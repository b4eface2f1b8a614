// A simulation without a folder, which a program such as Python plays now and then.
//
// While it is played, the thread that plays it takes frames, as of a run. In between a thread of this does,
// so that a page that is opened then, or asks for other colours, gets them, too.
#pragma once

#include <functional>
#include <thread>

#include "measure/recorder.hpp"
#include "view/live_run.hpp"

namespace kiln::view {

class LiveSimulation : public LiveRun {
 public:
  // Knows when the simulation may be looked at. Asked by threads of this and of clients.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual bool plays() const = 0;
    // Calls `look` while the simulation stands still; or not, where it is played.
    virtual void between_stretches(const std::function<void()>& look) = 0;
  };

  // Both outlive it until it is closed. To be made while the simulation stands still.
  LiveSimulation(Simulation& simulation, std::string name, Owner& owner);
  ~LiveSimulation() override { close(); }

  // Waits for a frame that is being taken.
  void close() override;

  // All rows of measures.csv so far; called while the simulation stands still.
  void take_rows(const std::vector<MeasureRow>& rows, const Model& model);
  Measures measures() override;

 private:
  bool is_played() const override { return owner_.plays(); }
  void serve();

  Owner& owner_;
  std::mutex rows_mutex_;
  std::vector<TableColumn> columns_;
  std::size_t rows_ = 0;
  Measures known_;  // nullptr: there are more rows than it has
  std::mutex close_mutex_;
  std::thread thread_;  // takes frames between two stretches
};

}  // namespace kiln::view
