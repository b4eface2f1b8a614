// How bricks on GPUs hear of each other. Kernels put records into an outbox for every partner; a swap makes
// what partners put into theirs readable to the kernels that come next in the stream.
#pragma once

#include <memory>

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/ranks/brick_tables.hpp"
#include "engine/ranks/bricks.hpp"
#include "engine/ranks/sharing.hpp"

namespace kiln::cuda {

// Bricks of one process whose GPUs read each other's memory, or are one: nothing that is told passes the
// host.
class PeerGroup;
// Of so many bricks, dealt to these GPUs; null where some of them cannot read others' memory.
std::shared_ptr<PeerGroup> make_peer_group(int ranks, const std::vector<int>& devices);

class Mail {
 public:
  // Over `exchange`, or, where there is a group, within that.
  Mail(const Device& device, const Stream& stream, Exchange& exchange, const BrickGrid& grid,
       std::shared_ptr<PeerGroup> peers);
  ~Mail();

  // Room for records to every partner of a brick, `bytes` for each at most: a part of it on the device, more
  // where there was more to tell, the rest in the host's memory. All ranks call it at once.
  void fit(const std::vector<int>& partners, const std::vector<int64_t>& bytes);
  // Overflow since the last call: copied to the host, in the stream, for the next fit; or forgotten.
  void look_for_overflow();
  void forget_overflow();
  // Where kernels are to put what they tell next. There are two of every outbox, used in turn.
  void give(BrickTables& tables) const;
  // All ranks call it at once.
  void swap(std::size_t record_bytes);
  const Inbox* inboxes() const { return inboxes_[1 - turn_].data(); }  // of the last swap
  int32_t partners() const { return int32_t(partners_.size()); }
  // Records that were told in the last swap, to all.
  int64_t told_last() const;

 private:
  void swap_with_peers();
  void swap_over_host(std::size_t record_bytes);
  void swap_over_device(DeviceExchange& exchange, std::size_t record_bytes);
  void count_told();
  std::span<std::byte> bring_over(std::size_t partner, std::size_t record_bytes);
  uint8_t* room_for(std::size_t partner, std::size_t bytes, std::size_t record_bytes);
  void show_inboxes();
  void tell_where();

  Device device_;
  const Stream& stream_;
  Exchange& exchange_;
  BrickGrid grid_;
  std::shared_ptr<PeerGroup> peers_;
  std::vector<int> partners_;
  int turn_ = 0;  // which of two is told into
  // By partner.
  std::vector<Buffer<uint8_t>> out_[2], in_;
  std::vector<Pinned<uint8_t>> overflow_[2];
  std::vector<Pinned<uint8_t>> retired_;  // partners may still read from them, until the next fit
  Buffer<Outbox> outboxes_[2];
  Buffer<Inbox> inboxes_[2];
  Buffer<uint32_t> sent_[2], heard_;
  std::vector<Inbox> seen_[2];  // as they were last copied to inboxes_
  std::vector<Message> messages_out_, messages_in_;
  Pinned<uint32_t> counts_;
  Buffer<uint64_t> overflowed_;
  Pinned<uint64_t> needed_;  // by partner: bytes, where an outbox had too little room
};

}  // namespace kiln::cuda
