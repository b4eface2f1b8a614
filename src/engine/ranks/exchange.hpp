// How ranks talk to each other: messages between two of them, in the order in which they were sent, and a few
// sums over all. Bricks know nothing else of each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace kiln {

using Message = std::vector<std::byte>;

// Messages that lie in the memory of GPUs, as some MPIs take them.
class DeviceExchange {
 public:
  using Room = std::function<std::byte*(std::size_t k, std::size_t bytes)>;

  // As Exchange::swap. Messages may lie on the device or the host; room(k, bytes) is where the one from to[k]
  // goes.
  virtual void swap(std::span<const int> to, std::span<const std::span<const std::byte>> out,
                    const Room& room) = 0;

 protected:
  ~DeviceExchange() = default;
};

class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;

  // Sends `to[k]` the message `out[k]` and waits for one from each of them, into `in[k]`. All ranks that are
  // named have to name each other. Messages that were sent are then anything: their memory is used again.
  virtual void swap(std::span<const int> to, std::span<Message> out, std::vector<Message>& in) = 0;

  // Null where messages have to pass the host.
  virtual DeviceExchange* of_device_memory() { return nullptr; }

  // Over all ranks, which all call it.
  virtual uint64_t sum(uint64_t here) = 0;
  bool any(bool here) { return sum(here ? 1 : 0) > 0; }
};

// Numbers one after the other in a message.
template <class T>
void append(Message& message, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  message.insert(message.end(), bytes, bytes + sizeof value);
}

// The same message to all others; by rank, what all of them sent, this one's among them. By all ranks at
// once.
std::vector<Message> tell_all(Exchange& exchange, const Message& message);

// The first text, by rank, that is not empty. By all ranks at once.
std::string first_text(Exchange& exchange, const std::string& here);

// A message as it is read.
class Reading {
 public:
  explicit Reading(const Message& message) : at_(message.data()), end_(at_ + message.size()) {}
  bool done() const { return at_ == end_; }
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  const std::byte* take_bytes(std::size_t count) {
    const std::byte* const here = at_;
    at_ += count;
    return here;
  }

 private:
  const std::byte *at_, *end_;
};

}  // namespace kiln
