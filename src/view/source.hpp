// What a page shows: a run on its way, or the snapshots of a folder. Asked by the threads of clients, many at
// a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "view/frame_content.hpp"
#include "view/http/message.hpp"
#include "view/measures.hpp"
#include "view/picture_wish.hpp"

namespace kiln::view {

using Bytes = std::shared_ptr<const std::string>;

struct FrameWish {
  int64_t after = 0;                          // the number of the last frame that the client has
  std::optional<int64_t> mcs = std::nullopt;  // of a snapshot; none: the newest frame
  FrameContent content = {};
};

struct NumberedFrame {
  Bytes bytes;  // nullptr: none newer has come within a moment
  int64_t number = 0;
  int64_t mcs = -1;
};

class Source {
 public:
  virtual ~Source() = default;
  // What seldom changes: title, sizes, types, units. As JSON.
  virtual std::string about() = 0;
  // Where it stands, as JSON; its "about" rises whenever about() changes.
  virtual std::string status() = 0;
  // May wait for a moment for one to come.
  virtual NumberedFrame frame(const FrameWish& wish) = 0;
  // Drawn by the run itself, as PNG; waits for it.
  virtual http::Reply picture(const PictureWish& wish) = 0;
  // The rows of measures.csv so far.
  virtual Measures measures() = 0;
  // What --steer allows; the default says that nothing is to be steered.
  virtual http::Reply steer(const std::string& command);
  virtual http::Reply numbers();
};

}  // namespace kiln::view
